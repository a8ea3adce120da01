/**
 * The reloader: takes in what the streams tell, and as a leader carries out what follows. One is made for each term; as a
 * standby it only follows what happens, so that the next one can begin with all that it has seen.
 */

import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import type { Heartbeat } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import { type ConfigRef, keyOf, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';
import type { RawConfigObject, RawWorkload } from '../model/raw-objects.ts';
import type { InformerEvent, Timeline } from '../model/timeline.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { catchUp } from '../repair/catch-up.ts';
import { MissingObjectProbe, type ReadLeftOut } from '../repair/missing-object-probe.ts';
import { type ReadConfig, Refetcher } from '../repair/refetcher.ts';
import { Repairs } from '../repair/repairs.ts';
import {
  UnfinishedJobRecreations,
  type UnfinishedJobRecreationsOptions,
} from '../repair/unfinished-job-recreations.ts';
import { duesOf } from '../report/dues.ts';
import { Findings } from '../report/findings.ts';
import type { Journal } from '../report/journal.ts';
import { type Due, Reporter, type ReporterOptions } from '../report/reporter.ts';
import type { AttemptOptions } from '../rollout/rollout-attempt.ts';
import { RolloutController } from '../rollout/rollout-controller.ts';
import { finishInTime } from '../state/ending.ts';
import type { StateLayout } from '../state/known-state.ts';
import { SelectedNamespaces } from '../state/selected-namespaces.ts';
import { noticeState, seeShownState } from '../state/shown-state.ts';
import { StateCommitter, type StateCommitterOptions } from '../state/state-committer.ts';
import type { WriteGate } from '../state/state-overrides.ts';
import type { AllShards, StateClient } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import type { Stream, SyncGate } from '../store/sync-gate.ts';
import { observeConfig, observeListed } from '../tracking/config-controller.ts';
import type { Effects } from '../tracking/effects.ts';
import { wantsLegacyDigest } from '../tracking/legacy-digest.ts';
import { observeWorkload } from '../tracking/workload-controller.ts';
import { handOver, saysSomething } from './hand-over.ts';
import { Listing } from './listing.ts';

/** What the reloader is made of. */
export interface ReloaderOptions
  extends Pick<AttemptOptions, 'listBirths'>,
    Pick<ReporterOptions, 'counters' | 'recordEvent' | 'journal' | 'isDryRun' | 'onRollout'> {
  readonly store: Store;
  readonly gate: SyncGate;
  /** The ConfigMaps of the state, in the home namespace of `edges`. */
  readonly state: StateLayout;
  readonly client: WorkloadClient;
  readonly finish: UnfinishedJobRecreationsOptions['finish'];
  readonly stateClient: StateClient;
  readonly readConfig: ReadConfig;
  readonly readLeftOut: ReadLeftOut;
  /** The labels of the ConfigMaps and Secrets that the streams show; undefined: all. */
  readonly resourceSelector: string | undefined;
  readonly timeline: Timeline;
  readonly log: Log;
  readonly heartbeat: Heartbeat;
  /** Whether it acts on what it sees; else it is a standby. */
  readonly leads: boolean;
  readonly mark?: StateCommitterOptions['mark'];
  readonly onContested?: StateCommitterOptions['onContested'];
  /** The state belongs to a later version of this program. */
  readonly onUnknownVersion: (version: string) => void;
  readonly quietMs: number;
  readonly maxWaitMs: number;
  readonly concurrency: number;
  readonly random: () => number;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** An object may be created just after those who name it. */
const LEAST_GRACE_MS = 1_000;

/** See the file's comment. */
export class Reloader {
  readonly rollouts: RolloutController;
  readonly committer: StateCommitter;
  readonly findings: Findings;
  readonly missingObjects: MissingObjectProbe;
  readonly listing: Listing;
  readonly #repairs: Repairs;
  readonly #namespaces: SelectedNamespaces;
  readonly #successions: UnfinishedJobRecreations;
  readonly #options: ReloaderOptions;
  readonly #reporter: Reporter;
  readonly #look: Refetcher;
  /** Workloads that follow nothing and say something all the same, see saysSomething. */
  readonly others: Map<ObjectKey, Workload> = new Map();
  #beganWithoutState = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#reporter = new Reporter(options);
    this.listing = new Listing({
      ...options,
      onListed: () => this.#reporter.listed(this.#beganWithoutState),
      onNews: () => this.#reconsider(),
    });
    const { store } = options;
    const say: UnfinishedJobRecreationsOptions['say'] = (workload, finding) =>
      this.#reporter.finding(workload, finding);
    this.#look = this.#newLook();
    this.missingObjects = this.#newAbsences();
    this.findings = new Findings({
      store,
      missingObjectOf: (config) => this.missingObjects.of(config),
      isSlowed: (workload) => this.rollouts.isSlowed(workload),
      needsOf: (workload) => this.rollouts.needsOf(workload),
      say,
    });
    this.rollouts = this.#newRollouts();
    this.#successions = new UnfinishedJobRecreations({ ...options, say });
    const isWaiting = (workload: ObjectKey): boolean => this.rollouts.isWaiting(workload);
    this.#repairs = new Repairs({ ...options, isWaiting, say });
    this.#namespaces = new SelectedNamespaces({
      store,
      journal: this.#reporter.journal,
      release: (workload) => this.rollouts.release(workload),
      onSelected: (namespaces) => {
        this.findings.select(namespaces);
        this.#repairs.select(namespaces);
      },
      apply: (effects) => this.#apply(effects),
    });
    this.committer = new StateCommitter({
      ...options,
      ...options.state,
      gate: this.#newGate(),
      journal: this.#reporter.journal,
      apply: (effects) => this.#apply(effects),
      onCommit: (result, nextTryMs) => this.#reporter.commit(result, nextTryMs),
    });
  }

  /** What was decided, and why. */
  get journal(): Journal {
    return this.#reporter.journal;
  }

  /** What it knows. */
  get store(): Store {
    return this.#options.store;
  }

  /** Whether it acts on what it sees. */
  get leads(): boolean {
    return this.#options.leads;
  }

  /** Begins with this state. */
  begin(shards: AllShards): void {
    this.committer.begin(shards);
    this.#beganWithoutState = shards.every((shard) => Object.keys(shard?.data ?? {}).length === 0);
  }

  /** Begins with all that `former` has seen, as if it were listed now. */
  takeOver(former: Reloader): void {
    const { gate } = this.#options;
    handOver(former, {
      config: (event) => this.#observeConfig(event),
      workload: (event) => this.#observeWorkload(event),
      namespace: (event) => this.#namespaces.observe(event),
    });
    for (const stream of gate.synced()) this.#listed(stream);
    if (this.leads && gate.awaited().length === 0) this.#reporter.listed(this.#beganWithoutState);
    this.#reconsider();
  }

  /** Looks at all that is known too late beside this state, which was read just now; false: something cannot be looked at. */
  async catchUp(shards: AllShards): Promise<boolean> {
    const { store, gate } = this.#options;
    return await catchUp(store, shards, this.#look, (ref) => gate.lists(ref.kind, ref.namespace));
  }

  /** Finishes the patches and the commit under way within 20 s. */
  async finish(): Promise<void> {
    await finishInTime({ ...this.#options, parts: this.#parts(), committer: this.committer });
  }

  /** Begins nothing more; what is under way is not waited for. */
  abandon(): void {
    this.committer.halt();
    for (const part of this.#parts()) void part.close();
  }

  /** What is kept of a ConfigMap or Secret. */
  project(kind: ConfigRef['kind'], raw: RawConfigObject): ConfigObject {
    const { store } = this.#options;
    const object = configObjectOf(kind, raw, {
      legacyDigest: (ref) => wantsLegacyDigest(store, ref),
      keyDigests: (ref) => store.scopes.wants(keyOf(ref)),
      annotation: store.settings.vocabularies.isConfigAnnotation,
      isOwnState: (ref) => store.settings.ownState.has(keyOf(ref)),
    });
    if (object.isState === true) seeShownState(store, this.leads ? this.committer : undefined, raw);
    return object;
  }

  /** What is kept of a workload. */
  view(row: WorkloadKind, raw: RawWorkload): Workload {
    return workloadOf(row, raw, this.#options.store.settings.vocabularies);
  }

  /** News of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    this.#observeConfig(event);
    if (event.type === 'synced') this.#listed(stream);
    if (this.leads) noticeState(this.store, this.committer, stream, event);
  }

  /** News of a workload. */
  onWorkload(stream: Stream, event: InformerEvent<Workload>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    else this.#observeWorkload(event);
  }

  /** News of a namespace that is selected, or of one that is not any more. */
  onNamespace(stream: Stream, event: InformerEvent<string>): void {
    this.#namespaces.observe(event);
    if (event.type === 'synced') this.listing.synced(stream);
  }

  /** Who waits for something that is not there is looked at again where it may be the object, or not to be there. */
  #observeConfig(event: InformerEvent<ConfigObject>): void {
    const { store } = this.#options;
    this.#apply(observeConfig(store, event));
    if (event.type === 'synced') return;
    const keys = [event.key, ...store.scopes.of(event.key).map(keyOf)];
    this.rollouts.wake(store.dependents.dependentsOfAny(keys));
  }

  /** The first list of the stream is complete. */
  #listed(stream: Stream): void {
    const { store } = this.#options;
    if (stream.kind === 'Namespace') this.#namespaces.observe({ type: 'synced' });
    else if (!stream.isWorkload && store.presence.markListed(stream))
      this.#apply(observeListed(store, stream));
  }

  #observeWorkload(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    if (this.leads) this.#successions.observe(event);
    this.#observe(event);
  }

  #observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { store, gate } = this.#options;
    this.#apply(observeWorkload(store, event, gate.isSynced(namespaceIn(event.key))));
    if (event.type === 'present' && !store.workloads.has(event.key) && saysSomething(event.object)) {
      this.others.set(event.key, event.object);
    } else this.others.delete(event.key);
    if (!this.leads) return;
    this.rollouts.wake([event.key]);
    this.findings.observe(event);
    this.#repairs.observe(event);
  }

  #parts(): readonly { readonly close: () => Promise<void> }[] {
    return [this.rollouts, this.#repairs, this.#successions, this.#look, this.missingObjects];
  }

  #newGate(): WriteGate {
    const { gate } = this.#options;
    return {
      isSynced: (...about) => gate.isSynced(...about),
      refused: (namespace) => gate.refused(namespace),
      lists: (...about) => gate.lists(...about),
      isWaiting: (workload) => this.rollouts.isWaiting(workload),
    };
  }

  #newLook(): Refetcher {
    return new Refetcher({
      ...this.#options,
      project: (kind, raw) => this.project(kind, raw),
      onConfig: (event) => this.#observeConfig(event),
      onWorkload: (event) => this.#observe(event),
    });
  }

  #newRollouts(): RolloutController {
    return new RolloutController({
      ...this.#options,
      apply: (effects) => this.#apply(effects),
      observe: (ref, workload) => this.#look.take(ref, workload),
      needsOf: (record) => this.missingObjects.needsOf(record),
      lookFor: (missing) => this.missingObjects.lookFor(missing),
      observer: {
        onSlowed: (ref, ms) => this.#reporter.slowed(ref, ms),
        onOutcome: (ref, outcome, pending, nextTryMs) => {
          this.#reporter.outcome(ref, outcome, pending, nextTryMs);
          if (outcome.type === 'done') this.findings.rolled(keyOf(ref));
          this.findings.review(keyOf(ref));
          this.#repairs.proceed(keyOf(ref));
          this.committer.kick();
        },
      },
      onPatchAnswered: (seconds) => this.#options.counters.patched(seconds),
    });
  }

  #newAbsences(): MissingObjectProbe {
    const { store, gate, quietMs } = this.#options;
    return new MissingObjectProbe({
      ...this.#options,
      isSynced: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
      onNews: (configs) => {
        const workloads = store.dependents.dependentsOfAny(configs);
        for (const workload of workloads) this.findings.review(workload);
        this.rollouts.wake(workloads);
      },
      graceMs: Math.max(quietMs, LEAST_GRACE_MS),
    });
  }

  /** Streams that listed earlier may have left objects unwritten until another one had. */
  #reconsider(): void {
    if (!this.leads) return;
    this.missingObjects.relist();
    this.committer.request(new Set(), new Set(this.#options.store.dependents.configs()));
    this.committer.kick();
  }

  #apply(effects: Effects): void {
    if (!this.leads) {
      this.#follow(effects);
      return;
    }
    for (const workload of effects.forgotten) {
      this.rollouts.forget(workload);
      this.#reporter.forget(workload);
    }
    this.#reporter.notes(effects.notes);
    for (const { config, type } of effects.changes) this.#options.counters.changed(config.kind, type);
    for (const workload of effects.retryNow)
      if (!effects.stampReverted.has(workload)) this.rollouts.retryNow(workload);
    this.#touch(effects.enqueued);
    for (const workload of effects.resumed) this.rollouts.resume(workload);
    for (const [workload, times] of effects.stampReverted) this.rollouts.contest(workload, times);
    this.committer.request(effects.writeNow, effects.writeSoon);
    this.#inquire(effects);
  }

  /** Passes on what has to be found out, and what people have to be told. */
  #inquire({ lostOptIns, competitors, absent, returned, unread }: Effects): void {
    for (const lostOptIn of lostOptIns) this.findings.lose(lostOptIn);
    for (const competitor of competitors) this.findings.meet(competitor);
    for (const config of returned) this.missingObjects.clear(config);
    for (const config of absent) this.missingObjects.suspect(config);
    for (const config of unread) this.#look.later(config);
  }

  #touch(touched: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>): void {
    const dues = duesOf(this.#options.store, touched, (workload, changes) => {
      const ms = this.rollouts.touch(workload, changes);
      if (!this.rollouts.isWaiting(workload)) this.committer.kick();
      return ms;
    });
    for (const [config, each] of dues) for (const due of each) this.#tell(config, due);
  }

  /** Tells of a change for which workloads are due, or wait for their namespace to be selected. */
  #tell(config: ObjectKey, due: Due): void {
    const ref = this.store.configs.get(config)?.ref;
    if (ref === undefined) return;
    if (Number.isFinite(due.ms)) this.#reporter.due(ref, due);
    else if (
      due.refs.some(({ namespace }) => !this.store.isSelected(namespace)) &&
      this.#namespaces.hasListed
    )
      this.#reporter.heldBack(ref, due.refs);
  }

  /** A standby only reads what it has to know, and keeps nothing of what is not followed any more. */
  #follow({ unread, writeNow, writeSoon }: Effects): void {
    for (const config of unread) this.#look.later(config);
    for (const config of [...writeNow, ...writeSoon]) {
      if (this.store.dependents.dependentsOf(config).size > 0) continue;
      this.store.abandoned.delete(config);
      this.store.persisted.minSequences.delete(config);
    }
  }
}
