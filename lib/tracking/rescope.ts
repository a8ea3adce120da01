/**
 * What a workload follows of an object becomes more or less of it: its template reads other keys, or it is rolled for keys
 * from now on, or for the whole object again. That is no new edge, for it may be outdated.
 */

import { ABSENT } from '../model/digest.ts';
import { type Edge, type RunningDigest, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { putEdge } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import type { Effects } from './effects.ts';
import { liveStampOf } from './live-stamps.ts';
import type { WorkloadDiff } from './workload-diff.ts';

/**
 * Goes over to `refs`, of objects of which `diff` shows that the workload followed something else. What replaces pods is
 * judged afterwards, as for any edge.
 */
export function rescope(
  store: Store,
  { effects, key, record }: WorkloadDiff,
  refs: readonly ConfigRef[],
): void {
  for (const ref of refs) {
    const config = keyOf(ref);
    if (record.edges.has(config)) continue;
    const [former = config] = store.partsOf(keyOf(wholeOf(ref))).filter((part) => record.edges.has(part));
    const edge = record.edges.get(former);
    const before = store.configs.get(former);
    if (edge === undefined || before === undefined) continue;
    const stamp = liveStampOf(record, config);
    const after = store.configRecordOf(ref);
    const runningDigest = ranOf(edge, before, after);
    const stamped = nextEdge(edge, { type: 'stamp-seen', stamp });
    putEdge(store, record, config, nextEdge(stamped, { type: 'began', running: runningDigest }));
    store.dependents.add(config, key);
    effects.note({
      reason: 'followed',
      workload: record.workload.ref,
      config: ref,
      detail: runningDigest ?? '',
    });
    lookFor(effects, config, after);
    effects.persist(config);
  }
}

/** What has to be found out of an object of which nothing is known yet, or which is not there. */
export function lookFor(effects: Effects, config: ObjectKey, { digest }: ConfigRecord): void {
  if (digest === undefined) effects.report({ type: 'missing', config });
}

/** Pods that ran the current content of one part of the object run that of the other; else their running digest is unknown. */
function ranOf(
  { runningDigest }: Edge,
  before: ConfigRecord,
  after: ConfigRecord,
): RunningDigest | undefined {
  if (runningDigest === undefined) return after.digest;
  if (runningDigest === ABSENT) return runningDigest;
  const isCurrent = runningDigest === before.lastDigest;
  return isCurrent ? (after.lastDigest ?? UNKNOWN) : UNKNOWN;
}
