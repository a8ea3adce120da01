import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '../../../lib/queue/work-queue.ts';
import { fc } from '../../laws.ts';

/** A queue whose work ends when the test says so. */
class Bench {
  readonly started: string[] = [];
  readonly running: Map<string, () => void> = new Map();
  readonly queue: WorkQueue;
  readonly concurrency: number;

  constructor(concurrency = 1) {
    this.concurrency = concurrency;
    this.queue = new WorkQueue({ concurrency, work: (key) => this.#work(key) });
  }

  #work(key: string): Promise<void> {
    assert.ok(!this.running.has(key), 'never worked on twice at once');
    this.started.push(key);
    return new Promise((resolve) => {
      this.running.set(key, resolve);
      assert.ok(this.running.size <= this.concurrency);
    });
  }

  /** The work on `key` ends. */
  async end(key: string): Promise<void> {
    const resolve = this.running.get(key);
    this.running.delete(key);
    resolve?.();
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('stingy: a key added again before its turn is worked on once', async () => {
  const { queue, started, end } = bound(new Bench());
  for (const key of ['a', 'b', 'b', 'b']) queue.add(key);
  await end('a');
  await end('b');
  assert.deepEqual(started, ['a', 'b']);
});

test('stingy: a key is never worked on twice at once, however many workers are free', async () => {
  const { queue, started } = bound(new Bench(3));
  for (const key of ['a', 'a', 'a']) queue.add(key);
  await turn();
  assert.deepEqual(started, ['a']);
});

test('a key added while it is worked on is worked on again afterwards', async () => {
  const { queue, started, end } = bound(new Bench(3));
  for (const key of ['a', 'a', 'a']) queue.add(key);
  await end('a');
  assert.deepEqual(started, ['a', 'a']);
  await end('a');
  assert.deepEqual(started, ['a', 'a'], 'once');
});

test('fair: keys are worked on in the order in which they were added', async () => {
  const { queue, started, end } = bound(new Bench());
  for (const key of ['c', 'a', 'b', 'a']) queue.add(key);
  for (const key of ['c', 'a', 'b']) await end(key);
  assert.deepEqual(started, ['c', 'a', 'b']);
});

test('a worker starts in the same turn in which its key is added, as long as one is free', () => {
  const { queue, started } = bound(new Bench(2));
  for (const key of ['a', 'b', 'c']) queue.add(key);
  assert.deepEqual(started, ['a', 'b']);
});

test('a delayed key is added when its delay is over, a later delay replaces it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, started } = bound(new Bench());
  queue.addAfter('a', 100);
  queue.addAfter('a', 300);
  t.mock.timers.tick(299);
  assert.deepEqual([started.length, queue.isDelayed('a'), queue.isBusy('a')], [0, true, false]);
  t.mock.timers.tick(1);
  assert.deepEqual([started.length, queue.isDelayed('a'), queue.isBusy('a')], [1, false, true]);
});

test('adding a key ends its delay', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, started, end } = bound(new Bench());
  queue.addAfter('a', 100);
  queue.add('a');
  await end('a');
  t.mock.timers.tick(1000);
  assert.deepEqual(started, ['a']);
});

test('a forgotten key is not worked on, now or later; work under way goes on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, started, end } = bound(new Bench());
  for (const key of ['a', 'a', 'b']) queue.add(key);
  queue.addAfter('c', 100);
  for (const key of ['a', 'b', 'c']) queue.forget(key);
  assert.ok(queue.isBusy('a'));
  await end('a');
  t.mock.timers.tick(1000);
  assert.deepEqual(started, ['a']);
  assert.ok(!queue.isBusy('a'));
});

test('closing waits for the work under way and starts nothing more', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, started, end } = bound(new Bench());
  for (const key of ['a', 'b']) queue.add(key);
  queue.addAfter('c', 100);
  let isClosed = false;
  const closed = queue.close().then(() => {
    isClosed = true;
  });
  queue.add('d');
  queue.addAfter('e', 0);
  t.mock.timers.tick(1000);
  await turn();
  assert.equal(isClosed, false);
  await end('a');
  await closed;
  assert.deepEqual(started, ['a']);
});

test('an idle queue closes at once', async () => {
  await new WorkQueue({ concurrency: 1, work: () => assert.fail() }).close();
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

function bound(bench: Bench): {
  queue: WorkQueue;
  started: readonly string[];
  end: (key: string) => Promise<void>;
} {
  return { queue: bench.queue, started: bench.started, end: (key) => bench.end(key) };
}
