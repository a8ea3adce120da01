import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { monotonicMs } from '../../../lib/model/time.ts';
import { QuietPeriod } from '../../../lib/queue/quiet-period.ts';
import { fc } from '../../laws.ts';
import { mockTime } from '../../mock-time.ts';

interface Stage {
  readonly quiet: QuietPeriod;
  /** What was released, and when. */
  readonly released: (readonly [string, number])[];
  readonly pass: (ms: number) => Promise<void>;
}

function stage(
  t: TestContext,
  quietMs: number,
  maxWaitMs: number,
  onRelease?: (stage: Stage) => void,
): Stage {
  const { jolt } = mockTime(t);
  const begin = monotonicMs();
  const released: (readonly [string, number])[] = [];
  const release = (key: string): void => {
    released.push([key, monotonicMs() - begin]);
    onRelease?.(result);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let step = 0; step < ms; step += 10) {
      jolt();
      t.mock.timers.tick(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const windowOf = (key: string) =>
    key === 'slow' ? { quietMs: 300, maxWaitMs: 400 } : { quietMs, maxWaitMs };
  const result: Stage = { quiet: new QuietPeriod({ windowOf, release }), released, pass };
  return result;
}

test('a key is released once it has not been touched for the quiet period', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 600);
  assert.equal(quiet.touch('a'), 100);
  await pass(60);
  assert.equal(quiet.touch('a'), 100);
  assert.equal(quiet.endOf('a'), monotonicMs() + 100);
  await pass(500);
  assert.deepEqual(released, [['a', 160]]);
  assert.deepEqual([quiet.beginOf('a'), quiet.endOf('a')], [undefined, undefined]);
});

test('a steady stream of touches is bounded by the maximum wait, again and again', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 600);
  for (let touch = 0; touch < 26; touch += 1) {
    quiet.touch('a');
    await pass(50);
  }
  assert.deepEqual(released, [
    ['a', 600],
    ['a', 1200],
  ]);
});

test('a million touches of open windows begin a timer for each quiet period and window, and no more', async (t) => {
  const { quiet, released, pass } = stage(t, 1000, 10_000);
  const timers = t.mock.method(globalThis, 'setTimeout');
  const keys = Array.from({ length: 100 }, (_, index) => `w${index}`);
  for (let round = 0; round < 10_000; round += 1) {
    for (const key of keys) quiet.touch(key);
    if (round % 20 === 0) await pass(10);
    assert.ok(timers.mock.callCount() <= 7 * keys.length, `${timers.mock.callCount()} timers`);
  }
  await pass(990);
  assert.equal(released.length, 0);
  await pass(10);
  assert.deepEqual(
    released,
    keys.map((key) => [key, 6000]),
  );
});

test('near the maximum wait a touch answers what is left of it', async (t) => {
  const { quiet, pass } = stage(t, 100, 130);
  quiet.touch('a');
  await pass(50);
  assert.equal(quiet.touch('a'), 80);
});

test('each key has its own window', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 600);
  quiet.touch('a');
  await pass(50);
  quiet.touch('b');
  await pass(200);
  assert.deepEqual(released, [
    ['a', 100],
    ['b', 150],
  ]);
});

test('a window is as long as it is said to be for its key', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 600);
  assert.deepEqual([quiet.touch('a'), quiet.touch('slow')], [100, 300]);
  await pass(200);
  assert.equal(quiet.touch('slow'), 200);
  await pass(500);
  assert.deepEqual(released, [
    ['a', 100],
    ['slow', 400],
  ]);
});

test('a window that is open keeps its length', async (t) => {
  const { jolt } = mockTime(t);
  const begin = monotonicMs();
  const lengths = [
    { quietMs: 100, maxWaitMs: 600 },
    { quietMs: 0, maxWaitMs: 0 },
  ];
  const released: number[] = [];
  const quiet = new QuietPeriod({
    windowOf: () => lengths.shift() ?? { quietMs: 0, maxWaitMs: 0 },
    release: () => released.push(monotonicMs() - begin),
  });
  quiet.touch('a');
  jolt();
  t.mock.timers.tick(50);
  assert.equal(quiet.touch('a'), 100);
  t.mock.timers.tick(100);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(released, [150]);
  assert.equal(quiet.touch('a'), 0);
});

test('a touch during the release opens the next window', async (t) => {
  let again = true;
  const { quiet, released, pass } = stage(t, 100, 600, (self) => {
    assert.equal(self.quiet.beginOf('a'), undefined);
    if (again) self.quiet.touch('a');
    again = false;
  });
  quiet.touch('a');
  await pass(500);
  assert.deepEqual(released, [
    ['a', 100],
    ['a', 200],
  ]);
});

test('without a quiet period each touch releases at once', (t) => {
  const { quiet, released } = stage(t, 0, 0);
  assert.deepEqual([quiet.touch('a'), quiet.touch('a')], [0, 0]);
  assert.deepEqual(released, [
    ['a', 0],
    ['a', 0],
  ]);
  assert.equal(quiet.endOf('a'), undefined);
});

test('a forgotten window releases nothing, and the next touch opens a new one', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 150);
  quiet.touch('a');
  await pass(60);
  quiet.forget('a');
  quiet.forget('never opened');
  quiet.touch('a');
  await pass(500);
  assert.deepEqual(released, [['a', 160]]);
});

test('closing ends every window; nothing is released any more', async (t) => {
  const { quiet, released, pass } = stage(t, 100, 600);
  for (const key of ['a', 'b']) quiet.touch(key);
  quiet.close();
  assert.equal(quiet.touch('a'), Number.POSITIVE_INFINITY);
  await pass(1000);
  assert.deepEqual(released, []);
  assert.equal(quiet.endOf('a'), undefined);
});

/** The contract in a few lines: of each key, when its window began and when it was touched last. */
class Model {
  readonly released: (readonly [string, number])[] = [];
  readonly windows: Map<string, { readonly followedSince: number; readonly touched: number }> = new Map();

  touch(key: string, now: number): void {
    this.windows.set(key, { followedSince: this.windows.get(key)?.followedSince ?? now, touched: now });
  }

  pass(now: number, quietMs: number, maxWaitMs: number): void {
    for (const [key, { followedSince, touched }] of this.windows) {
      if (now < Math.min(touched + quietMs, followedSince + maxWaitMs)) continue;
      this.windows.delete(key);
      this.released.push([key, now]);
    }
  }
}

const steps = fc.array(
  fc.record({
    do: fc.constantFrom('touch', 'touch', 'touch', 'forget', 'pass'),
    key: fc.constantFrom('a', 'b'),
  }),
  { maxLength: 40, size: 'max' },
);

test('law: windows end as in the model', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom(20, 50),
      fc.constantFrom(50, 90, 200),
      async (history, quietMs, maxWaitMs) => {
        t.mock.timers.reset();
        const { quiet, released, pass } = stage(t, quietMs, maxWaitMs);
        const model = new Model();
        let now = 0;
        for (const step of [...history, ...Array.from({ length: 30 }, () => ({ do: 'pass', key: '' }))]) {
          if (step.do === 'touch') {
            quiet.touch(step.key);
            model.touch(step.key, now);
          } else if (step.do === 'forget') {
            quiet.forget(step.key);
            model.windows.delete(step.key);
          } else {
            now += 10;
            await pass(10);
            model.pass(now, quietMs, maxWaitMs);
          }
        }
        assert.deepEqual([...released].sort(), [...model.released].sort());
      },
    ),
    { numRuns: 60 },
  );
});
