/** The steps of a migration in their order, with the names of this cluster. The guides have the reasons. */

import type { OtherInstallation, Source } from './other-reloader.ts';
import type { Settings } from './their-settings.ts';

/** One step: a command, and what it does. */
export interface Step {
  readonly run: string;
  readonly what: string;
}

/** What the steps depend on. */
export interface Situation extends Pick<Settings, 'namespaces' | 'secrets'> {
  readonly other: OtherInstallation | undefined;
  /** The namespace of the new installation. */
  readonly home: string;
}

const IMAGE = '--set image.repository=registry.example.com/kubernetes-reloader';
const VALUES = 'their-values.yaml';

/** The release that the chart of this reloader upgrades: it takes the values, names and selectors of one of Stakater Reloader. */
export function releaseInPlace({ name }: Source, other: OtherInstallation | undefined): string | undefined {
  return name === 'stakater' ? other?.release : undefined;
}

/** The steps. */
export function stepsFor(source: Source, situation: Situation): readonly Step[] {
  const { other, home } = situation;
  const release = releaseInPlace(source, other);
  if (other !== undefined && release !== undefined) return inPlace(other, release);
  // Both have the same state: the one of Collaborne does not know the form of the new entries.
  const isStopped = source.name === 'collaborne' && other !== undefined && other.replicas > 0;
  return [
    ...(isStopped ? [stopping(other)] : []),
    installing(situation),
    ...copying(situation),
    rolledOut(home, 'reloader'),
    ...removing(situation),
  ];
}

function inPlace({ namespace, name }: OtherInstallation, release: string): readonly Step[] {
  return [
    {
      run: `helm get values ${release} -n ${namespace} -o yaml > ${VALUES}`,
      what: 'its values mean the same here, those in Secrets too; take out what names its image',
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

function stopping({ namespace, name }: OtherInstallation): Step {
  return {
    run: `kubectl -n ${namespace} scale deployment/${name} --replicas=0`,
    what: 'it does not know the form of the new entries in the state',
  };
}

function installing({ namespaces, home }: Situation): Step {
  const what = 'in a clone, with the name of your image and the arguments above';
  if (namespaces === undefined) return { run: 'kubectl apply -k k8s/cluster', what };
  if (namespaces.length > 1)
    return {
      run: 'kubectl apply -k k8s/namespaces',
      what: `${what}, and ${namespaces.join(', ')} in place of web and api`,
    };
  const run = `kubectl kustomize k8s/base | sed 's/namespace: default/namespace: ${home}/' | kubectl apply -f -`;
  return { run, what };
}

/** Pods read no Secret of another namespace. */
function copying({ other, secrets, home }: Situation): readonly Step[] {
  if (other === undefined || other.namespace === home) return [];
  return secrets.map((secret) => ({
    run: `kubectl -n ${other.namespace} get secret/${secret} -o json | jq '{apiVersion, kind, type, data, metadata: {name: .metadata.name}}' | kubectl -n ${home} apply -f -`,
    what: 'the new pod waits for the Secret that its variables read',
  }));
}

function removing({ other, home }: Situation): readonly Step[] {
  if (other === undefined) return [];
  const { namespace, name, release } = other;
  if (release !== undefined)
    return [{ run: `helm uninstall ${release} -n ${namespace}`, what: 'the rest of the other one' }];
  // The manifests replace a Deployment of their own name.
  if (name === 'reloader' && namespace === home) return [];
  return [{ run: `kubectl -n ${namespace} delete deployment/${name}`, what: 'the other one' }];
}
