/** Changes in stages: who begins when, what halts a content, and what ends a halt. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Pod, PodClient } from '../../../lib/model/outcome.ts';
import { parseStages, type Staging } from '../../../lib/model/settings.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import type { Sketch } from '../tracking/sketch.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const FIVE = ['w1', 'w2', 'w3', 'w4', 'w5'];
const SOAK_MS = 30_000;
const MINUTE_MS = 60_000;
const LONG_MS = 15 * MINUTE_MS;

const inStages = (text: string): Staging => ({ stages: parseStages(text) ?? [], soakMs: SOAK_MS });
const STAGED = { staging: inStages('1,3') };
const patched = ({ patches }: RolloutStage): string[] => patches.map(({ workload }) => workload);

/** The object gets annotations of ours and the same content. */
function mark(stage: RolloutStage, words: Readonly<Record<string, string>>, config = 'cfg'): void {
  const own = Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]);
  stage.apply(stage.world.mark(config, Object.fromEntries(own)));
  for (const key of stage.world.store.workloads.keys()) stage.controller.wake(key);
}

/** An external writer changes the workload, or its controller reports about it. */
function edit(stage: RolloutStage, name: string, sketch: Sketch): void {
  stage.apply(stage.world.workload(name, sketch));
}

function annotate(stage: RolloutStage, name: string, words: Readonly<Record<string, string>>): void {
  const own = Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]);
  edit(stage, name, { asks: Object.fromEntries(own) });
  stage.controller.wake(stage.world.workloadKey(name));
}

function waitsFor(stage: RolloutStage, name: string): string | undefined {
  return stage.waitOf(name)?.reason;
}

/** The canary is patched for `b`, and its controller gives it up. */
async function halted(t: TestContext, names: readonly string[] = FIVE): Promise<RolloutStage> {
  const stage = new RolloutStage(t, names, STAGED);
  stage.change('b');
  await stage.pass(2000);
  edit(stage, 'w1', { failure: 'ProgressDeadlineExceeded' });
  await stage.pass(1000);
  return stage;
}

describe('a change in stages', () => {
  test('goes on when all before have stayed ready for the soak', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(5 * MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1']);
    assert.equal(waitsFor(stage, 'w2'), 'stage');
    stage.rollOut('w1');
    await stage.pass(SOAK_MS - 1000);
    assert.deepEqual(patched(stage), ['w1']);
    await stage.pass(2000);
    assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
    stage.rollOut('w2');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
    stage.rollOut('w3');
    await stage.pass(SOAK_MS + 1000);
    assert.deepEqual(patched(stage), FIVE);
    assert.ok(FIVE.every((name) => !stage.world.needsRollout(name)));
    stage.rollOut('w4', 'w5');
    await stage.pass(SOAK_MS + 1000);
    assert.deepEqual(stage.controller.stages?.changes(), []);
  });

  test('begins its soak anew where a workload was not ready in between', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(2000);
    stage.rollOut('w1');
    await stage.pass(SOAK_MS - 5000);
    edit(stage, 'w1', { ready: 0 });
    await stage.pass(MINUTE_MS);
    edit(stage, 'w1', { ready: undefined });
    await stage.pass(SOAK_MS - 5000);
    assert.deepEqual(patched(stage), ['w1']);
    await stage.pass(10_000);
    assert.equal(patched(stage).length, 3);
  });

  test('does not pass over a workload whose patch may be in force', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.faults.push({ isLost: true });
    stage.readFaults.push(...new Array<string>(100).fill('away'));
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1']);
  });

  test('waits for every workload to be listed', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.isListed = false;
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), []);
    stage.isListed = true;
    stage.controller.stages?.proceed();
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1']);
  });

  test('begins with a canary, then goes by order', async (t) => {
    const stage = new RolloutStage(t, FIVE, { staging: inStages('100%') });
    annotate(stage, 'w5', { canary: 'true' });
    annotate(stage, 'w1', { 'rollout-order': '2' });
    annotate(stage, 'w2', { 'rollout-order': '-1' });
    stage.change('b');
    for (const next of [['w5'], ['w2'], ['w3', 'w4'], ['w1']]) {
      await stage.pass(SOAK_MS + 2000);
      assert.deepEqual(patched(stage).slice(-next.length), next);
      stage.rollOut(...next);
    }
    assert.equal(patched(stage).length, 5);
  });

  test('of an object with the annotation, and of no other', async (t) => {
    const stage = new RolloutStage(t, FIVE, { staging: { soakMs: SOAK_MS } });
    mark(stage, { stages: '2' });
    stage.change('b');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1', 'w2']);
    mark(stage, {});
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), FIVE);
  });

  test('is over for a workload whose object asks for it urgently', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    mark(stage, { urgent: 'true' });
    stage.change('b');
    await stage.pass(2000);
    assert.deepEqual(patched(stage), FIVE);
  });

  test('keeps a workload as long as any of its objects does', async (t) => {
    const stage = new RolloutStage(t, ['w1', 'w2'], STAGED);
    stage.world.config('other', 'a');
    edit(stage, 'w2', { follows: ['cfg', 'other'] });
    stage.change('b');
    await stage.pass(2000);
    stage.change('b', 'other');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1']);
    stage.rollOut('w1');
    await stage.pass(SOAK_MS + 2000);
    assert.deepEqual(patched(stage), ['w1', 'w2']);
    assert.equal(stage.world.needsRollout('w2'), false);
  });

  for (const [who, sketch] of [
    ['has no pods', { replicas: 0 }],
    ['is paused', { paused: true }],
  ] as const) {
    test(`neither counts a workload that ${who} nor waits for it: it comes last`, async (t) => {
      const stage = new RolloutStage(t, FIVE, STAGED);
      edit(stage, 'w1', sketch);
      stage.change('b');
      await stage.pass(2000);
      assert.deepEqual(patched(stage), ['w2']);
      for (const part of [['w2'], ['w3', 'w4'], ['w5']]) {
        assert.ok(!patched(stage).includes('w1'));
        stage.rollOut(...part);
        await stage.pass(SOAK_MS + 2000);
      }
      assert.deepEqual(patched(stage), ['w2', 'w3', 'w4', 'w5', 'w1']);
    });
  }

  test('passes over a workload that is held or refused, which has its turn later', async (t) => {
    const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { staging: inStages('1,2') });
    annotate(stage, 'w1', { hold: 'true' });
    stage.faults.push({ result: { kind: 'rejected', code: 'forbidden', message: 'no' } });
    stage.change('b');
    await stage.pass(5000);
    assert.deepEqual(patched(stage), ['w2', 'w3']);
    assert.deepEqual([waitsFor(stage, 'w1'), waitsFor(stage, 'w2')], ['hold', 'refused']);
    stage.rollOut('w3');
    await stage.pass(10 * MINUTE_MS);
    annotate(stage, 'w1', {});
    await stage.pass(10 * MINUTE_MS);
    stage.rollOut(...patched(stage));
    await stage.pass(10 * MINUTE_MS);
    assert.deepEqual(new Set(patched(stage)), new Set(['w1', 'w2', 'w3']));
  });

  test('begins anew with another content', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(2000);
    stage.rollOut('w1');
    await stage.pass(SOAK_MS + 1000);
    stage.rollOut('w2', 'w3');
    stage.change('c');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1', 'w2', 'w3', 'w1']);
  });

  test('goes on after a take-over where it was: who has begun is read from the templates', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(2000);
    stage.world.write();
    const next = new RolloutStage(t, [], { ...STAGED, world: stage.world.restart(), before: stage });
    for (const key of next.world.store.workloads.keys()) next.controller.touch(key, 1);
    await next.pass(MINUTE_MS);
    assert.deepEqual(patched(next), []);
    next.rollOut('w1');
    await next.pass(SOAK_MS + 2000);
    assert.deepEqual(patched(next), ['w2', 'w3']);
  });

  test('tells how far it has come', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(2000);
    const [change] = stage.controller.stages?.changes() ?? [];
    const waiting = FIVE.slice(1).map((name) => stage.world.workloadKey(name));
    assert.deepEqual(change?.plan.progress, { stage: 1, stages: 3, total: 5, begun: 1, ready: 0 });
    assert.deepEqual([...(change?.plan.waiting ?? [])], waiting);
    assert.deepEqual(
      [...(change?.unready ?? [])],
      [[stage.world.workloadKey('w1'), 'its pods are not ready yet']],
    );
  });
});

describe('a content with which a workload does not get ready', () => {
  test('is halted, with news, and with the halt in the state', async (t) => {
    const stage = await halted(t);
    await stage.pass(LONG_MS);
    assert.deepEqual(patched(stage), ['w1']);
    assert.equal(waitsFor(stage, 'w2'), 'halt');
    assert.deepEqual(
      stage.news.map((news) => news.type === 'halted' && [news.workload.name, news.halt.reason]),
      [['w1', 'ProgressDeadlineExceeded']],
    );
    assert.deepEqual(stage.persisted, [stage.world.configKey('cfg')]);
    stage.world.write();
    const { halts } = stage.world.store.persisted.entryOf(stage.world.configRef('cfg')) ?? {};
    assert.deepEqual(
      halts?.map(({ token, workload }) => [token, workload]),
      [['0a', stage.world.workloadKey('w1')]],
    );
    assert.equal(stage.controller.stages.changes().filter(({ halt }) => halt).length, 1);
  });

  for (const [what, act] of [
    [
      'an undo',
      (stage: RolloutStage) => edit(stage, 'w1', { stamps: {}, failure: undefined, isRolledOut: true }),
    ],
    ['a deletion', (stage: RolloutStage) => stage.apply(stage.world.noWorkload('w1'))],
    ['no pods', (stage: RolloutStage) => edit(stage, 'w1', { replicas: 0, failure: undefined })],
  ] as const) {
    test(`stays halted after ${what}, which takes the evidence away, and after a restart`, async (t) => {
      const stage = await halted(t);
      stage.world.write();
      act(stage);
      await stage.pass(LONG_MS);
      assert.deepEqual(patched(stage), ['w1']);
      stage.world.write();
      const next = new RolloutStage(t, [], { ...STAGED, world: stage.world.restart(), before: stage });
      for (const key of next.world.store.workloads.keys()) next.controller.touch(key, 1);
      await next.pass(LONG_MS);
      assert.deepEqual(patched(next), []);
      assert.equal(waitsFor(next, 'w2'), 'halt');
    });
  }

  test('stays halted for the only other workload once the one that failed is gone', async (t) => {
    const stage = await halted(t, ['w1', 'w2']);
    stage.apply(stage.world.noWorkload('w1'));
    await stage.pass(LONG_MS);
    assert.deepEqual(patched(stage), ['w1']);
    assert.equal(waitsFor(stage, 'w2'), 'halt');
  });

  test('is over with another content, which begins at the first stage', async (t) => {
    const stage = await halted(t);
    edit(stage, 'w1', { failure: undefined });
    stage.change('c');
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage).length, 2);
    stage.rollOut(...patched(stage).slice(1));
    await stage.pass(SOAK_MS + MINUTE_MS);
    assert.ok(patched(stage).length > 2);
    stage.world.write();
    const { halts = [] } = stage.world.store.persisted.entryOf(stage.world.configRef('cfg')) ?? {};
    assert.ok(halts.every(({ token }) => token !== '0a'));
  });

  test('is over for every workload at once, whose next change has a window as any other', async (t) => {
    const stage = await halted(t);
    stage.change('c');
    await stage.pass(500);
    stage.change('d');
    await stage.pass(2000);
    assert.deepEqual(patched(stage), ['w1', 'w2']);
    assert.equal(stage.world.edge('w2').runningDigest, 'd'.repeat(40));
  });

  test('goes on where a person repeats the token, and with no other text', async (t) => {
    const stage = await halted(t);
    mark(stage, { resume: 'true' });
    await stage.pass(MINUTE_MS);
    assert.deepEqual(patched(stage), ['w1']);
    mark(stage, { resume: '0a' });
    await stage.pass(1000);
    assert.deepEqual(patched(stage), ['w1', 'w2'], 'the one that fails is no evidence any more');
    edit(stage, 'w2', { failure: 'ProgressDeadlineExceeded' });
    await stage.pass(MINUTE_MS);
    assert.equal(stage.news.length, 2, 'another one that fails halts it again');
    mark(stage, { resume: '1a' });
    await stage.pass(1000);
    assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
  });

  test('goes on where that workload gets ready after all', async (t) => {
    const stage = await halted(t);
    edit(stage, 'w1', { failure: undefined, isRolledOut: true });
    await stage.pass(SOAK_MS - 2000);
    assert.equal(waitsFor(stage, 'w2'), 'halt');
    await stage.pass(4000);
    assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
    assert.equal(stage.news.at(-1)?.type, 'ready-after-all');
  });

  test('stays halted where another one is ready with it', async (t) => {
    const stage = new RolloutStage(t, FIVE, { staging: inStages('2') });
    stage.change('b');
    await stage.pass(2000);
    edit(stage, 'w1', { failure: 'ProgressDeadlineExceeded' });
    stage.rollOut('w2');
    await stage.pass(LONG_MS);
    assert.equal(waitsFor(stage, 'w3'), 'halt');
  });

  test('is halted by a rollout without progress for its deadline', async (t) => {
    const stage = new RolloutStage(t, FIVE, STAGED);
    stage.change('b');
    await stage.pass(9 * MINUTE_MS);
    assert.equal(stage.news.length, 0);
    await stage.pass(2 * MINUTE_MS);
    assert.equal(stage.news.length, 1);
  });

  test('is found by failing pods long before the deadline', async (t) => {
    const pod: Pod = { name: 'p', uid: 'p', createdAt: 0, isReady: false, isLeaving: false };
    const failing = { ...pod, failure: 'container main: CrashLoopBackOff' };
    let looks = 0;
    const pods: PodClient = {
      podsOf: () => {
        looks += 1;
        const other = looks === 1 ? { ...failing, isLeaving: true } : failing;
        return Promise.resolve({ kind: 'listed', pods: [pod, other], desired: 1 });
      },
      evict: () => assert.fail('nothing is evicted'),
    };
    const stage = new RolloutStage(t, FIVE, { ...STAGED, pods });
    stage.change('b');
    await stage.pass(15_000);
    assert.equal(stage.news.length, 0);
    await stage.pass(10_000);
    assert.deepEqual(
      stage.news.map((news) => news.type === 'halted' && news.halt.reason),
      ['container main: CrashLoopBackOff'],
    );
  });

  test('is not halted by one that was not healthy before: it comes last', async (t) => {
    const stage = new RolloutStage(t, ['w1', 'w2', 'held'], STAGED);
    annotate(stage, 'held', { hold: 'true' });
    edit(stage, 'w1', { isRolledOut: false, failure: 'ProgressDeadlineExceeded' });
    stage.change('b');
    await stage.pass(2000);
    assert.deepEqual(patched(stage), ['w2']);
    stage.rollOut('w2');
    await stage.pass(SOAK_MS + 1000);
    assert.deepEqual(patched(stage), ['w2', 'w1']);
    await stage.pass(LONG_MS);
    assert.equal(stage.news.length, 0);
  });
});
