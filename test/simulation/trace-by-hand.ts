/** Small traces made by hand, for the tests of the oracle: one object, one workload. */

import type { ConfigName, Content, Settings, WorkloadName } from './history.ts';
import { judge } from './oracle.ts';
import type { Fact, Trace } from './trace.ts';

/** Time passes, in ms. */
export interface Pause {
  readonly wait: number;
}

/** Of every trace, unless it says otherwise. */
export const SETTINGS: Settings = {
  coalescePeriodMs: 5000,
  maxWaitMs: 30_000,
  versions: 'comparable',
  rolloutMs: 100,
};
/** The one object. */
export const CONFIG: ConfigName = 'ConfigMap/a';
/** The one workload. */
export const WEB: WorkloadName = 'Deployment/web';
/** Facts at the times given. */
export function traceOf(facts: readonly (Fact | Pause)[], settings: Partial<Settings> = {}): Trace {
  const recorded = [];
  let ms = 0;
  for (const fact of facts) {
    if ('wait' in fact) ms += fact.wait;
    else recorded.push({ ...fact, at: recorded.length, ms });
  }
  return { settings: { ...SETTINGS, ...settings }, markers: ['hush'], facts: recorded };
}

/** The object is this from now on. */
export const content = (value: Content | undefined): Fact => ({
  type: 'content',
  config: CONFIG,
  content: value,
});
/** The workload follows the object. */
export const follows = (rollable = true): Fact => ({
  type: 'workload',
  workload: WEB,
  exists: true,
  follows: [CONFIG],
  rollable,
});
/** A pod starts. */
export const started = (pod: string, read: 'A' | 'B'): Fact => ({
  type: 'pod-started',
  workload: WEB,
  pod,
  reads: { [CONFIG]: read },
});
/** A pod is gone. */
export const gone = (pod: string): Fact => ({ type: 'pod-gone', pod });
/** A process has listed everything. */
export const listed = (replica = 0): Fact => ({ type: 'listed', replica });
/** The workload is rolled. */
export const patched: Fact = { type: 'write', replica: 0, to: WEB };
/** All is at rest. */
export const settled: Fact = { type: 'settled' };
/** The first process dies. */
export const died: Fact = { type: 'died', replica: 0, knewUntil: 99 };
/** The state is written. */
export const written: Fact = { type: 'write', replica: 0, to: 'state' };
/** Longer than any window. */
export const wait: Pause = { wait: 60_000 };
/** Longer than the quiet period, shorter than the maximum wait. */
export const soon: Pause = { wait: 6000 };
/** All has begun, with content A. */
export const BEGIN: readonly (Fact | Pause)[] = [
  content('A'),
  follows(),
  started('p1', 'A'),
  soon,
  listed(),
  written,
  wait,
];
/** A rollout to B. */
export const ROLLED: readonly (Fact | Pause)[] = [patched, started('p2', 'B'), gone('p1'), wait];

/** The laws that are broken, one for each violation. */
export function lawsOf(trace: Trace): string[] {
  return judge(trace).map(({ law }) => law);
}
