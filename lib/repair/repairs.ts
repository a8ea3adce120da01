/** What is put right on workloads beside their rollouts: pauses that are over, and Jobs whose recreation was left unfinished. */

import type { Pause } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { LivePatches } from './live-patches.ts';
import { type PausesOptions, pauses } from './pauses.ts';
import {
  UnfinishedJobRecreations,
  type UnfinishedJobRecreationsOptions,
} from './unfinished-job-recreations.ts';

/** See the file's comment. */
export class Repairs {
  readonly #pauses: LivePatches<Pause>;
  readonly #jobs: UnfinishedJobRecreations;

  constructor(options: PausesOptions & UnfinishedJobRecreationsOptions) {
    this.#pauses = pauses(options);
    this.#jobs = new UnfinishedJobRecreations(options);
  }

  /** News of a workload. */
  observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    this.#jobs.observe(event);
    this.#pauses.observe(event);
  }

  /** An attempt to roll the workload ended. */
  proceed(workload: ObjectKey): void {
    this.#pauses.proceed(workload);
  }

  /** Begins nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await Promise.all([this.#pauses.close(), this.#jobs.close()]);
  }
}
