/**
 * Why nothing happens: what stands against a workload at this moment, said once for as long as it stands. Of a workload
 * against which nothing stands nothing is kept.
 */

import type { Vocabularies } from '../annotations/vocabularies.ts';
import type { Edge } from '../model/edge.ts';
import type { CompetingReloader, Finding, LostOptIn, MissingObject } from '../model/finding.ts';
import { type Pause, pauseWords, whenTaken } from '../model/hold.ts';
import {
  type ConfigRef,
  describe,
  keyOf,
  type ObjectKey,
  type WorkloadRef,
  wholeKeyOf,
  wholeOf,
} from '../model/object-ref.ts';
import type { Pace } from '../model/settings.ts';
import { cutToBytes, listedText } from '../model/text.ts';
import { formatDuration } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { Store } from '../store/store.ts';

/** The workload that a finding is about. */
type Subject = Pick<Workload, 'ref' | 'uid'>;

/** What stands against one workload. */
interface Board extends Subject {
  readonly findings: readonly Finding[];
  /** Those of them that people were told of. */
  readonly said: readonly Finding[];
}

/** What the rules know of one workload. */
interface Facts {
  readonly workload: Workload;
  readonly vocabularies: Vocabularies;
  /** Whether it was stamped, and has not been seen to be rolled out since. */
  readonly isStamped: boolean;
  /** What it names and is not there. */
  readonly missingObjects: readonly MissingObject[];
  /** An opt-in that went together with our stamps. */
  readonly lostOptIn: LostOptIn | undefined;
  /** What it waits for that is not there. */
  readonly needs: readonly ConfigRef[];
  /** Another reloader of it. */
  readonly competitor: CompetingReloader | undefined;
  /** Whether it is rolled so often that its window was lengthened. */
  readonly isSlowed: boolean;
}

/** What stands against a workload: all the rules, in the order in which people are told. */
const RULES: readonly ((facts: Facts) => readonly Finding[])[] = [
  ({ vocabularies, workload }) => vocabularies.mistakesOf(workload),
  ({ vocabularies, lostOptIn }) =>
    lostOptIn === undefined ? [] : [vocabularies.findingOfLostOptIn(lostOptIn)],
  ({ vocabularies, workload, missingObjects }) =>
    vocabularies.findingsOfMissingObjects(missingObjects, workload),
  ({ needs }) => waitingForDependency(needs),
  ({ vocabularies, competitor }) =>
    competitor === undefined ? [] : [vocabularies.findingOfCompetingReloader(competitor)],
  ({ vocabularies, workload }) => paused(vocabularies.pausing.pauseOf(workload)),
  ({ vocabularies, workload, isStamped }) =>
    isStamped && vocabularies.pausing.pauseOf(workload) === undefined ? held(workload) : [],
  ({ vocabularies, workload, isSlowed }) => (isSlowed ? slowed(vocabularies.paceOf(workload)) : []),
];

function paused(pause: Pause | undefined): readonly Finding[] {
  if (pause === undefined) return [];
  const message = `${pauseWords(pause)}: what changes until then is one rollout`;
  return [{ reason: 'paused', about: pause.since, message }];
}

function waitingForDependency(needs: readonly ConfigRef[]): readonly Finding[] {
  if (needs.length === 0) return [];
  const covers = needs.map(describe);
  const about = listedText(covers);
  const [does, those] = needs.length === 1 ? ['does', 'that is'] : ['do', 'all are'];
  const message = `${about} ${does} not exist, and its pods do not start without: it is rolled once ${those} there`;
  return [{ reason: 'waiting-for-dependency', about, covers, message }];
}

function slowed({ limit }: Pace): readonly Finding[] {
  if (limit === undefined) return [];
  const within = formatDuration(limit.withinMs);
  const message = `rolled more than ${limit.rollouts} times within ${within}: from now on each rollout waits twice as long as the one before, ten minutes at the most, until the workload was up to date for ${within}`;
  return [{ reason: 'slowed', about: `${limit.rollouts}/${within}`, message }];
}

function held({ ref, hold }: Workload): readonly Finding[] {
  if (hold === undefined) return [];
  return [{ reason: 'pods-not-replaced', about: hold.type, message: `stamped, but ${whenTaken(hold, ref)}` }];
}

/** The sources of the findings. */
export interface NoticesOptions {
  readonly store: Store;
  /** What was found out about an object that is not there. */
  readonly missingObjectOf: (config: ObjectKey) => MissingObject | undefined;
  /** What a workload waits for that is not there. */
  readonly needsOf: (workload: ObjectKey) => readonly ConfigRef[];
  /** Whether a workload is rolled too often. */
  readonly isSlowed: (workload: ObjectKey) => boolean;
  /** Reports a finding that is new. */
  readonly say: (workload: Subject, finding: Finding) => void;
}

/** Against one workload. Who mends so many is told of the next ones. */
const MOST_NOTICES = 30;
const NOTHING: ReadonlyMap<ObjectKey, Edge> = new Map();

/** See the file's comment. */
export class Findings {
  readonly #options: NoticesOptions;
  readonly #boards = new Map<ObjectKey, Board>();
  readonly #lostOptIns = new Map<ObjectKey, LostOptIn>();
  readonly #competitors = new Map<
    ObjectKey,
    { readonly competitor: CompetingReloader; hasRolledSince: boolean }
  >();

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** A workload has lost its opt-in: that stands until it has it back, or its pod template is changed again. */
  lose(lostOptIn: LostOptIn): void {
    this.#lostOptIns.set(keyOf(lostOptIn.after.ref), lostOptIn);
  }

  /** Another reloader wrote to a workload: that stands until two rollouts of ours had none of its between them. */
  meet(competitor: CompetingReloader): void {
    if (!this.#isHeard(competitor.workload.ref)) return;
    this.#competitors.set(keyOf(competitor.workload.ref), { competitor, hasRolledSince: false });
  }

  /** We have rolled a workload. */
  rolled(workload: ObjectKey): void {
    const met = this.#competitors.get(workload);
    if (met?.hasRolledSince) this.#competitors.delete(workload);
    else if (met !== undefined) met.hasRolledSince = true;
  }

  /** News of a workload, once what it follows is brought up to date. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') {
      this.#boards.delete(event.key);
      this.#lostOptIns.delete(event.key);
      this.#competitors.delete(event.key);
    }
    if (event.type !== 'present') return;
    // What is known may be newer than the news.
    if (this.#options.store.workloads.has(event.key)) this.review(event.key);
    else this.#replace(event.key, event.object, this.#findingsOf(event.object));
  }

  /** Something changed for a workload that follows something. */
  review(workload: ObjectKey): void {
    const { store } = this.#options;
    const record = store.workloads.get(workload);
    if (record === undefined) return;
    this.#replace(workload, record.workload, this.#findingsOf(record.workload, record.edges));
  }

  /** People are told from now on what stands in these namespaces: they are selected. */
  select(namespaces: ReadonlySet<string>): void {
    for (const [key, board] of this.#boards)
      if (namespaces.has(board.ref.namespace)) this.#replace(key, board, board.findings);
  }

  /** The findings about a workload; none if its namespace is not selected, since no rollout is expected there. */
  of(workload: ObjectKey): readonly Finding[] {
    const board = this.#boards.get(workload);
    return board !== undefined && this.#isHeard(board.ref) ? board.findings : [];
  }

  /** The workloads against which something stands. */
  workloads(): Iterable<readonly [ObjectKey, WorkloadRef]> {
    return [...this.#boards].filter(([, { ref }]) => this.#isHeard(ref)).map(([key, { ref }]) => [key, ref]);
  }

  #findingsOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge> = NOTHING): readonly Finding[] {
    if (workload.isLeftAlone) return [];
    const { store, missingObjectOf, isSlowed, needsOf } = this.#options;
    const facts: Facts = {
      workload,
      lostOptIn: this.#lossOf(workload, follows),
      competitor: this.#rivalOf(workload, follows),
      needs: needsOf(keyOf(workload.ref)),
      isSlowed: isSlowed(keyOf(workload.ref)),
      vocabularies: store.settings.vocabularies,
      isStamped: [...follows.values()].some((edge) => edge.rolloutInProgress),
      missingObjects: [...follows.keys()]
        .map(missingObjectOf)
        .filter((missingObject) => missingObject !== undefined),
    };
    const findings = RULES.flatMap((rule) => rule(facts)).slice(0, MOST_NOTICES);
    return findings.map((finding) => ({ ...finding, message: cutToBytes(finding.message) }));
  }

  #lossOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge>): LostOptIn | undefined {
    const key = keyOf(workload.ref);
    const lostOptIn = this.#lostOptIns.get(key);
    if (lostOptIn === undefined) return undefined;
    const { uid, templateDigest } = lostOptIn.after;
    const isSame = uid === workload.uid && templateDigest === workload.templateDigest;
    const followed = new Set([...follows.keys()].map(wholeKeyOf));
    if (isSame && !lostOptIn.refs.every((ref) => followed.has(keyOf(wholeOf(ref))))) return lostOptIn;
    this.#lostOptIns.delete(key);
    return undefined;
  }

  #rivalOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge>): CompetingReloader | undefined {
    const key = keyOf(workload.ref);
    const competitor = this.#competitors.get(key)?.competitor;
    if (competitor?.workload.uid === workload.uid && follows.size > 0) return competitor;
    this.#competitors.delete(key);
    return undefined;
  }

  #replace(key: ObjectKey, { ref, uid }: Subject, findings: readonly Finding[]): void {
    const board = this.#boards.get(key);
    const before = board?.uid === uid ? board.said : [];
    const known = new Set(before.flatMap(thingsIn));
    const wasSaid = (finding: Finding): boolean => thingsIn(finding).every((thing) => known.has(thing));
    const said = this.#isHeard(ref) ? findings : findings.filter(wasSaid);
    if (findings.length === 0) this.#boards.delete(key);
    else this.#boards.set(key, { ref, uid, findings, said });
    for (const finding of said) if (!wasSaid(finding)) this.#options.say({ ref, uid }, finding);
  }

  #isHeard({ namespace }: WorkloadRef): boolean {
    return this.#options.store.isSelected(namespace);
  }
}

/** The things that a finding is about, each with the reason. */
function thingsIn({ reason, about, covers = [about] }: Finding): readonly string[] {
  return covers.map((thing) => `${reason} ${thing}`);
}
