/** Changes in stages whose first workload cannot begin, and the return of a former content beside a workload that stands still. */

import assert from 'node:assert/strict';
import { parseStages } from '../../lib/model/settings.ts';
import { C, type Case, change, following, testCases, WEB } from './cases.ts';
import { APPROVAL, HOLD, NOTIFY_ONLY, WINDOW } from './held.ts';
import { type ConfigName, type Settings, type Step, wait } from './history.ts';
import { CANARY } from './stage-facts.ts';
import { factsOf, rolloutsOf, writesOf } from './timeline.ts';

const API = 'Deployment/api';
const DB = 'StatefulSet/db';
const OTHER: ConfigName = 'ConfigMap/a-b';
const INTERVAL = 'reloader.k8s.collaborne.com/min-rollout-interval';
const HALF_HOUR_MS = 1_800_000;

const staged: Partial<Settings> = { staging: { stages: parseStages('1,100%') ?? [], soakMs: 10_000 } };

function annotate(key: string, value: string | null): Step {
  return { do: 'annotate', workload: WEB, annotations: { [key]: value } };
}

const held = (key: string, value: string): [Step[], Step[]] => [
  [annotate(key, value)],
  [annotate(key, null)],
];

/** What blocks WEB, how it ends, and how often that has WEB rolled. */
const BLOCKS: Readonly<Record<string, readonly [begin: Step[], end: Step[], rollouts?: number]>> = {
  'is held': held(HOLD, 'true'),
  'is notify-only': held(NOTIFY_ONLY, 'true'),
  'is outside its window': held(WINDOW, '30 */3 * * * 1m'),
  'awaits its approval': [[annotate(APPROVAL, 'required')], [{ do: 'approve', workload: WEB }]],
  'is refused': [
    [{ do: 'refuse', workload: WEB, status: 403 }],
    [{ do: 'refuse', workload: WEB, status: 0 }],
  ],
  'was rolled for another object within its interval': [
    [annotate(INTERVAL, '1h'), { do: 'change', config: OTHER, content: 'B' }, wait(60_000)],
    [],
    2,
  ],
};

/** The canary cannot begin: the others have the content at once, and it has its turn once it may begin. */
function passedOver([begin, end, rollouts = 1]: (typeof BLOCKS)[string]): Case {
  return {
    settings: staged,
    workloads: following(WEB, API, DB).map((each) =>
      each.workload === WEB ? { ...each, follows: [C, OTHER] } : each,
    ),
    steps: [
      { do: 'change', config: OTHER, content: 'A' },
      wait(60_000),
      annotate(CANARY, 'true'),
      ...begin,
      change('B'),
      wait(HALF_HOUR_MS),
      ...end,
      wait(2 * HALF_HOUR_MS),
    ],
    rollouts: { [WEB]: rollouts, [API]: 1, [DB]: 1 },
    reads: 'B',
    also: (trace) => {
      const [web = 0, ...others] = [WEB, API, DB].map((name) => rolloutsOf(trace, name).at(-1)?.ms ?? 0);
      assert.ok(
        others.every((ms) => ms < web - HALF_HOUR_MS / 2),
        `${others.join()} before ${web}`,
      );
    },
  };
}

/** Content B is halted, and C comes back while API, which has C, stands still in a rollout of its own. */
function returned(away: readonly Step[], ofDb: number): Case {
  return {
    settings: staged,
    workloads: following(WEB, API, DB),
    steps: [
      change('C'),
      wait(300_000),
      { do: 'rollout-speed', workload: API, ms: -1 },
      { do: 'apply', workload: API },
      wait(HALF_HOUR_MS),
      annotate(CANARY, 'true'),
      { do: 'break', workload: WEB, config: C, content: 'B' },
      change('B'),
      wait(120_000),
      ...away,
      change('C'),
      wait(HALF_HOUR_MS),
    ],
    rollouts: { [WEB]: 3, [API]: 2, [DB]: ofDb },
    reads: 'C',
    also: (trace) => {
      const halts = factsOf(trace, 'output').filter(({ text }) => /^warn .* is halted, since/.test(text));
      assert.equal(halts.length, 1);
      const returnedAt = writesOf(trace, C).at(-1)?.ms ?? 0;
      const rolledAt = rolloutsOf(trace, WEB).at(-1)?.ms ?? Number.POSITIVE_INFINITY;
      assert.ok(rolledAt < returnedAt + 60_000, 'who fails with the other content waits for nothing');
    },
  };
}

testCases({
  ...Object.fromEntries(
    Object.entries(BLOCKS).map(([what, block]) => [
      `a canary that ${what} is passed over`,
      passedOver(block),
    ]),
  ),
  'a former content is not blamed for who stood still before it came back': returned([], 1),
  // Db runs C, and the state says that its pods may run another content.
  'nor where it comes back while no process runs': returned(
    [{ do: 'stop', slot: 0, downtimeMs: 20_000 }, wait(10_000)],
    2,
  ),
});
