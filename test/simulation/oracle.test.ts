/** The oracle bites: for each law small traces made by hand, with one wrong in them and without. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHA1 } from '../../lib/model/digest.ts';
import { annotationsOf } from '../../lib/model/shards.ts';
import { type LooseObject, refOf } from './api.ts';
import { dataOf } from './contents.ts';
import type { Settings, WorkloadName } from './history.ts';
import type { Fact } from './trace.ts';
import {
  BEGIN,
  CONFIG,
  content,
  died,
  gone,
  lawsOf,
  listed,
  type Pause,
  patched,
  ROLLED,
  settled,
  soon,
  started,
  traceOf,
  WEB,
  wait,
  written,
} from './trace-by-hand.ts';

const rolling = (now: boolean): Fact => ({ type: 'rolling', workload: WEB, rolling: now });
const selected = (now: boolean): Fact => ({ type: 'selection', selected: now });
const [TO_B, UNSEEN_B] = [
  [content('B'), soon, ...ROLLED],
  [content('B'), started('p2', 'B'), gone('p1'), content('A')],
];
const OWNER: Fact = { type: 'owner-write', workload: WEB, copied: false };
const PAUSED = { 'deployment.reloader.stakater.com/pause-period': '1m' };
const CREATE = { presence: { onCreate: true, onDelete: false } };
const DELETE = { presence: { onCreate: false, onDelete: true } };
const STAGES = { staging: { stages: [{ count: 1 }], soakMs: 0 } };
const OTHER = 'Deployment/api';
const other: Fact = { type: 'workload', workload: OTHER, exists: true, follows: [CONFIG], rollable: true };
const otherRolling: Fact = { type: 'rolling', workload: OTHER, rolling: true };

function webWith(annotations: object, image = 'app:1'): object {
  const containers = [{ name: 'app', image }];
  return { metadata: { name: 'web', annotations }, spec: { template: { spec: { containers } } } };
}

function patchOf(before: object, after = before): Fact {
  return { ...patched, before, after } as Fact;
}

function heldBy(annotation: string, value: string): (Fact | Pause)[] {
  const before = webWith({ [`reloader.k8s.collaborne.com/${annotation}`]: value });
  return [...BEGIN, content('B'), soon, patchOf(before), ...ROLLED.slice(1), settled];
}

/** The workload is stamped for content B. */
function stampedB(to: WorkloadName): Fact {
  const name = CONFIG.split('/')[1] ?? '';
  const value = SHA1.digestOf(refOf(CONFIG), { metadata: { name }, data: dataOf(CONFIG, 'B') });
  const stamped = webWith({}) as LooseObject;
  stamped.spec.template.spec.containers[0].env = [{ name: '_RELOADER_CONFIGMAP_A', value }];
  return { ...patched, to, before: webWith({}), after: stamped } as Fact;
}

const NO_STAGES: Fact = { type: 'staged', config: CONFIG, stages: undefined, resume: undefined };
const otherReady: Fact = { type: 'rolling', workload: OTHER, rolling: false };

function inStages(...between: (Fact | Pause)[]): (Fact | Pause)[] {
  const first = [NO_STAGES, other, content('B'), soon, stampedB(OTHER), otherRolling, soon];
  return [...BEGIN, ...first, ...between, stampedB(WEB), ...ROLLED.slice(1), settled];
}

function stateWrite(writer: string): Fact {
  const before = { metadata: { annotations: annotationsOf({ term: 1, writer }) } };
  return { ...written, before, after: before } as Fact;
}

type Row = readonly [
  name: string,
  law: string | undefined,
  facts: readonly (Fact | Pause)[],
  Partial<Settings>?,
];

const ROWS: readonly Row[] = [
  ['a change that is rolled', undefined, [...BEGIN, ...TO_B, settled]],
  ['a change that nobody rolls', 'safety', [...BEGIN, content('B'), wait, settled]],
  ['a first start that rolls nothing', undefined, [...BEGIN, settled]],
  ['pods that read what came and went', 'safety', [...BEGIN, ...UNSEEN_B, wait, settled]],
  ['the same where nobody looked', undefined, [...BEGIN, died, ...UNSEEN_B, listed(1), wait, settled]],
  [
    'what they read is there as somebody looks',
    'safety',
    [...BEGIN, died, ...UNSEEN_B.slice(0, 3), listed(1), wait, content('A'), wait, settled],
  ],
  [
    'a creation that nobody rolls',
    'safety',
    [
      ...BEGIN,
      content(undefined),
      { ...started('p2', 'A'), reads: {} } as Fact,
      gone('p1'),
      content('A'),
      wait,
      settled,
    ],
    CREATE,
  ],
  [
    'a Job that is not made again',
    'safety',
    [
      ...BEGIN,
      { type: 'job', workload: 'Job/a', what: 'deleted', by: 0, isOwned: false, isOfSuspended: false },
      settled,
    ],
  ],
  ['a rollout for nothing', 'economy', [...BEGIN, patched, settled]],
  ['one for an edit of metadata', 'economy', [...BEGIN, content('A'), wait, patched, settled]],
  [
    'one for a change that is taken back',
    'economy',
    [...BEGIN, content('B'), content('A'), wait, patched, settled],
  ],
  [
    'the same while pods start',
    undefined,
    [...BEGIN, rolling(true), content('B'), content('A'), rolling(false), wait, patched, settled],
  ],
  ['two for one change', 'economy', [...BEGIN, ...TO_B, patched, settled]],
  [
    'two in one window',
    'economy',
    [
      ...BEGIN,
      content('B'),
      patched,
      started('p2', 'B'),
      gone('p1'),
      content('A'),
      patched,
      started('p3', 'A'),
      gone('p2'),
      settled,
    ],
  ],
  ['one more for another client', undefined, [...BEGIN, ...TO_B, OWNER, patched, settled]],
  ['one more for each crash', undefined, [...BEGIN, ...TO_B.slice(0, -1), died, listed(1), patched, settled]],
  [
    'two more for a crash',
    'economy',
    [...BEGIN, ...TO_B.slice(0, -1), died, listed(1), patched, wait, patched, settled],
  ],
  ['one for a crash that affects nothing', 'economy', [...BEGIN, died, listed(1), soon, patched, settled]],
  [
    'one for a return from a deletion',
    'economy',
    [...BEGIN, content(undefined), wait, content('A'), wait, patched, settled],
    DELETE,
  ],
  [
    'one for a deletion that counts',
    undefined,
    [
      ...BEGIN,
      content(undefined),
      soon,
      patched,
      { ...started('p2', 'A'), reads: {} } as Fact,
      gone('p1'),
      settled,
    ],
    DELETE,
  ],
  [
    'pods that start around a change',
    'safety',
    [...BEGIN, rolling(true), content('B'), content('A'), rolling(false), wait, settled],
  ],
  ['one for an owner long ago', 'economy', [...BEGIN, OWNER, wait, wait, wait, wait, patched, settled]],
  ['a restart at rest that rolls', 'convergence', [...BEGIN, settled, patched]],
  [
    'a rollout where nothing is selected',
    'never',
    [...BEGIN, selected(false), wait, ...TO_B, selected(true), settled],
    { selected: true },
  ],
  ['a rollout of what is held', 'never', heldBy('hold', 'true')],
  ['one of what is notify-only', 'never', heldBy('notify-only', 'true')],
  ['one without its approval', 'never', heldBy('approval', 'required')],
  ['one in a closed window', 'never', heldBy('reload-window', '30 */3 * * * 1m')],
  ['one in an open window', undefined, heldBy('reload-window', '* * * * * 1m')],
  [
    'one without its pause',
    'never',
    [...BEGIN, content('B'), soon, patchOf(webWith(PAUSED)), ...ROLLED.slice(1), settled],
  ],
  [
    'one without a slot',
    'never',
    [
      ...BEGIN,
      other,
      content('B'),
      soon,
      { ...patched, to: OTHER } as Fact,
      otherRolling,
      ...ROLLED,
      settled,
    ],
    { budget: { slots: 1, rate: 0, burst: 1 } },
  ],
  ['one before another is ready with it', 'never', inStages(), STAGES],
  ['one after another is ready with it', undefined, inStages(otherReady, soon), STAGES],
  [
    'one that changes the image',
    'never',
    [...BEGIN, content('B'), soon, patchOf(webWith({}), webWith({}, 'app:2')), ...ROLLED.slice(1), settled],
  ],
  [
    'a value in a log line',
    'never',
    [...BEGIN, { type: 'output', where: 'log', text: 'changed to hush' }, settled],
  ],
  ['two patches at once', 'never', [...BEGIN, { type: 'two-in-flight', replica: 0, workload: WEB }, settled]],
  ['requests without end', 'never', [...BEGIN, { type: 'runaway', replica: 0 }, settled]],
  ['a loop that is stuck', 'never', [...BEGIN, { type: 'stuck', replica: 0, loops: ['a'] }, settled]],
  [
    'a write without a lead',
    'never',
    [...BEGIN, { type: 'unled', replica: 0, path: '/a', sinceMs: 12_000 }, settled],
  ],
  ['a write in the term of another', 'never', [...BEGIN, stateWrite('replica_x_1'), settled]],
  ['a write in the own term', undefined, [...BEGIN, stateWrite('replica_x_0'), settled]],
];

for (const [name, law, facts, settings] of ROWS) {
  test(`${name} ${law === undefined ? 'is right' : `breaks ${law}`}`, () => {
    assert.equal([...new Set(lawsOf(traceOf(facts, settings)))].join(', '), law ?? '');
  });
}
