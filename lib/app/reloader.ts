/**
 * The reloader: takes in what the streams tell, and as a leader carries out what follows. One is made for each term; as a
 * standby it only follows what happens, so that the next one can begin with all that it has seen.
 */

import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import type { Heartbeat } from '../model/heartbeat.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import type { Log } from '../model/log.ts';
import { type ConfigRef, keyOf, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import type { RawConfigObject, RawWorkload } from '../model/raw-objects.ts';
import type { Timeline } from '../model/timeline.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import type { WorkloadClient } from '../model/workload-client.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { Absences, type ReadLeftOut } from '../repair/absences.ts';
import { catchUp } from '../repair/catch-up.ts';
import { FreshLook, type ReadConfig } from '../repair/fresh-look.ts';
import { Mending } from '../repair/mending.ts';
import { Successions, type SuccessionsOptions } from '../repair/successions.ts';
import { Unread } from '../repair/unread.ts';
import { duesOf } from '../report/dues.ts';
import type { Journal } from '../report/journal.ts';
import { Notices } from '../report/notices.ts';
import {
  type Counters,
  type Due,
  type RecordEvent,
  Reporter,
  type ReporterOptions,
} from '../report/reporter.ts';
import type { AttemptOptions } from '../rollout/rollout-attempt.ts';
import { RolloutController } from '../rollout/rollout-controller.ts';
import { finishInTime } from '../state/ending.ts';
import type { StateLayout } from '../state/known-state.ts';
import { SelectedNamespaces } from '../state/selected-namespaces.ts';
import { noticeState, seeShownState } from '../state/shown-state.ts';
import { StateCommitter, type StateCommitterOptions } from '../state/state-committer.ts';
import type { WriteGate } from '../state/state-exceptions.ts';
import { type AllShards, type StateStore, stateKeysOf } from '../store/state-store.ts';
import type { Stream, SyncGate } from '../store/sync-gate.ts';
import { observeConfig, observeListed } from '../tracking/config-controller.ts';
import type { Edges } from '../tracking/edges.ts';
import type { Effects } from '../tracking/effects.ts';
import { wantsLegacyDigest } from '../tracking/legacy-digest.ts';
import { observeWorkload } from '../tracking/workload-controller.ts';
import { handOver, saysSomething } from './hand-over.ts';
import { Listing } from './listing.ts';

/** What the reloader is made of. */
export interface ReloaderOptions extends Pick<AttemptOptions, 'listBirths'> {
  readonly edges: Edges;
  readonly gate: SyncGate;
  /** The ConfigMaps of the state, in the home namespace of `edges`. */
  readonly state: StateLayout;
  readonly client: WorkloadClient;
  readonly finish: SuccessionsOptions['finish'];
  readonly store: StateStore;
  readonly readConfig: ReadConfig;
  readonly readLeftOut: ReadLeftOut;
  /** The labels of the ConfigMaps and Secrets that the streams show; undefined: all. */
  readonly resourceSelector: string | undefined;
  readonly timeline: Timeline;
  readonly log: Log;
  readonly heartbeat: Heartbeat;
  readonly counters: Counters;
  readonly recordEvent: RecordEvent;
  /** Whether it acts on what it sees; else it is a standby. */
  readonly leads: boolean;
  readonly mark?: StateCommitterOptions['mark'];
  readonly onContested?: StateCommitterOptions['onContested'];
  /** The state belongs to a later version of this program. */
  readonly onUnknownVersion: (version: string) => void;
  readonly journal?: ReporterOptions['journal'];
  readonly isDryRun?: boolean;
  readonly onRollout?: ReporterOptions['onRollout'];
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
  readonly notices: Notices;
  readonly absences: Absences;
  readonly listing: Listing;
  readonly #mending: Mending;
  readonly #namespaces: SelectedNamespaces;
  readonly #successions: Successions;
  readonly #options: ReloaderOptions;
  readonly #reporter: Reporter;
  readonly #look: FreshLook;
  readonly #unread: Unread;
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
    const { edges, random, finish } = options;
    const say: SuccessionsOptions['say'] = (workload, notice) => this.#reporter.notice(workload, notice);
    edges.ownState = new Set(stateKeysOf(options.state.name, edges.homeNamespace));
    this.#look = this.#newLook();
    this.#unread = new Unread({ ...options, lookAt: (config) => this.#look.atConfig(config) });
    this.absences = this.#newAbsences();
    this.notices = new Notices({
      edges,
      absenceOf: (config) => this.absences.of(config),
      isSlowed: (workload) => this.rollouts.isSlowed(workload),
      needsOf: (workload) => this.rollouts.needsOf(workload),
      say,
    });
    this.rollouts = this.#newRollouts();
    this.#successions = new Successions({ finish, say, random });
    const isWaiting = (workload: ObjectKey): boolean => this.rollouts.isWaiting(workload);
    this.#mending = new Mending({ ...options, isWaiting, say });
    this.#namespaces = new SelectedNamespaces({
      edges,
      journal: this.#reporter.journal,
      release: (workload) => this.rollouts.release(workload),
      onSelected: (namespaces) => {
        this.notices.select(namespaces);
        this.#mending.select(namespaces);
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
  get edges(): Edges {
    return this.#options.edges;
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
    const { edges, gate } = this.#options;
    return await catchUp(edges, shards, this.#look, (ref) => gate.lists(ref.kind, ref.namespace));
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
    const { edges } = this.#options;
    const object = configObjectOf(kind, raw, {
      legacyDigest: (ref) => wantsLegacyDigest(edges, ref),
      keyDigests: (ref) => edges.scopes.wants(keyOf(ref)),
      annotation: edges.dialect.isConfigAnnotation,
      isOwnState: (ref) => edges.ownState.has(keyOf(ref)),
    });
    if (object.isState === true) seeShownState(edges, this.leads ? this.committer : undefined, raw);
    return object;
  }

  /** What is kept of a workload. */
  view(row: WorkloadKind, raw: RawWorkload): Workload {
    return workloadOf(row, raw, this.#options.edges.dialect);
  }

  /** News of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    this.#observeConfig(event);
    if (event.type === 'synced') this.#listed(stream);
    if (this.leads) noticeState(this.edges, this.committer, stream, event);
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
    const { edges } = this.#options;
    this.#apply(observeConfig(edges, event));
    if (event.type === 'synced') return;
    const keys = [event.key, ...edges.scopes.of(event.key).map(keyOf)];
    this.rollouts.recheck(edges.dependents.dependentsOfAny(keys));
  }

  /** The first list of the stream is complete. */
  #listed(stream: Stream): void {
    const { edges } = this.#options;
    if (stream.kind === 'Namespace') this.#namespaces.observe({ type: 'synced' });
    else if (!stream.isWorkload && edges.presence.markListed(stream))
      this.#apply(observeListed(edges, stream));
  }

  #observeWorkload(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    if (this.leads) this.#successions.observe(event);
    this.#observe(event);
  }

  #observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { edges, gate } = this.#options;
    this.#apply(observeWorkload(edges, event, gate.isSynced(namespaceIn(event.key))));
    if (event.type === 'present' && !edges.workloads.has(event.key) && saysSomething(event.object)) {
      this.others.set(event.key, event.object);
    } else this.others.delete(event.key);
    if (!this.leads) return;
    this.rollouts.recheck([event.key]);
    this.notices.observe(event);
    this.#mending.observe(event);
  }

  #parts(): readonly { readonly close: () => Promise<void> }[] {
    return [this.rollouts, this.#mending, this.#successions, this.#unread];
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

  #newLook(): FreshLook {
    return new FreshLook({
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
      needsOf: (record) => this.absences.needsOf(record),
      observer: {
        onSlowed: (ref, ms) => this.#reporter.slowed(ref, ms),
        onOutcome: (ref, outcome, tally, nextTryMs) => {
          this.#reporter.outcome(ref, outcome, tally, nextTryMs);
          if (outcome.type === 'done') this.notices.rolled(keyOf(ref));
          if (outcome.type === 'lacking') this.absences.hold(keyOf(ref));
          this.notices.review(keyOf(ref));
          this.#mending.proceed(keyOf(ref));
          this.committer.kick();
        },
      },
      onPatchAnswered: (seconds) => this.#options.counters.patched(seconds),
    });
  }

  #newAbsences(): Absences {
    const { edges, gate, quietMs } = this.#options;
    return new Absences({
      ...this.#options,
      isSynced: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
      isHeld: (workload) => this.rollouts.needsOf(workload).length > 0,
      onNews: (configs) => {
        const workloads = edges.dependents.dependentsOfAny(configs);
        for (const workload of workloads) this.notices.review(workload);
        this.rollouts.recheck(workloads);
      },
      graceMs: Math.max(quietMs, LEAST_GRACE_MS),
    });
  }

  /** Streams that listed earlier may have left objects unwritten until another one had. */
  #reconsider(): void {
    if (!this.leads) return;
    this.absences.relist();
    this.rollouts.recheck();
    this.committer.request(new Set(), new Set(this.#options.edges.dependents.configs()));
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
    for (const workload of effects.spurred)
      if (!effects.contested.has(workload)) this.rollouts.spur(workload);
    this.#touch(effects.touched);
    for (const workload of effects.resumed) this.rollouts.resume(workload);
    for (const [workload, times] of effects.contested) this.rollouts.contest(workload, times);
    this.committer.request(effects.writeNow, effects.writeSoon);
    this.#inquire(effects);
  }

  /** Passes on what has to be found out, and what people have to be told. */
  #inquire({ losses, rivals, absent, returned, unread }: Effects): void {
    for (const loss of losses) this.notices.lose(loss);
    for (const rival of rivals) this.notices.meet(rival);
    for (const config of returned) this.absences.clear(config);
    for (const config of absent) this.absences.suspect(config);
    for (const config of unread) this.#unread.read(config);
  }

  #touch(touched: ReadonlyMap<ObjectKey, ReadonlySet<ObjectKey>>): void {
    const dues = duesOf(this.#options.edges, touched, (workload, changes) => {
      const ms = this.rollouts.touch(workload, changes);
      if (!this.rollouts.isWaiting(workload)) this.committer.kick();
      return ms;
    });
    for (const [config, each] of dues) for (const due of each) this.#tell(config, due);
  }

  /** Tells of a change for which workloads are due. */
  #tell(config: ObjectKey, line: Due): void {
    const { edges } = this.#options;
    const ref = edges.configs.get(config)?.ref;
    if (ref === undefined) return;
    if (Number.isFinite(line.ms)) this.#reporter.due(ref, line);
    else if (line.refs.some(({ namespace }) => !edges.isSelected(namespace)) && this.#namespaces.hasListed)
      this.#reporter.heldBack(ref, line.refs);
  }

  /** A standby only reads what it has to know, and keeps nothing of what is not followed any more. */
  #follow({ unread, writeNow, writeSoon }: Effects): void {
    const { edges } = this.#options;
    for (const config of unread) this.#unread.read(config);
    for (const config of [...writeNow, ...writeSoon]) {
      if (edges.dependents.dependentsOf(config).size > 0) continue;
      edges.abandoned.delete(config);
      edges.floors.delete(config);
    }
  }
}
