/** The steps of a migration in their order, with the names of this cluster. The guides have the reasons. */

import type { OtherReloader, Source } from './other-reloader.ts';
import type { Settings } from './their-settings.ts';

/** One step: a command, and what it does. */
export interface Step {
  readonly run: string;
  readonly what: string;
}

/** What the steps depend on. */
export interface Situation extends Pick<Settings, 'namespaces' | 'secrets'> {
  readonly other: OtherReloader | undefined;
  readonly home: string;
}

const IMAGE = '--set image.repository=registry.example.com/kubernetes-reloader';
const VALUES = 'their-values.yaml';

/** The steps. */
export function stepsFor(source: Source, situation: Situation): readonly Step[] {
  const { other } = situation;
  const copies = other?.release === undefined ? [] : copying(other.release, situation);
  if (source.isStakater && other?.release !== undefined) return [...copies, ...inPlace(other, other.release)];
  // Both have the same state: the one of Collaborne does not know the form of the new entries.
  const isStopped = !source.isStakater && other !== undefined && other.installation.replicas > 0;
  return [
    ...copies,
    ...(isStopped ? [stopping(other)] : []),
    ...installing(situation),
    ...removing(situation),
  ];
}

/** Secrets of a release go with it. */
function copying(release: string, { other, secrets, home }: Situation): readonly Step[] {
  const namespace = other?.installation.namespace ?? home;
  return [...Map.groupBy(secrets, ({ secret }) => secret)].map(([secret, read]) => ({
    run: `kubectl -n ${namespace} get secret/${secret} -o json | jq '{apiVersion, kind, type, data, metadata: {name: "${secret}-copy"}}' | kubectl -n ${home} apply -f -`,
    what: `${read.map(({ variable }) => variable).join(', ')}: read it from the copy if the Secret is one of the release ${release}`,
  }));
}

/** The chart of this one takes the values, names and selectors of a release of Stakater Reloader. */
function inPlace({ installation: { namespace, name } }: OtherReloader, release: string): readonly Step[] {
  return [
    {
      run: `helm get values ${release} -n ${namespace} -o yaml > ${VALUES}`,
      what: 'its values mean the same here; take out what names its image',
    },
    {
      run: `helm upgrade ${release} k8s/chart -n ${namespace} -f ${VALUES} ${IMAGE}`,
      what: 'in a clone; the release keeps its names, and the old one ends once the new one is ready',
    },
    rolledOut(namespace, name),
    { run: `helm test ${release} -n ${namespace}`, what: 'rolls a Deployment without pods, and deletes it' },
  ];
}

function rolledOut(namespace: string, name: string): Step {
  return {
    run: `kubectl -n ${namespace} rollout status deployment/${name}`,
    what: 'it is ready once everything is listed',
  };
}

function stopping({ installation: { namespace, name } }: OtherReloader): Step {
  return {
    run: `kubectl -n ${namespace} scale deployment/${name} --replicas=0`,
    what: 'it does not know the form of the new entries in the state',
  };
}

function installing({ namespaces, home }: Situation): readonly Step[] {
  const what = 'in a clone, with the name of your image and the arguments above';
  if (namespaces === undefined)
    return [{ run: 'kubectl apply -k k8s/cluster', what }, rolledOut('reloader', 'reloader')];
  if (namespaces.length > 1)
    return [
      {
        run: 'kubectl apply -k k8s/namespaces',
        what: `${what}, and your namespaces in place of web and api`,
      },
      rolledOut('reloader', 'reloader'),
    ];
  const run = `kubectl kustomize k8s/base | sed 's/namespace: default/namespace: ${home}/' | kubectl apply -f -`;
  return [{ run, what }, rolledOut(home, 'reloader')];
}

/** Whether the manifests have the Deployment of the other one. */
function isReplaced({ other, namespaces, home }: Situation): boolean {
  const { namespace, name } = other?.installation ?? {};
  return name === 'reloader' && namespace === (namespaces?.length === 1 ? home : 'reloader');
}

function removing({ other, ...situation }: Situation): readonly Step[] {
  if (other === undefined || isReplaced({ other, ...situation })) return [];
  const { namespace, name } = other.installation;
  const isOfHelm = other.release !== undefined;
  const run = isOfHelm
    ? `helm uninstall ${other.release} -n ${namespace}`
    : `kubectl -n ${namespace} delete deployment/${name}`;
  return [{ run, what: isOfHelm ? 'the rest of the other one' : 'the other one' }];
}
