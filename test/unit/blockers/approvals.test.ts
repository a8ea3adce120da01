/** Approvals: what a person allows is rolled once, and nothing else is; and what people are only told of. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockOf, newBlockers } from '../../../lib/blockers/blockers.ts';
import type { Blocked } from '../../../lib/model/outcome.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { changesOf } from '../tracking/sketch.ts';
import { annotate, mark, waitsFor } from './gate-words.ts';

const MINUTE_MS = 60_000;
const REQUIRED = { approval: 'required' };
const APPROVED = 'reloader.k8s.collaborne.com/approved';

/** What keeps the workload, which the last attempt found. */
function gate(stage: RolloutStage, name = 'web'): Blocked | undefined {
  return stage.waitOf(name);
}

/** A person annotates what the message asks for. */
function approve(stage: RolloutStage, name = 'web', token = gate(stage, name)?.token): void {
  assert.ok(token !== undefined);
  annotate(stage, { ...REQUIRED, approved: token }, name);
}

/** The object changes, and what waits for something is looked at. */
function change(stage: RolloutStage, content: string): void {
  stage.change(content);
  for (const key of stage.world.store.workloads.keys()) stage.controller.wake(key);
}

/** A workload that needs an approval for the content `b`. */
async function asking(...[t, workloads, settings]: ConstructorParameters<typeof RolloutStage>) {
  const stage = new RolloutStage(t, workloads, settings);
  annotate(stage, REQUIRED);
  stage.change('b');
  await stage.pass(MINUTE_MS);
  return stage;
}

/** Until now it was rolled so often. */
function assertRolled(stage: RolloutStage, times: number): void {
  assert.equal(stage.patches.filter(({ workload }) => workload === 'web').length, times);
}

describe('an approval', () => {
  test('is asked for with the command that gives it, and lets exactly that go', async (t) => {
    const stage = await asking(t);
    assertRolled(stage, 0);
    assert.equal(waitsFor(stage), 'approval');
    const { token = '', message = '' } = gate(stage) ?? {};
    assert.match(token, /^[0-9a-f]{10}$/);
    assert.equal(
      message,
      `it needs an approval: kubectl annotate deployment/web -n home --overwrite ${APPROVED}=${token} lets ConfigMap/cfg go`,
    );
    approve(stage);
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 1);
  });

  test('is used up: the same content needs another one after it was away', async (t) => {
    const stage = await asking(t);
    approve(stage);
    await stage.pass(MINUTE_MS);
    for (const content of ['c', 'b']) {
      stage.change(content);
      await stage.pass(MINUTE_MS);
    }
    annotate(stage, REQUIRED);
    stage.change('a');
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 1);
  });

  test('is removed by the very patch that it allows', async (t) => {
    const stage = await asking(t);
    approve(stage);
    const plan = planRollout(stage.world.store, stage.world.workloadKey('web'));
    assert.deepEqual(plan && changesOf(plan).annotations, { [APPROVED]: null });
    await stage.pass(MINUTE_MS);
    assert.deepEqual(stage.world.live.get('web')?.asks, {
      'reloader.k8s.collaborne.com/approval': 'required',
    });
  });

  test('of one content is none of the next, and the message says so', async (t) => {
    const stage = await asking(t);
    const first = gate(stage)?.token;
    stage.change('c');
    approve(stage, 'web', first);
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 0);
    assert.match(gate(stage)?.message ?? '', /^its approval is for another content: kubectl annotate /);
    assert.notEqual(gate(stage)?.token, first);
    approve(stage);
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 1);
  });

  test('of one object is none of that and another', async (t) => {
    const stage = new RolloutStage(t);
    stage.world.config('other', 'a');
    stage.apply(stage.world.workload('web', { follows: ['cfg', 'other'] }));
    annotate(stage, REQUIRED);
    stage.change('b');
    await stage.pass(MINUTE_MS);
    const { token } = gate(stage) ?? {};
    stage.change('b', 'other');
    approve(stage, 'web', token);
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 0);
    assert.match(gate(stage)?.message ?? '', / lets ConfigMap\/cfg(, | and )ConfigMap\/other go$/);
  });

  test('that was taken away before the patch counts no more', async (t) => {
    const stage = await asking(t);
    approve(stage);
    annotate(stage, REQUIRED);
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 0);
  });

  test('survives a patch that is refused, and one whose answer is lost is not sent again', async (t) => {
    const stage = await asking(t);
    stage.faults.push({ result: { kind: 'rejected', code: 'forbidden', message: 'no' } }, { isLost: true });
    approve(stage);
    await stage.pass(60 * MINUTE_MS);
    assertRolled(stage, 2);
    assert.equal(stage.world.needsRollout('web'), false);
  });

  test('is needed also for what is urgent, and where a window is open', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, { ...REQUIRED, 'reload-window': 'always' });
    mark(stage, { urgent: 'true' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 0);
  });

  test('is asked for while a window is closed, waits for it, and a hold waits for nothing', async (t) => {
    const stage = await asking(t);
    const { token = '' } = gate(stage) ?? {};
    annotate(stage, { ...REQUIRED, approved: token, 'reload-window': '01:00-02:00' });
    await stage.pass(2 * MINUTE_MS);
    assert.equal(waitsFor(stage), 'window');
    annotate(stage, { ...REQUIRED, approved: token, hold: 'true' });
    await stage.pass(2 * MINUTE_MS);
    assert.equal(waitsFor(stage), 'hold');
    assertRolled(stage, 0);
  });

  test('of one workload fits all that wait for the same content', async (t) => {
    const stage = await asking(t, ['web', 'api']);
    const { token } = gate(stage) ?? {};
    annotate(stage, REQUIRED, 'api');
    change(stage, 'c');
    await stage.pass(MINUTE_MS);
    assert.notEqual(gate(stage)?.token, token);
    assert.equal(gate(stage, 'api')?.token, gate(stage)?.token);
  });

  test('is not asked for what was taken back', async (t) => {
    const stage = await asking(t);
    change(stage, 'a');
    await stage.pass(MINUTE_MS);
    assert.equal(waitsFor(stage), undefined);
  });

  test('is the same after a restart', async (t) => {
    const stage = await asking(t);
    const { token = '' } = gate(stage) ?? {};
    stage.world.write();
    const world = stage.world.restart();
    assert.equal(blockOf(newBlockers(world), world.record('web'), 0)?.token, token);
  });

  for (const [value, times] of Object.entries({ none: 1, yes: 1, Required: 1, required: 0 }))
    test(`is ${times === 0 ? '' : 'not '}needed for ${value}`, async (t) => {
      const stage = new RolloutStage(t);
      annotate(stage, { approval: value });
      stage.change('b');
      await stage.pass(MINUTE_MS);
      assertRolled(stage, times);
    });
});

describe('what is notify-only', () => {
  const NOTIFY = { 'notify-only': 'true' };

  test('is not rolled, and each content is told of', async (t) => {
    const stage = new RolloutStage(t);
    annotate(stage, NOTIFY);
    const messages = new Set<string | undefined>();
    for (const content of ['b', 'c']) {
      change(stage, content);
      await stage.pass(MINUTE_MS);
      messages.add(gate(stage)?.message);
    }
    assertRolled(stage, 0);
    assert.equal(waitsFor(stage), 'notify-only');
    assert.equal(messages.size, 2);
    for (const message of messages)
      assert.match(
        message ?? '',
        /^it is notify-only, and out of date with ConfigMap\/cfg \([0-9a-f]{10}\)$/,
      );
  });

  test('stays so over an approval, and is rolled once it is not notify-only any more', async (t) => {
    const stage = await asking(t);
    const { token = '' } = gate(stage) ?? {};
    annotate(stage, { ...REQUIRED, ...NOTIFY, approved: token });
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 0);
    annotate(stage, { 'notify-only': 'false' });
    await stage.pass(MINUTE_MS);
    assertRolled(stage, 1);
  });
});
