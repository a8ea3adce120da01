/** Absences over a world, as the program has them. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { TestContext } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { type ConfigRef, describe } from '../../../lib/model/object-ref.ts';
import { MissingObjectProbe, type ReadLeftOut } from '../../../lib/repair/missing-object-probe.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { settle } from '../state/committer-stage.ts';
import { KeyWorld } from '../tracking/key-world.ts';

/** How long an object may be missing before it is looked into. */
export const GRACE_MS = 5_000;
const NOT_THERE = { kind: 'known', type: undefined, isUnselected: false } as const;
type Reading = Awaited<ReturnType<ReadLeftOut>>;

/** Absences over a world; what they told and asked. */
export class Stage {
  readonly world: KeyWorld = new KeyWorld();
  readonly told: string[] = [];
  /** How often it was told of something. */
  tellings = 0;
  readonly asked: string[] = [];
  readonly readings: Reading[] = [];
  readonly warnings: string[] = [];
  /** Thrown by the next telling. */
  defect: Error | undefined;
  readonly missingObjects: MissingObjectProbe;
  /** The workloads whose rollout is held. */
  readonly held: Set<string> = new Set();
  random = 0;
  isSynced = true;
  readonly #timers: TestContext['mock']['timers'];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(t: TestContext, resourceSelector?: string) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    this.#timers = t.mock.timers;
    this.missingObjects = new MissingObjectProbe({
      store: this.world.store,
      isSynced: () => this.isSynced,
      isHeld: (workload) => this.held.has(workload),
      resourceSelector,
      readLeftOut: async ({ name }) => {
        this.asked.push(name);
        return this.readings.shift() ?? NOT_THERE;
      },
      onNews: (configs) => {
        const { defect } = this;
        this.defect = undefined;
        if (defect !== undefined) throw defect;
        this.tellings += 1;
        for (const config of configs) this.told.push(config.replace('home/', ''));
      },
      graceMs: GRACE_MS,
      log: { ...NO_LOG, warn: (_, fields) => void this.warnings.push(String(fields?.['error'])) },
      random: () => this.random,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          setTimeout(resolve, ms);
          signal.addEventListener('abort', () => resolve(), { once: true });
        }),
    });
    this.#running = this.missingObjects.run(this.#end.signal);
  }

  /** Does with effects what the program does, as far as absences are concerned. */
  apply(effects: Effects): void {
    for (const config of effects.absent) this.missingObjects.suspect(config);
    for (const config of effects.returned) this.missingObjects.clear(config);
  }

  /** A Deployment follows a Secret. */
  followSecret(workload: string, { name }: ConfigRef): void {
    this.apply(this.world.workload(workload, { secrets: [name] }));
  }

  /** A rollout of the workload is held. */
  hold(workload: string): void {
    this.held.add(this.world.workloadKey(workload));
    this.missingObjects.hold(this.world.workloadKey(workload));
  }

  /** What the workload needs and is not there. */
  needsOf(workload: string): readonly string[] {
    return this.missingObjects.needsOf(this.world.record(workload)).map(describe);
  }

  async pass(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 100) {
      this.#timers.tick(Math.min(100, left));
      await settle();
    }
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
    assert.equal(getEventListeners(this.#end.signal, 'abort').length, 0);
  }
}
