/** Whatever is asked for and whatever ends: never more rollouts of ours than slots, and none waits while there is room. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Slots } from '../../../lib/blockers/budget.ts';
import type { Budget } from '../../../lib/model/settings.ts';
import type { WorkloadRecord } from '../../../lib/store/records.ts';
import type { Store } from '../../../lib/store/store.ts';

const CONFIG = 'a/ConfigMap/bundle';
const APPS = ['a', 'b', 'c'].flatMap((namespace) => [1, 2, 3, 4].map((n) => `${namespace}/Deployment/${n}`));
type App = (typeof APPS)[number];

/** Somebody asks for a rollout, it completes, or the next patch of it is refused. */
const STEP = fc.record({
  what: fc.constantFrom('ask', 'ask', 'complete', 'refuse', 'delete'),
  app: fc.constantFrom(...APPS),
});
const BUDGET: fc.Arbitrary<Budget> = fc.record({
  slots: fc.nat({ max: 4 }),
  rate: fc.constant(0),
  burst: fc.constant(1),
});

/** What the slots see, and a count of what is in a rollout that is kept by hand. */
class Cluster {
  readonly slots: Slots;
  readonly rolling = new Set<App>();
  readonly waiting = new Set<App>();
  readonly #refused = new Set<App>();
  /** Attempts begin later than they are asked for. */
  readonly #toAttempt: App[] = [];
  readonly #budget: Budget;
  readonly #store = {
    workloads: new Map(APPS.map((app) => [app, recordOf(app)])),
    configs: new Map([[CONFIG, { ref: {}, digest: 'new', lastWrite: 1 }]]),
    dependents: { of: () => new Set() },
    presence: { observed: (_: unknown, _ref: unknown, digest: string) => digest },
  };

  constructor(budget: Budget) {
    this.#budget = budget;
    this.slots = new Slots({
      store: this.#store as unknown as Store,
      budget,
      isListed: () => true,
      evictedOf: () => undefined,
      begin: (app) => void this.#toAttempt.push(app),
      onOverdue: () => assert.fail('no time passes'),
    });
  }

  take({ what, app }: { readonly what: string; readonly app: App }): void {
    if (what === 'refuse') this.#refused.add(app);
    else if (what === 'delete') this.#delete(app);
    else if (what === 'complete') this.complete(app);
    else if (!this.rolling.has(app) && !this.waiting.has(app)) this.#attempt(app);
    this.#drain();
  }

  #drain(): void {
    for (let app = this.#toAttempt.shift(); app !== undefined; app = this.#toAttempt.shift())
      this.#attempt(app);
  }

  /** All of its pods are new: it may be asked for again. */
  complete(app: App): void {
    if (!this.rolling.delete(app)) return;
    this.#store.workloads.set(app, recordOf(app));
    this.slots.observed(app);
    this.#drain();
  }

  /** Whether there is room, by the count that is kept by hand. */
  hasRoom(): boolean {
    const { slots } = this.#budget;
    return slots === 0 || this.rolling.size < slots;
  }

  #delete(app: App): void {
    this.rolling.delete(app);
    this.waiting.delete(app);
    this.#store.workloads.delete(app);
    this.slots.end(app, { type: 'gone' });
    this.#store.workloads.set(app, recordOf(app));
  }

  #attempt(app: App): void {
    const record = this.#store.workloads.get(app) ?? recordOf(app);
    const blocked = this.slots.check(record);
    if (blocked !== undefined && blocked !== 'unknown') {
      this.waiting.add(app);
      this.slots.end(app, { type: 'blocked', blocked });
      return;
    }
    this.slots.begin(record);
    this.waiting.delete(app);
    assert.ok(this.hasRoom(), `${app} begins without room`);
    if (this.#refused.delete(app)) {
      this.slots.end(app, { type: 'retry', reason: 'refused', message: 'no' });
      return;
    }
    this.rolling.add(app);
    this.#store.workloads.set(app, recordOf(app, { rolling: 'replacing', templateDigest: 'b' }));
    this.slots.end(app, { type: 'current' });
  }
}

/** Out of date, with a stamp of an earlier rollout of ours. */
function recordOf(app: App, workload: object = {}): WorkloadRecord {
  const [namespace = '', kind = '', name = ''] = app.split('/');
  return {
    workload: {
      ref: { namespace, kind, name },
      templateDigest: 'a',
      stamps: [],
      progress: 0,
      progressDeadlineMs: 600_000,
      ...workload,
    },
    edges: new Map([[CONFIG, { runningDigest: 'old', stamp: {} }]]),
  } as unknown as WorkloadRecord;
}

test('never more rollouts of ours than slots, and none waits while there is room', () => {
  fc.assert(
    fc.property(BUDGET, fc.array(STEP, { minLength: 20, maxLength: 80 }), (budget, steps) => {
      const cluster = new Cluster(budget);
      for (const step of steps) {
        cluster.take(step);
        for (const app of cluster.waiting)
          assert.ok(!cluster.hasRoom(), `${app} waits although there is room`);
      }
      for (let round = 0; cluster.rolling.size > 0 && round < 100; round += 1)
        for (const app of [...cluster.rolling]) cluster.complete(app);
      assert.deepEqual([cluster.waiting.size, cluster.slots.used], [0, 0]);
      cluster.slots.close();
    }),
  );
});
