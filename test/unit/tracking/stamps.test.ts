/** Where stamps are written and read: patches are applied to a template as an API server applies them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { RawContainer, RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import { NATIVE, named, STAKATER } from '../annotations/judged.ts';
import { d, full } from './sketch.ts';
import { World } from './world.ts';

type Vocabulary = Readonly<Record<string, string>>;

const OURS = '_RELOADER_CONFIGMAP_CFG';
const THEIRS = 'STAKATER_CFG_CONFIGMAP';
const STAMPS = 'reloader.k8s.collaborne.com/stamps';
const STRATEGY = 'reloader.k8s.collaborne.com/reload-strategy';
const IN_ANNOTATIONS = { strategy: 'annotations' } as const;
const AUTO = { [STAKATER.auto]: 'true' };
const NATIVE_AUTO = { [NATIVE.auto]: 'true' };
const READS = { envFrom: [{ configMapRef: { name: 'cfg' } }] };

interface Case {
  readonly asks: Vocabulary;
  readonly flags?: Partial<VocabularyOptions>;
  /** Where the template carries variables before, `container/variable`; the container `side` reads the object. */
  readonly before?: Vocabulary;
  readonly annotations?: Vocabulary;
  readonly initReads?: true;
  /** What it carries once it is rolled; values in short form. */
  readonly after: Vocabulary;
}

function templateOf({
  before = {},
  annotations = {},
  initReads,
}: Omit<Case, 'asks' | 'after'>): RawPodTemplate {
  const container = (name: string): RawContainer => {
    const env = Object.entries(before)
      .filter(([place]) => place.startsWith(`${name}/`))
      .map(([place, value]) => ({ name: place.slice(name.length + 1), value: full(value) }));
    return { name, env: [{ name: 'OWN', value: '1' }, ...env] };
  };
  const containers = [container('main'), { ...container('side'), ...(initReads ? {} : READS) }];
  const initContainers = initReads ? [{ name: 'init', ...READS }] : [];
  return { metadata: { annotations: { own: '1', ...annotations } }, spec: { containers, initContainers } };
}

/** A world where `web` has rolled to `a` of `cfg`, which is committed as number 1. */
function begun({ asks, flags = {}, ...parts }: Omit<Case, 'after'>): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' }, 'home', flags);
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { asks, template: templateOf(parts) }, { initial: true });
  assert.ok(!world.needsRollout('web'));
  return world;
}

/** The variables of the live template, `container/variable`, and its annotations, what is the owner's left out. */
function carried(world: World): Vocabulary {
  const { metadata, spec } = world.raw('web').spec?.template ?? {};
  const variables = (spec?.containers ?? []).flatMap(({ name, env = [] }) =>
    env.map((variable) => [`${name}/${variable.name}`, variable.value ?? ''] as const),
  );
  const found = [...variables, ...Object.entries(metadata?.annotations ?? {})].filter(
    ([place]) => place !== 'own' && !place.endsWith('/OWN'),
  );
  return Object.fromEntries(found.map(([place, text]) => [place, text.replace(/([a-f])\1{39}/g, '$1')]));
}

const told = (container: string, stamps?: Vocabulary, observedAt = 0): string =>
  JSON.stringify({
    type: 'CONFIGMAP',
    name: 'cfg',
    namespace: 'home',
    hash: 'b',
    containerRefs: [container],
    observedAt,
    stamps,
  });
const B2 = { 'ConfigMap/cfg': 'b.2' };
const OF_BOTH = { 'ConfigMap/cfg': full('a.1'), 'Secret/z': full('c.9') };

const CASES: Record<string, Case> = {
  'native words stamp the first container': { asks: NATIVE_AUTO, after: { [`main/${OURS}`]: 'b.2' } },
  'the words of Stakater Reloader stamp the container that reads the object': {
    asks: AUTO,
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'where only an init container reads it, the first container': {
    asks: AUTO,
    initReads: true,
    after: { [`main/${THEIRS}`]: 'b.2' },
  },
  'both vocabularies that ask have their stamp': {
    asks: { ...AUTO, ...named(NATIVE, 'cfg') },
    after: { [`main/${OURS}`]: 'b.2', [`side/${THEIRS}`]: 'b.2' },
  },
  'a vocabulary that says something and does not ask has none': {
    asks: { ...AUTO, [NATIVE.search]: 'true' },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'what only the flag asks for is stamped once': {
    asks: {},
    flags: { autoReloadAll: true },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'and natively where only the native words are read': {
    asks: {},
    flags: { autoReloadAll: true, dialects: ['collaborne'] },
    after: { [`main/${OURS}`]: 'b.2' },
  },
  'a stamp stays in the container that carries it': {
    asks: AUTO,
    before: { [`main/${THEIRS}`]: 'a.1' },
    after: { [`main/${THEIRS}`]: 'b.2' },
  },
  'the value of another program in the variable that is written is written over': {
    asks: AUTO,
    before: { [`main/${THEIRS}`]: 'f' },
    after: { [`main/${THEIRS}`]: 'b.2' },
  },
  'a stamp of ours in another form goes': {
    asks: AUTO,
    before: { [`main/${OURS}`]: 'a.1' },
    after: { [`main/${THEIRS}`]: 'b.2' },
  },
  'a stamp takes the place of each form': {
    asks: AUTO,
    before: { [`main/${OURS}`]: 'a.1', [`side/${THEIRS}`]: 'a.1' },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'a bare digest in another form is another program’s and stays': {
    asks: NATIVE_AUTO,
    before: { [`side/${THEIRS}`]: 'f' },
    after: { [`side/${THEIRS}`]: 'f', [`side/${OURS}`]: 'b.2' },
  },
  'what is no digest in another form stays': {
    asks: NATIVE_AUTO,
    before: { [`side/${THEIRS}`]: 'yes' },
    after: { [`side/${THEIRS}`]: 'yes', [`side/${OURS}`]: 'b.2' },
  },
  'in annotations a stamp stands in the one that tells of its source, and nowhere else': {
    asks: AUTO,
    flags: IN_ANNOTATIONS,
    after: { [STAKATER.lastReloadedFrom]: told('side', B2) },
  },
  'the stamps of other objects stay in it, and what is none goes': {
    asks: NATIVE_AUTO,
    flags: IN_ANNOTATIONS,
    annotations: { [NATIVE.lastReloadedFrom]: told('main', { ...OF_BOTH, x: 'y' }, 7) },
    after: { [NATIVE.lastReloadedFrom]: told('side', { ...B2, 'Secret/z': 'c.9' }) },
  },
  'each vocabulary that asks has its annotation that tells, and that of Stakater Reloader has the stamps': {
    asks: { ...AUTO, ...NATIVE_AUTO },
    flags: IN_ANNOTATIONS,
    initReads: true,
    after: { [NATIVE.lastReloadedFrom]: told('main'), [STAKATER.lastReloadedFrom]: told('main', B2) },
  },
  'the stamps leave the annotation of a vocabulary that asks no more': {
    asks: AUTO,
    flags: IN_ANNOTATIONS,
    annotations: { [NATIVE.lastReloadedFrom]: told('side', OF_BOTH) },
    after: { [STAKATER.lastReloadedFrom]: told('side', { ...B2, 'Secret/z': 'c.9' }) },
  },
  'so they do the annotation of vocabularies with a hash, and the highest of an object stays': {
    asks: AUTO,
    flags: IN_ANNOTATIONS,
    annotations: {
      [NATIVE.lastReloadedFrom]: told('side', OF_BOTH),
      [STAMPS]: `{"Secret/z":"${full('e.3')}"}`,
    },
    after: { [STAKATER.lastReloadedFrom]: told('side', { ...B2, 'Secret/z': 'c.9' }) },
  },
  'an annotation that cannot be read is written anew': {
    asks: NATIVE_AUTO,
    flags: IN_ANNOTATIONS,
    annotations: { [NATIVE.lastReloadedFrom]: told('side', OF_BOTH).slice(0, -1) },
    after: { [NATIVE.lastReloadedFrom]: told('side', B2) },
  },
  'so is one whose stamps are no object': {
    asks: NATIVE_AUTO,
    flags: IN_ANNOTATIONS,
    annotations: { [NATIVE.lastReloadedFrom]: '{"stamps":"ConfigMap/cfg"}' },
    after: { [NATIVE.lastReloadedFrom]: told('side', B2) },
  },
  'a workload may ask for annotations by itself': {
    asks: { ...NATIVE_AUTO, [STRATEGY]: 'annotations' },
    after: { [NATIVE.lastReloadedFrom]: told('side', B2) },
  },
  'and for variables': {
    asks: { ...AUTO, [STRATEGY]: 'env-vars' },
    flags: IN_ANNOTATIONS,
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'a strategy that there is not leaves the flag to say it': {
    asks: { ...AUTO, [STRATEGY]: 'restart' },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'variables of ours go once annotations are asked for, and those of another program stay': {
    asks: AUTO,
    flags: IN_ANNOTATIONS,
    before: { [`main/${OURS}`]: 'a.1', [`side/${THEIRS}`]: 'f' },
    after: {
      [`side/${THEIRS}`]: 'f',
      [STAKATER.lastReloadedFrom]: told('side', B2),
    },
  },
  'the annotation goes with its last stamp once variables are asked for': {
    asks: AUTO,
    annotations: { [STAMPS]: `{"ConfigMap/cfg":"${full('a.1')}"}` },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'and stays with the stamps of others': {
    asks: AUTO,
    annotations: { [STAMPS]: `{"ConfigMap/cfg":"${full('a.1')}","Secret/z":"${full('c.9')}"}` },
    after: { [`side/${THEIRS}`]: 'b.2', [STAMPS]: '{"Secret/z":"c.9"}' },
  },
  'the annotation that tells goes with its last stamp too': {
    asks: AUTO,
    annotations: { [STAKATER.lastReloadedFrom]: told('main', { 'ConfigMap/cfg': full('a.1') }) },
    after: { [`side/${THEIRS}`]: 'b.2' },
  },
  'and stays as it is with the stamps of others': {
    asks: AUTO,
    annotations: { [STAKATER.lastReloadedFrom]: told('main', OF_BOTH, 7) },
    after: {
      [`side/${THEIRS}`]: 'b.2',
      [STAKATER.lastReloadedFrom]: told('main', { 'Secret/z': 'c.9' }, 7),
    },
  },
  'without stamps it is another program’s, and stays': {
    asks: AUTO,
    annotations: { [STAKATER.lastReloadedFrom]: told('main') },
    after: { [`side/${THEIRS}`]: 'b.2', [STAKATER.lastReloadedFrom]: told('main') },
  },
};

for (const [sentence, { after, ...parts }] of Object.entries(CASES)) {
  test(sentence, () => {
    const world = begun(parts);
    world.config('cfg', 'b');
    world.roll('web');
    assert.deepEqual(carried(world), after);
    assert.ok(!world.needsRollout('web'), 'the patch is known to be in force');
  });
}

const SWITCHES: Record<
  string,
  readonly [before: Partial<VocabularyOptions>, after: Partial<VocabularyOptions>]
> = {
  'from variables to annotations': [{}, IN_ANNOTATIONS],
  'from annotations to variables': [IN_ANNOTATIONS, {}],
  'to the native words alone': [{}, { dialects: ['collaborne'] }],
  'to those of Stakater Reloader alone': [{}, { dialects: ['stakater'] }],
  'from the native words to the others': [{ dialects: ['collaborne'] }, { dialects: ['stakater'] }],
  'from annotations to the native words alone': [IN_ANNOTATIONS, { dialects: ['collaborne'] }],
};

for (const [sentence, [before, after]] of Object.entries(SWITCHES)) {
  test(`a switch ${sentence} rolls nothing`, () => {
    const world = begun({ asks: { ...AUTO, ...NATIVE_AUTO }, flags: before });
    world.config('cfg', 'b');
    world.roll('web', false);
    world.write();
    const next = world.restart(after);
    assert.ok(!next.needsRollout('web'), 'the mark is for the stamp in its old form');
    next.workload('web', { isRolledOut: true });
    next.write();
    assert.ok(!next.restart(before).needsRollout('web'), 'nor does a switch back');
    next.config('cfg', 'c');
    next.roll('web', false);
    next.write();
    assert.ok(!next.restart(before).needsRollout('web'), 'nor after a rollout in between');
    next.config('cfg', 'a');
    assert.ok(next.needsRollout('web'));
  });
}

test('every form is read: a revert to the old content is owed whichever form told of the new one', () => {
  for (const flags of [{}, IN_ANNOTATIONS, { dialects: ['collaborne'] }] as const) {
    const world = begun({ asks: { ...AUTO, ...NATIVE_AUTO }, flags });
    world.config('cfg', 'b');
    world.roll('web');
    world.contents.set('cfg', { content: 'a', version: world.now + 1 });
    assert.ok(world.restart({ dialects: ['stakater'] }).needsRollout('web'));
  }
});

test('what tells people proves nothing', () => {
  const text = JSON.stringify({
    type: 'CONFIGMAP',
    name: 'cfg',
    namespace: 'home',
    hash: d('b'),
    observedAt: 9,
  });
  const annotations = { [STAKATER.lastReloadedFrom]: text, [NATIVE.lastReloadedFrom]: full('b.9') };
  const world = begun({ asks: AUTO, flags: IN_ANNOTATIONS, annotations });
  world.config('cfg', 'b');
  assert.ok(world.needsRollout('web'));
  world.roll('web');
  assert.equal(carried(world)[STAKATER.lastReloadedFrom], told('side', B2));
});

test('the annotation that tells carries the time at which the change was seen', () => {
  const world = begun({ asks: AUTO, flags: IN_ANNOTATIONS });
  world.config('cfg', 'b');
  const plan = planRollout(world.store, world.workloadKey('web'), { seconds: 1_700_000_000 });
  assert.equal(
    plan?.annotations?.[STAKATER.lastReloadedFrom]?.replace(d('b'), 'b'),
    told('side', undefined, 1_700_000_000),
  );
});

test('two objects whose names spell one variable have each their own', () => {
  const world = new World({}, 'home');
  for (const name of ['a-b', 'a.b']) world.config(name, 'a', { initial: true });
  const asks = { ...named(STAKATER, 'a-b', 'a\\.b') };
  world.workload('web', { asks, template: templateOf({}) }, { initial: true });
  for (const name of ['a-b', 'a.b']) world.config(name, 'b');
  world.roll('web');
  const variables = Object.keys(carried(world));
  assert.equal(variables.length, 2);
  for (const variable of variables) assert.match(variable, /^main\/STAKATER_A_B_CONFIGMAP_[0-9A-F]{6}$/);
  world.write();
  assert.ok(!world.needsRollout('web') && !world.restart().needsRollout('web'));
});

const TELLING: readonly Vocabulary[] = [
  {},
  { [STAMPS]: `{"ConfigMap/cfg":"${full('a.1')}"}` },
  { [STAMPS]: 'no JSON' },
  { [STAKATER.lastReloadedFrom]: 'x' },
  { [NATIVE.lastReloadedFrom]: 'x', [STAMPS]: '{}' },
  { [NATIVE.lastReloadedFrom]: told('side', OF_BOTH) },
  { [NATIVE.lastReloadedFrom]: '{"stamps":"ab"}' },
];

test('our annotations are no change of the template by its owner, and their coming and going is seen', () => {
  const views = TELLING.map((annotations) => begun({ asks: AUTO, annotations }).view('web'));
  assert.equal(new Set(views.map(({ templateDigest }) => templateDigest)).size, 1);
  assert.deepEqual(
    views.map(({ stamps }) => stamps.length),
    [0, 2, 1, 1, 2, 3, 1],
  );
  const other = begun({ asks: AUTO, annotations: { other: 'x' } }).view('web');
  assert.notEqual(other.templateDigest, views[0]?.templateDigest);
});

test('a template without annotations of its owner is the same with ours', () => {
  const [bare, stamped] = [{}, { metadata: { annotations: { [STAMPS]: '{}' } } }].map((template) => {
    const world = new World();
    world.workload('web', { asks: AUTO, template });
    return world.view('web').templateDigest;
  });
  assert.equal(bare, stamped);
});
