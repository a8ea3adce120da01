/** Which content a workload owes by its policy: judged with each version of the content, and never by an edit of words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NATIVE, named, STAKATER } from '../annotations/judged.ts';
import { settled, World } from './world.ts';

type Vocabulary = Readonly<Record<string, string>>;

const AUTO = { [NATIVE.auto]: 'true' };
const SEARCH = { [NATIVE.search]: 'true' };
const EXCLUDE = { [NATIVE.exclude.ConfigMap]: 'cfg' };
const MATCH = { [NATIVE.match]: 'true' };
const IGNORE = { [NATIVE.ignore]: 'true' };

/** `web` reads `cfg`, which is committed as `a` and says `a`. */
function begun(asks: Vocabulary, marks: Vocabulary = {}): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true, marks });
  world.workload('web', { refers: ['cfg'], asks }, { initial: true });
  return world;
}

interface Step {
  /** The content changes, with other annotations by the same write if `marks` is there too. */
  readonly content?: string;
  readonly marks?: Vocabulary;
  /** The workload's words change. */
  readonly asks?: Vocabulary;
  /** All is written, the process dies, and this happens before the next one lists. */
  readonly restart?: true;
  readonly needsRollout: boolean;
}

interface Case {
  readonly asks: Vocabulary;
  readonly marks?: Vocabulary;
  readonly steps: readonly Step[];
}

const CASES: Record<string, Case> = {
  'new content is owed to whom asks for all': { asks: AUTO, steps: [{ content: 'b', needsRollout: true }] },
  'the mark that comes with new content counts for that content': {
    asks: SEARCH,
    steps: [{ content: 'b', marks: MATCH, needsRollout: true }],
  },
  'new content without the mark is not owed, nor when the mark comes later': {
    asks: SEARCH,
    steps: [
      { content: 'b', needsRollout: false },
      { marks: MATCH, needsRollout: false },
      { content: 'c', needsRollout: true },
    ],
  },
  'what begins to be asked for begins with the current content: the way back is a change': {
    asks: SEARCH,
    steps: [
      { content: 'b', needsRollout: false },
      { marks: MATCH, needsRollout: false },
      { content: 'a', needsRollout: true },
    ],
  },
  'the mark that goes with new content goes for that content': {
    asks: SEARCH,
    marks: MATCH,
    steps: [{ content: 'b', marks: {}, needsRollout: false }],
  },
  'ignore that comes with new content declines it, and so it stays once ignore is gone': {
    asks: AUTO,
    steps: [
      { content: 'b', marks: IGNORE, needsRollout: false },
      { marks: {}, needsRollout: false },
      { content: 'c', needsRollout: true },
    ],
  },
  'new content that comes as ignore goes is owed': {
    asks: AUTO,
    marks: IGNORE,
    steps: [
      { content: 'b', needsRollout: false },
      { content: 'c', marks: {}, needsRollout: true },
    ],
  },
  'what is owed is owed no more once it is ignored, for good': {
    asks: AUTO,
    steps: [
      { content: 'b', needsRollout: true },
      { marks: IGNORE, needsRollout: false },
      { marks: {}, needsRollout: false },
    ],
  },
  'what is owed is owed no more once it is excluded, for good': {
    asks: AUTO,
    steps: [
      { content: 'b', needsRollout: true },
      { asks: { ...AUTO, ...EXCLUDE }, needsRollout: false },
      { asks: AUTO, needsRollout: false },
      { content: 'c', needsRollout: true },
    ],
  },
  'what is owed stays owed while it is asked for in other words': {
    asks: AUTO,
    steps: [
      { content: 'b', needsRollout: true },
      { asks: named(STAKATER, 'cfg'), needsRollout: true },
      { asks: { [STAKATER.auto]: 'true' }, needsRollout: true },
      { marks: MATCH, needsRollout: true },
      { asks: SEARCH, needsRollout: true },
    ],
  },
  'an opt-in to what was not followed rolls nothing': {
    asks: {},
    steps: [
      { content: 'b', needsRollout: false },
      { asks: AUTO, needsRollout: false },
      { content: 'c', needsRollout: true },
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
      ].map((asks) => ({ asks, needsRollout: false })),
      ...[MATCH, IGNORE, {}, { ...MATCH, ...IGNORE }, MATCH].map((marks) => ({ marks, needsRollout: false })),
      { content: 'b', needsRollout: true },
    ],
  },
  'a restart between the content and the mark changes nothing': {
    asks: SEARCH,
    steps: [
      { content: 'b', needsRollout: false },
      { restart: true, needsRollout: false },
      { marks: MATCH, needsRollout: false },
      { restart: true, needsRollout: false },
      { content: 'a', needsRollout: true },
    ],
  },
  'content and mark that come together while nobody watches are owed': {
    asks: SEARCH,
    steps: [{ restart: true, content: 'b', marks: MATCH, needsRollout: true }],
  },
  'content without the mark that comes while nobody watches is not owed': {
    asks: SEARCH,
    steps: [
      { restart: true, content: 'b', needsRollout: false },
      { marks: MATCH, needsRollout: false },
    ],
  },
  'ignored content that comes while nobody watches is not owed': {
    asks: AUTO,
    steps: [
      { restart: true, content: 'b', marks: IGNORE, needsRollout: false },
      { marks: {}, needsRollout: false },
      { restart: true, needsRollout: false },
    ],
  },
  'what is owed and was recorded is owed after a restart, unless it is ignored by then': {
    asks: AUTO,
    steps: [
      { content: 'b', needsRollout: true },
      { restart: true, needsRollout: true },
      { restart: true, marks: IGNORE, needsRollout: false },
      { restart: true, marks: {}, needsRollout: false },
    ],
  },
  'words that change while nobody watches roll nothing': {
    asks: SEARCH,
    steps: [
      { content: 'b', needsRollout: false },
      { restart: true, asks: AUTO, needsRollout: false },
      { restart: true, asks: named(NATIVE, 'cfg'), needsRollout: false },
      { content: 'c', needsRollout: true },
    ],
  },
};

for (const [sentence, { asks, marks, steps }] of Object.entries(CASES)) {
  test(sentence, () => {
    let world = begun(asks, marks);
    assert.ok(!world.needsRollout('web'));
    for (const [at, step] of steps.entries()) {
      world = taken(world, step);
      const isKnown = world.store.workloads.has(world.workloadKey('web'));
      assert.equal(isKnown && world.needsRollout('web'), step.needsRollout, `after step ${at + 1}`);
    }
  });
}

test('words that are told late are rolled for what was skipped, be it that only metadata was written since', () => {
  const world = begun(SEARCH);
  world.config('cfg', 'b');
  world.edit('web', { asks: AUTO });
  world.mark('cfg', { other: 'mark' });
  world.tellWorkload('web');
  assert.ok(world.needsRollout('web'));
});

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
    assert.ok(!world.needsRollout('web'));
    if (isFirst) world.tellWorkload('web');
    else world.workload('web', { asks: AUTO });
    assert.equal(world.needsRollout('web'), isFirst);
  });
}

test('a change that is declined is told with the reason', () => {
  const world = begun(SEARCH);
  const effects = world.config('cfg', 'b');
  assert.deepEqual(
    effects.reported('note').map(({ type, ...note }) => note),
    [
      {
        reason: 'skipped',
        workload: world.workloadRef('web'),
        config: world.configRef('cfg'),
        detail: 'the workload searches for objects that carry a mark, and this one does not',
      },
    ],
  );
  assert.deepEqual(effects.enqueuedFor('changed'), []);
  assert.deepEqual(world.mark('cfg', IGNORE).reported('note'), []);
  assert.deepEqual(
    world.config('cfg', 'c').reported('note')[0]?.detail,
    'the object is marked to be ignored',
  );
});

test('a change that is declined is committed, without a mark', () => {
  const world = begun(SEARCH);
  world.config('cfg', 'b');
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1' });
});

test('a change that is declined while an earlier one is not rolled out leaves no mark, so that a restart rolls nothing', () => {
  const ignore = { 'reloader.k8s.collaborne.com/ignore': 'true' };
  const world = settled('web');
  world.config('cfg', 'b');
  world.roll('web', false);
  world.config('cfg', 'c', { marks: ignore });
  world.config('cfg', 'c', { marks: {} });
  world.write();
  assert.deepEqual([world.needsRollout('web'), world.written], [false, { 'v1.ConfigMap_cfg': 'c.1' }]);
  assert.equal(world.restart().needsRollout('web'), false);
});

test('of two workloads only that one owes which asks', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  assert.deepEqual([world.needsRollout('web'), world.needsRollout('api')], [false, true]);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1?Deployment/api' });
  const next = world.restart();
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [false, true]);
});

test('what is asked for while another workload still owes begins with the current content', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.mark('cfg', MATCH);
  assert.ok(!world.needsRollout('web'));
  assert.equal(world.plan()?.due, 'now', 'a start would believe that web ran the old content');
  world.write();
  const next = world.restart();
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [false, true]);
});

test('what is ignored while its patch is on the way is settled by the answer', () => {
  const world = begun(AUTO);
  world.config('cfg', 'b');
  const plan = world.send('web');
  world.land(plan);
  world.config('cfg', 'c', { marks: IGNORE });
  world.answer(plan);
  world.workload('web', { isRolledOut: true });
  assert.ok(!world.needsRollout('web'));
  world.mark('cfg', {});
  assert.ok(!world.needsRollout('web'));
  assert.equal(world.config('cfg', 'b').enqueuedFor('changed').length, 1);
});

test('the owner rolls what does not ask while another owes: it owes nothing, then or later', () => {
  const world = begun(SEARCH);
  world.workload('api', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.workload('web', { image: 'v2', isRolledOut: false });
  assert.ok(!world.needsRollout('web'));
  world.mark('cfg', MATCH);
  assert.ok(!world.needsRollout('web'));
});

test('what is absent is asked for as it was last, and its return is judged by what it carries then', () => {
  for (const [marks, needsRollout] of [
    [IGNORE, false],
    [{}, true],
  ] as const) {
    const world = begun(AUTO);
    world.noConfig('cfg');
    assert.ok(!world.needsRollout('web'));
    world.config('cfg', 'b', { marks });
    assert.equal(world.needsRollout('web'), needsRollout);
  }
});

test('the flag for everything follows and rolls a workload that says nothing', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', { autoReloadAll: true });
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { refers: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  assert.ok(world.needsRollout('web'));
  assert.ok(!world.restart({}).store.workloads.has(world.workloadKey('web')), 'and not without the flag');
});

const ASKING_LATE: Record<string, readonly [before: Vocabulary, after: Vocabulary]> = {
  auto: [SEARCH, AUTO],
  'a name': [SEARCH, named(NATIVE, 'cfg')],
  'exclusion that ends': [{ ...AUTO, ...EXCLUDE }, AUTO],
};

for (const [sentence, [before, after]] of Object.entries(ASKING_LATE)) {
  test(`words that asked before the content came, and are heard of after it: ${sentence}`, () => {
    const world = begun(before);
    world.edit('web', { asks: after });
    world.config('cfg', 'b');
    assert.ok(!world.needsRollout('web'));
    const effects = world.tellWorkload('web');
    assert.ok(world.needsRollout('web'));
    assert.deepEqual(
      effects.enqueuedFor('changed').map(([key]) => key),
      [world.workloadKey('web')],
    );
    world.write();
    assert.ok(world.restart().needsRollout('web'));
    world.roll('web');
    assert.ok(!world.needsRollout('web'));
  });

  test(`words that came after the content ask for nothing of before: ${sentence}`, () => {
    const world = begun(before);
    world.config('cfg', 'b');
    world.workload('web', { asks: after });
    assert.ok(!world.needsRollout('web'));
  });
}
