/**
 * Why nothing happens: what stands against a workload at this moment, said once for as long as it stands. Of a workload
 * against which nothing stands nothing is kept.
 */

import type { Dialect } from '../annotations/dialect.ts';
import type { Absence } from '../model/absence.ts';
import { formatDuration } from '../model/duration.ts';
import type { Edge } from '../model/edge.ts';
import { whenTaken } from '../model/hold.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import type { Loss } from '../model/loss.ts';
import type { Notice } from '../model/notice.ts';
import {
  type ConfigRef,
  describe,
  keyOf,
  type ObjectKey,
  type WorkloadRef,
  wholeKeyOf,
  wholeOf,
} from '../model/object-ref.ts';
import { type Pause, pauseWords } from '../model/pause.ts';
import { cutToBytes, listedText } from '../model/plain-text.ts';
import type { Rival } from '../model/rival.ts';
import type { Pace } from '../model/rollout-limit.ts';
import type { Workload } from '../model/workload.ts';
import type { Edges } from '../tracking/edges.ts';

/** Whom a notice is about. */
type Subject = Pick<Workload, 'ref' | 'uid'>;

/** What stands against one workload. */
interface Board extends Subject {
  readonly notices: readonly Notice[];
  /** Those of them that people were told of. */
  readonly said: readonly Notice[];
}

/** What the rules know of one workload. */
interface Facts {
  readonly workload: Workload;
  readonly dialect: Dialect;
  /** Whether it was stamped, and has not been seen to be rolled out since. */
  readonly isStamped: boolean;
  /** What it names and is not there. */
  readonly absences: readonly Absence[];
  /** An opt-in that went together with our stamps. */
  readonly loss: Loss | undefined;
  /** What it waits for that is not there. */
  readonly needs: readonly ConfigRef[];
  /** Another reloader of it. */
  readonly rival: Rival | undefined;
  /** Whether it is rolled so often that its window was lengthened. */
  readonly isSlowed: boolean;
}

/** What stands against a workload: all the rules, in the order in which people are told. */
const RULES: readonly ((facts: Facts) => readonly Notice[])[] = [
  ({ dialect, workload }) => dialect.mistakesOf(workload),
  ({ dialect, loss }) => (loss === undefined ? [] : [dialect.noticeOfLoss(loss)]),
  ({ dialect, workload, absences }) => dialect.noticesOfAbsences(absences, workload),
  ({ needs }) => lacking(needs),
  ({ dialect, rival }) => (rival === undefined ? [] : [dialect.noticeOfRival(rival)]),
  ({ dialect, workload }) => paused(dialect.pausing.pauseOf(workload)),
  ({ dialect, workload, isStamped }) =>
    isStamped && dialect.pausing.pauseOf(workload) === undefined ? held(workload) : [],
  ({ dialect, workload, isSlowed }) => (isSlowed ? slowed(dialect.paceOf(workload)) : []),
];

function paused(pause: Pause | undefined): readonly Notice[] {
  if (pause === undefined) return [];
  const message = `${pauseWords(pause)}: what changes until then is one rollout`;
  return [{ reason: 'paused', about: pause.since, message }];
}

function lacking(needs: readonly ConfigRef[]): readonly Notice[] {
  if (needs.length === 0) return [];
  const covers = needs.map(describe);
  const about = listedText(covers);
  const [does, those] = needs.length === 1 ? ['does', 'that is'] : ['do', 'all are'];
  const message = `${about} ${does} not exist, and its pods do not start without: it is rolled once ${those} there`;
  return [{ reason: 'lacking', about, covers, message }];
}

function slowed({ limit }: Pace): readonly Notice[] {
  if (limit === undefined) return [];
  const within = formatDuration(limit.withinMs);
  const message = `rolled more than ${limit.rollouts} times within ${within}: from now on each rollout waits twice as long as the one before, ten minutes at the most, until nothing was owed for ${within}`;
  return [{ reason: 'slowed', about: `${limit.rollouts}/${within}`, message }];
}

function held({ ref, hold }: Workload): readonly Notice[] {
  if (hold === undefined) return [];
  return [{ reason: 'held', about: hold.type, message: `stamped, but ${whenTaken(hold, ref)}` }];
}

/** What the notices are made of. */
export interface NoticesOptions {
  readonly edges: Edges;
  /** What was found out about an object that is not there. */
  readonly absenceOf: (config: ObjectKey) => Absence | undefined;
  /** What a workload waits for that is not there. */
  readonly needsOf: (workload: ObjectKey) => readonly ConfigRef[];
  /** Whether a workload is rolled too often. */
  readonly isSlowed: (workload: ObjectKey) => boolean;
  /** Tells people of a notice that did not stand before. */
  readonly say: (workload: Subject, notice: Notice) => void;
}

/** Against one workload. Who mends so many is told of the next ones. */
const MOST_NOTICES = 30;
const NOTHING: ReadonlyMap<ObjectKey, Edge> = new Map();

/** See the file's comment. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #boards = new Map<ObjectKey, Board>();
  readonly #losses = new Map<ObjectKey, Loss>();
  readonly #rivals = new Map<ObjectKey, { readonly rival: Rival; hasRolledSince: boolean }>();

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** A workload has lost its opt-in: that stands until it has it back, or its pod template is changed again. */
  lose(loss: Loss): void {
    this.#losses.set(keyOf(loss.after.ref), loss);
  }

  /** Another reloader wrote to a workload: that stands until two rollouts of ours had none of its between them. */
  meet(rival: Rival): void {
    if (!this.#isHeard(rival.workload.ref)) return;
    this.#rivals.set(keyOf(rival.workload.ref), { rival, hasRolledSince: false });
  }

  /** We have rolled a workload. */
  rolled(workload: ObjectKey): void {
    const met = this.#rivals.get(workload);
    if (met?.hasRolledSince) this.#rivals.delete(workload);
    else if (met !== undefined) met.hasRolledSince = true;
  }

  /** News of a workload, once what it follows is brought up to date. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') {
      this.#boards.delete(event.key);
      this.#losses.delete(event.key);
      this.#rivals.delete(event.key);
    }
    if (event.type !== 'present') return;
    // What is known may be newer than the news.
    if (this.#options.edges.workloads.has(event.key)) this.review(event.key);
    else this.#replace(event.key, event.object, this.#noticesOf(event.object));
  }

  /** Something changed for a workload that follows something. */
  review(workload: ObjectKey): void {
    const { edges } = this.#options;
    const record = edges.workloads.get(workload);
    if (record === undefined) return;
    this.#replace(workload, record.workload, this.#noticesOf(record.workload, record.edges));
  }

  /** People are told from now on what stands in these namespaces: they are selected. */
  select(namespaces: ReadonlySet<string>): void {
    for (const [key, board] of this.#boards)
      if (namespaces.has(board.ref.namespace)) this.#replace(key, board, board.notices);
  }

  /** What stands against a workload; nothing where its namespace is not selected, for nobody expects anything there. */
  of(workload: ObjectKey): readonly Notice[] {
    const board = this.#boards.get(workload);
    return board !== undefined && this.#isHeard(board.ref) ? board.notices : [];
  }

  /** The workloads against which something stands. */
  workloads(): Iterable<readonly [ObjectKey, WorkloadRef]> {
    return [...this.#boards].filter(([, { ref }]) => this.#isHeard(ref)).map(([key, { ref }]) => [key, ref]);
  }

  #noticesOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge> = NOTHING): readonly Notice[] {
    if (workload.isLeftAlone) return [];
    const { edges, absenceOf, isSlowed, needsOf } = this.#options;
    const facts: Facts = {
      workload,
      loss: this.#lossOf(workload, follows),
      rival: this.#rivalOf(workload, follows),
      needs: needsOf(keyOf(workload.ref)),
      isSlowed: isSlowed(keyOf(workload.ref)),
      dialect: edges.dialect,
      isStamped: [...follows.values()].some((edge) => edge.isUnsettled),
      absences: [...follows.keys()].map(absenceOf).filter((absence) => absence !== undefined),
    };
    const notices = RULES.flatMap((rule) => rule(facts)).slice(0, MOST_NOTICES);
    return notices.map((notice) => ({ ...notice, message: cutToBytes(notice.message) }));
  }

  #lossOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge>): Loss | undefined {
    const key = keyOf(workload.ref);
    const loss = this.#losses.get(key);
    if (loss === undefined) return undefined;
    const { uid, templateDigest } = loss.after;
    const isSame = uid === workload.uid && templateDigest === workload.templateDigest;
    const followed = new Set([...follows.keys()].map(wholeKeyOf));
    if (isSame && !loss.refs.every((ref) => followed.has(keyOf(wholeOf(ref))))) return loss;
    this.#losses.delete(key);
    return undefined;
  }

  #rivalOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge>): Rival | undefined {
    const key = keyOf(workload.ref);
    const rival = this.#rivals.get(key)?.rival;
    if (rival?.workload.uid === workload.uid && follows.size > 0) return rival;
    this.#rivals.delete(key);
    return undefined;
  }

  #replace(key: ObjectKey, { ref, uid }: Subject, notices: readonly Notice[]): void {
    const board = this.#boards.get(key);
    const before = board?.uid === uid ? board.said : [];
    const known = new Set(before.flatMap(thingsIn));
    const wasSaid = (notice: Notice): boolean => thingsIn(notice).every((thing) => known.has(thing));
    const said = this.#isHeard(ref) ? notices : notices.filter(wasSaid);
    if (notices.length === 0) this.#boards.delete(key);
    else this.#boards.set(key, { ref, uid, notices, said });
    for (const notice of said) if (!wasSaid(notice)) this.#options.say({ ref, uid }, notice);
  }

  #isHeard({ namespace }: WorkloadRef): boolean {
    return this.#options.edges.isSelected(namespace);
  }
}

/** What a notice is about, each thing with the reason. */
function thingsIn({ reason, about, covers = [about] }: Notice): readonly string[] {
  return covers.map((thing) => `${reason} ${thing}`);
}
