/** What stands against a workload is said once, for as long as it stands. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { Findings } from '../../../lib/report/findings.ts';
import type { Sketch } from '../tracking/sketch.ts';
import { World } from '../tracking/world.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const CONFIGMAP = `${PREFIX}/configmap`;
const LIMITED = { minIntervalMs: 0, limit: { rollouts: 20, withinMs: 3_600_000 } };

/** Notices over a world, and what they said: `<workload> <reason>`. */
class Stage {
  readonly world: World;
  readonly said: string[] = [];
  isDynamic = false;
  readonly missing: Set<string> = new Set();
  readonly findings: Findings;

  constructor(resourceSelector?: string) {
    this.world = new World({}, 'home', { pace: LIMITED, resourceSelector });
    this.findings = new Findings({
      store: this.world.store,
      isMissing: (config) => this.missing.has(config),
      isDynamic: () => this.isDynamic,
      say: ({ ref }, { reason }) => void this.said.push(`${ref.name} ${reason}`),
    });
  }

  /** The stream tells of a Deployment `web`, whose pod template has `misplaced` annotations. */
  tell(annotations: Record<string, string>, { uid = 'u', isGoing = false, misplaced = {} } = {}): void {
    this.world.now += 1;
    const raw: RawWorkload = {
      metadata: {
        name: 'web',
        namespace: 'home',
        uid,
        resourceVersion: String(this.world.now),
        annotations,
        ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: { template: { metadata: { annotations: misplaced } } },
    };
    const object = workloadOf(workloadKindOf('Deployment'), raw, this.world.store.settings.vocabularies);
    const span = { from: this.world.now - 1, to: this.world.now };
    const news = { type: 'present', span, isInInitialList: false, isRelisted: false } as const;
    this.findings.observe({ ...news, key: this.key, object });
  }

  /** Its owner changes the Deployment, and the stream tells; the rules that say what it follows are asked too. */
  follow(sketch: Sketch): void {
    const effects = this.world.workload('web', sketch);
    for (const { competitor } of effects.reported('competitor')) this.findings.meet(competitor);
    const span = { from: this.world.now - 1, to: this.world.now };
    const news = { type: 'present', span, isInInitialList: false, isRelisted: false } as const;
    this.findings.observe({ ...news, key: this.key, object: this.world.view('web') });
  }

  /** The stream tells that it is gone. */
  tellGone(): void {
    this.findings.observe({ type: 'absent', key: this.key, span: { from: 0, to: 0 } });
  }

  get key(): string {
    return this.world.workloadKey('web');
  }

  /** The reasons that stand now. */
  get standing(): string[] {
    return this.findings.of(this.key).map(({ reason }) => reason);
  }

  /** How many workloads are kept. */
  get kept(): number {
    return [...this.findings.workloads()].length;
  }
}

test('against a workload that asks for nothing nothing stands, and nothing of it is kept', () => {
  const stage = new Stage();
  stage.tell({ other: 'x' });
  assert.deepEqual([stage.said, stage.kept], [[], 0]);
});

test('what stands is said once, however often the workload is told of', () => {
  const stage = new Stage();
  for (let time = 0; time < 3; time += 1) stage.tell({}, { misplaced: { [CONFIGMAP]: 'web' } });
  assert.deepEqual([stage.said, stage.standing], [['web misplaced'], ['misplaced']]);
});

test('what an object says that has no effect stands against those who follow it', () => {
  const stage = new Stage();
  const marks = ['hold', 'auto', 'urgentt'].map((word) => [`${PREFIX}/${word}`, 'yes']);
  stage.world.config('cfg', 'a', { marks: Object.fromEntries(marks) });
  stage.follow({ follows: ['cfg'] });
  assert.deepEqual(stage.said, ['web malformed', 'web misplaced', 'web mistyped']);
});

test('what is added to it is said, and what stood already is not said again', () => {
  const stage = new Stage();
  stage.tell({ [CONFIGMAP]: 'A' });
  stage.tell({ [CONFIGMAP]: 'A', [`${CONFIGMAP}s`]: 'web' });
  stage.tell({ [CONFIGMAP]: 'B', [`${CONFIGMAP}s`]: 'web' });
  assert.deepEqual(stage.said, ['web malformed', 'web mistyped', 'web malformed']);
  assert.deepEqual(stage.standing, ['malformed', 'mistyped']);
});

test('what is mended goes without a word, and what comes back is said again', () => {
  const stage = new Stage();
  for (const name of ['A', 'a']) stage.tell({ [CONFIGMAP]: name });
  assert.deepEqual([stage.standing, stage.kept], [[], 0]);
  stage.tell({ [CONFIGMAP]: 'A' });
  assert.deepEqual(stage.said, ['web malformed', 'web malformed']);
});

const ENDS: Record<string, (stage: Stage) => void> = {
  'is gone': (stage) => stage.tellGone(),
  'is going': (stage) => stage.tell({ [CONFIGMAP]: 'A' }, { isGoing: true }),
};

for (const [sentence, end] of Object.entries(ENDS)) {
  test(`nothing stands against a workload that ${sentence}`, () => {
    const stage = new Stage();
    stage.tell({ [CONFIGMAP]: 'A' });
    end(stage);
    assert.deepEqual([stage.standing, stage.kept, stage.said.length], [[], 0, 1]);
  });
}

test('another workload of the same name is told for itself', () => {
  const stage = new Stage();
  stage.tell({ [CONFIGMAP]: 'A' });
  stage.tell({ [CONFIGMAP]: 'A' }, { uid: 'v' });
  assert.deepEqual(stage.said, ['web malformed', 'web malformed']);
});

test('a workload that keeps its old pods is spoken of once it is stamped, until they are gone', () => {
  const stage = new Stage();
  const { world, findings } = stage;
  const review = (): string[] => {
    findings.review(stage.key);
    return stage.standing;
  };
  world.config('cfg', 'a');
  world.workload('web', { follows: ['cfg'], paused: true, isRolledOut: false });
  assert.deepEqual(review(), [], 'old pods of another rollout are no finding');
  world.config('cfg', 'b');
  assert.deepEqual(review(), [], 'nothing is stamped yet');
  world.roll('web', false);
  assert.deepEqual(review(), ['pods-not-replaced']);
  world.workload('web', { paused: false, isRolledOut: false });
  assert.deepEqual(review(), []);
  assert.deepEqual(stage.said, ['web pods-not-replaced']);
});

test('a pause of a reloader is told for as long as it lasts, and is no hold', () => {
  const stage = new Stage();
  const { world } = stage;
  const asks = { [STAKATER_KEYS.pausePeriod]: '5m', [STAKATER_KEYS.pausedAt]: '2026-01-01T12:00:00Z' };
  world.config('cfg', 'a');
  stage.follow({ follows: ['cfg'] });
  world.config('cfg', 'b');
  world.roll('web', false);
  stage.follow({ asks, paused: true, isRolledOut: false });
  stage.follow({ asks, paused: true, isRolledOut: false });
  assert.deepEqual([stage.standing, stage.said], [['paused'], ['web paused']]);
  const [finding] = stage.findings.of(stage.key);
  assert.match(finding?.message ?? '', /^paused since 2026-01-01T12:00:00Z, until 2026-01-01T12:05:00.000Z:/);
  stage.follow({ asks, paused: false, isRolledOut: false });
  assert.deepEqual(stage.standing, []);
});

test('what is not known needs no review', () => {
  const stage = new Stage();
  stage.findings.review(stage.key);
  assert.equal(stage.kept, 0);
});

test('old news of a workload that is known says nothing', () => {
  const stage = new Stage();
  stage.world.workload('web', { follows: ['cfg'], uid: 'u' });
  stage.tell({ [CONFIGMAP]: 'A' });
  assert.deepEqual(stage.said, []);
});

const VARIABLE = 'STAKATER_CFG_CONFIGMAP';

/** A Deployment that follows a ConfigMap, to whose change another reloader answered. */
function contested(): Stage {
  const stage = new Stage();
  stage.world.config('cfg', 'a');
  stage.follow({ follows: ['cfg'], stamps: { [VARIABLE]: 'a' }, manager: 'Reloader' });
  assert.deepEqual(stage.said, [], 'what was there before says nothing');
  otherRolls(stage, 'b');
  return stage;
}

function otherRolls(stage: Stage, digest: string): void {
  stage.follow({ stamps: { [VARIABLE]: digest }, manager: 'Reloader' });
}

function weRoll(stage: Stage, stamp: string): void {
  stage.findings.rolled(stage.key);
  stage.follow({ stamps: { [VARIABLE]: stamp }, manager: 'kubernetes-reloader' });
}

test('another reloader of the same workload is told of once, for as long as it answers to changes', () => {
  const stage = contested();
  assert.deepEqual([stage.said, stage.standing], [['web second-reloader'], ['second-reloader']]);
  weRoll(stage, 'b.2');
  otherRolls(stage, 'c');
  weRoll(stage, 'c.3');
  assert.deepEqual([stage.said.length, stage.standing], [1, ['second-reloader']]);
  weRoll(stage, 'd.4');
  assert.deepEqual([stage.said.length, stage.standing], [1, []]);
  otherRolls(stage, 'e');
  assert.deepEqual([stage.said.length, stage.standing], [2, ['second-reloader']]);
});

const AFTER_A_RIVAL: Record<string, (stage: Stage) => void> = {
  'is gone': (stage) => stage.tellGone(),
  'is another one of that name': (stage) => stage.follow({ uid: 'v' }),
  'follows nothing any more': (stage) => stage.follow({ follows: [] }),
};

for (const [sentence, act] of Object.entries(AFTER_A_RIVAL)) {
  test(`another reloader no longer stands against a workload that ${sentence}`, () => {
    const stage = contested();
    act(stage);
    assert.deepEqual(stage.standing, []);
  });
}

test('of a mistake on its namespace each workload that follows something is told', () => {
  const stage = new Stage();
  stage.world.store.namespaceAnnotations.set('home', { [`${PREFIX}/hold`]: 'x' });
  stage.follow({ follows: [] });
  stage.findings.review(stage.key);
  assert.deepEqual(stage.said, []);
  stage.follow({ follows: ['cfg'] });
  stage.findings.review(stage.key);
  assert.deepEqual(stage.said, ['web malformed']);
  stage.world.store.namespaceAnnotations.delete('home');
  stage.findings.review(stage.key);
  assert.deepEqual(stage.findings.of(stage.key), []);
});

test('where a namespace is not selected nobody is told, but of what stands once it is', () => {
  const stage = new Stage();
  stage.world.settings.selectsNamespaces = true;
  stage.tell({ [CONFIGMAP]: 'a/b/c' });
  const shown = (): number => stage.findings.of(stage.key).length + [...stage.findings.workloads()].length;
  assert.deepEqual([stage.said, shown()], [[], 0]);
  stage.world.store.selected.add('home');
  stage.findings.select(new Set(['home']));
  assert.deepEqual([stage.said, shown()], [['web malformed'], 2]);
  stage.world.store.selected.delete('home');
  stage.tell({ [CONFIGMAP]: 'a/b/c, d/e/f' });
  assert.equal(shown(), 0);
  stage.world.store.selected.add('home');
  stage.findings.select(new Set(['home']));
  assert.deepEqual(stage.said, ['web malformed', 'web malformed'], 'what was said before is not said again');
});

test('another reloader is none of our concern where a namespace is not selected', () => {
  const stage = new Stage();
  stage.follow({ follows: ['cfg'] });
  const mark = { container: 'main', variable: 'STAKATER_CFG_CONFIGMAP', value: 'x' };
  const competitor = { workload: stage.world.view('web'), mark };
  stage.world.settings.selectsNamespaces = true;
  stage.findings.meet(competitor);
  stage.world.store.selected.add('home');
  stage.findings.review(stage.key);
  assert.deepEqual(stage.said, []);
  stage.findings.meet(competitor);
  stage.findings.review(stage.key);
  assert.equal(stage.said.length, 1);
});

test('what one notice tells of several things is said again when another one comes to them, not when one goes', () => {
  const stage = new Stage();
  stage.follow({ follows: ['a', 'b', 'c'] });
  const wave = (...names: readonly string[]): number => {
    stage.missing.clear();
    for (const name of names) stage.missing.add(stage.world.configKey(name));
    stage.findings.review(stage.key);
    return stage.said.length;
  };
  assert.deepEqual([wave('a', 'b'), wave('b', 'a'), wave('b'), wave('b', 'c'), wave()], [1, 1, 1, 2, 2]);
});

const LACKED: Record<string, readonly [sketch: Sketch, about: string, doubt: string, selector?: string]> = {
  'a ConfigMap': [{ follows: ['a'] }, 'ConfigMap/a', ''],
  'a Secret, which may be of a type that is not watched': [
    { secrets: ['tls'] },
    'Secret/tls',
    ', or of a type that is not watched',
  ],
  'one that may lack the labels that are watched': [
    { follows: ['a'] },
    'ConfigMap/a',
    ', or without the labels that are watched (team=a)',
    'team=a',
  ],
  'several of what it names, and none to which it only refers': [
    { follows: ['a', 'b'], refers: ['c'], asks: { [STAKATER_KEYS.auto]: 'true' } },
    'ConfigMap/a, ConfigMap/b',
    '',
  ],
};

for (const [sentence, [sketch, about, doubt, selector]] of Object.entries(LACKED)) {
  test(`of missing objects a workload is told in one notice: ${sentence}`, () => {
    const stage = new Stage(selector);
    stage.follow(sketch);
    for (const key of stage.world.store.dependents.keys()) stage.missing.add(key);
    stage.findings.review(stage.key);
    const message = `${about} not found${doubt}; create what is missing, or remove it from the annotation`;
    assert.deepEqual(stage.findings.of(stage.key), [
      { reason: 'missing', about, covers: about.split(', '), message },
    ]);
  });
}

test('the state of a reloader is no missing object, and is told of by itself', () => {
  const stage = new Stage();
  stage.world.settings.ownState = new Set([stage.world.configKey('cfg')]);
  stage.follow({ follows: ['cfg', 'gone'] });
  for (const name of ['cfg', 'gone']) stage.missing.add(stage.world.configKey(name));
  stage.findings.review(stage.key);
  assert.deepEqual(stage.standing, ['state-named', 'missing']);
  const [finding] = stage.findings.of(stage.key);
  assert.match(finding?.message ?? '', /^a reloader keeps its state in ConfigMap\/cfg: /);
});

test('a workload has so many notices at most, and none without an end', () => {
  const stage = new Stage();
  const misplaced = { [CONFIGMAP]: 'x'.repeat(200_000) };
  const items = Array.from({ length: 300 }, (_, index) => `(${index}`).join();
  stage.tell({ 'configmap.reloader.stakater.com/reload': items }, { misplaced });
  const findings = stage.findings.of(stage.key);
  assert.equal(findings.length, 30);
  for (const { message } of findings) assert.ok(Buffer.byteLength(message) <= 8_192);
});
