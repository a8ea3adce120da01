/**
 * Probes objects that workloads name and that no stream shows, to find out why. An object is probed after a grace period, since
 * it may be about to be created; one at a time and each namespace in turn, since nothing waits for it; and once while it is
 * missing. The results of one namespace are published together, so that one finding covers all.
 */

import type { MissingObject } from '../model/finding.ts';
import {
  CONFIG_KINDS,
  type ConfigRef,
  configRefIn,
  isMountedKind,
  keyOf,
  namespaceIn,
  type ObjectKey,
  SOURCE_KINDS,
  wholeOf,
} from '../model/object-ref.ts';
import { closestMatch } from '../model/text.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** Looks for an object that exists and is not watched: a Secret by its type, any object by its labels. Never rejects. */
export type ReadLeftOut = (
  ref: ConfigRef,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'known'; readonly type: string | undefined; readonly isUnselected: boolean }
  | { readonly kind: 'failed'; readonly message: string }
>;

/** The collaborators of the probe. */
export interface MissingObjectProbeOptions extends Pick<RetryQueueOptions, 'random' | 'log'> {
  readonly store: Store;
  /** Whether all objects of a kind and all workloads of a namespace have been listed. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  readonly readLeftOut: ReadLeftOut;
  /** The labels of the objects that are watched; undefined: all are. */
  readonly resourceSelector: string | undefined;
  /** Called when the results for these objects have changed. */
  readonly onNews: (configs: ReadonlySet<ObjectKey>) => void;
  /** The grace period. */
  readonly graceMs: number;
}

/** After each that took a request, or a search for similar names. */
const PAUSE_MS = 100;

/** In each namespace and turn, for so many similar names are looked for: a finding shows no more of them. */
const MOST_SEARCHES = 10;
const BACKOFF = { baseMs: 1_000, capMs: 300_000 };

/** See the file's comment. */
export class MissingObjectProbe {
  readonly #options: MissingObjectProbeOptions;
  readonly #known = new Map<ObjectKey, MissingObject>();
  /** To be looked into, by namespace; those of a namespace whose turn it is come with its next turn. */
  readonly #suspects = new Map<string, Set<ObjectKey>>();
  /** To be looked into once everything is listed. */
  readonly #unlisted = new Set<ObjectKey>();
  readonly #turns = new Map<string, Turn>();
  /** Namespaces. */
  readonly #queue: RetryQueue;
  readonly #end = new AbortController();

  constructor(options: MissingObjectProbeOptions) {
    this.#options = options;
    const reconcile = (namespace: string): Promise<Result> => this.#reconcile(namespace);
    this.#queue = new RetryQueue({ ...options, reconcile, concurrency: 1 });
  }

  /** The result for a missing object; undefined before its probe, or if it exists. */
  of(config: ObjectKey): MissingObject | undefined {
    const known = this.#known.get(config);
    return known !== undefined && this.#isMissed(config) ? known : undefined;
  }

  /** A workload names `config`, which no stream shows. */
  suspect(config: ObjectKey): void {
    if (isMountedKind(configRefIn(config).kind)) return;
    const namespace = namespaceIn(config);
    const suspects = this.#suspects.get(namespace);
    if (suspects !== undefined) {
      suspects.add(config);
      return;
    }
    this.#suspects.set(namespace, new Set([config]));
    if (!this.#turns.has(namespace)) this.#queue.addAfter(namespace, this.#options.graceMs);
  }

  /** `config` exists. */
  clear(config: ObjectKey): void {
    this.#suspects.get(namespaceIn(config))?.delete(config);
    this.#unlisted.delete(config);
    if (this.#known.delete(config)) this.#options.onNews(new Set([config]));
  }

  /** A stream has listed: objects whose probe waited for a list are probed. */
  relist(): void {
    for (const config of this.#unlisted) this.suspect(config);
    this.#unlisted.clear();
  }

  /** Looks into nothing more; resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#queue.close();
  }

  /** Looks into the next object of a namespace that takes a while, or into all that are left. */
  async #reconcile(namespace: string): Promise<Result> {
    const turn = this.#turns.get(namespace) ?? newTurn([...(this.#suspects.get(namespace) ?? [])]);
    if (!this.#turns.has(namespace)) this.#suspects.delete(namespace);
    this.#turns.set(namespace, turn);
    let isLong = false;
    for (let config = turn.configs.at(-1); config !== undefined && !isLong; config = turn.configs.at(-1)) {
      isLong = await this.#lookInto(config, turn);
      turn.configs.pop();
    }
    if (this.#end.signal.aborted) return 'done';
    const result = turn.configs.length > 0 ? 'again' : this.#endTurn(namespace, turn);
    if (isLong) await sleep(PAUSE_MS, this.#end.signal);
    return result;
  }

  #endTurn(namespace: string, turn: Turn): Result {
    this.#publish(turn);
    this.#turns.delete(namespace);
    for (const config of turn.failed) this.suspect(config);
    if (turn.failed.size > 0) return this.#queue.backOff(namespace, { bounds: BACKOFF });
    return this.#suspects.has(namespace) ? { afterMs: this.#options.graceMs } : 'done';
  }

  /** Answers whether it took a while. */
  async #lookInto(config: ObjectKey, turn: Turn): Promise<boolean> {
    const { isSynced } = this.#options;
    const ref = configRefIn(config);
    if (!this.#isMissed(config)) return false;
    if (!isSynced(ref.namespace, ref.kind)) {
      this.#unlisted.add(config);
      return false;
    }
    const before = this.#known.get(config);
    const isLong = before === undefined && (this.#isRead(ref) || turn.searches < MOST_SEARCHES);
    const known = before ?? (await this.#missingObjectOf(ref, turn));
    if (known === undefined) turn.failed.add(config);
    else turn.found.set(config, known);
    return isLong;
  }

  /** What was found out is known from now on, all of it at once, not in parts. */
  #publish({ found }: Turn): void {
    for (const config of this.#known.keys()) if (!this.#isMissed(config)) this.#known.delete(config);
    const missed = [...found].filter(([config]) => this.#isMissed(config));
    for (const [config, known] of missed) this.#known.set(config, known);
    if (missed.length > 0) this.#options.onNews(new Set(missed.map(([config]) => config)));
  }

  /** Undefined where it cannot be found out now; then nothing else is asked in this turn. */
  async #missingObjectOf(ref: ConfigRef, turn: Turn): Promise<MissingObject | undefined> {
    const { store, readLeftOut, resourceSelector: selector } = this.#options;
    const nothing = { ref, leftOutType: undefined, isUnselected: false, selector, similar: [] };
    if (store.isState(ref)) return { ...nothing, isState: true };
    if (this.#isRead(ref) && turn.failed.size > 0) return undefined;
    turn.searches += 1;
    const similar = turn.searches > MOST_SEARCHES ? [] : similarTo(store, ref);
    if (!this.#isRead(ref)) return { ...nothing, similar };
    const reading = await readLeftOut(ref, this.#end.signal);
    if (reading.kind === 'failed') return undefined;
    return { ...nothing, leftOutType: reading.type, isUnselected: reading.isUnselected, similar };
  }

  /** Whether only the API server knows that an object is not there: no stream shows each type, nor other labels. */
  #isRead({ kind }: Pick<ConfigRef, 'kind'>): boolean {
    return SOURCE_KINDS[kind].ignoredTypes.length > 0 || this.#options.resourceSelector !== undefined;
  }

  /** Whether a workload names `config` and it does not exist. */
  #isMissed(config: ObjectKey): boolean {
    const { configs, dependents } = this.#options.store;
    return configs.get(config)?.digest === undefined && dependents.dependentsOf(config).size > 0;
  }
}

/** What is suspected in one namespace, and what was found out of it. */
interface Turn {
  /** Those that are left, the next one last. */
  readonly configs: ObjectKey[];
  readonly found: Map<ObjectKey, MissingObject>;
  /** Those that could not be looked into. */
  readonly failed: Set<ObjectKey>;
  searches: number;
}

function newTurn(configs: readonly ObjectKey[]): Turn {
  return {
    configs: configs.toReversed(),
    found: new Map(),
    failed: new Set(),
    searches: 0,
  };
}

/** Longer names are not compared with others, nor more than so many: the time that takes is theirs times each other. */
const LONGEST_COMPARED = 63;
const MOST_COMPARED = 10_000;

/** Objects that are there and may be meant: the same name of the other kind, then the nearest name of this kind. */
function similarTo({ configs, names }: Store, ref: ConfigRef): readonly ConfigRef[] {
  const { kind, namespace, name } = wholeOf(ref);
  const isThere = (other: ConfigRef): boolean => configs.get(keyOf(other))?.digest !== undefined;
  const others = CONFIG_KINDS.filter((other) => other !== kind);
  const known = name.length > LONGEST_COMPARED ? [] : [...names.of(namespace, kind)].slice(0, MOST_COMPARED);
  const near = known.filter(
    (other) => other.length <= LONGEST_COMPARED && isThere({ kind, namespace, name: other }),
  );
  const nearest = closestMatch(name, near);
  const likely = nearest === undefined ? [] : [{ kind, namespace, name: nearest }];
  return [...others.map((other) => ({ kind: other, namespace, name })).filter(isThere), ...likely];
}
