/**
 * Objects that workloads name and that no stream shows. Each is looked into after a while, for it may be about to be
 * created; one after the other, for nobody waits for it; and once for as long as it is not there.
 */

import type { Absence } from '../model/absence.ts';
import { backoffMs } from '../model/backoff.ts';
import { nearestTo } from '../model/nearest.ts';
import { type ConfigRef, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import type { Edges } from './edges.ts';

/** Looks for an object that is there and not watched: a Secret by its type, any by its labels. Never throws. */
export type ReadLeftOut = (
  ref: ConfigRef,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'known'; readonly type: string | undefined; readonly isUnselected: boolean }
  | { readonly kind: 'failed'; readonly message: string }
>;

/** What the absences are made of. */
export interface AbsencesOptions {
  readonly edges: Edges;
  /** Whether all objects of a kind and all workloads of a namespace have been listed. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  readonly readLeftOut: ReadLeftOut;
  /** The labels of the objects that are watched; undefined: all are. */
  readonly resourceSelector: string | undefined;
  /** What is known of the absence of an object has changed. */
  readonly onNews: (config: ObjectKey) => void;
  /** How long an object may be missing before it is looked into. */
  readonly graceMs: number;
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** From one object to the next. */
const PAUSE_MS = 100;
const BACKOFF = { baseMs: 1_000, capMs: 300_000 };

/** See the file's comment. */
export class Absences {
  readonly #options: AbsencesOptions;
  readonly #known = new Map<ObjectKey, Absence>();
  /** To be looked into. */
  #suspects = new Set<ObjectKey>();
  /** To be looked into once everything is listed. */
  readonly #unlisted = new Set<ObjectKey>();
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(options: AbsencesOptions) {
    this.#options = options;
  }

  /** What was found out about an object that is not there; undefined as long as nothing was. */
  of(config: ObjectKey): Absence | undefined {
    const known = this.#known.get(config);
    return known !== undefined && this.#isMissed(config) ? known : undefined;
  }

  /** A workload names `config`, which is not there. */
  suspect(config: ObjectKey): void {
    this.#suspects.add(config);
    this.#wake?.();
  }

  /** `config` is there. */
  clear(config: ObjectKey): void {
    this.#suspects.delete(config);
    this.#unlisted.delete(config);
    if (this.#known.delete(config)) this.#options.onNews(config);
  }

  /** A stream has listed: what waited for that may be looked into. */
  relist(): void {
    for (const config of this.#unlisted) this.suspect(config);
    this.#unlisted.clear();
  }

  /** Looks into what is suspected, slowly; resolves when `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      if (this.#suspects.size === 0) await this.#news();
      else await this.#round(signal);
    }
    signal.removeEventListener('abort', wake);
  }

  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  /** What is suspected during a round belongs to the next one. */
  async #round(signal: AbortSignal): Promise<void> {
    const { graceMs, wait } = this.#options;
    const suspects = this.#suspects;
    this.#suspects = new Set();
    await wait(graceMs, signal);
    for (const config of suspects) {
      if (signal.aborted) return;
      await this.#lookInto(config, signal);
    }
    for (const config of this.#known.keys()) if (!this.#isMissed(config)) this.#known.delete(config);
  }

  async #lookInto(config: ObjectKey, signal: AbortSignal): Promise<void> {
    const { edges, isSynced, onNews, wait } = this.#options;
    const ref = edges.configs.get(config)?.ref;
    if (ref === undefined || !this.#isMissed(config)) return;
    if (!isSynced(ref.namespace, ref.kind)) {
      this.#unlisted.add(config);
      return;
    }
    const known = this.#known.get(config) ?? (await this.#absenceOf(ref, signal));
    if (known === undefined || !this.#isMissed(config)) return;
    this.#known.set(config, known);
    onNews(config);
    await wait(PAUSE_MS, signal);
  }

  /** Undefined where it cannot be found out now: then it is suspected again. */
  async #absenceOf(ref: ConfigRef, signal: AbortSignal): Promise<Absence | undefined> {
    const { edges, readLeftOut, resourceSelector: selector, random, wait } = this.#options;
    const similar = similarTo(edges, ref);
    if (ref.kind !== 'Secret' && selector === undefined)
      return { ref, leftOutType: undefined, isUnselected: false, selector, similar };
    const reading = await readLeftOut(ref, signal);
    if (reading.kind === 'known') {
      this.#failures = 0;
      return { ref, leftOutType: reading.type, isUnselected: reading.isUnselected, selector, similar };
    }
    await wait(backoffMs(this.#failures, BACKOFF, random), signal);
    this.#failures += 1;
    this.suspect(keyOf(ref));
    return undefined;
  }

  /** Whether somebody names `config` and it is not there. */
  #isMissed(config: ObjectKey): boolean {
    const { configs, dependents } = this.#options.edges;
    return configs.get(config)?.digest === undefined && dependents.dependentsOf(config).size > 0;
  }
}

/** Objects that are there and may be meant: the same name of the other kind, then the nearest name of this kind. */
function similarTo({ configs }: Edges, ref: ConfigRef): readonly ConfigRef[] {
  const isThere = (other: ConfigRef): boolean => configs.get(keyOf(other))?.digest !== undefined;
  const namesake: ConfigRef = { ...wholeOf(ref), kind: ref.kind === 'Secret' ? 'ConfigMap' : 'Secret' };
  const names = [...configs.values()]
    .filter(
      ({ ref: other }) =>
        other.keys === undefined &&
        other.kind === ref.kind &&
        other.namespace === ref.namespace &&
        isThere(other),
    )
    .map(({ ref: { name } }) => name);
  const nearest = nearestTo(ref.name, names);
  const likely = nearest === undefined ? [] : [{ ...wholeOf(ref), name: nearest }];
  return isThere(namesake) ? [namesake, ...likely] : likely;
}
