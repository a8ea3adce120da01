/** Objects of custom kinds, whose controllers may write objects, and the reloader. */

import { isDeepStrictEqual } from 'node:util';
import { describe, keyOf, wholeOf } from '../../model/object-ref.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import { isOurs } from '../deployed-program.ts';
import { allFollowed } from '../explain/causes-of-workload.ts';
import { watches } from '../installed-reloader.ts';
import type { Observation } from '../observation.ts';
import { readObject } from '../reads.ts';
import type { Scene } from '../scene.ts';
import { appliedTo, lastAppliedTo } from './apply.ts';
import type { Manifest } from './documents.ts';
import { byObject } from './manifests.ts';
import type { Step } from './plan.ts';

/** The groups of Kubernetes itself have no dot, or end in `.k8s.io`. */
const BUILT_IN = /^(?:[^./]*|[^/]*\.k8s\.io)(?:\/|$)/;

/** Each reloader and custom object whose change decides, as clauses. */
export async function changedByOthers(
  scene: Scene,
  observation: Observation,
  steps: readonly Step[],
  [manifests, former]: readonly [readonly Manifest[], readonly Manifest[] | undefined],
): Promise<readonly string[]> {
  const { namespace: own, reloader } = scene;
  const created = steps.flatMap(({ change, object }) => (change === 'created' ? [object.metadata.uid] : []));
  const all = byObject([...manifests, ...(former ?? [])], own);
  const applied = all.flat().map(({ kind, object }) => keyOf({ namespace: own, ...object.metadata, kind }));
  const refs = allFollowed(observation)
    .filter(({ workload: { ref, uid } }) => !created.includes(uid) && watches(reloader, ref.namespace))
    .filter(({ config, verdict }) => verdict.asks || config.digest === undefined)
    .map(({ config }) => wholeOf(config.ref))
    .filter((ref) => !applied.includes(keyOf(ref)));
  const clauses = all.map(async ([first, ...twins]) => {
    if (first === undefined || BUILT_IN.test(first.apiVersion)) return [];
    const { name, namespace } = first.object.metadata;
    const text = JSON.stringify([first, ...twins].map(({ object }) => [name, (object as RawWorkload).spec]));
    const meant = refs.filter(
      (ref) => [undefined, ref.namespace].includes(namespace) && text.includes(JSON.stringify(ref.name)),
    );
    const isSame = twins.some(({ object }) => isDeepStrictEqual(object, first.object));
    if (meant.length === 0 || isSame || (former === undefined && (await isLive(scene, first)))) return [];
    return meant.map((ref) => `${first.kind}/${name} changes, and may change ${describe(ref)}`);
  });
  return [...changesOfReloader(steps), ...new Set((await Promise.all(clauses)).flat())];
}

function changesOfReloader(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ before, after }) => {
    const [own] = [after, before].filter((each) => each !== undefined && isOurs(each));
    const [was, is] = [before, after].map((each) => (each as RawWorkload | undefined)?.spec);
    if (own === undefined || isDeepStrictEqual(was, is)) return [];
    return [`these manifests change the reloader itself (${own.metadata.namespace}/${own.metadata.name})`];
  });
}

async function isLive(
  { send, namespace: own }: Scene,
  { apiVersion, kind, object }: Manifest,
): Promise<boolean> {
  const [group = '', version = ''] = apiVersion.split('/');
  const row = { group, version, resource: `${kind.toLowerCase().replace(/y$/, 'ie')}s` };
  const { namespace = own, name } = object.metadata;
  const live = await readObject<RawWorkload>(send, row, namespace, name);
  if (live.kind !== 'found') return false;
  const next: RawWorkload = appliedTo(live.object, object, lastAppliedTo(live.object));
  return isDeepStrictEqual(next.spec, live.object.spec);
}
