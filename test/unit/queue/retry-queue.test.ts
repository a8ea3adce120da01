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

  constructor(concurrency = 1, isShared = false) {
    this.concurrency = concurrency;
    this.queue = new RetryQueue({
      concurrency,
      isShared,
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
    const { afterMs } = this.queue.backOff(key, { bounds: BOUNDS, ...(times && { times }) });
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

test('a key that is added while it is reconciled goes behind those that wait', async () => {
  const bench = new Bench();
  bench.add('a', 'a', 'b');
  await bench.end('a');
  await bench.end('b');
  assert.deepEqual(bench.started, ['a', 'b', 'a']);
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

test('namespaces take turns, and in each the key that was added first comes first', async () => {
  const bench = new Bench();
  bench.add('a/1', 'a/2', 'a/3', 'b/2', 'b/1', 'c', 'a/4');
  const order = ['a/1', 'a/2', 'b/2', 'c', 'a/3', 'b/1', 'a/4'];
  for (const key of order) await bench.end(key);
  assert.deepEqual(bench.started, order);
});

test('a namespace whose key is added again and again takes no turn of another one', async () => {
  const bench = new Bench();
  bench.add('a/1', 'b/1', 'b/2', 'b/3');
  const order = ['a/1', 'b/1', 'a/1', 'b/2', 'a/1', 'b/3'];
  for (const key of order) await bench.end(key, key === 'a/1' ? 'again' : 'done');
  assert.deepEqual(bench.started, [...order, 'a/1']);
});

/** As many keys of one namespace, which are never done. */
const slow = (namespace: string, count = 100): string[] =>
  Array.from({ length: count }, (_, index) => `${namespace}/${index}`);

/** How many workers each namespace holds. */
function heldIn({ started }: Bench): Record<string, number> {
  const held: Record<string, number> = {};
  for (const key of started) held[key.slice(0, 1)] = (held[key.slice(0, 1)] ?? 0) + 1;
  return held;
}

test('a namespace takes a further worker only while it holds fewer than are idle, unless it is the only one', () => {
  const table: [concurrency: number, isShared: boolean, added: string[], held: Record<string, number>][] = [
    [32, true, slow('a'), { a: 16 }],
    [32, true, [...slow('a'), ...slow('b')], { a: 16, b: 8 }],
    [32, true, [...slow('a'), ...slow('b'), ...slow('c')], { a: 16, b: 8, c: 4 }],
    [32, true, [...slow('a', 7), ...slow('b', 1), ...slow('c')], { a: 7, b: 1, c: 12 }],
    [3, true, [...slow('a'), ...slow('b')], { a: 2, b: 1 }],
    [2, true, [...slow('a'), ...slow('b')], { a: 1, b: 1 }],
    [1, true, [...slow('a'), ...slow('b')], { a: 1 }],
    [32, false, slow('a'), { a: 32 }],
  ];
  for (const [concurrency, isShared, added, held] of table) {
    const bench = new Bench(concurrency, isShared);
    bench.add(...added);
    assert.deepEqual(heldIn(bench), held);
  }
});

test('beside two namespaces whose keys are never done, each key of a third one starts at once', async () => {
  const bench = new Bench(32, true);
  bench.add(...slow('a'), ...slow('b'));
  for (let round = 0; round < 50; round += 1) {
    bench.add('c/1', 'c/2', 'c/3', 'c/4');
    assert.deepEqual(bench.started.slice(-4), ['c/1', 'c/2', 'c/3', 'c/4']);
    for (const key of ['c/1', 'c/2', 'c/3', 'c/4']) await bench.end(key);
  }
});

test('a worker that becomes idle goes to the namespace that holds none', async () => {
  const bench = new Bench(4, true);
  bench.add('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1', 'd/1', 'd/2');
  assert.deepEqual(bench.started, ['a/1', 'a/2', 'b/1', 'c/1']);
  await bench.end('a/1');
  assert.deepEqual(bench.started.slice(4), ['d/1']);
  await bench.end('b/1');
  await bench.end('d/1');
  assert.deepEqual(bench.started.slice(5), ['b/2', 'd/2']);
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
  assert.equal(bench.queue.backoffOf('a'), monotonicMs() + 200);
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

test('a key may be blocked until that is ended; a block is no failure, and forgets none', async (t) => {
  time(t);
  const bench = new Bench();
  bench.add('a');
  await bench.fail('a');
  t.mock.timers.tick(200);
  await bench.end('a', bench.queue.block('a', Number.POSITIVE_INFINITY));
  bench.add('a');
  t.mock.timers.tick(1_000_000);
  assert.deepEqual([bench.started.length, bench.queue.backoffOf('a')], [2, Number.POSITIVE_INFINITY]);
  bench.queue.unblock('a');
  bench.add('a');
  assert.deepEqual([bench.started.length, await bench.fail('a')], [3, 300]);
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
  assert.deepEqual(bench.errors, ['Error: ours']);
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

const KEYS = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1'];
type Step = { readonly do: 'add' | 'end' | 'forget'; readonly key: string };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom('add', 'add', 'end', 'forget'),
    key: fc.constantFrom(...KEYS),
  }),
  { maxLength: 60, size: 'max' },
);

/** The contract in a few lines: a list of waiting keys for each namespace, in turn, and the keys that have a worker. */
class Model {
  readonly started: string[] = [];
  readonly #concurrency: number;
  readonly #isShared: boolean;
  /** Whether each was added meanwhile. */
  readonly #running = new Map<string, boolean>();
  #lanes: string[][] = [];

  constructor(concurrency: number, isShared: boolean) {
    this.#concurrency = concurrency;
    this.#isShared = isShared;
  }

  take({ do: what, key }: Step): void {
    if (what === 'forget') this.#forget(key);
    else if (what === 'add') this.#add(key);
    else if (this.#isAddedAtEnd(key)) this.#add(key);
    for (let at = this.#next(); at >= 0; at = this.#next()) this.#begin(at);
  }

  isBusy(key: string): boolean {
    return this.#running.has(key) || this.#lanes.flat().includes(key);
  }

  #add(key: string): void {
    const lane = this.#lanes.find(([first]) => first?.[0] === key[0]);
    if (this.#running.has(key)) this.#running.set(key, true);
    else if (lane === undefined) this.#lanes.push([key]);
    else if (!lane.includes(key)) lane.push(key);
  }

  #forget(key: string): void {
    if (this.#running.has(key)) this.#running.set(key, false);
    this.#lanes = this.#lanes.map((lane) => lane.filter((other) => other !== key));
    this.#lanes = this.#lanes.filter((lane) => lane.length > 0);
  }

  #isAddedAtEnd(key: string): boolean {
    const isAdded = this.#running.get(key) === true;
    this.#running.delete(key);
    return isAdded;
  }

  /** The first lane whose namespace may have a further worker. */
  #next(): number {
    const idle = this.#concurrency - this.#running.size;
    const held = (lane: string[]): number =>
      [...this.#running.keys()].filter((key) => key[0] === lane[0]?.[0]).length;
    return this.#lanes.findIndex((lane) => idle > 0 && (!this.#isShared || held(lane) < idle));
  }

  #begin(at: number): void {
    const [[key = '', ...others] = []] = this.#lanes.splice(at, 1);
    if (others.length > 0) this.#lanes.push(others);
    this.#running.set(key, false);
    this.started.push(key);
  }
}

test('law: the queue starts what lists of waiting keys start', async () => {
  const size = fc.integer({ min: 1, max: 5 });
  await fc.assert(
    fc.asyncProperty(steps, size, fc.boolean(), async (history, concurrency, isShared) => {
      const bench = new Bench(concurrency, isShared);
      const model = new Model(concurrency, isShared);
      for (const step of history) {
        if (step.do === 'end') await bench.end(step.key);
        else bench.queue[step.do](step.key);
        model.take(step);
        assert.deepEqual(bench.started, model.started);
        for (const key of KEYS) assert.equal(bench.queue.isBusy(key), model.isBusy(key));
      }
    }),
  );
});
