/** Whether manifests bring back what pods run. */

import { shortDigest } from '../../model/digest.ts';
import { UNKNOWN } from '../../model/edge.ts';
import { describe, keyOf, wholeOf } from '../../model/object-ref.ts';
import { observedBy, putEdge } from '../../tracking/edge-policy.ts';
import { nextEdge } from '../../tracking/edge-state.ts';
import type { Followed } from '../explain/causes-of-workload.ts';
import { placed } from '../explain/explanation-text.ts';
import type { Observation } from '../observation.ts';
import { leaderOf, type Scene } from '../scene.ts';
import type { PlannedObject } from './plan-answer.ts';

/** Whether the state says that the pods may run another content than the current one. */
export function isMarked({ record, config, verdict }: Followed): boolean {
  return verdict.asks && record.edges.get(keyOf(config.ref))?.runningDigest === UNKNOWN;
}

/** Ends rollouts for contents that pods run; returns why that is unknown. */
export async function endChangedBack(
  scene: Scene,
  { store, isServed }: Observation,
  all: readonly Followed[],
  objects: readonly PlannedObject[],
): Promise<readonly string[]> {
  const changed = new Set(objects.map(({ object }) => keyOf(object)));
  const marked = all.filter(({ config: { ref } }) => changed.has(keyOf(wholeOf(ref))));
  if (!isServed || marked.length === 0) return [];
  const answer = await leaderOf(scene);
  return marked.flatMap(({ record, workload: { ref: own }, config: { ref } }) => {
    const edge = record.edges.get(keyOf(ref));
    const observed = observedBy(store, record, store.configs.get(keyOf(ref)));
    const { running, leader } = answer(own);
    const digest = running?.get(describe(ref));
    if (edge && observed !== undefined && digest === shortDigest(observed, ref.keys))
      putEdge(store, record, keyOf(ref), nextEdge(edge, { type: 'pods-started', observed }));
    const why = typeof leader === 'string' ? `, and ${leader}` : '';
    const what = `whether pods of ${placed(own)} run the new content of ${describe(ref)}`;
    return digest === undefined ? [`the running reloader alone knows ${what}${why}`] : [];
  });
}
