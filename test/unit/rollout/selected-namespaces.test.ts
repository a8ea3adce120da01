/** Namespaces that are selected, and those that are not: what is held back, what is begun, what is remembered. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { EVER } from '../../../lib/model/timeline.ts';
import { Journal } from '../../../lib/report/journal.ts';
import { SelectedNamespaces } from '../../../lib/rollout/selected-namespaces.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { World } from '../tracking/world.ts';

const HOME = { key: '/Namespace/home', object: { name: 'home', annotations: {} }, span: EVER } as const;

/** A stage whose only namespace is selected when told so. */
class SelectionStage extends RolloutStage {
  readonly journal = new Journal(NO_LOG);
  readonly writeNow = new Set<string>();
  readonly selected: string[] = [];
  readonly namespaces: SelectedNamespaces;

  constructor(t: TestContext) {
    super(t);
    this.world.settings.selectsNamespaces = true;
    this.namespaces = new SelectedNamespaces({
      store: this.world.store,
      journal: this.journal,
      release: (workload) => this.controller.wake(workload),
      onSelected: (namespaces) => void this.selected.push(...namespaces),
      apply: (effects) => {
        for (const config of effects.persisted) this.writeNow.add(config);
      },
    });
    this.namespaces.observe({ type: 'synced' });
  }

  select(): void {
    this.namespaces.observe({ ...HOME, type: 'present', isInInitialList: false, isRelisted: false });
  }

  deselect(): void {
    this.namespaces.observe({ ...HOME, type: 'absent' });
  }

  get told(): string[] {
    return this.journal.decisions.map(({ reason }) => reason).reverse();
  }

  get waitsFor(): string | undefined {
    return this.controller.waitOf(this.world.workloadKey('web'))?.reason;
  }
}

test('what is owed in a namespace that is not selected waits, without a try, until it is', async (t) => {
  const stage = new SelectionStage(t);
  stage.change('b');
  await stage.pass(500_000);
  assert.deepEqual([stage.outcomes, stage.patches.length, stage.waitsFor], [[], 0, 'selection']);
  assert.equal(stage.isWaiting('web'), false, 'no commit waits for it');
  stage.select();
  assert.equal(stage.waitsFor, 'quiet');
  await stage.pass(1_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
  assert.equal(stage.attempts[0]?.pending.changes, 1);
  assert.deepEqual(stage.told, ['selected-namespace']);
});

test('a namespace that is deselected within the quiet period is not rolled, and there is one try at most', async (t) => {
  const stage = new SelectionStage(t);
  stage.select();
  stage.change('b');
  await stage.pass(500);
  stage.deselect();
  await stage.pass(500_000);
  assert.deepEqual([stage.outcomes, stage.patches.length, stage.waitsFor], [['selection'], 0, 'selection']);
  assert.equal(stage.attempts[0]?.isWaiting, false, 'the commit that waited for it goes on');
  stage.change('c');
  await stage.pass(500_000);
  assert.deepEqual(stage.outcomes, ['selection']);
  stage.select();
  await stage.pass(1_000);
  assert.deepEqual(stage.outcomes, ['selection', 'rolled']);
});

test('a refusal is not tried again while the namespace is not selected', async (t) => {
  const stage = new SelectionStage(t);
  stage.select();
  stage.faults.push({ result: { kind: 'rejected', code: 'forbidden', message: 'no' } });
  stage.change('b');
  await stage.pass(1_000);
  stage.deselect();
  await stage.pass(500_000);
  assert.deepEqual(stage.outcomes, ['refused', 'selection']);
  stage.select();
  await stage.pass(1_000);
  assert.deepEqual(stage.outcomes, ['refused', 'selection', 'rolled']);
});

test('a patch under way is answered although its namespace is deselected, and what came since waits', async (t) => {
  const stage = new SelectionStage(t);
  stage.select();
  let answer = (): void => {};
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  stage.faults.push({ until });
  stage.change('b');
  await stage.pass(1_000);
  stage.deselect();
  stage.change('c');
  answer();
  await stage.pass(500_000);
  assert.deepEqual([stage.outcomes, stage.waitsFor], [['rolled'], 'selection']);
  stage.select();
  await stage.pass(1_000);
  assert.deepEqual(stage.outcomes, ['rolled', 'rolled']);
});

test('what was changed back meanwhile is not rolled', async (t) => {
  const stage = new SelectionStage(t);
  stage.change('b');
  stage.change('a');
  stage.select();
  await stage.pass(10_000);
  assert.equal(stage.patches.length, 0);
  assert.equal(stage.waitsFor, undefined);
});

test('a workload that is gone waits for nothing', async (t) => {
  const stage = new SelectionStage(t);
  stage.change('b');
  stage.apply(stage.world.noWorkload('web'));
  stage.select();
  await stage.pass(10_000);
  assert.deepEqual(stage.outcomes, []);
});

test('that a namespace is there in another version is no news', (t) => {
  const stage = new SelectionStage(t);
  stage.select();
  stage.select();
  stage.deselect();
  stage.deselect();
  assert.deepEqual(stage.told, ['selected-namespace', 'unselected-namespace']);
  assert.deepEqual(stage.selected, ['home']);
});

/** A world of one namespace that is not selected. */
function unselected(state: Record<string, string> = {}): World {
  const world = new World(state);
  world.settings.selectsNamespaces = true;
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  return world;
}

test('where nothing was begun nothing is owed, and nothing is written', () => {
  const world = unselected();
  const effects = world.config('cfg', 'b');
  assert.deepEqual(
    effects.reported('note').map(({ reason, detail }) => [reason, detail]),
    [['skipped', 'its namespace is not selected']],
  );
  world.write();
  assert.deepEqual([world.needsRollout('web'), world.written], [false, {}]);
});

test('to select a namespace begins with the current content, and writes it at once', (t) => {
  const stage = new SelectionStage(t);
  stage.world.state({});
  stage.world.store.persisted.places.clear();
  stage.change('b');
  stage.select();
  assert.equal(stage.world.needsRollout('web'), false);
  assert.deepEqual([...stage.writeNow], [stage.world.configKey('cfg')]);
  stage.world.write();
  assert.deepEqual(stage.world.written, { 'v1.ConfigMap_cfg': 'b.1' });
});

test('what has an entry is owed, over a restart too, and the entry and the marks stay', () => {
  const world = unselected({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'b');
  assert.equal(world.needsRollout('web'), true);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1?Deployment/web' });
  const next = new World({}, 'home');
  next.settings.selectsNamespaces = true;
  for (const [shard, own] of world.store.persisted.state.shards.entries())
    next.store.persisted.takeShard(shard, own);
  next.config('cfg', 'b', { initial: true });
  next.workload('web', { follows: ['cfg'] }, { initial: true });
  assert.equal(next.needsRollout('web'), true);
});

test('an entry that somebody removes is written again although the namespace is not selected', () => {
  const world = unselected({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'b');
  world.state({});
  assert.equal(world.needsRollout('web'), true);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1?Deployment/web' });
});
