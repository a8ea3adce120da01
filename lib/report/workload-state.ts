/** One word for the state of a workload, the same on the pages and in `explain`. */

import { hasFailed, holdOrPause } from '../model/hold.ts';
import { keyOf } from '../model/object-ref.ts';
import type { State } from '../model/status-report.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { asks } from '../tracking/edge-policy.ts';
import { haltOf } from '../tracking/halts.ts';

/** The state; `blocks`: why it is not rolled now, if it is outdated. */
export function stateOf(
  store: Store,
  record: WorkloadRecord,
  blocks?: readonly { readonly state?: State | undefined }[],
): State {
  if (blocks !== undefined) return blocks.find(({ state }) => state !== undefined)?.state ?? 'waiting';
  const { workload, edges } = record;
  const { hold, isPaused, failure, isComplete, rolling } = workload;
  const configs = [...edges.keys()].flatMap((key) => store.configs.get(key) ?? []);
  const hasHalted = configs.some((config) => haltOf(store, config)?.workload === keyOf(workload.ref));
  if (hasHalted || hasFailed(workload) || failure !== undefined) return 'failing';
  // Older pods stay until a person decides.
  if (holdOrPause(hold, isPaused) && !isComplete) return 'waiting';
  const isBegun = ({ ref }: ConfigRecord): boolean => edges.get(keyOf(ref))?.runningDigest !== undefined;
  if (configs.some((config) => config.digest && !isBegun(config) && asks(store, record, config)))
    return 'unknown';
  return rolling === undefined || rolling === 'held' ? 'healthy' : 'rolling';
}
