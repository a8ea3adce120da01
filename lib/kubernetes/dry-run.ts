/** Clients for a dry run: they read what is there, and writes succeed in memory only. */

import type { WorkloadRef } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { StateConfigMap, StatePatch, StateReading, StateSnapshot } from './state-config-map.ts';
import type { WorkloadReading, WorkloadWriter } from './workload-writer.ts';

/** A workload client whose rollouts change nothing. */
export class DryRunWorkloads {
  readonly #writer: WorkloadWriter;

  constructor(writer: WorkloadWriter) {
    this.#writer = writer;
  }

  /** Accepted without an object: the live one stays as it is. */
  roll(): Promise<WriteResult<RawWorkload | undefined>> {
    return Promise.resolve({ kind: 'accepted', object: undefined });
  }

  /** The same. */
  patch(): Promise<WriteResult<RawWorkload | undefined>> {
    return this.roll();
  }

  /** The real one. */
  get(ref: WorkloadRef): Promise<WorkloadReading> {
    return this.#writer.get(ref);
  }
}

/** A shard of the state that is read once and then kept in memory. */
export class DryRunState {
  readonly #store: StateConfigMap;
  #state: StateSnapshot = { uid: '', resourceVersion: '0', data: {}, annotations: {} };
  /** There is one in memory, whether or not there is a real one. */
  #exists = false;

  constructor(store: StateConfigMap) {
    this.#store = store;
  }

  /** The real one; if there is none, that of memory. */
  async read(signal?: AbortSignal): Promise<StateReading> {
    const reading = await this.#store.read(signal);
    if (reading.kind === 'found') this.#state = reading.state;
    return reading.kind === 'absent' && this.#exists ? { kind: 'found', state: this.#state } : reading;
  }

  /** Succeeds. */
  create(): Promise<WriteResult<StateSnapshot>> {
    this.#exists = true;
    return Promise.resolve({ kind: 'accepted', object: this.#state });
  }

  /** Succeeds. */
  patch({ data, annotations }: StatePatch): Promise<WriteResult<StateSnapshot>> {
    const merged = Object.entries({ ...this.#state.data, ...data });
    this.#state = {
      ...this.#state,
      data: Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null)),
      annotations: { ...this.#state.annotations, ...(annotations as Record<string, string> | undefined) },
    };
    return Promise.resolve({ kind: 'accepted', object: this.#state });
  }
}
