/** Tells what happened to those who want to know: the journal, the counters, and Events on the workloads. */

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
} from '../model/object-ref.ts';
import type { Outcome, PendingChanges, RolloutInfo, WriteResult } from '../model/outcome.ts';
import { type EventReason, type EventRecord, eventTelling } from '../model/reasons.ts';
import type { RolloutPlan } from '../model/rollout-plan.ts';
import { formatStamp, parseStamp } from '../model/stamp.ts';
import { count } from '../model/text.ts';
import { inTime, monotonicMs } from '../model/time.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { Store } from '../store/store.ts';
import type { Note } from '../tracking/effects.ts';
import { Journal } from './journal.ts';

/** How an attempt ended. */
type AttemptEnd = Exclude<
  Outcome['type'],
  'settled' | 'unselected' | 'absorbing' | 'waiting-for-dependency' | 'given-up'
>;

/** Who counts what happens. Every method is cheap and never throws. */
export interface Counters {
  readonly changed: (kind: ConfigRef['kind'], type: 'created' | 'updated' | 'deleted') => void;
  readonly attempted: (ref: WorkloadRef, outcome: AttemptEnd) => void;
  readonly rolled: (report: { readonly secondsSinceChange: number; readonly changes: number }) => void;
  readonly patched: (seconds: number) => void;
  readonly committed: (result: WriteResult<unknown>['kind']) => void;
}

/** Tells the people who look at a workload; never blocks. */
export type RecordEvent = (news: EventRecord) => void;

/** Whom a reporter tells. */
export interface ReporterOptions {
  readonly store: Store;
  readonly log: Log;
  readonly counters: Counters;
  readonly recordEvent: RecordEvent;
  /** Whether nothing is written: then what is told is what would have been done. @default false */
  readonly isDryRun?: boolean;
  /** Is called after every rollout; never blocks. @default nothing */
  readonly onRollout?: ((news: RolloutInfo) => void) | undefined;
  /** Keeps what was decided. @default one of its own */
  readonly journal?: Journal | undefined;
}

/** Whose quiet period ends when. */
export interface Due {
  /** From now. */
  readonly ms: number;
  readonly refs: readonly WorkloadRef[];
}

/** How many decisions are told that are alike. */
const MOST_ALIKE = 10;
/** How many sources an Event names. */
const MOST_SOURCES = 10;

/** See the file's comment. */
export class Reporter {
  readonly journal: Journal;
  readonly #options: ReporterOptions;
  /** The refusal last told by an Event, by workload: the same one is told once. */
  readonly #refusals = new Map<ObjectKey, string>();

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.journal = options.journal ?? new Journal(options.log);
  }

  /** A workload is gone or follows nothing any more. */
  forget(workload: ObjectKey): void {
    this.#refusals.delete(workload);
  }

  /** Decisions of the rules, made at once: of many for one workload that are alike the first ones, and how many more there are. */
  notes(notes: readonly Note[]): void {
    const counts = new Map<string, { readonly note: Note; times: number }>();
    for (const note of notes) {
      const kind = `${note.reason} ${note.workload === undefined ? '' : keyOf(note.workload)}`;
      const alike = counts.get(kind) ?? { note, times: 0 };
      counts.set(kind, alike);
      alike.times += 1;
      if (alike.times <= MOST_ALIKE) this.#note(note);
    }
    for (const { note, times } of counts.values())
      if (times > MOST_ALIKE) this.journal.more(note, times - MOST_ALIKE);
  }

  #note(note: Note): void {
    const { workload, reason, detail = '' } = note;
    this.journal.note(note);
    if (workload !== undefined && reason === 'stamp-reverted')
      this.#event(workload, 'StampReverted', detail, `reverted by ${detail}`);
  }

  /** A finding that is new. */
  finding({ ref, uid }: Pick<Workload, 'ref' | 'uid'>, { reason, about, message }: Finding): void {
    this.journal.say(reason, `${describe(ref)}: ${message}`, ref.namespace);
    const event = eventTelling(reason);
    if (event !== undefined)
      this.#options.recordEvent({ regarding: ref, uid, reason: event, about, message });
  }

  /** `config` changed, and these workloads wait to be rolled for it. */
  due(config: ConfigRef, { ms, refs }: Due): void {
    this.journal.say(
      'changed',
      `${describe(config)} changed: ${describeAll(refs)} ${inTime(ms)}`,
      config.namespace,
    );
  }

  /** `config` changed, and these workloads wait for their namespace to be selected. */
  heldBack(config: ConfigRef, refs: readonly WorkloadRef[]): void {
    const message = `${describe(config)} changed: ${describeAll(refs)} not before the namespace is selected`;
    this.journal.say('unselected-namespace', message, config.namespace);
  }

  /** A workload that is rolled too often waits for longer than it asks for: told once for each of its windows. */
  slowed(ref: WorkloadRef, atTheLatestMs: number): void {
    const at = new Date(Date.now() + atTheLatestMs).toISOString();
    const message = `rolled too often: the next rollout comes ${inTime(atTheLatestMs)} at the latest, at ${at}`;
    this.journal.say('slowed', `${describe(ref)}: ${message}`, ref.namespace);
    this.#event(ref, 'RolloutsSlowed', at, message);
  }

  /** An attempt to roll ended. */
  outcome(ref: WorkloadRef, outcome: Outcome, pending: PendingChanges, nextTryMs: number | undefined): void {
    const { counters } = this.#options;
    const who = describe(ref);
    const say = (reason: Parameters<Journal['say']>[0], message: string): void =>
      this.journal.say(reason, message, ref.namespace);
    const again = nextTryMs === undefined ? '' : `; next try ${inTime(nextTryMs)}`;
    if (isAttempt(outcome)) counters.attempted(ref, outcome.type);
    if (outcome.type === 'settled' || outcome.type === 'done') this.#refusals.delete(keyOf(ref));
    switch (outcome.type) {
      case 'done':
        counters.rolled({
          secondsSinceChange: (monotonicMs() - pending.since) / 1000,
          changes: pending.changes,
        });
        say(
          this.#isTold ? 'webhook-notified' : 'rolled',
          `${who} ${this.#options.isDryRun === true ? 'would be ' : ''}${this.#doneTo(ref)}: ${count(outcome.plan.stamps.length, 'source')}, ${count(pending.changes, 'change')}`,
        );
        this.#tellOfRollout(outcome.plan, pending);
        break;
      case 'settled':
        say('unchanged', `${who}: nothing left to roll`);
        break;
      case 'again':
        say('conflict', `${who} was changed by another client: decided again`);
        break;
      case 'later':
        say('retry', `${who} is not ${this.#doneTo(ref)} yet: ${outcome.message}${again}`);
        break;
      case 'refused':
        say('refused', `${who} is refused: ${outcome.message}${again}`);
        this.#warnOfRefusal(ref, outcome.message);
        break;
      case 'given-up':
        say('given-up', `${who} is not rolled: ${outcome.message}`);
        this.#event(ref, 'ReloadGivenUp', outcome.message, `not ${this.#doneTo(ref)}: ${outcome.message}`);
        break;
      case 'unselected':
        say('unselected-namespace', `${who} is not rolled before its namespace is selected`);
        break;
      case 'absorbing':
        say('external-rollout-in-progress', `${who} is being rolled by an external writer, with the change`);
        break;
      case 'waiting-for-dependency':
        break; // a finding reports it, once
      case 'gone':
        say('gone', `${who} is gone`);
        break;
    }
  }

  /** A write of the state was answered. */
  commit(result: WriteResult<unknown>, nextTryMs: number | undefined): void {
    const { counters, log } = this.#options;
    counters.committed(result.kind);
    if (result.kind === 'accepted' || result.kind === 'conflict') return;
    const error = 'message' in result ? { error: result.message } : {};
    log.warn('the state is not written yet', { result: result.kind, ...error, retryInMs: nextTryMs ?? 0 });
  }

  /** Everything has listed. */
  listed(beganWithoutState: boolean): void {
    const { store, log } = this.#options;
    const workloads = [...store.workloads.values()].map(({ workload }) => workload);
    const objects = [...store.dependents.configs()].length;
    log.info(
      `everything is listed: ${count(workloads.length, 'workload')}, ${count(objects, 'object')} followed`,
    );
    const isStamp = ({ value }: TemplateStamp): boolean => parseStamp(value) !== undefined;
    const stamped = workloads.filter(({ stamps }) => stamps.some(isStamp)).map(({ ref }) => ref);
    if (!beganWithoutState || stamped.length === 0) return;
    log.warn(
      `no state was found although ${describeAll(stamped)} carry stamps: the present content is the baseline, changes made meanwhile are not known`,
      { namespaces: [...new Set(stamped.map(({ namespace }) => namespace))].join(', ') },
    );
  }

  #warnOfRefusal(ref: WorkloadRef, message: string): void {
    if (this.#refusals.get(keyOf(ref)) === message) return;
    this.#refusals.set(keyOf(ref), message);
    this.#event(
      ref,
      'ReloadRefused',
      message,
      `not ${this.#doneTo(ref)}, and tried again until it is: ${message}`,
    );
  }

  get #isTold(): boolean {
    return this.#options.store.settings.onlyTells;
  }

  /** What is done to a workload when it is rolled. */
  #doneTo({ kind }: WorkloadRef): string {
    return this.#isTold ? 'told to the webhook' : workloadKindOf(kind).done;
  }

  /** While an entry lives no stamp repeats: they tell this rollout from every other one. */
  #tellOfRollout({ workload, stamps }: RolloutPlan, { changes }: PendingChanges): void {
    const { configs } = this.#options.store;
    const sources = stamps.map(({ config }) => configs.get(config)?.ref).filter((ref) => ref !== undefined);
    const about = stamps.map(({ config, stamp }) => `${config}=${formatStamp(stamp)}`).join();
    const later = this.#isTold ? '' : this.#laterOf(workload);
    const message = `${this.#doneTo(workload)} once for ${count(changes, 'change')} of ${describeAll(sources, MOST_SOURCES)}${later}`;
    this.#event(workload, this.#isTold ? 'WebhookNotified' : 'Reloaded', about, message);
    this.#options.onRollout?.({ workload, objects: sources });
  }

  /** When its pods take what was rolled, if not at once. */
  #laterOf(ref: WorkloadRef): string {
    const { workloads, settings } = this.#options.store;
    const workload = workloads.get(keyOf(ref))?.workload;
    const pause = workload && settings.vocabularies.pausing.pauseOf(workload);
    if (pause !== undefined) return `; ${pauseWords(pause)}: its pods take it then`;
    return workload?.hold === undefined ? '' : `; ${whenTaken(workload.hold, ref)}`;
  }

  #event(regarding: WorkloadRef, reason: EventReason, about: string, message: string): void {
    const uid = this.#options.store.workloads.get(keyOf(regarding))?.workload.uid ?? '';
    this.#options.recordEvent({ regarding, uid, reason, about, message });
  }
}

/** Whether the API server was asked, or would have been. */
function isAttempt(outcome: Outcome): outcome is Extract<Outcome, { type: AttemptEnd }> {
  return !['settled', 'unselected', 'absorbing', 'waiting-for-dependency', 'given-up'].includes(outcome.type);
}
