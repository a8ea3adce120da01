/** Absences over a world, as the program has them. */

import type { TestContext } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { MissingObjectProbe, type ReadLeftOut } from '../../../lib/repair/missing-object-probe.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { mockTime } from '../../mock-time.ts';
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
  readonly errors: string[] = [];
  /** Thrown by the next telling. */
  defect: Error | undefined;
  readonly missingObjects: MissingObjectProbe;
  random = 0;
  isSynced = true;
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext, resourceSelector?: string) {
    mockTime(t);
    this.#timers = t.mock.timers;
    this.missingObjects = new MissingObjectProbe({
      store: this.world.store,
      isSynced: () => this.isSynced,
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
      log: { ...NO_LOG, error: (_, fields) => void this.errors.push(String(fields?.['error'])) },
      random: () => this.random,
    });
  }

  /** Does with effects what the program does, as far as absences are concerned. */
  apply(effects: Effects): void {
    for (const { config } of effects.reported('missing')) this.missingObjects.suspect(config);
    for (const { config } of effects.reported('found')) this.missingObjects.clear(config);
  }

  /** A Deployment follows a Secret. */
  followSecret(workload: string, { name }: ConfigRef): void {
    this.apply(this.world.workload(workload, { secrets: [name] }));
  }

  async pass(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 100) {
      this.#timers.tick(Math.min(100, left));
      await settle();
    }
  }

  async stop(): Promise<void> {
    await this.missingObjects.close();
  }
}
