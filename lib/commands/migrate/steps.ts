/** The steps of a migration in their order, with the names of this cluster. The guides have the reasons. */

import type { Difference } from './differences.ts';
import type { OtherReloader } from './other-reloader.ts';
import type { Source } from './others.ts';

/** One step: a command, and what it does. */
export interface Step {
  readonly run: string;
  readonly what: string;
}

/** What the steps depend on. */
export interface Situation {
  readonly other: OtherReloader | undefined;
  readonly webhooks: readonly string[];
  readonly home: string;
  /** Where an overlay of k8s installs it. */
  readonly overlayNamespace: string;
  /** The folder of the overlay, or the file of values, that was written. */
  readonly written: { readonly values?: string | undefined; readonly overlay?: string | undefined };
  readonly differences: readonly Difference[];
}

const IMAGE = '--set image.repository=registry.example.com/kubernetes-reloader';

/** The steps. */
export function stepsFor(source: Source, situation: Situation): readonly Step[] {
  const { other, written } = situation;
  if (source.name === 'stakater' && other?.release !== undefined && written.overlay === undefined)
    return inPlace(other, other.release, situation);
  return [
    ...situation.webhooks.map((name) => ({
      run: `kubectl delete mutatingwebhookconfiguration/${name}`,
      what: 'first: it writes to workloads, and refuses writes once its pods are gone',
    })),
    ...stopping(other),
    ...consents(source, situation.differences),
    ...installing(source, situation),
    ...removing(situation),
    ...afterWave(source, situation.differences),
  ];
}

/** The chart of this one takes the values, names and selectors of a release of Stakater Reloader. */
function inPlace(
  { installation }: OtherReloader,
  release: string,
  { written, home }: Pick<Situation, 'written' | 'home'>,
): readonly Step[] {
  const { namespace, name } = installation;
  const { values = 'values.yaml' } = written;
  const writing: Step = {
    run: `helm get values ${release} -n ${namespace} -o yaml | reloader migrate --from stakater -f - --values ${values}`,
    what: 'its values, without those that mean nothing here',
  };
  return [
    ...(written.values === undefined ? [writing] : []),
    {
      run: `helm upgrade ${release} k8s/chart -n ${namespace} -f ${values} ${IMAGE}`,
      what: 'in a clone; the release keeps its names',
    },
    {
      run: `kubectl -n ${home} rollout status deployment/${name}`,
      what: 'it is ready once everything is listed',
    },
    { run: `helm test ${release} -n ${namespace}`, what: 'rolls a Deployment without pods, and deletes it' },
  ];
}

function stopping(other: OtherReloader | undefined): readonly Step[] {
  if (other === undefined || other.installation.replicas === 0) return [];
  const { namespace, name } = other.installation;
  return [
    {
      run: `kubectl -n ${namespace} scale deployment/${name} --replicas=0`,
      what: 'two at once roll each change twice',
    },
  ];
}

function consents({ name }: Source, differences: readonly Difference[]): readonly Step[] {
  const refused = new Map(
    differences.filter(({ rule }) => rule === 'not-allowed').map((each) => [each.about, each] as const),
  );
  if (name !== 'wave') return [];
  return [...refused.values()].flatMap(({ about, namespace }) =>
    about.split(', ').flatMap((item): readonly Step[] => {
      const [kind, where, object] = item.split('/');
      if (object === undefined) return [];
      return [
        {
          run: `kubectl -n ${where} annotate ${kind?.toLowerCase()}/${object} reloader.k8s.collaborne.com/allow-from=${namespace}`,
          what: `workloads of ${namespace} may follow it`,
        },
      ];
    }),
  );
}

function installing({ name }: Source, { home, overlayNamespace, written }: Situation): readonly Step[] {
  if (written.values !== undefined)
    return [
      {
        run: `helm upgrade --install reloader k8s/chart -n ${home} --create-namespace -f ${written.values} ${IMAGE}`,
        what: 'in a clone',
      },
      {
        run: `kubectl -n ${home} rollout status deployment/reloader-reloader`,
        what: 'nothing is rolled but what is listed',
      },
    ];
  const folder = written.overlay ?? 'reloader';
  const writing = {
    run: `reloader migrate --from ${name} --overlay ${folder}`,
    what: 'or --values <file> for Helm',
  };
  return [
    ...(written.overlay === undefined ? [writing] : []),
    { run: `kubectl apply -k ${folder}`, what: 'after the name of the image in it is yours' },
    {
      run: `kubectl -n ${overlayNamespace} rollout status deployment/reloader`,
      what: 'nothing is rolled but what is listed',
    },
  ];
}

function removing({ other, overlayNamespace, written }: Situation): readonly Step[] {
  if (other === undefined) return [];
  const { namespace, name } = other.installation;
  if (other.release !== undefined)
    return [{ run: `helm uninstall ${other.release} -n ${namespace}`, what: 'the rest of the other one' }];
  const isReplaced = written.values === undefined && namespace === overlayNamespace && name === 'reloader';
  return isReplaced
    ? []
    : [{ run: `kubectl -n ${namespace} delete deployment/${name}`, what: 'the other one' }];
}

function afterWave({ name }: Source, differences: readonly Difference[]): readonly Step[] {
  if (name !== 'wave') return [];
  const waiting = differences.filter(
    ({ rule, todo }) => rule === 'scheduling-disabled' && todo !== undefined,
  );
  return waiting.map(({ namespace, workload }) => ({
    run: `kubectl -n ${namespace} delete pod ${workload.split('/')[1]}-0`,
    what: 'a StatefulSet waits for a pod that never ran',
  }));
}
