/** Small traces made by hand, for the tests of the oracle: one object, one workload. */

import type { ConfigName, Content, Settings, WorkloadName } from './history.ts';
import { judge } from './oracle.ts';
import type { Fact, StateFact, Trace } from './trace.ts';

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
/** A state that says nothing. */
export const NOTHING: StateFact = { entries: {}, overrides: {}, untidy: [] };
/** Everything is listed, and the state knew it all. */
export const KNOWN: Pick<Extract<Fact, { readonly type: 'listed' }>, 'type' | 'replica' | 'lost'> = {
  type: 'listed',
  replica: 0,
  lost: { configs: [], workloads: [] },
};

/** Facts at the times given. */
export function traceOf(
  facts: readonly (Fact | Pause)[],
  settings: Partial<Settings> = {},
  accounting: Trace['accounting'] = 'strict',
): Trace {
  const recorded = [];
  let ms = 0;
  for (const fact of facts) {
    if ('wait' in fact) ms += fact.wait;
    else recorded.push({ ...fact, at: recorded.length, ms });
  }
  return { settings: { ...SETTINGS, ...settings }, accounting, markers: ['hush'], facts: recorded };
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
/** A state with one entry. */
export const state = (entry: Content): StateFact => ({
  entries: { [CONFIG]: entry },
  overrides: {},
  untidy: [],
});
/** The first start of all. */
export const firstListed: Fact = { ...KNOWN, lost: { configs: [CONFIG], workloads: [] }, state: NOTHING };
/** The workload is rolled. */
export const patched: Fact = { type: 'write', replica: 0, to: WEB, fenced: true };
/** All is at rest. */
export const settled = (entry: Content, needsRollout = false, missing: readonly string[] = []): Fact => ({
  type: 'settled',
  missing,
  state: state(entry),
  beliefs: [{ workload: WEB, config: CONFIG, runningDigest: entry, mixedPods: false, needsRollout }],
});
/** The process dies. */
export const died = (runningDigest: 'A' | 'B' | '?', mixedPods = false): Fact => ({
  type: 'died',
  replica: 0,
  knewUntil: 99,
  state: state('A'),
  beliefs: [{ workload: WEB, config: CONFIG, runningDigest, mixedPods, needsRollout: false }],
});
/** Longer than any window. */
export const wait: Pause = { wait: 60_000 };
/** Longer than the quiet period, shorter than the maximum wait. */
export const soon: Pause = { wait: 6000 };
/** All has begun, with content A. */
export const BEGIN: readonly (Fact | Pause)[] = [
  content('A'),
  follows(),
  started('p1', 'A'),
  firstListed,
  wait,
];
/** A rollout to B. */
export const ROLLED: readonly (Fact | Pause)[] = [patched, started('p2', 'B'), gone('p1'), wait];

/** The laws that are broken, one for each violation. */
export function lawsOf(trace: Trace): string[] {
  return judge(trace).map(({ law }) => law);
}

/** A trace and what is wrong with it. */
export interface Case {
  readonly facts: readonly (Fact | Pause)[];
  readonly settings?: Partial<Settings>;
  readonly laws: readonly string[];
}
