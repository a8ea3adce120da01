/** The steps of a migration in their order. The guides have the reasons. */

import { permissionsOf } from '../../app/preflight.ts';
import { RELOADER_LABEL } from '../deployed-program.ts';
import type { Installation } from '../installed-reloader.ts';
import type { OtherInstallation, Source } from './other-reloader.ts';
import type { Settings } from './their-settings.ts';

/** The name of the image, which a person replaces. */
const IMAGE = 'registry.example.com/kubernetes-reloader';
const RBAC = 'rbac.authorization.k8s.io';
/** The port of probes alone in a pod. */
const PROBES_PORT = 8081;

/** The command that gives the account of the Deployment the rights for these settings. */
function grantingRights({ namespace, name, account }: OtherInstallation, settings: Settings): string {
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

/** The command that puts the new program into the Deployment. All else of it stays. */
function replacingProgram(other: OtherInstallation, { added, options }: Settings): string {
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

/** One step: a command, and what it does. */
export interface Step {
  readonly run: string;
  readonly what: string;
}

const VALUES = 'their-values.json';

/** The steps; `kept`: the reloader of this program that the cluster has already. */
export function stepsFor(
  source: Source,
  other: OtherInstallation | undefined,
  kept: Installation | undefined,
  settings: Settings,
): readonly Step[] {
  if (kept !== undefined) return [...keeping(kept, settings), rolledOut(kept), ...removing(other)];
  if (other === undefined) return [];
  const { release } = other;
  // The chart takes the values, names and selectors of a release of Stakater Reloader.
  if (source.name === 'stakater' && release !== undefined) return upgrading(other, release);
  return [...takingOver(source, other, settings), rolledOut(other)];
}

function keeping({ namespace, name }: Installation, { args, hidden }: Settings): readonly Step[] {
  const words = [...args, ...hidden].join(' ');
  const what = `compare with ${words}, and add what is meant; it concerns all its namespaces, and its account needs the rights`;
  return [{ run: `kubectl -n ${namespace} edit deployment/${name}`, what }];
}

function upgrading({ namespace, name }: OtherInstallation, release: string): readonly Step[] {
  return [
    {
      run: `helm get values ${release} -n ${namespace} -o json | jq 'del(.image, .global.imageRegistry)' > ${VALUES}`,
      what: 'its values, but for its image; Helm names those that mean something else here',
    },
    {
      run: `helm upgrade ${release} k8s/chart -n ${namespace} -f ${VALUES} --set image.repository=${IMAGE}`,
      what: 'in a clone, with the name of your image; the old one ends once the new one is ready',
    },
    rolledOut({ namespace, name }),
    { run: `helm test ${release} -n ${namespace}`, what: 'rolls a Deployment without pods, and deletes it' },
  ];
}

function takingOver(source: Source, other: OtherInstallation, settings: Settings): readonly Step[] {
  const isStopped = source.name === 'collaborne' && other.replicas > 0;
  const stopping = {
    run: `kubectl -n ${other.namespace} scale deployment/${other.name} --replicas=0`,
    what: 'it does not know the new entries in the state',
  };
  const refused = settings.rows.filter(({ is }) => is === 'refused').map(({ theirs }) => theirs);
  const first = refused.length === 0 ? '' : `first take ${refused.join(', ')} away; `;
  return [
    { run: grantingRights(other, settings), what: 'the rights for its settings; those that it has stay' },
    ...(isStopped ? [stopping] : []),
    {
      run: replacingProgram(other, settings),
      what: `${first}write the name of your image, and change the same where its manifests are; all else of it stays`,
    },
  ];
}

function rolledOut({ namespace, name }: Pick<Installation, 'namespace' | 'name'>): Step {
  return {
    run: `kubectl -n ${namespace} rollout status deployment/${name}`,
    what: 'it is ready once everything is listed',
  };
}

function removing(other: OtherInstallation | undefined): readonly Step[] {
  if (other === undefined) return [];
  const { namespace, name, release } = other;
  if (release !== undefined)
    return [
      {
        run: `helm uninstall ${release} -n ${namespace}`,
        what: 'the other one; its objects go with it, also Secrets that its variables are read from',
      },
    ];
  const what = 'the other one; its account and roles stay; first stop what applies its manifests again';
  return [{ run: `kubectl -n ${namespace} delete deployment/${name}`, what }];
}
