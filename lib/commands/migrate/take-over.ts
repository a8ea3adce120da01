/** Takes over the Deployment of the other reloader as it is: it gets the rights, the image, and what the new program lacks. */

import { permissionsOf } from '../../app/preflight.ts';
import { RELOADER_LABEL } from '../installed-reloader.ts';
import type { OtherInstallation } from './other-reloader.ts';
import type { Settings } from './their-settings.ts';

/** The name of the image, which a person replaces. */
export const IMAGE = 'registry.example.com/kubernetes-reloader';
const RBAC = 'rbac.authorization.k8s.io';
/** The port of probes alone in a pod. */
const PROBES_PORT = 8081;

/** The command that gives the account of the Deployment the rights for these settings. */
export function grantingRights({ namespace, name, account }: OtherInstallation, settings: Settings): string {
  const title = `kubernetes-reloader-${namespace}-${name}`;
  const subjects = [{ kind: 'ServiceAccount', namespace, name: account }];
  const places = Map.groupBy(permissionsOf(settings), (permission) => permission.namespace);
  const items = [...places].flatMap(([place, permissions]) => {
    const kind = place === undefined ? 'ClusterRole' : 'Role';
    const object = { apiVersion: `${RBAC}/v1`, metadata: { name: title, namespace: place } };
    return [
      { ...object, kind, rules: permissions.map(({ rule }) => rule) },
      { ...object, kind: `${kind}Binding`, roleRef: { apiGroup: RBAC, kind, name: title }, subjects },
    ];
  });
  const lines = items.map((item) => JSON.stringify(item)).join(',\n');
  return `kubectl apply -f - <<'end'\n{"apiVersion":"v1","kind":"List","items":[\n${lines}\n]}\nend`;
}

/** The command that puts the new program into the Deployment. Its arguments and variables stay, and so does all else of it. */
export function replacingProgram(other: OtherInstallation, { added, options }: Settings): string {
  const { namespace, name, container, replicas } = other;
  const { healthPort: port = PROBES_PORT } = options;
  const probe = (path: string): object => ({
    httpGet: { path, port, scheme: 'HTTP' },
    exec: null,
    tcpSocket: null,
  });
  const program = {
    name: container,
    image: IMAGE,
    command: null,
    env: Object.entries(added).map(([variable, value]) => ({ name: variable, value })),
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
  };
  const patch = {
    metadata: { labels: { [RELOADER_LABEL.key]: RELOADER_LABEL.value } },
    spec: { replicas: Math.max(1, replicas), template: { spec: { containers: [program] } } },
  };
  return `kubectl -n ${namespace} patch deployment/${name} -p '${JSON.stringify(patch)}'`;
}
