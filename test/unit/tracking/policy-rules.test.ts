/** Which content a workload owes by its policy: judged with each version of the content, and never by an edit of words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_STATE } from '../../../lib/model/sharded-state.ts';
import { NATIVE, named, STAKATER } from '../annotations/judged.ts';
import { World } from './world.ts';

type Words = Readonly<Record<string, string>>;

const AUTO = { [NATIVE.auto]: 'true' };
const SEARCH = { [NATIVE.search]: 'true' };
const EXCLUDE = { [NATIVE.exclude.ConfigMap]: 'cfg' };
const MATCH = { [NATIVE.match]: 'true' };
const IGNORE = { [NATIVE.ignore]: 'true' };

/** `web` reads `cfg`, which is committed as `a` and says `a`. */
function begun(asks: Words, marks: Words = {}): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true, marks });
  world.workload('web', { refers: ['cfg'], asks }, { initial: true });
  return world;
}

interface Step {
  /** The content changes, with other annotations by the same write if `marks` is there too. */
  readonly content?: string;
  readonly marks?: Words;
  /** The workload's words change. */
  readonly asks?: Words;
  /** All is written, the process dies, and this happens before the next one lists. */
  readonly restart?: true;
  readonly owes: boolean;
}

interface Case {
  readonly asks: Words;
  readonly marks?: Words;
  readonly steps: readonly Step[];
}

const CASES: Record<string, Case> = {
  'new content is owed to whom asks for all': { asks: AUTO, steps: [{ content: 'b', owes: true }] },
  'the mark that comes with new content counts for that content': {
    asks: SEARCH,
    steps: [{ content: 'b', marks: MATCH, owes: true }],
  },
  'new content without the mark is not owed, nor when the mark comes later': {
    asks: SEARCH,
    steps: [
      { content: 'b', owes: false },
      { marks: MATCH, owes: false },
      { content: 'c', owes: true },
    ],
  },
  'what begins to be asked for begins with what is in force: the way back is a change': {
    asks: SEARCH,
    steps: [
      { content: 'b', owes: false },
      { marks: MATCH, owes: false },
      { content: 'a', owes: true },
    ],
  },
  'the mark that goes with new content goes for that content': {
    asks: SEARCH,
    marks: MATCH,
    steps: [{ content: 'b', marks: {}, owes: false }],
  },
  'ignore that comes with new content declines it, and so it stays once ignore is gone': {
    asks: AUTO,
    steps: [
      { content: 'b', marks: IGNORE, owes: false },
      { marks: {}, owes: false },
      { content: 'c', owes: true },
    ],
  },
  'new content that comes as ignore goes is owed': {
    asks: AUTO,
    marks: IGNORE,
    steps: [
      { content: 'b', owes: false },
      { content: 'c', marks: {}, owes: true },
    ],
  },
  'what is owed is owed no more once it is ignored, for good': {
    asks: AUTO,
    steps: [
      { content: 'b', owes: true },
      { marks: IGNORE, owes: false },
      { marks: {}, owes: false },
    ],
  },
  'what is owed is owed no more once it is excluded, for good': {
    asks: AUTO,
    steps: [
      { content: 'b', owes: true },
      { asks: { ...AUTO, ...EXCLUDE }, owes: false },
      { asks: AUTO, owes: false },
      { content: 'c', owes: true },
    ],
  },
  'what is owed stays owed while it is asked for in other words': {
    asks: AUTO,
    steps: [
      { content: 'b', owes: true },
      { asks: named(STAKATER, 'cfg'), owes: true },
      { asks: { [STAKATER.auto]: 'true' }, owes: true },
      { marks: MATCH, owes: true },
      { asks: SEARCH, owes: true },
    ],
  },
  'an opt-in to what was not followed rolls nothing': {
    asks: {},
    steps: [
      { content: 'b', owes: false },
      { asks: AUTO, owes: false },
      { content: 'c', owes: true },
    ],
  },
  'words come and go, and only content is owed': {
    asks: {},
    steps: [
      ...[
        AUTO,
        SEARCH,
        { ...SEARCH, ...EXCLUDE },
        named(NATIVE, 'cfg'),
        named(STAKATER, 'c.g'),
        EXCLUDE,
        AUTO,
      ].map((asks) => ({ asks, owes: false })),
      ...[MATCH, IGNORE, {}, { ...MATCH, ...IGNORE }, MATCH].map((marks) => ({ marks, owes: false })),
      { content: 'b', owes: true },
    ],
  },
  'a restart between the content and the mark changes nothing': {
    asks: SEARCH,
    steps: [
      { content: 'b', owes: false },
      { restart: true, owes: false },
      { marks: MATCH, owes: false },
      { restart: true, owes: false },
      { content: 'a', owes: true },
    ],
  },
  'content and mark that come together while nobody watches are owed': {
    asks: SEARCH,
    steps: [{ restart: true, content: 'b', marks: MATCH, owes: true }],
  },
  'content without the mark that comes while nobody watches is not owed': {
    asks: SEARCH,
    steps: [
      { restart: true, content: 'b', owes: false },
      { marks: MATCH, owes: false },
    ],
  },
  'ignored content that comes while nobody watches is not owed': {
    asks: AUTO,
    steps: [
      { restart: true, content: 'b', marks: IGNORE, owes: false },
      { marks: {}, owes: false },
      { restart: true, owes: false },
    ],
  },
  'what is owed and was recorded is owed after a restart, unless it is ignored by then': {
    asks: AUTO,
    steps: [
      { content: 'b', owes: true },
      { restart: true, owes: true },
      { restart: true, marks: IGNORE, owes: false },
      { restart: true, marks: {}, owes: false },
    ],
  },
  'words that change while nobody watches roll nothing': {
    asks: SEARCH,
    steps: [
      { content: 'b', owes: false },
      { restart: true, asks: AUTO, owes: false },
      { restart: true, asks: named(NATIVE, 'cfg'), owes: false },
      { content: 'c', owes: true },
    ],
  },
};

for (const [sentence, { asks, marks, steps }] of Object.entries(CASES)) {
  test(sentence, () => {
    let world = begun(asks, marks);
    assert.ok(!world.owes('web'));
    for (const [at, step] of steps.entries()) {
      world = taken(world, step);
      const isKnown = world.edges.workloads.has(world.workloadKey('web'));
      assert.equal(isKnown && world.owes('web'), step.owes, `after step ${at + 1}`);
    }
  });
}

function taken(world: World, step: Step): World {
  if (step.restart) return restarted(world, step);
  const { content, marks, asks } = step;
  if (asks !== undefined) world.workload('web', { asks });
  if (content !== undefined) world.config('cfg', content, marks && { marks });
  else if (marks !== undefined) world.mark('cfg', marks);
  return world;
}

function restarted(world: World, { content, marks, asks }: Step): World {
  world.write();
  const present = world.contents.get('cfg');
  assert.ok(present !== undefined);
  world.now += 1;
  const annotations = marks ?? present.annotations ?? {};
  world.contents.set('cfg', { content: content ?? present.content, annotations, version: world.now });
  if (asks !== undefined) world.edit('web', { asks });
  return world.restart();
}

for (const [sentence, isFirst] of [
  ['what comes back is owed where words that asked for it by then are told late', true],
  ['what came back before words asked for it is not', false],
] as const) {
  test(sentence, () => {
    const world = begun(AUTO);
    world.config('cfg', 'b');
    world.noConfig('cfg');
    world.workload('web', { asks: SEARCH });
    if (isFirst) world.edit('web', { asks: AUTO });
    world.config('cfg', 'b');
    assert.ok(!world.owes('web'));
    if (isFirst) world.tellWorkload('web');
    else world.workload('web', { asks: AUTO });
    assert.equal(world.owes('web'), isFirst);
  });
}

test('a change that is declined is told with the reason', () => {
  const world = begun(SEARCH);
  const { notes, touched } = world.config('cfg', 'b');
  assert.deepEqual(notes, [
    {
      reason: 'declined',
      workload: world.workloadRef('web'),
      config: world.configRef('cfg'),
      detail: 'the workload searches for objects that carry a mark, and this one does not',
    },
  ]);
  assert.equal(touched.size, 0);
  assert.deepEqual(world.mark('cfg', IGNORE).notes, []);
  assert.deepEqual(world.config('cfg', 'c').notes[0]?.detail, 'the object is marked to be ignored');
});

test('a change that is declined is committed, without an exception', () => {
  const world = begun(SEARCH);
  world.config('cfg', 'b');
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1' });
});

test('a change that is declined is written at once while a stamp would be believed that says something else', () => {
  const world = begun(AUTO);
  world.config('cfg', 'b');
  world.roll('web');
  const declined = world.config('cfg', 'c', { marks: IGNORE });
  assert.ok(declined.writeNow.has(world.configKey('cfg')));
  world.write();
  const later = world.config('cfg', 'd', { marks: IGNORE });
  assert.ok(!later.writeNow.has(world.configKey('cfg')), 'the stamp is silent');
});

test('where nothing is recorded yet, no stamp would be believed and nothing that is declined is urgent', () => {
  const world = begun(AUTO);
  world.edges.state = NO_STATE;
  world.workload('web', { stamps: { cfg: 'b.2' }, asks: SEARCH });
  assert.equal(world.config('cfg', 'c').writeNow.size, 0);
});

test('of two workloads only that one owes which asks', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  assert.deepEqual([world.owes('web'), world.owes('api')], [false, true]);
  world.write();
  assert.deepEqual(world.written, {
    'v1.ConfigMap_cfg': 'b.1',
    'ran.Deployment_api': { 'v1.ConfigMap_cfg': 'a' },
  });
  const next = world.restart();
  assert.deepEqual([next.owes('web'), next.owes('api')], [false, true]);
});

test('what is asked for while another workload still owes begins with what is in force', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  const { writeNow } = world.mark('cfg', MATCH);
  assert.ok(!world.owes('web'));
  assert.ok(writeNow.has(world.configKey('cfg')), 'a start would believe that web ran the old content');
  world.write();
  const next = world.restart();
  assert.deepEqual([next.owes('web'), next.owes('api')], [false, true]);
});

test('what is ignored while its patch is on the way is settled by the answer', () => {
  const world = begun(AUTO);
  world.config('cfg', 'b');
  const plan = world.send('web');
  world.land(plan);
  world.config('cfg', 'c', { marks: IGNORE });
  world.answer(plan);
  world.workload('web', { isRolledOut: true });
  assert.ok(!world.owes('web'));
  world.mark('cfg', {});
  assert.ok(!world.owes('web'));
  assert.equal(world.config('cfg', 'b').touched.size, 1);
});

test('the owner rolls what does not ask while another owes: it owes nothing, then or later', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.workload('web', { image: 'v2', isRolledOut: false });
  assert.ok(!world.owes('web'));
  world.mark('cfg', MATCH);
  assert.ok(!world.owes('web'));
});

test('what is absent is asked for as it was last, and its return is judged by what it carries then', () => {
  for (const [marks, owes] of [
    [IGNORE, false],
    [{}, true],
  ] as const) {
    const world = begun(AUTO);
    world.noConfig('cfg');
    assert.ok(!world.owes('web'));
    world.config('cfg', 'b', { marks });
    assert.equal(world.owes('web'), owes);
  }
});

test('the flag for everything follows and rolls a workload that says nothing', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', { autoReloadAll: true });
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { refers: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  assert.ok(world.owes('web'));
  assert.ok(!world.restart({}).edges.workloads.has(world.workloadKey('web')), 'and not without the flag');
});

const ASKING_LATE: Record<string, readonly [before: Words, after: Words]> = {
  auto: [SEARCH, AUTO],
  'a name': [SEARCH, named(NATIVE, 'cfg')],
  'exclusion that ends': [{ ...AUTO, ...EXCLUDE }, AUTO],
};

for (const [sentence, [before, after]] of Object.entries(ASKING_LATE)) {
  test(`words that asked before the content came, and are heard of after it: ${sentence}`, () => {
    const world = begun(before);
    world.edit('web', { asks: after });
    world.config('cfg', 'b');
    assert.ok(!world.owes('web'));
    const effects = world.tellWorkload('web');
    assert.ok(world.owes('web'));
    assert.deepEqual([...effects.touched.keys()], [world.workloadKey('web')]);
    world.write();
    assert.ok(world.restart().owes('web'));
    world.roll('web');
    assert.ok(!world.owes('web'));
  });

  test(`words that came after the content ask for nothing of before: ${sentence}`, () => {
    const world = begun(before);
    world.config('cfg', 'b');
    world.workload('web', { asks: after });
    assert.ok(!world.owes('web'));
  });
}
