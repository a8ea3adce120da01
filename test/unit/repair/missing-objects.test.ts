/** Objects that are named and missing: when they count, and when people are told. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { MissingObjects } from '../../../lib/repair/missing-objects.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { mockTime } from '../../mock-time.ts';
import { settle } from '../state/committer-stage.ts';
import { World } from '../tracking/world.ts';

const GRACE_MS = 5_000;

/** Missing objects over a world, and what they told. */
class Stage {
  readonly world = new World({}, 'home');
  readonly told: string[] = [];
  /** How often it was told of something. */
  tellings = 0;
  readonly errors: string[] = [];
  /** Thrown by the next telling. */
  defect: Error | undefined;
  isSynced = true;
  readonly missing: MissingObjects;
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext) {
    mockTime(t);
    this.#timers = t.mock.timers;
    this.missing = new MissingObjects({
      store: this.world.store,
      isSynced: () => this.isSynced,
      onNews: (configs) => {
        const { defect } = this;
        this.defect = undefined;
        if (defect !== undefined) throw defect;
        this.tellings += 1;
        for (const config of configs) this.told.push(config.replace('home/', ''));
      },
      graceMs: GRACE_MS,
      log: { ...NO_LOG, error: (_, fields) => void this.errors.push(String(fields?.['error'])) },
      random: () => 0,
    });
    t.after(() => this.missing.close());
  }

  /** Does with effects what the program does, as far as missing objects are concerned. */
  apply(effects: Effects): void {
    for (const { config } of effects.reported('missing')) this.missing.suspect(config);
    for (const { config } of effects.reported('found')) this.missing.clear(config);
  }

  has(name: string): boolean {
    return this.missing.has(this.world.configKey(name));
  }

  async pass(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 100) {
      this.#timers.tick(Math.min(100, left));
      await settle();
    }
  }
}

test('an object that is named and missing is told of after a while, once', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS - 100);
  assert.deepEqual([stage.told, stage.has('cfg')], [[], false]);
  await stage.pass(100);
  stage.apply(stage.world.workload('web', { image: 'v2' }));
  await stage.pass(60_000);
  assert.deepEqual([stage.told, stage.has('cfg')], [['ConfigMap/cfg'], true]);
});

test('one that is created meanwhile is not', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS / 2);
  stage.apply(stage.world.config('cfg', 'a'));
  await stage.pass(60_000);
  assert.deepEqual(stage.told, []);
});

test('neither is one of a kind that is not listed, before it is', async (t) => {
  const stage = new Stage(t);
  stage.isSynced = false;
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }, { initial: true }));
  await stage.pass(60_000);
  stage.missing.relist();
  await stage.pass(60_000);
  assert.deepEqual([stage.told, stage.has('cfg')], [[], false]);
  stage.isSynced = true;
  stage.missing.relist();
  await stage.pass(GRACE_MS);
  assert.deepEqual(stage.told, ['ConfigMap/cfg']);
});

test('a class whose content is what pods have mounted never is', async (t) => {
  const stage = new Stage(t);
  const vault = 'home/SecretProviderClass/vault';
  stage.world.store.dependents.add(vault, 'home/Deployment/web');
  stage.missing.suspect(vault);
  await stage.pass(60_000);
  assert.deepEqual([stage.told, stage.missing.has(vault)], [[], false]);
});

test('it goes when the object comes, and comes when the object goes', async (t) => {
  const stage = new Stage(t);
  const { world } = stage;
  stage.apply(world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  stage.apply(world.config('cfg', 'a'));
  assert.deepEqual([stage.told.length, stage.has('cfg')], [2, false]);
  stage.apply(world.config('cfg', 'b'));
  assert.equal(stage.told.length, 2, 'another content is no return');
  await stage.pass(100);
  stage.apply(world.noConfig('cfg'));
  await stage.pass(GRACE_MS);
  assert.deepEqual([stage.told.length, stage.has('cfg')], [3, true]);
});

test('what nobody names any more is not missing', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  stage.apply(stage.world.workload('web', { follows: ['other'] }));
  assert.equal(stage.has('cfg'), false);
});

test('what is missing in one namespace is told at once, be it much', async (t) => {
  const stage = new Stage(t);
  const follows = Array.from({ length: 200 }, (_, index) => `cm-${index}`);
  stage.apply(stage.world.workload('web', { follows }));
  const other = 'other/ConfigMap/cfg';
  stage.world.store.dependents.add(other, 'other/Deployment/web');
  stage.missing.suspect(other);
  await stage.pass(GRACE_MS);
  assert.deepEqual([stage.tellings, stage.told.length, stage.told.at(-1)], [2, 201, other]);
});

test('a defect where it is told ends nothing', async (t) => {
  const stage = new Stage(t);
  stage.defect = new Error('ours');
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.pass(GRACE_MS);
  assert.deepEqual([stage.told, stage.has('cfg')], [[], true]);
  assert.deepEqual(stage.errors, ['Error: ours']);
  stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
  await stage.pass(60_000);
  assert.deepEqual(stage.told, ['ConfigMap/other']);
});

test('it ends when told to', async (t) => {
  const stage = new Stage(t);
  stage.apply(stage.world.workload('web', { follows: ['cfg'] }));
  await stage.missing.close();
  await stage.pass(60_000);
  assert.deepEqual(stage.told, []);
});
