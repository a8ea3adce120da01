/**
 * Objects that workloads name and that no stream shows. Each is looked into after a while, for it may be about to be
 * created; one after the other and each namespace in turn, since no rollout waits for it; and once for as long as it is not there.
 * But where a rollout is held until it is, and no stream would tell, it is looked into again and again. What is found out in
 * one namespace is told when all of it is, so that one notice tells of all.
 */

import type { MissingObject } from '../model/finding.ts';
import type { Log } from '../model/log.ts';
import {
  CONFIG_KINDS,
  type ConfigRef,
  keyOf,
  namespaceIn,
  type ObjectKey,
  SOURCE_KINDS,
  wholeOf,
} from '../model/object-ref.ts';
import { closestMatch } from '../model/text.ts';
import { backoffMs, REFUSAL_BACKOFF } from '../model/time.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isNeeded, missingNeeds } from '../tracking/needs.ts';

/** Looks for an object that is there and not watched: a Secret by its type, any by its labels. Never throws. */
export type ReadLeftOut = (
  ref: ConfigRef,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'known'; readonly type: string | undefined; readonly isUnselected: boolean }
  | { readonly kind: 'failed'; readonly message: string }
>;

/** What the absences are made of. */
export interface MissingObjectProbeOptions {
  readonly store: Store;
  /** Whether all objects of a kind and all workloads of a namespace have been listed. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  readonly readLeftOut: ReadLeftOut;
  /** The labels of the objects that are watched; undefined: all are. */
  readonly resourceSelector: string | undefined;
  /** Whether a rollout of the workload is held until what it needs is there. */
  readonly isHeld: (workload: ObjectKey) => boolean;
  /** What is known of the absence of these objects has changed. */
  readonly onNews: (configs: ReadonlySet<ObjectKey>) => void;
  /** How long an object may be missing before it is looked into. */
  readonly graceMs: number;
  readonly log: Log;
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What somebody waits for and no stream may tell of. */
interface Awaited {
  /** How often it was looked into again. */
  looks: number;
  /** What is known is old, and holds until something else is. */
  isDue: boolean;
}

/** After each that took a request, or a search for similar names. */
const PAUSE_MS = 100;
/** In each namespace and round, for so many similar names are looked for: a notice shows no more of them. */
const MOST_SEARCHES = 10;
const BACKOFF = { baseMs: 1_000, capMs: 300_000 };

/** See the file's comment. */
export class MissingObjectProbe {
  readonly #options: MissingObjectProbeOptions;
  readonly #known = new Map<ObjectKey, MissingObject>();
  /** To be looked into. */
  #suspects = new Set<ObjectKey>();
  /** To be looked into once everything is listed. */
  readonly #unlisted = new Set<ObjectKey>();
  readonly #awaited = new Map<ObjectKey, Awaited>();
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(options: MissingObjectProbeOptions) {
    this.#options = options;
  }

  /** What was found out about an object that is not there; undefined as long as nothing was. */
  of(config: ObjectKey): MissingObject | undefined {
    const known = this.#known.get(config);
    return known !== undefined && this.#isMissed(config) ? known : undefined;
  }

  /** What a workload needs and what is not there. */
  needsOf(record: WorkloadRecord): readonly ConfigRef[] {
    return missingNeeds(this.#options.store, record, (config) => this.of(config));
  }

  /** A rollout of the workload is held from now on. */
  hold(workload: ObjectKey): void {
    for (const config of this.#options.store.workloads.get(workload)?.edges.keys() ?? [])
      if (!this.#awaited.has(config) && this.#isAwaited(config)) this.suspect(config);
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
    this.#awaited.delete(config);
    if (this.#known.delete(config)) this.#options.onNews(new Set([config]));
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
      else await this.#round(signal).catch((error: unknown) => this.#afterDefect(error, signal));
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
    let turns = [...Map.groupBy(suspects, namespaceIn).values()].map(newTurn);
    while (turns.length > 0 && !signal.aborted) {
      for (const turn of turns) await this.#fencedTake(turn, signal);
      turns = turns.filter(({ configs }) => configs.length > 0);
    }
    this.#tidyUp();
  }

  #tidyUp(): void {
    for (const config of this.#known.keys()) if (!this.#isMissed(config)) this.#known.delete(config);
    for (const config of this.#awaited.keys()) if (!this.#isAwaited(config)) this.#awaited.delete(config);
  }

  /** A defect of ours must not end the process: what is suspected in the namespace is looked into again. */
  async #fencedTake(turn: Turn, signal: AbortSignal): Promise<void> {
    try {
      await this.#take(turn, signal);
    } catch (error) {
      turn.configs.length = 0;
      for (const config of turn.all) this.#suspects.add(config);
      await this.#afterDefect(error, signal);
    }
  }

  async #afterDefect(error: unknown, signal: AbortSignal): Promise<void> {
    const { log, random, wait } = this.#options;
    log.warn('missing objects could not be looked into', { error: `internal error: ${String(error)}` });
    await wait(backoffMs(this.#failures, BACKOFF, random), signal);
    this.#failures += 1;
  }

  /** Up to the next one that takes a while, and the pause after it. */
  async #take(turn: Turn, signal: AbortSignal): Promise<void> {
    let isLong = false;
    while (!isLong && turn.configs.length > 0 && !signal.aborted) {
      const config = turn.configs.pop();
      isLong = config !== undefined && (await this.#lookInto(config, turn, signal));
    }
    if (turn.configs.length === 0) this.#publish(turn, signal);
    if (isLong) await this.#options.wait(PAUSE_MS, signal);
  }

  /** Answers whether it took a while. */
  async #lookInto(config: ObjectKey, turn: Turn, signal: AbortSignal): Promise<boolean> {
    const { store, isSynced } = this.#options;
    const ref = store.configs.get(config)?.ref;
    if (ref === undefined || !this.#isMissed(config)) return false;
    if (!isSynced(ref.namespace, ref.kind)) {
      this.#unlisted.add(config);
      return false;
    }
    const isOld = this.#awaited.get(config)?.isDue === true && this.#isAwaited(config);
    const before = isOld ? undefined : this.#known.get(config);
    const isLong = before === undefined && (this.#isRead(ref) || turn.searches < MOST_SEARCHES);
    const known = before ?? (await this.#missingObjectOf(ref, turn, signal));
    // What failed has waited already.
    if (known === undefined) return false;
    turn.found.set(config, known);
    return isLong;
  }

  /** What was found out is known from now on, all of it at once, not in parts. */
  #publish({ found }: Turn, signal: AbortSignal): void {
    const missed = [...found].filter(([config]) => this.#isMissed(config));
    const news = new Set(missed.filter((each) => this.#learn(...each)).map(([config]) => config));
    for (const [config] of missed) if (this.#isAwaited(config)) void this.#lookLater(config, signal);
    if (news.size > 0) this.#options.onNews(news);
  }

  /** Answers whether it is news: not that what is awaited is still not there. */
  #learn(config: ObjectKey, missingObject: MissingObject): boolean {
    const before = this.#known.get(config);
    const isSame =
      before?.leftOutType === missingObject.leftOutType &&
      before?.isUnselected === missingObject.isUnselected &&
      before?.isState === missingObject.isState;
    if (isSame && this.#awaited.has(config)) return false;
    this.#known.set(config, missingObject);
    return true;
  }

  /** Never rejects. Of each object one at a time is under way. */
  async #lookLater(config: ObjectKey, signal: AbortSignal): Promise<void> {
    const { random, wait } = this.#options;
    const awaited = this.#awaited.get(config) ?? { looks: 0, isDue: true };
    if (this.#awaited.has(config) && !awaited.isDue) return;
    this.#awaited.set(config, awaited);
    awaited.isDue = false;
    await wait(backoffMs(awaited.looks, REFUSAL_BACKOFF, random), signal);
    if (signal.aborted || this.#awaited.get(config) !== awaited) return;
    awaited.looks += 1;
    awaited.isDue = true;
    this.suspect(config);
  }

  /** Undefined where it cannot be found out now: then it is suspected again. */
  async #missingObjectOf(
    ref: ConfigRef,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<MissingObject | undefined> {
    const { store, readLeftOut, resourceSelector: selector, random, wait } = this.#options;
    if (store.isState(ref))
      return { ref, leftOutType: undefined, isUnselected: false, isState: true, selector, similar: [] };
    turn.searches += 1;
    const similar = turn.searches > MOST_SEARCHES ? [] : similarTo(store, ref);
    if (!this.#isRead(ref)) return { ref, leftOutType: undefined, isUnselected: false, selector, similar };
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

  /** Whether somebody waits for `config` and no stream may tell when it comes: by its type, or by its labels. */
  #isAwaited(config: ObjectKey): boolean {
    const { store, isHeld } = this.#options;
    const ref = store.configs.get(config)?.ref;
    if (ref === undefined || !this.#isRead(ref)) return false;
    return [...store.dependents.dependentsOf(config)].filter(isHeld).some((workload) => {
      const record = store.workloads.get(workload);
      return record !== undefined && isNeeded(store, record, config, (other) => this.of(other));
    });
  }

  /** Whether only the API server knows that an object is not there: no stream shows each type, nor other labels. */
  #isRead({ kind }: ConfigRef): boolean {
    return SOURCE_KINDS[kind].ignoredTypes.length > 0 || this.#options.resourceSelector !== undefined;
  }

  /** Whether somebody names `config` and it is not there. */
  #isMissed(config: ObjectKey): boolean {
    const { configs, dependents } = this.#options.store;
    return configs.get(config)?.digest === undefined && dependents.dependentsOf(config).size > 0;
  }
}

/** What is suspected in one namespace, and what was found out of it in this round. */
interface Turn {
  readonly all: readonly ObjectKey[];
  /** Those that are left, the next one last. */
  readonly configs: ObjectKey[];
  readonly found: Map<ObjectKey, MissingObject>;
  searches: number;
}

function newTurn(configs: readonly ObjectKey[]): Turn {
  return { all: configs, configs: configs.toReversed(), found: new Map(), searches: 0 };
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
