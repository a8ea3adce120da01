/**
 * Reports what happened: to the journal, to the counters, and as Events on the workloads. It decides nothing and waits for
 * nothing, so a report cannot delay a rollout.
 */

import { haltedText, type StageNews } from '../annotations/stage-news.ts';
import { isStakaterVariable } from '../annotations/stamp-variables.ts';
import type { Finding } from '../model/finding.ts';
import { pauseWords, whenTaken } from '../model/hold.ts';
import type { Log } from '../model/log.ts';
import {
  type ConfigRef,
  describe,
  describeAll,
  keyOf,
  type ObjectKey,
  type WorkloadRef,
  wholeOf,
  workloadRefIn,
} from '../model/object-ref.ts';
import {
  ATTEMPT_ENDS,
  type AttemptEnd,
  type Blocked,
  type FailureInfo,
  type Outcome,
  type PendingChanges,
  type Retry,
  type RolloutInfo,
  type WriteResult,
} from '../model/outcome.ts';
import { EVENTS, type EventReason, type EventRecord, eventTelling, type Reason } from '../model/reasons.ts';
import { aboutOf } from '../model/rollout-plan.ts';
import { parseStamp } from '../model/stamp.ts';
import { count } from '../model/text.ts';
import { formatDuration, inTime, monotonicMs } from '../model/time.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { outdatedObjects } from '../tracking/edge-policy.ts';
import type { Note } from '../tracking/effects.ts';
import type { Journal } from './journal.ts';

/** The metrics, by their names and labels. Every method is cheap and never throws. */
export interface Counters {
  readonly attempted: (ref: WorkloadRef, outcome: AttemptEnd) => void;
  readonly count: (name: `reloader_${string}`, labels?: Readonly<Record<string, string>>) => void;
  readonly measure: (name: `reloader_${string}`, value: number) => void;
}

/** The receivers of the reports. */
export interface ReporterOptions {
  readonly store: Store;
  readonly log: Log;
  /** @default nothing is counted */
  readonly counters?: Counters | undefined;
  /** Records an Event; never blocks. */
  readonly recordEvent: (news: EventRecord) => void;
  /** Whether nothing is written: then the reports say what would have been done. */
  readonly isDryRun: boolean;
  /** Called after each rollout, and when a workload is not rolled and needs a person; never blocks. @default nothing */
  readonly alerts?: Alerting | undefined;
  readonly journal: Journal;
}

interface Alerting {
  readonly record: (news: RolloutInfo) => void;
  readonly fail: (news: FailureInfo) => void;
}

/** Workloads whose windows end at the same time. */
export interface Due {
  /** Milliseconds from now; Infinity while their namespace is not selected. */
  readonly ms: number;
  readonly refs: readonly WorkloadRef[];
}

/** How many decisions with the same reason about the same workload are reported one by one. */
const MOST_ALIKE = 10;
/** The Events about outdated workloads that need a person. */
const FAILURES: readonly EventReason[] = ['ReloadRefused', 'ReloadGivenUp', 'ApprovalRequired'];
/** How many objects an Event names. */
const MOST_SOURCES = 10;

/** See the file's comment. */
export class Reporter {
  readonly journal: Journal;
  readonly #options: ReporterOptions;
  /** The refusal or the block that was reported last, by workload: the same one is reported once. */
  readonly #reported = new Map<ObjectKey, string>();

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.journal = options.journal;
  }

  /** Forgets a workload that does not exist or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#reported.delete(workload);
  }

  /**
   * Reports the decisions of one observation. Of many with the same reason and workload: the first ones and the number of
   * others.
   */
  notes(notes: readonly Note[]): void {
    const counts = new Map<string, { readonly note: Note; times: number }>();
    for (const note of notes) {
      const { workload, reason, detail = '' } = note;
      const kind = `${reason} ${workload === undefined ? '' : keyOf(workload)}`;
      const alike = counts.get(kind) ?? { note, times: 0 };
      counts.set(kind, alike);
      alike.times += 1;
      if (alike.times > MOST_ALIKE) continue;
      this.journal.note(note);
      if (workload !== undefined && reason === 'stamp-reverted')
        this.#event(workload, 'StampReverted', detail, `reverted by ${detail}`);
    }
    for (const { note, times } of counts.values())
      if (times > MOST_ALIKE) this.journal.more(note, times - MOST_ALIKE);
  }

  /** Reports a new finding. */
  finding({ ref, uid }: Pick<Workload, 'ref' | 'uid'>, { reason, about, message }: Finding): void {
    this.journal.say(reason, `${describe(ref)}: ${message}`, ref.namespace);
    const event = eventTelling(reason);
    if (event !== undefined)
      this.#options.recordEvent({ regarding: ref, uid, reason: event, about, message });
  }

  /** Reports that `config` changed, and when these workloads are rolled for it. */
  due(config: ConfigRef, { ms, refs }: Due): void {
    const isSelected = Number.isFinite(ms);
    const when = isSelected ? inTime(ms) : 'not before the namespace is selected';
    const message = `${describe(config)} changed: ${describeAll(refs)} ${when}`;
    this.journal.say(isSelected ? 'changed' : 'unselected-namespace', message, config.namespace);
  }

  /** Reports a rollout that has made no progress for `ms`. */
  overdue(workload: ObjectKey, ms: number): void {
    const { ref, generation } = this.#options.store.workloads.get(workload)?.workload ?? {};
    if (ref === undefined) return;
    const message = `its rollout has made no progress for ${formatDuration(ms)}: its slot is given to the next workload`;
    this.journal.say('rollout-overdue', `${describe(ref)}: ${message}`, ref.namespace);
    this.#event(ref, 'RolloutOverdue', String(generation), message);
  }

  /** Reports a halt, on the object and on the workload that did not get ready, or its end. */
  stage(news: StageNews): void {
    const { object } = news;
    if (news.type === 'ready-after-all') {
      const message = `${describe(object)} goes on: ${describe(workloadRefIn(news.workload))} is ready`;
      this.journal.say('halt-over', message, object.namespace);
      return;
    }
    const { workload, halt } = news;
    const { token } = halt;
    const message = haltedText(object, halt);
    const halted = { reason: 'RolloutHalted', message } as const;
    this.journal.say('halted', message, object.namespace);
    this.#options.recordEvent({ ...halted, regarding: wholeOf(object), uid: '', about: token });
    this.#event(workload, 'RolloutHalted', token, message);
    this.#options.alerts?.fail({ ...halted, workload, objects: [wholeOf(object)], cause: token });
  }

  /** Reports the end of an attempt; `nextTryMs`: in how many ms it is retried, undefined if it is not. */
  outcome(ref: WorkloadRef, outcome: Outcome, pending: PendingChanges, nextTryMs: number | undefined): void {
    const { counters } = this.#options;
    const who = describe(ref);
    const say = (reason: Parameters<Journal['say']>[0], message: string): void =>
      this.journal.say(reason, message, ref.namespace);
    const ended = outcome.type === 'retry' ? outcome.reason : outcome.type;
    const end = ATTEMPT_ENDS.find((type) => type === ended);
    if (end !== undefined) counters?.attempted(ref, end);
    if (outcome.type === 'current' || outcome.type === 'rolled') this.#reported.delete(keyOf(ref));
    switch (outcome.type) {
      case 'rolled':
        this.#rolled(ref, outcome, pending);
        break;
      case 'current':
        say('unchanged', `${who}: nothing left to roll`);
        break;
      case 'retry':
        this.#retried(ref, outcome, nextTryMs === undefined ? '' : `; next try ${inTime(nextTryMs)}`);
        break;
      case 'blocked':
        this.#blocked(ref, outcome.blocked);
        break;
      case 'gone':
        say('gone', `${who} is gone`);
        break;
    }
  }

  #retried(ref: WorkloadRef, { reason, message, evictions }: Retry, again: string): void {
    const who = describe(ref);
    const say = (...[why, text]: [Reason, string]): void => this.journal.say(why, text, ref.namespace);
    if (reason === 'conflict') say('conflict', `${who} was changed by another client: decided again`);
    if (reason === 'unavailable') say('retry', `${who} is not ${this.#doneTo(ref)} yet: ${message}${again}`);
    if (reason === 'refused') {
      say('refused', `${who} is refused: ${message}${again}`);
      const text = `not ${this.#doneTo(ref)}, and tried again until it is: ${message}`;
      if (!this.#isReported(ref, message)) this.#event(ref, 'ReloadRefused', message, text);
    }
    // Each look at the pods comes here: only news are reported, and a standstill once.
    if (evictions && !this.#isReported(ref, message)) say('evicting', `${who}: ${message}${again}`);
    if (evictions?.isStalled)
      this.#event(ref, 'EvictionsStalled', evictions.about, `no progress: ${message}`);
  }

  /** Each look comes here: only news are reported. */
  #blocked(ref: WorkloadRef, { reason, message, event, isShared }: Blocked): void {
    // The message of one that waits for its turn has its place.
    const block = `${reason} ${isShared === undefined ? message : ''}`;
    if (this.#isReported(ref, block)) return;
    const why = event === undefined ? 'held' : EVENTS[event].tells;
    this.journal.say(why, `${describe(ref)} is not rolled yet: ${message}`, ref.namespace);
    if (event === undefined || isShared === true) return;
    // The same content after another rollout has another Event.
    const edges = this.#options.store.workloads.get(keyOf(ref))?.edges.values() ?? [];
    const rolled = [...edges].map(({ stamp }) => stamp?.id);
    const about = `${contentsOf(this.#outdatedOn(ref))} ${rolled.join()} ${block}`;
    this.#event(ref, event, about, `not ${this.#doneTo(ref)} yet: ${message}`);
  }

  #outdatedOn(ref: WorkloadRef): readonly ConfigRecord[] {
    const { store } = this.#options;
    const record = store.workloads.get(keyOf(ref));
    return record === undefined ? [] : outdatedObjects(store, record);
  }

  /** Whether this was the last thing that was reported about the workload. */
  #isReported(ref: WorkloadRef, text: string): boolean {
    const isReported = this.#reported.get(keyOf(ref)) === text;
    this.#reported.set(keyOf(ref), text);
    return isReported;
  }

  #rolled(ref: WorkloadRef, outcome: Extract<Outcome, { type: 'rolled' }>, pending: PendingChanges): void {
    const { plan, evicted } = outcome;
    const { changes, since } = pending;
    const { counters, isDryRun, store, alerts } = this.#options;
    const pods = evicted === undefined ? '' : `; ${count(evicted, 'pod')} evicted`;
    const would = isDryRun ? 'would be ' : '';
    const done = `${would}${this.#doneTo(ref)}: ${count(plan.stamps.length, 'source')}, ${count(changes, 'change')}`;
    counters?.measure('reloader_change_to_rollout_seconds', (monotonicMs() - since) / 1000);
    counters?.measure('reloader_changes_per_rollout', changes);
    const reason = this.#isTold ? 'webhook-notified' : 'rolled';
    this.journal.say(reason, `${describe(ref)} ${done}${pods}`, ref.namespace);
    const sources = plan.stamps.flatMap(({ config }) => store.configs.get(config)?.ref ?? []);
    const later = this.#isTold || pods !== '' ? '' : this.#laterOf(ref);
    const message = `${this.#doneTo(ref)} once for ${count(changes, 'change')} of ${describeAll(sources, MOST_SOURCES)}${pods}${later}`;
    this.#event(ref, this.#isTold ? 'WebhookNotified' : 'Reloaded', aboutOf(plan), message);
    alerts?.record({ workload: ref, objects: sources });
  }

  /** Reports the result of a write of the state. A conflict is only counted: it is retried at once. */
  commit(result: WriteResult<unknown>, nextTryMs: number | undefined): void {
    const { counters, log } = this.#options;
    counters?.count('reloader_commits_total', { result: result.kind });
    if (result.kind === 'accepted' || result.kind === 'conflict') return;
    const error = 'message' in result ? { error: result.message } : {};
    log.warn('cannot write the state yet', { result: result.kind, ...error, retryInMs: nextTryMs ?? 0 });
  }

  /** Reports that everything is listed; and warns if workloads carry stamps although no state was found. */
  listed(beganWithoutState: boolean): void {
    const { store, log } = this.#options;
    const workloads = [...store.workloads.values()].map(({ workload }) => workload);
    const objects = [...store.dependents.keys()].length;
    log.info(
      `initial lists are complete: ${count(workloads.length, 'workload')}, ${count(objects, 'object')} followed`,
    );
    // Those of Stakater Reloader have no id.
    const isStamp = ({ variable, value }: TemplateStamp): boolean => {
      const stamp = parseStamp(value);
      return stamp !== undefined && (stamp.id > 0 || !isStakaterVariable(variable));
    };
    const stamped = workloads.filter(({ stamps }) => stamps.some(isStamp)).map(({ ref }) => ref);
    if (!beganWithoutState || stamped.length === 0) return;
    log.warn(
      `no state was found although ${describeAll(stamped)} carry stamps: the current content is the new baseline, and earlier changes are unknown`,
      { namespaces: [...new Set(stamped.map(({ namespace }) => namespace))].join(', ') },
    );
  }

  get #isTold(): boolean {
    return this.#options.store.settings.onlyTells;
  }

  /** The verb for the rollout of a workload of this kind. */
  #doneTo({ kind }: WorkloadRef): string {
    return this.#isTold ? 'sent to the webhook' : workloadKindOf(kind).done;
  }

  /** The end of the message for a workload whose pods are not replaced at once. */
  #laterOf(ref: WorkloadRef): string {
    const { workloads, settings } = this.#options.store;
    const workload = workloads.get(keyOf(ref))?.workload;
    const pause = workload && settings.vocabularies.pausing.pauseOf(workload);
    if (pause !== undefined) return `; ${pauseWords(pause)}: its pods take it then`;
    const hold = workload?.hold;
    return hold === undefined ? '' : `; ${whenTaken(hold, ref)}`;
  }

  #event(regarding: WorkloadRef, reason: EventReason, about: string, message: string): void {
    const { store, recordEvent, alerts } = this.#options;
    const { uid = '' } = store.workloads.get(keyOf(regarding))?.workload ?? {};
    recordEvent({ regarding, uid, reason, about, message });
    if (alerts === undefined || !FAILURES.includes(reason)) return;
    const outdated = this.#outdatedOn(regarding);
    const objects = outdated.map(({ ref }) => ref);
    const cause = `${reason},${contentsOf(outdated)}`;
    if (objects.length > 0) alerts.fail({ workload: regarding, objects, reason, message, cause });
  }
}

/** Tells contents apart; not for people. */
function contentsOf(objects: readonly ConfigRecord[]): string {
  return objects
    .map(({ ref, digest }) => `${keyOf(ref)} ${digest}`)
    .sort()
    .join();
}
