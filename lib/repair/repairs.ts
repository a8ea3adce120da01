/**
 * What is put right on workloads beside their rollouts: pauses that are over, what another reloader left them waiting for, and
 * Jobs whose recreation was left unfinished.
 */

import type { Pause, WaveLeftovers } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { LivePatches } from './live-patches.ts';
import { type PausesOptions, pauses } from './pauses.ts';
import {
  UnfinishedJobRecreations,
  type UnfinishedJobRecreationsOptions,
} from './unfinished-job-recreations.ts';
import { waveCleanup } from './wave-cleanup.ts';

/** See the file's comment. */
export class Repairs {
  readonly #pauses: LivePatches<Pause>;
  readonly #waveCleanup: LivePatches<WaveLeftovers>;
  readonly #jobs: UnfinishedJobRecreations;

  constructor(options: PausesOptions & UnfinishedJobRecreationsOptions) {
    this.#pauses = pauses(options);
    this.#waveCleanup = waveCleanup(options);
    this.#jobs = new UnfinishedJobRecreations(options);
  }

  /** News of a workload. */
  observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    this.#jobs.observe(event);
    this.#pauses.observe(event);
    this.#waveCleanup.observe(event);
  }

  /** An attempt to roll the workload ended. */
  proceed(workload: ObjectKey): void {
    this.#pauses.proceed(workload);
  }

  /** Workloads of these namespaces are written from now on. */
  select(namespaces: ReadonlySet<string>): void {
    this.#waveCleanup.select(namespaces);
  }

  /** Begins nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    const parts = [this.#pauses, this.#waveCleanup, this.#jobs];
    await Promise.all(parts.map((part) => part.close()));
  }
}
