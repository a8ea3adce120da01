/** One word for the state of a workload, the same on the pages and in `explain`. */

import { hasFailed } from '../model/hold.ts';
import { keyOf } from '../model/object-ref.ts';
import type { State } from '../model/status-report.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { asks } from '../tracking/edge-policy.ts';
import { haltOf } from '../tracking/halts.ts';

/** Reasons to wait of which the state says more than that it waits. */
const STATE_BY_REASON: Readonly<Record<string, State>> = {
  refused: 'refused',
  reverted: 'refused',
  failed: 'failing',
  halt: 'halted',
};

/** The state; `reasons`: why the workload is not rolled now, if it is outdated. */
export function stateOf(store: Store, record: WorkloadRecord, reasons: readonly string[] | undefined): State {
  if (reasons !== undefined)
    return reasons.map((reason) => STATE_BY_REASON[reason]).find(Boolean) ?? 'waiting';
  const { workload, edges } = record;
  const { hold, failure, isComplete, rolling } = workload;
  const configs = [...edges.keys()].flatMap((key) => store.configs.get(key) ?? []);
  const hasHalted = configs.some((config) => haltOf(store, config)?.workload === keyOf(workload.ref));
  if (hasHalted || hasFailed(workload) || failure !== undefined) return 'failing';
  // Pods of an earlier template stay until a person decides.
  if (hold !== undefined && !isComplete) return 'waiting';
  const isBegun = ({ ref }: ConfigRecord): boolean => edges.get(keyOf(ref))?.runningDigest !== undefined;
  if (configs.some((config) => config.digest && !isBegun(config) && asks(store, record, config)))
    return 'unknown';
  return rolling === undefined || rolling === 'held' ? 'healthy' : 'rolling';
}
