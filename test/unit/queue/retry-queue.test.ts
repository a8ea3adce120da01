/** The contract of the queue, bullet by bullet. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import { type Result, RetryQueue } from '../../../lib/queue/retry-queue.ts';
import { fc } from '../../laws.ts';
import { type MockTime, mockTime } from '../../mock-time.ts';

const BOUNDS = { baseMs: 100, capMs: 300 };

/** A queue whose work ends when the test says so. */
class Bench {
  readonly started: string[] = [];
  readonly errors: unknown[] = [];
  readonly queue: RetryQueue;
  readonly concurrency: number;
  readonly #running = new Map<string, PromiseWithResolvers<Result>>();

  constructor(concurrency = 1) {
    this.concurrency = concurrency;
    this.queue = new RetryQueue({
      concurrency,
      reconcile: (key) => this.#reconcile(key),
      random: () => 1,
      log: { ...NO_LOG, error: (_, fields) => void this.errors.push(fields?.['error']) },
    });
  }

  add(...keys: string[]): void {
    for (const key of keys) this.queue.add(key);
  }

  #reconcile(key: string): Promise<Result> {
    assert.ok(!this.#running.has(key), 'never reconciled twice at once');
    this.started.push(key);
    const running = Promise.withResolvers<Result>();
    this.#running.set(key, running);
    assert.ok(this.#running.size <= this.concurrency);
    return running.promise;
  }

  /** The work on `key` ends; an error is thrown. */
  async end(key: string, result: Result | Error = 'done'): Promise<void> {
    const running = this.#running.get(key);
    this.#running.delete(key);
    if (result instanceof Error) running?.reject(result);
    else running?.resolve(result);
    await turn();
  }

  /** The work on `key` fails; answers for how long it backs off. */
  async fail(key: string, times?: number): Promise<number> {
    const { afterMs } = this.queue.backOff(key, { bounds: BOUNDS, message: 'no', ...(times && { times }) });
    await this.end(key, { afterMs });
    return afterMs;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const time = (t: TestContext): MockTime => mockTime(t);

test('a key added again before its turn is reconciled once', async () => {
  const bench = new Bench();
  bench.add('a', 'b', 'b', 'b');
  await bench.end('a');
  await bench.end('b');
  assert.deepEqual(bench.started, ['a', 'b']);
});

test('a key is reconciled once at a time; added meanwhile, it is reconciled again afterwards', async () => {
  const bench = new Bench(3);
  bench.add('a', 'a', 'a');
  await turn();
  assert.deepEqual(bench.started, ['a']);
  await bench.end('a');
  await bench.end('a');
  assert.deepEqual(bench.started, ['a', 'a'], 'once');
});

test('keys are reconciled in the order in which they were added', async () => {
  const bench = new Bench();
  bench.add('c', 'a', 'b', 'a');
  for (const key of ['c', 'a', 'b']) await bench.end(key);
  assert.deepEqual(bench.started, ['c', 'a', 'b']);
});

test('a worker starts in the turn in which its key is added, as long as one is free', () => {
  const bench = new Bench(2);
  bench.add('a', 'b', 'c');
  assert.deepEqual(bench.started, ['a', 'b']);
});

test('again puts the key behind those that wait', async () => {
  const bench = new Bench();
  bench.add('a', 'b');
  await bench.end('a', 'again');
  await bench.end('b');
  assert.deepEqual(bench.started, ['a', 'b', 'a']);
});

test('after so many ms the key is reconciled again, at once if it was added meanwhile', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a');
  await bench.end('a', { afterMs: 100 });
  t.mock.timers.tick(99);
  assert.equal(bench.started.length, 1);
  t.mock.timers.tick(1);
  assert.equal(bench.started.length, 2);
  bench.add('a');
  await bench.end('a', { afterMs: 100 });
  assert.equal(bench.started.length, 3);
});

test('a later delay replaces an earlier one, and adding the key ends it', async (t) => {
  time(t);
  const bench = new Bench();
  bench.queue.addAfter('a', 100);
  bench.queue.addAfter('a', 300);
  t.mock.timers.tick(299);
  assert.deepEqual([bench.started.length, bench.queue.isBusy('a')], [0, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([bench.started.length, bench.queue.isBusy('a')], [1, true]);
  await bench.end('a');
  bench.queue.addAfter('a', 100);
  bench.add('a');
  await bench.end('a');
  t.mock.timers.tick(1000);
  assert.equal(bench.started.length, 2);
});

test('a key that fails backs off, longer each time within the bounds, until it is done', async (t) => {
  time(t);
  const bench = new Bench();
  const waits: number[] = [];
  bench.add('a');
  for (let round = 0; round < 3; round += 1) {
    waits.push(await bench.fail('a'));
    t.mock.timers.tick(waits.at(-1) ?? 0);
  }
  await bench.end('a');
  bench.add('a');
  waits.push(await bench.fail('a'));
  assert.deepEqual(waits, [200, 300, 300, 200]);
  t.mock.timers.tick(200);
  assert.equal(await bench.fail('a', 1), 200, 'failures in a row that others have counted');
});

test('the failures of one key do not lengthen the backoff of another', async (t) => {
  time(t);
  const bench = new Bench(2);
  bench.add('a', 'b');
  assert.deepEqual([await bench.fail('a', 7), await bench.fail('b')], [300, 200]);
});

test('adding a key does not shorten its backoff, which is shown; forgetting it does', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a', 'a');
  await bench.fail('a');
  assert.deepEqual(bench.queue.backoffOf('a'), { until: monotonicMs() + 200, message: 'no' });
  bench.add('a');
  bench.queue.addAfter('a', 10);
  t.mock.timers.tick(199);
  assert.deepEqual([bench.started.length, bench.queue.isBusy('a')], [1, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([bench.started.length, bench.queue.backoffOf('a')], [2, undefined]);
  await bench.fail('a');
  bench.queue.forget('a');
  bench.add('a');
  assert.deepEqual([bench.started.length, await bench.fail('a')], [3, 200]);
});

test('a key may back off until it is forgotten', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a');
  const failure = { bounds: BOUNDS, atLeastMs: Number.POSITIVE_INFINITY };
  await bench.end('a', bench.queue.backOff('a', failure));
  bench.add('a');
  t.mock.timers.tick(2 ** 31);
  assert.deepEqual([bench.started.length, bench.queue.backoffOf('a')?.until], [1, failure.atLeastMs]);
});

test('a forgotten key is not reconciled, now or later; work under way goes on', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a', 'a', 'b');
  bench.queue.addAfter('c', 100);
  for (const key of ['a', 'b', 'c']) bench.queue.forget(key);
  assert.ok(bench.queue.isBusy('a'));
  await bench.end('a');
  t.mock.timers.tick(1000);
  assert.deepEqual(bench.started, ['a']);
  assert.ok(!bench.queue.isBusy('a'));
});

test('a reconcile that throws is logged, and the key backs off', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a', 'b');
  await bench.end('a', new Error('ours'));
  assert.deepEqual(bench.errors, ['internal error: Error: ours']);
  assert.match(bench.queue.backoffOf('a')?.message ?? '', /ours/);
  await bench.end('b');
  t.mock.timers.tick(1_000);
  assert.deepEqual(bench.started, ['a', 'b', 'a']);
});

test('closing waits for the work under way and begins nothing more', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a', 'b');
  bench.queue.addAfter('c', 100);
  let isClosed = false;
  const closed = bench.queue.close().then(() => {
    isClosed = true;
  });
  bench.add('d');
  bench.queue.addAfter('e', 0);
  t.mock.timers.tick(1000);
  await turn();
  assert.equal(isClosed, false);
  await bench.end('a', { afterMs: 0 });
  await closed;
  t.mock.timers.tick(1000);
  assert.deepEqual(bench.started, ['a']);
  await bench.queue.close();
});

type Step = { readonly do: 'add' | 'end' | 'forget'; readonly key: string };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ do: fc.constantFrom('add', 'add', 'end', 'forget'), key: fc.constantFrom('a', 'b', 'c', 'd') }),
  { maxLength: 40, size: 'max' },
);

/** The contract in a few lines: a list of keys that wait, and a set of keys worked on. */
class Model {
  readonly started: string[] = [];
  readonly #concurrency: number;
  readonly #running = new Set<string>();
  #waiting: string[] = [];

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  take(step: Step): void {
    if (step.do === 'end') this.#running.delete(step.key);
    else if (step.do === 'forget') this.#drop(step.key);
    else if (!this.#waiting.includes(step.key)) this.#waiting.push(step.key);
    for (const key of [...this.#waiting]) {
      if (this.#running.size >= this.#concurrency || this.#running.has(key)) continue;
      this.#drop(key);
      this.#running.add(key);
      this.started.push(key);
    }
  }

  isBusy(key: string): boolean {
    return this.#waiting.includes(key) || this.#running.has(key);
  }

  #drop(key: string): void {
    this.#waiting = this.#waiting.filter((other) => other !== key);
  }
}

test('law: the queue starts what a list of waiting keys starts', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (history, concurrency) => {
      const bench = new Bench(concurrency);
      const model = new Model(concurrency);
      for (const step of history) {
        if (step.do === 'end') await bench.end(step.key);
        else bench.queue[step.do](step.key);
        model.take(step);
        assert.deepEqual(bench.started, model.started);
        for (const key of 'abcd') assert.equal(bench.queue.isBusy(key), model.isBusy(key));
      }
    }),
  );
});
