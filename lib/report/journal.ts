/** The journal of decisions: each becomes a log line with its reason, and the last ones are kept for the status page. */

import { shortDigest } from '../model/digest.ts';
import type { Log } from '../model/log.ts';
import { describe } from '../model/object-ref.ts';
import { EVENTS, eventTelling, REASONS, type Reason } from '../model/reasons.ts';
import type { Decision } from '../model/status-report.ts';
import type { Note } from '../tracking/effects.ts';

/**
 * How many decisions are kept. Beyond that the namespace with the most loses its oldest one, so that no other is crowded out.
 */
const KEPT = 50;

/** Frequent reasons that only help to debug. */
const DETAILS: ReadonlySet<Reason> = new Set(['conflict', 'unfollowed', 'unchanged', 'waiting-for-slot']);

/** See the file's comment. Its messages name objects and reasons, never content. */
export class Journal {
  readonly #log: Log;
  readonly #decisions: Decision[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** The last decisions, the newest first. */
  get decisions(): readonly Decision[] {
    return [...this.#decisions].reverse();
  }

  /** The index of the oldest decision of the namespace with the most decisions. */
  #mostFrequent(): number {
    const counts = [...Map.groupBy(this.#decisions, ({ namespace }) => namespace).values()];
    const most = counts.reduce((longest, each) => (each.length > longest.length ? each : longest), []);
    const [oldest] = most;
    return oldest === undefined ? 0 : this.#decisions.indexOf(oldest);
  }

  /** Records a note, with the sentence of its reason. */
  note(note: Note): void {
    this.say(note.reason, messageOf(note), note.workload?.namespace ?? note.config?.namespace);
  }

  /** Records that `count` further notes of this reason and workload were left out. */
  more({ reason, workload, config }: Note, count: number): void {
    const who = workload === undefined ? '' : `${describe(workload)}: `;
    this.say(reason, `${who}the same of ${count} more objects`, workload?.namespace ?? config?.namespace);
  }

  /** Records `message` for `reason`; `namespace`: of the object or workload that it is about. */
  say(reason: Reason, message: string, namespace?: string): void {
    const time = new Date().toISOString();
    const level = levelOf(reason);
    const place = namespace === undefined ? {} : { namespace };
    this.#decisions.push({ time, level, reason, message, ...place });
    if (this.#decisions.length > KEPT) this.#decisions.splice(this.#mostFrequent(), 1);
    this.#log[level](message, { reason, ...place });
  }
}

/** What a person should look at is a warning: what has an Event of that type, and all about the state. */
function levelOf(reason: Reason): Decision['level'] {
  const event = eventTelling(reason);
  if (reason.startsWith('state-') || (event && EVENTS[event].type === 'Warning')) return 'warn';
  return DETAILS.has(reason) ? 'debug' : 'info';
}

function messageOf({ reason, workload, config, detail }: Note): string {
  const who = workload && describe(workload);
  const what = config && describe(config);
  switch (reason) {
    case 'baseline':
      return `${who} follows ${what} (baseline ${shortDigest(detail ?? '', config?.keys)}; nothing rolled)`;
    case 'followed':
      return `${who} follows ${what} (${detail ? `${shortDigest(detail, config?.keys)}; nothing rolled` : 'which does not exist yet'})`;
    case 'unfollowed':
      return `${who} no longer follows ${what}`;
    case 'changed-back':
      return `${what} changed back: nothing left to roll for ${who}`;
    case 'skipped':
      return `${what} changed: nothing rolled for ${who}, since ${detail}`;
    case 'changed-before-start':
      return `${what} changed before this start: ${who} is out of date`;
    case 'first-seen-late':
      return `${what} was first seen after a gap: ${who} may have read it before and is rolled`;
    case 'changed-while-rolling':
      return `${what} changed while ${who} was rolling: it is rolled once more`;
    case 'state-foreign':
      return `the entry of ${what} was ${detail} by another client`;
    case 'absent':
      return `${what} is gone${detail === undefined ? '' : `, ${detail}`}: nothing is rolled until it returns`;
    case 'external-rollout':
      return `${who} was changed by an external writer while ${what} was changing: it is rolled once more`;
    case 'external-rollout-done':
      return `${who} was rolled by an external writer since ${what} changed: nothing left to roll`;
    case 'stamp-reverted':
      return `${who} lost its stamp before it had rolled: removed or replaced by ${detail}`;
    default:
      return [who, what, detail, REASONS[reason]].filter((part) => part !== undefined).join(': ');
  }
}
