/** Histories written by hand, with exact expectations: how they are said, and how they are judged. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ConfigStep,
  Content,
  History,
  InitialWorkload,
  Settings,
  Step,
  WorkloadName,
} from './history.ts';
import { judge } from './oracle.ts';
import { contentAt, endOf, podsOf, rolloutsOf } from './timeline.ts';
import type { Trace } from './trace.ts';
import { SETTINGS } from './trace-by-hand.ts';
import { run } from './world.ts';

/** The object that changes. */
export const C = 'ConfigMap/c';
/** The workload whose pods are looked at in the end. */
export const WEB = 'Deployment/web';

/** One history, and what it must come to. */
export interface Case {
  readonly workloads?: readonly InitialWorkload[];
  readonly settings?: Partial<Settings>;
  readonly steps: readonly Step[];
  /** Our rollouts of each workload, the end of all trouble included. */
  readonly rollouts: Readonly<Record<WorkloadName, number>>;
  /** What all pods of WEB have read in the end. */
  readonly reads: Content;
  /** What is in force in the end, where that is something else. */
  readonly inForce?: Content;
  /** The limits excuse it, which the oracle does not know. */
  readonly isExcused?: true;
  readonly also?: (trace: Trace) => void;
}

/** C gets `content`. */
export function change(content: Content): ConfigStep {
  return { do: 'change', config: C, content };
}

/** The reloader is killed, and started again after `downtimeMs`. */
export function crash(downtimeMs = 1000): Step {
  return { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs };
}

/** Workloads of two pods that follow C. */
export function following(...names: WorkloadName[]): InitialWorkload[] {
  return names.map((workload) => ({ workload, follows: [C], replicas: 2, strategy: 'rolling' }));
}

/** A test for each case: C is A in the beginning, and WEB follows it unless told otherwise. */
export function testCases(cases: Readonly<Record<string, Case>>): void {
  for (const [name, one] of Object.entries(cases)) test(name, () => play(one));
}

async function play({
  workloads = following(WEB),
  settings = {},
  steps,
  rollouts,
  reads,
  inForce = reads,
  isExcused,
  also,
}: Case): Promise<void> {
  const history: History = {
    settings: { ...SETTINGS, ...settings },
    configs: [{ config: C, content: 'A' }],
    workloads,
    steps,
    seed: 1,
  };
  const trace = await run(history);
  const end = endOf(trace);
  const count = (workload: WorkloadName) => rolloutsOf(trace, workload).filter(({ at }) => at <= end).length;
  const pods = podsOf(trace).filter(
    ({ workload, gone, started }) => workload === WEB && started <= end && gone > end,
  );
  assert.equal(contentAt(trace, C, end), inForce);
  assert.deepEqual(
    Object.fromEntries(Object.keys(rollouts).map((workload) => [workload, count(workload)])),
    rollouts,
  );
  assert.deepEqual([...new Set(pods.map((pod) => pod.reads[C]))], [reads]);
  if (isExcused !== true) assert.deepEqual(judge(trace), []);
  also?.(trace);
}
