/** The steps of a migration in their order, with the names of this cluster. The guides have the reasons. */

import type { Installation } from '../installed-reloader.ts';
import type { OtherInstallation, Source } from './other-reloader.ts';
import { GIVEN, IMAGE, NAME, overlayOf } from './overlay.ts';
import type { Running } from './running.ts';
import type { Settings } from './their-settings.ts';

/** One step: a command, and what it does. */
export interface Step {
  readonly run: string;
  readonly what: string;
}

/** What the steps depend on. */
export interface Situation {
  readonly other: OtherInstallation | undefined;
  /** The reloaders of this program that the cluster has. */
  readonly running: readonly Running[];
  /** The namespace of the new installation. */
  readonly home: string;
  readonly settings: Settings;
}

type Named = Pick<Installation, 'namespace' | 'name'>;

const VALUES = 'their-values.json';
const FOLDER = 'migrated';
/** Values that name an object of the same namespace alone. */
const COPIED = "jq 'del(.metadata) + {metadata: {name: .metadata.name}}'";

/** The release that the chart of this reloader upgrades: it takes the values, names and selectors of one of Stakater Reloader. */
export function releaseInPlace({ name }: Source, other: OtherInstallation | undefined): string | undefined {
  return name === 'stakater' ? other?.release : undefined;
}

/** The steps. */
export function stepsFor(source: Source, situation: Situation): readonly Step[] {
  const { other, running, home } = situation;
  const own = { namespace: home, name: NAME };
  const release = releaseInPlace(source, other);
  // What is applied over it would take its namespaces away.
  const near = running.find((each) => release === undefined && each.overlap !== 'idle' && isSame(each, own));
  const kept = running.find(({ overlap }) => overlap === 'all') ?? near;
  if (kept !== undefined) return [...keeping(kept, situation.settings), rolledOut(kept), ...removing(other)];
  const stopped = running
    .filter(({ overlap }) => overlap === 'some')
    .map((each) => stopping(each, 'two of this program would roll each change twice; delete it at the end'));
  if (other !== undefined && release !== undefined) return [...stopped, ...inPlace(other, release)];
  // The selector of a Deployment cannot be changed, and a release may have objects of the same names.
  const isNear = other?.namespace === home && (other.name === NAME || other.release !== undefined);
  // Both have the same state: the one of Collaborne does not know the form of the new entries.
  const isStopped = source.name === 'collaborne' && other !== undefined && other.replicas > 0;
  const why = 'it does not know the form of the new entries in the state';
  return [
    ...stopped,
    ...(isNear ? removing(other) : isStopped ? [stopping(other, why)] : []),
    ...installing(situation),
    ...copying(situation),
    rolledOut(own),
    ...(isNear ? [] : removing(other)),
  ];
}

function isSame(one: Named, other: Named): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}

function keeping(
  { namespace, name, overlap }: Running,
  { args, variables, wanted }: Settings,
): readonly Step[] {
  const needed = [...args.slice(overlap === 'all' ? 1 : 0), ...variables.map((each) => each.name), ...wanted];
  const what = `add what it lacks of ${needed.join(' ')}, also where it is installed from; its log names missing rights`;
  return needed.length === 0 ? [] : [{ run: `kubectl -n ${namespace} edit deployment/${name}`, what }];
}

function inPlace({ namespace, name }: OtherInstallation, release: string): readonly Step[] {
  return [
    {
      run: `helm get values ${release} -n ${namespace} -o json | jq 'del(.image, .global.imageRegistry)' > ${VALUES}`,
      what: 'its values, but for its image; Helm names those that mean something else here',
    },
    {
      run: `helm upgrade ${release} k8s/chart -n ${namespace} -f ${VALUES} --set image.repository=${IMAGE}`,
      what: 'in a clone, with the name of your image; the release keeps its names, and the old one ends once the new one is ready',
    },
    rolledOut({ namespace, name }),
    { run: `helm test ${release} -n ${namespace}`, what: 'rolls a Deployment without pods, and deletes it' },
  ];
}

function rolledOut({ namespace, name }: Named): Step {
  return {
    run: `kubectl -n ${namespace} rollout status deployment/${name}`,
    what: 'it is ready once everything is listed',
  };
}

function stopping({ namespace, name }: Named, what: string): Step {
  return { run: `kubectl -n ${namespace} scale deployment/${name} --replicas=0`, what };
}

function installing(situation: Situation): readonly Step[] {
  const names = situation.settings.namespaces ?? [];
  const rights = names.map(
    (each) => `mkdir -p ${FOLDER}/${each} && cat > ${FOLDER}/${each}/kustomization.yaml <<'end'
namespace: ${each}
resources: [../../k8s/namespaces/rights]
end`,
  );
  return [
    {
      run: [
        ...(names.length > 1 ? rights : []),
        `mkdir -p ${FOLDER} && cat > ${FOLDER}/kustomization.yaml <<'end'`,
        ...overlayOf(situation.home, situation.other?.replicas ?? 1, situation.settings),
        'end',
      ].join('\n'),
      what: 'in a clone: the manifests with these arguments and the rights for them; write the name of your image',
    },
    { run: `kubectl apply -k ${FOLDER}`, what: 'the new one' },
  ];
}

/** Pods read no Secret of another namespace. */
function copying({ other, settings: { variables, wanted }, home }: Situation): readonly Step[] {
  const objects = variables.flatMap(({ valueFrom: { secretKeyRef, configMapKeyRef } = {} }) => [
    ...(secretKeyRef === undefined ? [] : [`secret/${secretKeyRef.name}`]),
    ...(configMapKeyRef === undefined ? [] : [`configmap/${configMapKeyRef.name}`]),
  ]);
  const isNear = other === undefined || other.namespace === home;
  const literals = wanted.map((name) => `--from-literal=${name}="\${${name}:?}"`);
  const given = {
    run: `kubectl -n ${home} create secret generic ${GIVEN} ${literals.join(' ')}`,
    what: `with ${wanted.join(', ')} set in your shell; the new pod waits for it`,
  };
  return [
    ...(isNear ? [] : [...new Set(objects)]).map((object) => ({
      run: `kubectl -n ${other?.namespace} get ${object} -o json | ${COPIED} | kubectl -n ${home} apply -f -`,
      what: 'the new pod waits for what its variables read',
    })),
    ...(literals.length === 0 ? [] : [given]),
  ];
}

function removing(other: OtherInstallation | undefined): readonly Step[] {
  if (other === undefined) return [];
  const { namespace, name, release } = other;
  if (release !== undefined)
    return [{ run: `helm uninstall ${release} -n ${namespace}`, what: 'the other one, with its objects' }];
  const what = 'the other one; its account and roles stay; first stop what applies its manifests again';
  return [{ run: `kubectl -n ${namespace} delete deployment/${name}`, what }];
}
