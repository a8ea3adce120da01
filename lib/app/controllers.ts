/**
 * The acting parts of one reloader, and the only place where they are connected: rollouts, commits, repairs, findings and
 * reports do not know each other. It carries out the effects that the rules in tracking have decided, in the order that a leader holds.
 */

import { keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { InformerEvent, Span, Timeline } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { JobRecreations, type JobRecreationsOptions } from '../repair/job-recreations.ts';
import { MissingObjects } from '../repair/missing-objects.ts';
import { Pauses } from '../repair/pauses.ts';
import { Findings, type FindingsOptions } from '../report/findings.ts';
import { type Due, Reporter, type ReporterOptions } from '../report/reporter.ts';
import { NamespaceAnnotations } from '../rollout/namespace-annotations.ts';
import { RolloutController, type RolloutControllerOptions } from '../rollout/rollout-controller.ts';
import { SelectedNamespaces } from '../rollout/selected-namespaces.ts';
import { StateCommitter, type StateCommitterOptions } from '../state/state-committer.ts';
import type { NamespaceObject } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { SyncGate } from '../store/sync-gate.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import type { Effects } from '../tracking/effects.ts';
import { Fence } from './fence.ts';

/** The collaborators and settings of all parts. */
export interface ControllersOptions
  extends Omit<
      RolloutControllerOptions,
      | 'apply'
      | 'observe'
      | 'isListed'
      | 'onOverdue'
      | 'persist'
      | 'onNews'
      | 'newToken'
      | 'onOutcome'
      | 'onPatchAnswered'
      | 'marks'
    >,
    Pick<StateCommitterOptions, 'stateClient' | 'mark' | 'onContested' | 'onUnknownVersion'>,
    Pick<FindingsOptions, 'isDynamic'>,
    Pick<JobRecreationsOptions, 'finish'>,
    Pick<ReporterOptions, 'counters' | 'recordEvent' | 'journal' | 'isDryRun' | 'alerts'> {
  readonly gate: SyncGate;
  /** The ConfigMaps of the state, in the home namespace of `store`. */
  readonly state: Pick<StateCommitterOptions, 'name' | 'shardBytes'>;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Whether this reloader leads; a standby observes and writes nothing. */
  readonly leads: boolean;
}

/** An event of a workload. */
export type WorkloadEvent = Exclude<InformerEvent<Workload>, { type: 'synced' }>;

/** The least time before an object counts as missing: a manifest may create it just after the workload that names it. */
const LEAST_GRACE_MS = 1_000;
/** One more than the highest number in the token that a person repeats to let a halted content go on. */
const TOKENS = 2 ** 32;

/** See the file's comment. One instance serves one term. */
export class Controllers {
  readonly store: Store;
  readonly counters: ReporterOptions['counters'];
  readonly reporter: Reporter;
  readonly missingObjects: MissingObjects;
  readonly rollouts: RolloutController;
  readonly findings: Findings;
  readonly pauses: Pauses;
  readonly jobRecreations: JobRecreations;
  readonly namespaces: SelectedNamespaces;
  readonly #namespaceAnnotations: NamespaceAnnotations;
  readonly committer: StateCommitter;
  readonly fence: Fence;
  readonly #leads: boolean;
  readonly #timeline: Timeline;
  readonly #onWorkload: (event: WorkloadEvent) => void;

  /** `onWorkload` observes a workload that was read outside its stream. */
  constructor(options: ControllersOptions, onWorkload: (event: WorkloadEvent) => void) {
    const { store, gate, quietMs, counters } = options;
    this.store = store;
    this.counters = counters;
    this.#leads = options.leads;
    this.#timeline = options.timeline;
    this.#onWorkload = onWorkload;
    this.reporter = new Reporter(options);
    this.missingObjects = new MissingObjects({
      ...options,
      isSynced: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
      onNews: (configs) => this.#reviewDependents(configs),
      graceMs: options.isObserver === true ? 0 : Math.max(quietMs, LEAST_GRACE_MS),
    });
    const apply = (effects: Effects): void => this.apply(effects);
    this.fence = new Fence({
      ...options,
      onNews: (key, message) => {
        if (message !== undefined) counters?.count('reloader_internal_errors_total');
        if (this.#leads) this.findings.fail(key, message);
      },
    });
    const isWaiting = (workload: ObjectKey): boolean => this.rollouts.isWaiting(workload);
    this.committer = new StateCommitter({
      ...options,
      ...options.state,
      apply,
      gate: { isSynced: (...about) => gate.isSynced(...about), isWaiting },
      onCommit: (result, nextTryMs) => this.reporter.commit(result, nextTryMs),
    });
    this.rollouts = this.#newRollouts(options);
    const say: JobRecreationsOptions['say'] = (...news) => this.reporter.finding(...news);
    this.findings = new Findings({
      ...options,
      isMissing: (config) => this.missingObjects.has(config),
      say,
    });
    this.pauses = new Pauses({ ...options, isWaiting, say });
    this.jobRecreations = new JobRecreations({ ...options, say });
    this.namespaces = new SelectedNamespaces({
      store,
      journal: options.journal,
      apply,
      release: (workload) => this.rollouts.wake(workload),
      onSelected: (namespaces) => this.findings.select(namespaces),
    });
    this.#namespaceAnnotations = new NamespaceAnnotations(store, (workloads) => this.#reconsider(workloads));
  }

  /** The parts with loops of their own, without the committer: it closes after them, since it records their results. */
  get parts(): readonly { readonly close: () => Promise<void> }[] {
    return [this.fence, this.rollouts, this.pauses, this.jobRecreations, this.missingObjects];
  }

  /** These workloads, or what they name, have changed. */
  wake(workloads: Iterable<ObjectKey>): void {
    for (const key of workloads) this.fence.run('its wait', key, () => this.rollouts.wake(key));
  }

  /** Computes the findings about the workload anew. */
  review(workload: ObjectKey): void {
    this.fence.run('its findings', workload, () => this.findings.review(workload));
  }

  /** The effects of an observation were lost by an exception: what the workload needs follows from the store. */
  restore(workload: ObjectKey): void {
    if (!this.#leads) return;
    this.fence.run('its rollout', workload, () => {
      const edges = this.store.workloads.get(workload)?.edges.keys() ?? [];
      if (needsRollout(this.store, workload)) this.rollouts.touch(workload, 1);
      this.committer.request(edges);
    });
  }

  /** Carries out the effects of one observation, as a leader; synchronous, so the next observation meets them carried out. */
  apply(effects: Effects): void {
    if (this.#leads && !effects.isEmpty) carryOut(this, effects);
  }

  /** A stream has listed: commits and probes that waited for its list are considered again. */
  reconsider(): void {
    if (!this.#leads) return;
    this.fence.run('a new look', 'everything', () => {
      this.rollouts.slots?.proceed();
      this.rollouts.stages.proceed();
      this.missingObjects.relist();
      this.committer.relist();
    });
  }

  #newRollouts(options: ControllersOptions): RolloutController {
    const { gate, random } = options;
    return new RolloutController({
      ...options,
      apply: (effects) => this.apply(effects),
      observe: (ref, workload, span) => this.#take(ref, workload, span),
      isListed: () => gate.showsWorkloads,
      onOverdue: (...news) => this.reporter.overdue(...news),
      persist: (config) => this.committer.demand([config]),
      onNews: (news) => this.reporter.stage(news),
      newToken: () =>
        Math.floor(random() * TOKENS)
          .toString(16)
          .padStart(8, '0'),
      onOutcome: (...report) => this.#onOutcome(...report),
      onPatchAnswered: (seconds) => this.counters?.measure('reloader_patch_duration_seconds', seconds),
      marks: this.committer,
    });
  }

  /** A workload that was read outside its stream, or answered to a write at `written`. */
  #take(ref: WorkloadRef, object: Workload, written?: Span): void {
    const key = keyOf(ref);
    const record = this.store.workloads.get(key);
    // The stream has shown its deletion during the read: an older version must not bring it back.
    if (record === undefined) return;
    const before = { at: record.knownAt, arrival: record.knownAt };
    const span = written ?? this.#timeline.ofListed(object.resourceVersion, before);
    this.#onWorkload({ type: 'present', key, object, span, isInInitialList: false, isRelisted: true });
  }

  /** An event of a namespace. What it says of its workloads counts before they are rolled because it is selected. */
  observeNamespace(event: InformerEvent<NamespaceObject>): void {
    this.fence.run('its event', event.type === 'synced' ? 'namespaces' : event.key, () => {
      this.#namespaceAnnotations.observe(event);
      if (this.store.settings.selectsNamespaces) this.namespaces.observe(event);
    });
  }

  /** Other annotations count for these workloads. */
  #reconsider(workloads: readonly ObjectKey[]): void {
    if (!this.#leads) return;
    this.wake(workloads);
    for (const workload of workloads) this.review(workload);
  }

  #reviewDependents(configs: ReadonlySet<ObjectKey>): void {
    const workloads = this.store.dependents.ofAny(configs);
    for (const workload of workloads) this.review(workload);
    this.wake(workloads);
  }

  /** After each attempt, whatever its outcome. Its entries may be due, since the workload is no longer about to be patched. */
  #onOutcome(...[ref, outcome, pending, nextTryMs]: Parameters<RolloutControllerOptions['onOutcome']>): void {
    this.reporter.outcome(ref, outcome, pending, nextTryMs);
    if (outcome.type === 'rolled') this.findings.rolled(keyOf(ref));
    this.review(keyOf(ref));
    this.pauses.proceed(keyOf(ref));
    this.committer.request(this.store.workloads.get(keyOf(ref))?.edges.keys() ?? []);
  }
}

/** Windows that end within so many ms of each other are reported together. */
const TOGETHER_MS = 100;

/**
 * Carries out all effects as a leader. The order matters: workloads are forgotten first, since the same effects may begin to
 * follow them again; windows begin before the write of the state is requested, since it is not due for workloads in a window.
 */
export function carryOut(targets: Controllers, effects: Effects): void {
  const { rollouts, committer, reporter, counters, fence } = targets;
  const fenced = (workload: ObjectKey, handle: () => void): void =>
    fence.run('its rollout', workload, handle);
  for (const [workload] of effects.enqueuedFor('forgotten')) {
    fenced(workload, () => rollouts.forget(workload));
    reporter.forget(workload);
  }
  reporter.notes(effects.reported('note'));
  for (const { config, change } of effects.reported('change'))
    counters?.count('reloader_changes_total', { kind: config.kind, type: change });
  const reverted = new Map(effects.enqueuedFor('stamp-reverted'));
  for (const [workload] of effects.enqueuedFor('retry-now'))
    if (!reverted.has(workload)) fenced(workload, () => rollouts.retryNow(workload));
  touch(targets, effects);
  for (const [workload, { times }] of reverted) fenced(workload, () => rollouts.contest(workload, times));
  committer.request(effects.persisted);
  inquire(targets, effects);
}

/** Begins or prolongs the windows of changed workloads, and reports when they end: once for those of an object that end together. */
function touch(targets: Controllers, effects: Effects): void {
  const { store, rollouts, fence } = targets;
  const changed = Map.groupBy(effects.enqueuedFor('changed'), ([workload]) => workload);
  const dues = [...changed].flatMap(([workload, reasons]) => {
    const ref = store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return [];
    const configs = new Set(reasons.map(([, { config }]) => config));
    let ms = Number.POSITIVE_INFINITY;
    fence.run('its rollout', workload, () => {
      ms = rollouts.touch(workload, configs.size);
    });
    return [...configs].map((config) => ({ config, ref, ms }));
  });
  const together = Map.groupBy(dues, ({ config, ms }) => `${config} ${Math.round(ms / TOGETHER_MS)}`);
  for (const [first, ...others] of together.values())
    if (first !== undefined)
      tellDue(targets, first.config, { ms: first.ms, refs: [first, ...others].map(({ ref }) => ref) });
}

/** Reports when the workloads of a change are rolled, or that they wait for their namespace to be selected. */
function tellDue({ store, reporter, namespaces }: Controllers, config: ObjectKey, due: Due): void {
  const record = store.configs.get(config);
  if (record === undefined) return;
  const isHeldBack = due.refs.some(({ namespace }) => !store.isSelected(namespace));
  if (Number.isFinite(due.ms) || (isHeldBack && namespaces.hasListed)) reporter.due(record.ref, due);
}

/** Passes on findings, and objects that have to be looked up. */
function inquire(targets: Controllers, effects: Effects): void {
  const { findings, missingObjects } = targets;
  for (const { competitor } of effects.reported('competitor')) findings.meet(competitor);
  for (const { config } of effects.reported('found')) missingObjects.clear(config);
  for (const { config } of effects.reported('missing')) missingObjects.suspect(config);
}
