/**
 * The reloader: takes in what the streams tell, carries out what follows, and begins and ends in order. Nothing is listed
 * before the state is read, so that the state is older than every cache and never the reverse.
 */

import { backoffMs } from '../model/backoff.ts';
import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import { LEGACY_ALGORITHM } from '../model/digest.ts';
import type { Heartbeat } from '../model/heartbeat.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import type { Log } from '../model/log.ts';
import { type ConfigRef, describe, keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { awaitedAfter, EVER, type Timeline } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { WriteResult } from '../model/write-result.ts';
import { observeConfig } from './config-controller.ts';
import type { Edges } from './edges.ts';
import type { Effects, Note } from './effects.ts';
import { Journal, listed } from './journal.ts';
import type { Outcome } from './outcome.ts';
import { RolloutController, type Tally, type WorkloadClient } from './rollout-controller.ts';
import { StateCommitter, type StateStore } from './state-committer.ts';
import type { Stream, SyncGate } from './sync-gate.ts';
import { observeWorkload } from './workload-controller.ts';

/** A fresh look at one object. Never throws. */
export type ReadConfig = (
  ref: ConfigRef,
) => Promise<
  | { readonly kind: 'found'; readonly object: RawConfigObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly message: string }
>;

/** Who counts what happens. Every method is cheap and never throws. */
export interface Counters {
  readonly changed: (kind: ConfigRef['kind'], type: 'created' | 'updated' | 'deleted') => void;
  readonly attempted: (kind: string, outcome: 'done' | 'again' | 'later' | 'refused' | 'gone') => void;
  readonly rolled: (report: { readonly secondsSinceChange: number; readonly changes: number }) => void;
  readonly patched: (seconds: number) => void;
  readonly committed: (result: WriteResult<unknown>['kind']) => void;
}

/** Tells the people who look at a workload; never blocks. */
export type WarnOf = (ref: WorkloadRef, uid: string, reason: string, message: string) => void;

/** What the reloader is made of. */
export interface ReloaderOptions {
  readonly edges: Edges;
  readonly gate: SyncGate;
  readonly client: WorkloadClient;
  readonly store: StateStore;
  readonly readConfig: ReadConfig;
  readonly timeline: Timeline;
  readonly log: Log;
  readonly heartbeat: Heartbeat;
  readonly counters: Counters;
  readonly warn: WarnOf;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly concurrency: number;
  readonly random: () => number;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How a run ended: as asked, or because the state belongs to a later version. */
export type RunEnd =
  | { readonly type: 'stopped' }
  | { readonly type: 'unknown-state-version'; readonly version: string };

/** See the file's comment. */
export class Reloader {
  readonly journal: Journal;
  readonly rollouts: RolloutController;
  readonly committer: StateCommitter;
  readonly #options: ReloaderOptions;
  /** Malformed items already reported, by workload. */
  readonly #reported = new Map<ObjectKey, string>();
  readonly #standDown = new AbortController();
  #unknownVersion: string | undefined;
  #hasReadState = false;
  #beganWithoutState = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.journal = new Journal(options.log);
    const { edges, client, timeline, gate, store, heartbeat, quietMs, maxWaitMs, concurrency, random } =
      options;
    this.rollouts = new RolloutController({
      edges,
      client,
      timeline,
      heartbeat,
      apply: (effects) => this.#apply(effects),
      observe: (ref, workload) => this.#observeAfresh(ref, workload),
      lookAt: (config) => this.#lookAt(config),
      observer: {
        onOutcome: (ref, outcome, tally, nextTryMs) => this.#report(ref, outcome, tally, nextTryMs),
        onPatchAnswered: (seconds) => options.counters.patched(seconds),
      },
      quietMs,
      maxWaitMs,
      concurrency,
      random,
    });
    this.committer = new StateCommitter({
      edges,
      store,
      heartbeat,
      gate: {
        isSynced: (namespace, kind) => gate.isSynced(namespace, kind),
        isWaiting: (workload) => this.rollouts.isWaiting(workload),
      },
      journal: this.journal,
      apply: (effects) => this.#apply(effects),
      lookAt: (config) => this.#lookAt(config),
      onCommit: (result, nextTryMs) => this.#committed(result, nextTryMs),
      onUnknownVersion: (version) => this.#stop(version),
      random,
    });
  }

  /** Whether the state is read and every stream has listed. */
  get isReady(): boolean {
    return this.#hasReadState && this.#options.gate.awaited().length === 0;
  }

  /** Whether the state is read. */
  get hasReadState(): boolean {
    return this.#hasReadState;
  }

  /**
   * Reads the state, then runs the streams until `signal` is aborted, then finishes the patches and the commit under way.
   * `runStreams` resolves when all streams have ended.
   */
  async run(signal: AbortSignal, runStreams: (signal: AbortSignal) => Promise<void>): Promise<RunEnd> {
    const both = AbortSignal.any([signal, this.#standDown.signal]);
    await this.#readState(both);
    if (!both.aborted) await runStreams(both);
    await this.rollouts.close();
    await this.committer.close();
    return this.#unknownVersion === undefined
      ? { type: 'stopped' }
      : { type: 'unknown-state-version', version: this.#unknownVersion };
  }

  /** What is kept of a ConfigMap or Secret. */
  project(kind: ConfigRef['kind'], raw: RawConfigObject): ConfigObject {
    return configObjectOf(kind, raw, (ref) => this.#wantsLegacy(ref));
  }

  /** News of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.#synced(stream);
    else this.#apply(observeConfig(this.#options.edges, event));
  }

  /** News of a workload. */
  onWorkload(stream: Stream, event: InformerEvent<Workload>): void {
    if (event.type === 'synced') this.#synced(stream);
    else this.#apply(observeWorkload(this.#options.edges, event, this.#mayAbandon(event.key)));
  }

  async #readState(signal: AbortSignal): Promise<void> {
    const { store, log, random, wait } = this.#options;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const reading = await store.read();
      if (reading.kind !== 'failed') {
        const state = reading.kind === 'found' ? reading.state : undefined;
        this.committer.begin(state);
        this.#beganWithoutState = Object.keys(state?.data ?? {}).length === 0;
        this.#hasReadState = true;
        return;
      }
      const ms = Math.max(
        reading.retryAfterMs ?? 0,
        backoffMs(attempt, { baseMs: 500, capMs: 30_000 }, random),
      );
      log.warn('the state cannot be read, nothing is decided before it is', {
        error: reading.message,
        retryInMs: ms,
      });
      await wait(ms, signal);
    }
  }

  #synced(stream: Stream): void {
    const { gate, edges } = this.#options;
    if (gate.markSynced(stream) && gate.awaited().length === 0) this.#allSynced();
    // Streams that listed earlier may have left objects unwritten until this one had.
    this.committer.request(new Set(), new Set(edges.dependents.configs()));
    this.committer.kick();
  }

  #allSynced(): void {
    const { edges, log } = this.#options;
    const workloads = count(edges.workloads.size, 'workload');
    const objects = count([...edges.dependents.configs()].length, 'object');
    log.info(`everything is listed: ${workloads} that follow ${objects}`);
    const stamped = [...edges.workloads.values()].filter(({ workload }) => workload.marks.length > 0);
    if (this.#beganWithoutState && stamped.length > 0) {
      log.warn(
        `no state was found although ${listed(stamped.map(({ workload }) => workload.ref))} carry stamps: the present content is the baseline, changes made meanwhile are not known`,
      );
    }
  }

  #mayAbandon(key: ObjectKey): boolean {
    const namespace = key.slice(0, key.indexOf('/'));
    return this.#options.gate.isSynced(namespace);
  }

  #wantsLegacy(ref: ConfigRef): boolean {
    const { edges } = this.#options;
    const isLegacy = (digest: string | undefined): boolean =>
      digest?.startsWith(`${LEGACY_ALGORITHM}:`) === true;
    return (
      isLegacy(edges.entryOf(ref)?.digest) || edges.edgesOf(keyOf(ref)).some(([, edge]) => isLegacy(edge.ran))
    );
  }

  #observeAfresh(ref: WorkloadRef, workload: Workload): void {
    const { edges, timeline } = this.#options;
    const key = keyOf(ref);
    const record = edges.workloads.get(key);
    const before = record && { resourceVersion: record.workload.resourceVersion, arrival: record.knownAt };
    const span = timeline.ofListed(workload.resourceVersion, before);
    const event = {
      type: 'present',
      key,
      object: workload,
      span,
      isInInitialList: false,
      isRelisted: true,
    } as const;
    this.#apply(observeWorkload(edges, event, this.#mayAbandon(key)));
    const seen = edges.workloads.get(key);
    const isNews = before?.resourceVersion !== workload.resourceVersion;
    if (seen !== undefined && isNews) seen.awaitedVersion = awaitedAfter(workload.resourceVersion);
  }

  async #lookAt(config: ObjectKey): Promise<boolean> {
    const { edges, timeline, readConfig } = this.#options;
    const record = edges.configs.get(config);
    if (record === undefined) return true;
    const reading = await readConfig(record.ref);
    if (reading.kind === 'failed') return false;
    if (reading.kind === 'absent') {
      this.#apply(observeConfig(edges, { type: 'absent', key: config, span: EVER, isRelisted: true }));
      return true;
    }
    const object = this.project(record.ref.kind, reading.object);
    const before =
      record.resourceVersion === undefined
        ? undefined
        : { resourceVersion: record.resourceVersion, arrival: 0 };
    const span = timeline.ofListed(object.resourceVersion, before);
    const event = {
      type: 'present',
      key: config,
      object,
      span,
      isInInitialList: false,
      isRelisted: true,
    } as const;
    this.#apply(observeConfig(edges, event));
    return true;
  }

  #apply(effects: Effects): void {
    for (const workload of effects.forgotten) this.rollouts.forget(workload);
    for (const note of effects.notes) this.#note(note);
    for (const { config, type } of effects.changes) this.#options.counters.changed(config.kind, type);
    for (const workload of effects.spurred)
      if (!effects.contested.has(workload)) this.rollouts.spur(workload);
    this.#touch(effects.touched);
    for (const workload of effects.contested) this.#contest(workload);
    this.committer.request(effects.writeNow, effects.writeSoon);
  }

  #note(note: Note): void {
    const { workload, reason, detail = '' } = note;
    if (reason === 'malformed' && workload !== undefined) {
      if (this.#reported.get(keyOf(workload)) === detail) return;
      this.#reported.set(keyOf(workload), detail);
    }
    this.journal.note(note);
    if (workload === undefined) return;
    if (reason === 'taken-back')
      this.#warn(workload, 'StampTakenBack', `the stamp was taken back by ${detail}`);
    if (reason === 'malformed')
      this.#warn(workload, 'MalformedAnnotation', `not the name of an object: ${detail}`);
  }

  #touch(touched: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>): void {
    const { edges } = this.#options;
    const due = new Map<ObjectKey, { ms: number; refs: WorkloadRef[] }>();
    for (const [workload, configs] of touched) {
      const ref = edges.workloads.get(workload)?.workload.ref;
      if (ref === undefined) continue;
      const ms = this.rollouts.touch(workload, configs.size);
      for (const config of configs) {
        const line = due.get(config) ?? { ms, refs: [] };
        line.refs.push(ref);
        due.set(config, line);
      }
    }
    for (const [config, { ms, refs }] of due) {
      const ref = edges.configs.get(config)?.ref;
      if (ref !== undefined)
        this.journal.say('changed', `${describe(ref)} changed: ${listed(refs)} ${inTime(ms)}`, ref.namespace);
    }
  }

  #contest(workload: ObjectKey): void {
    const record = this.#options.edges.workloads.get(workload);
    if (record !== undefined) this.rollouts.contest(workload, record.workload.ref);
  }

  #report(ref: WorkloadRef, outcome: Outcome, tally: Tally, nextTryMs: number | undefined): void {
    const { counters } = this.#options;
    if (outcome.type !== 'settled') counters.attempted(ref.kind, outcome.type);
    const again = nextTryMs === undefined ? '' : `; next try ${inTime(nextTryMs)}`;
    switch (outcome.type) {
      case 'done': {
        counters.rolled({ secondsSinceChange: (Date.now() - tally.since) / 1000, changes: tally.changes });
        const sources = count(outcome.plan.stamps.length, 'source');
        this.journal.say(
          'rolled',
          `${describe(ref)} rolled: ${sources}, ${count(tally.changes, 'change')}`,
          ref.namespace,
        );
        break;
      }
      case 'settled':
        this.journal.say('unchanged', `${describe(ref)}: nothing left to roll`, ref.namespace);
        break;
      case 'again':
        this.journal.say(
          'conflict',
          `${describe(ref)} was changed by somebody else: decided again`,
          ref.namespace,
        );
        break;
      case 'later':
        this.journal.say(
          'retry',
          `${describe(ref)} is not rolled yet: ${outcome.message}${again}`,
          ref.namespace,
        );
        break;
      case 'refused':
        this.journal.say('refused', `${describe(ref)} is refused: ${outcome.message}${again}`, ref.namespace);
        this.#warn(ref, 'ReloadRefused', `not rolled, and tried again until it is: ${outcome.message}`);
        break;
      case 'gone':
        this.journal.say('gone', `${describe(ref)} is gone`, ref.namespace);
        break;
    }
    this.committer.kick();
  }

  #warn(ref: WorkloadRef, reason: string, message: string): void {
    const uid = this.#options.edges.workloads.get(keyOf(ref))?.workload.uid ?? '';
    this.#options.warn(ref, uid, reason, message);
  }

  #committed(result: WriteResult<unknown>, nextTryMs: number | undefined): void {
    const { counters, log } = this.#options;
    counters.committed(result.kind);
    if (result.kind === 'accepted' || result.kind === 'conflict') return;
    log.warn('the state is not written yet', {
      result: result.kind,
      ...('message' in result ? { error: result.message } : {}),
      retryInMs: nextTryMs ?? 0,
    });
  }

  #stop(version: string): void {
    this.#unknownVersion = version;
    this.#standDown.abort();
  }
}

function inTime(ms: number): string {
  if (ms <= 0) return 'at once';
  return ms < 1000 ? `in ${Math.round(ms)} ms` : `in ${Math.round(ms / 100) / 10} s`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
