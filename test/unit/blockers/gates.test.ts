/** Holds and windows: what is kept from being rolled, what is not, and when it is rolled. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockOf, newBlockers } from '../../../lib/blockers/blockers.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { annotate, mark, waitsFor } from './gate-words.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ONCE = (atMs: number) => [{ workload: 'web', atMs }];

describe('a hold', () => {
  test('of the workload keeps it, and what changed meanwhile is one rollout once it is taken away', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(HOUR_MS);
    stage.change('c');
    await stage.pass(HOUR_MS);
    assert.deepEqual(stage.patches, []);
    assert.equal(waitsFor(stage), 'hold');
    annotate(stage, {});
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(2 * HOUR_MS + 1000));
    assert.equal(stage.world.edge('web').runningDigest, 'c'.repeat(40));
  });

  test('of an object keeps the workload, also from changes of others: its pods would read it', async (t) => {
    const stage = new RolloutStage(t);
    stage.world.config('other', 'a');
    stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
    mark(stage, { hold: 'true' });
    stage.change('b');
    stage.change('b', 'other');
    await stage.pass(65 * MINUTE_MS);
    assert.deepEqual(stage.patches, []);
    mark(stage, {});
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(65 * MINUTE_MS + 1000));
    assert.equal(stage.world.needsRollout('web'), false);
  });

  test('of an object that has not changed keeps nothing', async (t) => {
    const stage = new RolloutStage(t);
    stage.world.config('other', 'a', { marks: { [`${PREFIX}/hold`]: 'true' } });
    stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(1000));
  });

  test('of one workload keeps no other', async (t) => {
    const stage = new RolloutStage(t, ['web', 'api']);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, [{ workload: 'api', atMs: 1000 }]);
  });

  test('is no reason for a commit to wait', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.equal(stage.isWaiting('web'), false);
    assert.deepEqual(
      stage.attempts.map(({ isWaiting }) => isWaiting),
      [false],
    );
  });

  test('of a change that is taken back rolls nothing at its end', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    stage.change('a');
    annotate(stage, {});
    await stage.pass(HOUR_MS);
    assert.deepEqual(stage.patches, []);
  });

  test('says no time at which a further change is rolled', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.equal(stage.controller.touch(stage.world.workloadKey('web'), 1), Number.POSITIVE_INFINITY);
  });

  test('has no end by itself when its workload is deleted, and is forgotten', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    stage.controller.forget(stage.world.workloadKey('web'));
    assert.equal(stage.blocked, 0);
  });

  test('that cannot be read keeps nothing', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'tomorrow' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(1000));
  });
});

/** What keeps `web`, whose object has changed, at a time of day. */
function gateAt(
  t: ConstructorParameters<typeof RolloutStage>[0],
  words: Readonly<Record<string, string>>,
  moment: string,
): string | undefined {
  const stage = new RolloutStage(t);
  annotate(stage, words);
  stage.change('b');
  const record = stage.world.store.workloads.get(stage.world.workloadKey('web'));
  assert.ok(record !== undefined);
  return blockOf(newBlockers(stage.world), record, Date.parse(moment))?.message;
}

describe('a hold until a time', () => {
  const UNTIL = '2026-11-25T18:00:00+01:00';
  test('lasts until then', (t) =>
    assert.equal(
      gateAt(t, { hold: UNTIL }, '2026-11-25T16:59:59Z'),
      'it is held until 2026-11-25T17:00:00Z',
    ));
  test('and no longer', (t) => assert.equal(gateAt(t, { hold: UNTIL }, '2026-11-25T17:00:00Z'), undefined));
  test('comes before a window', (t) =>
    assert.match(
      gateAt(t, { hold: 'true', 'reload-window': 'Mon 09:00-10:00' }, '2026-11-25T16:59:59Z') ?? '',
      /^it is held until its annotation/,
    ));
});

describe('a window', () => {
  test('keeps what changed outside, and lets it begin in the minute in which it opens', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { 'reload-window': '01:00-02:00' });
    stage.change('b');
    await stage.pass(10 * MINUTE_MS);
    assert.equal(waitsFor(stage), 'window');
    stage.change('c');
    await stage.pass(HOUR_MS);
    assert.deepEqual(stage.patches, ONCE(HOUR_MS));
    assert.equal(stage.world.edge('web').runningDigest, 'c'.repeat(40));
  });

  test('that is open keeps nothing', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { 'reload-window': '00:00-02:00' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(1000));
  });

  test('of the flag counts for those without one, and one of their own counts instead', async (t) => {
    const stage = new RolloutStage(t, ['web', 'api'], { flags: { reloadWindow: '01:00-02:00' } });
    annotate(stage, { 'reload-window': 'always' }, 'api');
    stage.change('b');
    await stage.pass(2 * HOUR_MS);
    assert.deepEqual(stage.patches, [
      { workload: 'api', atMs: 1000 },
      { workload: 'web', atMs: HOUR_MS },
    ]);
  });

  test('that cannot be read does not count, but that of the flag does', async (t) => {
    const stage = new RolloutStage(t, ['web'], { flags: { reloadWindow: '01:00-02:00' } });
    annotate(stage, { 'reload-window': 'at night' });
    stage.change('b');
    await stage.pass(2 * HOUR_MS);
    assert.deepEqual(stage.patches, ONCE(HOUR_MS));
  });

  test('is not what a workload waits for that was refused at the opening', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { 'reload-window': '01:00-02:00' });
    stage.change('b');
    stage.faults.push({ result: { kind: 'rejected', code: 'forbidden', message: 'no' } });
    await stage.pass(HOUR_MS);
    assert.deepEqual([waitsFor(stage), stage.blocked], ['refused', 0]);
  });

  test('is looked at again when the time of day is set', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { 'reload-window': '12:00-13:00' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    stage.jump(12 * HOUR_MS);
    await stage.pass(11 * MINUTE_MS);
    assert.deepEqual(
      stage.patches.map(({ workload }) => workload),
      ['web'],
    );
  });
});

function patchOf({ world }: RolloutStage): string {
  return JSON.stringify(
    planRollout(world.store, world.workloadKey('web'), { now: '2026-11-25T12:00:00Z' })?.operations,
  );
}

describe('an urgent change', () => {
  const URGENT = { marks: { [`${PREFIX}/urgent`]: 'true' } };

  test('waits for no window', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { 'reload-window': '01:00-02:00' });
    stage.apply(stage.world.config('cfg', 'b', URGENT));
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(1000));
  });

  test('takes with it what waits for one', async (t) => {
    const stage = new RolloutStage(t);
    stage.world.config('other', 'a');
    stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
    annotate(stage, { 'reload-window': '01:00-02:00' });
    stage.change('b', 'other');
    await stage.pass(10 * MINUTE_MS);
    stage.apply(stage.world.config('cfg', 'b', URGENT));
    stage.controller.wake(stage.world.workloadKey('web'));
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(10 * MINUTE_MS + 1000));
    assert.equal(stage.world.needsRollout('web'), false);
  });

  test('waits for no long window of the flag, also if that is open already', async (t) => {
    const stage = new RolloutStage(t, ['web'], { flags: { pausePeriodMs: HOUR_MS } });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    stage.apply(stage.world.config('cfg', 'c', URGENT));
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, ONCE(MINUTE_MS + 1000));
  });

  test('begins no pause', (t) => {
    const stage = new RolloutStage(t);
    stage.apply(
      stage.world.workload('web', { asks: { 'deployment.reloader.stakater.com/pause-period': '5m' } }),
    );
    stage.apply(stage.world.config('cfg', 'b', URGENT));
    assert.doesNotMatch(patchOf(stage), /paused/);
    stage.apply(stage.world.config('cfg', 'c', { marks: {} }));
    assert.match(patchOf(stage), /"path":"\/spec\/paused","value":true/);
  });

  test('is held all the same', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { hold: 'true' });
    stage.apply(stage.world.config('cfg', 'b', URGENT));
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.patches, []);
  });
});

test('the time until a window opens is shown, of a hold without an end it is infinite', async (t) => {
  const stage = new RolloutStage(t, ['web', 'api']);
  annotate(stage, { 'reload-window': '01:00-02:00' });
  annotate(stage, { hold: 'true' }, 'api');
  stage.change('b');
  await stage.pass(10 * MINUTE_MS);
  const untils = ['web', 'api'].map((name) => {
    const reason = stage.waitOf(name);
    return reason !== undefined && 'until' in reason ? reason.until - Date.now() : undefined;
  });
  assert.equal(((untils[0] ?? 0) + 24 * HOUR_MS) % (24 * HOUR_MS), 50 * MINUTE_MS);
  assert.equal(untils[1], Number.POSITIVE_INFINITY);
});
