/** Workloads in the words of SAP and wave: they lose nothing and roll nothing for nothing, as in any other words. */

import { VOCABULARY_NAMES } from '../../lib/model/settings.ts';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type InitialWorkload, type Step, type WorkloadName, wait } from './history.ts';

const API = 'Deployment/api';
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'c' };
const WAVE = { 'wave.pusher.com/update-on-config-change': 'true' };
const LEFT_OVER = { 'pod-reloader.cs.sap.com/config-hash': 'f'.repeat(64) };

function annotate(annotations: Record<string, string | null>, workload: WorkloadName = WEB): Step {
  return { do: 'annotate', workload, annotations };
}

/** Workloads that ask for nothing in the native words. */
function silent(...names: WorkloadName[]): InitialWorkload[] {
  return following(...names).map((workload) => ({ ...workload, follows: [] }));
}

/** What holds of both vocabularies, WEB asking in these words. */
function casesOf(words: Record<string, string>): Readonly<Record<string, Omit<Case, 'settings'>>> {
  const asks = annotate(words);
  const none = annotate(Object.fromEntries(Object.keys(words).map((key) => [key, null])));
  return {
    'to ask rolls nothing, and each change rolls once': {
      workloads: silent(WEB),
      steps: [asks, wait(20_000), change('B'), wait(20_000), change('C'), wait(20_000)],
      rollouts: { [WEB]: 2 },
      reads: 'C',
    },
    'who asked while nobody looked is taken over as he is': {
      workloads: silent(WEB),
      steps: [crash(5000), asks, annotate(LEFT_OVER), wait(60_000), change('B'), wait(20_000)],
      rollouts: { [WEB]: 1 },
      reads: 'B',
    },
    'what is changed and changed back within a window rolls nothing': {
      workloads: silent(WEB),
      steps: [asks, wait(20_000), change('B'), wait(1000), change('A'), wait(60_000)],
      rollouts: { [WEB]: 0 },
      reads: 'A',
    },
    'an edit of labels rolls nothing': {
      workloads: silent(WEB),
      steps: [asks, wait(20_000), { do: 'touch', config: C }, wait(60_000)],
      rollouts: { [WEB]: 0 },
      reads: 'A',
    },
    'a change while the reloader is down is rolled after its start': {
      workloads: silent(WEB),
      steps: [asks, wait(20_000), crash(30_000), change('B'), wait(90_000)],
      rollouts: { [WEB]: 1 },
      reads: 'B',
    },
    'killed between the patch and the commit, what changes back is rolled back': {
      workloads: silent(WEB),
      steps: [asks, wait(20_000), change('B'), wait(5200), crash(1000), change('A'), wait(90_000)],
      rollouts: { [WEB]: 2 },
      reads: 'A',
    },
    'one that is refused is rolled once it is not, and the other at once': {
      workloads: silent(WEB, API),
      steps: [
        asks,
        annotate(words, API),
        wait(20_000),
        { do: 'refuse', workload: WEB, status: 403 },
        change('B'),
        wait(60_000),
        crash(1000),
        { do: 'refuse', workload: WEB, status: 0 },
        wait(600_000),
      ],
      rollouts: { [WEB]: 1, [API]: 1 },
      reads: 'B',
    },
    'an undo brings the old hash back, and the next change is rolled all the same': {
      workloads: silent(WEB),
      steps: [
        asks,
        wait(20_000),
        change('B'),
        wait(20_000),
        { do: 'undo', workload: WEB },
        annotate(words),
        wait(20_000),
        change('A'),
        wait(60_000),
      ],
      rollouts: { [WEB]: 2 },
      reads: 'A',
    },
    'who asks no more is rolled no more': {
      workloads: silent(WEB, API),
      steps: [
        asks,
        annotate(words, API),
        wait(20_000),
        none,
        change('B'),
        wait(60_000),
        change('A'),
        wait(60_000),
        asks,
        wait(60_000),
      ],
      rollouts: { [WEB]: 0, [API]: 2 },
      reads: 'A',
    },
    'with the native words beside them one change is one rollout': {
      workloads: following(WEB),
      steps: [asks, wait(20_000), change('B'), wait(60_000)],
      rollouts: { [WEB]: 1 },
      reads: 'B',
    },
  };
}

for (const [words, asks] of [
  ['SAP', SAP],
  ['wave', WAVE],
] as const) {
  const settings = { dialects: VOCABULARY_NAMES };
  const cases = Object.entries(casesOf(asks)).map(([name, one]) => [
    `${words}: ${name}`,
    { ...one, settings },
  ]);
  testCases(Object.fromEntries(cases));
}
