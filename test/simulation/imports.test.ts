/** Workloads that another reloader served until now: what changed after its last look is rolled once, and nothing else is. */

import { VOCABULARY_NAMES } from '../../lib/model/settings.ts';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Before, type FormerName, type Step, wait } from './history.ts';

const LONG = wait(120_000);
const DB = 'StatefulSet/db';
const AGENT = 'DaemonSet/agent';
const ALL = [WEB, DB, AGENT];
/** Under the reloader before, B was rolled out. */
const UNDER = [wait(10_000), change('B'), wait(10_000)];

type Gap = Before['gap'];

/** What holds of every one of them. */
function casesOf(by: FormerName): Readonly<Record<string, Case>> {
  const settings = { dialects: VOCABULARY_NAMES };
  const after = (gap: Gap, steps: readonly Step[] = [LONG]): Pick<Case, 'before' | 'steps' | 'settings'> => ({
    settings,
    before: { by, steps: UNDER, gap },
    steps,
  });
  const missed = [wait(10_000), change('C'), wait(10_000)];
  const each = (count: number): Record<string, number> =>
    Object.fromEntries(ALL.map((name) => [name, count]));
  return {
    'where nothing changed nothing is rolled': {
      ...after([wait(60_000)]),
      workloads: following(...ALL),
      rollouts: each(0),
      reads: 'B',
    },
    'what changed after its last look is rolled once': {
      ...after(missed),
      workloads: following(...ALL),
      rollouts: each(1),
      reads: 'C',
    },
    'so is what changed in the second of its last rollout': {
      settings,
      before: { by, steps: [wait(10_000), change('B')], gap: [wait(500), change('C'), wait(10_000)] },
      steps: [LONG],
      workloads: following(WEB, AGENT),
      rollouts: { [WEB]: 1, [AGENT]: 1 },
      reads: 'C',
    },
    'what changed and was rolled by its owner since is not': {
      ...after([...missed, ...ALL.map((workload) => ({ do: 'apply', workload }) as const), wait(10_000)]),
      workloads: following(...ALL),
      rollouts: each(0),
      reads: 'C',
    },
    'a change back to what the stamp says rolls nothing': {
      ...after([...missed, change('B'), wait(10_000)]),
      workloads: following(...ALL),
      rollouts: each(by === 'sap' ? 1 : 0),
      reads: 'B',
    },
    'with a change after the start it is one rollout': {
      ...after(missed, [change('A'), LONG]),
      rollouts: { [WEB]: 1 },
      reads: 'A',
    },
    'and the next change is rolled as ever': {
      ...after(missed, [LONG, change('A'), LONG]),
      rollouts: { [WEB]: 2 },
      reads: 'A',
    },
    'killed before the rollout, it is rolled after the next start': {
      ...after(missed, [wait(3000), crash(60_000), LONG]),
      rollouts: { [WEB]: 1 },
      reads: 'C',
    },
  };
}

const NAMES: Readonly<Record<FormerName, string>> = {
  stakater: 'Stakater Reloader',
  'stakater-annotations': 'Stakater Reloader, by annotations',
  sap: "SAP's pod-reloader",
  wave: 'wave',
};

for (const [by, name] of Object.entries(NAMES)) {
  const cases = Object.entries(casesOf(by as FormerName));
  testCases(Object.fromEntries(cases.map(([what, one]) => [`${name}: ${what}`, one])));
}

const MISSED: Before = { by: 'stakater', steps: UNDER, gap: [wait(10_000), change('C'), wait(10_000)] };
/** The state comes to be, its first entry, the rollout, the commit. */
const KILLS = [1, 2, 3, 4, 5].flatMap((atWrite) =>
  (['before', 'after'] as const).map((effect) => ({ atWrite, effect })),
);

function notListed(resource: string, code: 403 | 503, times: number | 'always'): Step {
  return {
    do: 'fault',
    rule: { match: { verb: 'list', resource }, times, effect: { kind: 'status', code } },
  };
}

testCases({
  ...Object.fromEntries(
    KILLS.map(({ atWrite, effect }): [string, Case] => [
      `killed ${effect} write ${atWrite}, a change that was missed is rolled once all the same`,
      {
        before: MISSED,
        steps: [{ do: 'crash', slot: 0, atWrite, effect, downtimeMs: 20_000 }, LONG, LONG],
        rollouts: { [WEB]: 1 },
        reads: 'C',
      },
    ]),
  ),
  'where ReplicaSets cannot be listed for a while, what was missed is rolled after that': {
    before: MISSED,
    steps: [notListed('replicasets', 503, 5), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
  'killed meanwhile, it is rolled all the same: nothing was written before': {
    before: MISSED,
    steps: [notListed('replicasets', 503, 3), wait(1500), crash(20_000), LONG],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
  'where they may not be listed the stamp proves nothing: the present content is the baseline': {
    before: MISSED,
    steps: [notListed('replicasets', 403, 'always'), LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
    inForce: 'C',
    isExcused: true,
  },
  'an edit of labels alone after the last look rolls nothing': {
    before: { by: 'stakater', steps: UNDER, gap: [wait(10_000), { do: 'touch', config: C }, wait(10_000)] },
    steps: [LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'a namespace that is selected later is compared then': {
    settings: { selected: false },
    before: MISSED,
    steps: [LONG, { do: 'select', selected: true }, LONG],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
});
