/**
 * The findings about each workload: the reasons why an expected rollout does not happen now. All are computed
 * anew after each event that concerns it, and each is reported once for as long as it lasts.
 */

import { namespaceGatingMistakes } from '../annotations/gating.ts';
import { competingReloaderFinding } from '../annotations/other-writers.ts';
import type { Edge } from '../model/edge.ts';
import { type CompetingReloader, type Finding, findingAbout } from '../model/finding.ts';
import { type Pause, pauseWords, whenTaken } from '../model/hold.ts';
import { type ConfigRef, configRefIn, keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import { cutToBytes } from '../model/text.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { Store } from '../store/store.ts';

/** The workload that a finding is about. */
type Subject = Pick<Workload, 'ref' | 'uid'>;

/** The findings about one workload; a workload without findings has no board. */
interface Board extends Subject {
  readonly findings: readonly Finding[];
  /** The findings that were reported. */
  readonly said: readonly Finding[];
}

function paused(pause: Pause | undefined): readonly Finding[] {
  if (pause === undefined) return [];
  const message = `${pauseWords(pause)}: older pods are replaced then, even if it is held`;
  return [{ reason: 'paused', about: pause.since, message }];
}

function differing(classes: readonly ConfigRef[]): readonly Finding[] {
  const messageOf = (about: string): string =>
    `each pod has versions of ${about} of its own, as of credentials that are made for each pod: nothing is rolled for it until two pods have the same; let the program read its files again, or exclude the class`;
  return findingAbout('dynamic-class', classes, messageOf);
}

function held({ ref, hold }: Workload): readonly Finding[] {
  if (hold === undefined) return [];
  return [{ reason: 'pods-not-replaced', about: hold.type, message: `stamped, but ${whenTaken(hold, ref)}` }];
}

/** The sources of the findings. */
export interface FindingsOptions {
  readonly store: Store;
  /** Whether an object that a workload follows is missing, after a grace period. */
  readonly isMissing: (config: ObjectKey) => boolean;
  /** Whether each pod has a content of the class of its own. */
  readonly isDynamic: (config: ObjectKey) => boolean;
  /** Reports a new finding. */
  readonly say: (workload: Subject, finding: Finding) => void;
}

/** The most findings about one workload; the next ones are reported when these are gone. */
const MOST_FINDINGS = 30;
const NOTHING: ReadonlyMap<ObjectKey, Edge> = new Map();

/** See the file's comment. Nothing is persisted: a restart computes and reports the findings again. */
export class Findings {
  readonly #options: FindingsOptions;
  readonly #boards = new Map<ObjectKey, Board>();
  readonly #defects = new Map<ObjectKey, Finding>();
  /** `hasRolledSince`: whether we have rolled the workload once since the competitor last wrote it. */
  readonly #competitors = new Map<
    ObjectKey,
    { readonly competitor: CompetingReloader; hasRolledSince: boolean }
  >();

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** Another reloader has stamped a workload. The finding lasts until we have rolled it twice without a stamp of the other. */
  meet(competitor: CompetingReloader): void {
    if (!this.#isSelected(competitor.workload.ref)) return;
    this.#competitors.set(keyOf(competitor.workload.ref), { competitor, hasRolledSince: false });
  }

  /** A rollout of ours was accepted. */
  rolled(workload: ObjectKey): void {
    const met = this.#competitors.get(workload);
    if (met?.hasRolledSince) this.#competitors.delete(workload);
    else if (met !== undefined) met.hasRolledSince = true;
  }

  /** Something about the workload was not handled; undefined: all is. The findings of before may be what cannot be computed. */
  fail(workload: ObjectKey, message: string | undefined): void {
    const says = cutToBytes(`not handled, and tried again later: ${message}`);
    const defect = { reason: 'internal-error', about: 'defect', message: says } as const;
    if (message === undefined) this.#defects.delete(workload);
    else this.#defects.set(workload, defect);
    const record = this.#options.store.workloads.get(workload);
    if (record === undefined) return;
    const others =
      this.#boards.get(workload)?.findings.filter(({ reason }) => reason !== 'internal-error') ?? [];
    this.#replace(workload, record.workload, message === undefined ? others : [defect, ...others]);
  }

  /** An event of a workload; called after its edges were brought up to date. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') {
      this.#boards.delete(event.key);
      this.#defects.delete(event.key);
      this.#competitors.delete(event.key);
    }
    if (event.type !== 'present') return;
    // The record in the store may be newer than the event.
    if (this.#options.store.workloads.has(event.key)) this.review(event.key);
    else this.#replace(event.key, event.object, this.#findingsOf(event.object));
  }

  /** Computes the findings about a workload anew, after a change of any of their sources. */
  review(workload: ObjectKey): void {
    const { store } = this.#options;
    const record = store.workloads.get(workload);
    if (record === undefined) return;
    this.#replace(workload, record.workload, this.#findingsOf(record.workload, record.edges));
  }

  /** These namespaces are selected now: the findings in them are reported. */
  select(namespaces: ReadonlySet<string>): void {
    for (const [key, board] of this.#boards)
      if (namespaces.has(board.ref.namespace)) this.#replace(key, board, board.findings);
  }

  /** The findings about a workload; none if its namespace is not selected, since no rollout is expected there. */
  of(workload: ObjectKey): readonly Finding[] {
    const board = this.#boards.get(workload);
    return board !== undefined && this.#isSelected(board.ref) ? board.findings : [];
  }

  /** The workloads with findings. */
  workloads(): Iterable<readonly [ObjectKey, WorkloadRef]> {
    return [...this.#boards]
      .filter(([, { ref }]) => this.#isSelected(ref))
      .map(([key, { ref }]) => [key, ref]);
  }

  /** All findings about the workload, in the order in which they are reported. */
  #findingsOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge> = NOTHING): readonly Finding[] {
    if (workload.isLeftAlone) return [];
    const { store, isMissing, isDynamic } = this.#options;
    const { vocabularies } = store.settings;
    const key = keyOf(workload.ref);
    const { namespace } = workload.ref;
    const defect = this.#defects.get(key);
    const competitor = this.#competitorOf(workload, follows);
    const pause = vocabularies.pausing.pauseOf(workload);
    const objects = [...follows.keys()].flatMap((config) => store.configs.get(config) ?? []);
    const refsThat = (are: (config: ObjectKey) => boolean): ConfigRef[] =>
      [...follows.keys()].filter(are).map(configRefIn);
    const isStamped =
      vocabularies.strategyOf(workload) !== 'evict' &&
      [...follows.values()].some((edge) => edge.rolloutInProgress);
    const findings = [
      ...(defect === undefined ? [] : [defect]),
      ...vocabularies.mistakesOf(workload),
      ...(follows.size === 0
        ? []
        : namespaceGatingMistakes(namespace, store.namespaceAnnotations.get(namespace) ?? {})),
      ...objects.flatMap(({ ref, annotations }) => vocabularies.configMistakesOf(ref, annotations)),
      ...vocabularies.findingsOfMissing(workload, refsThat(isMissing), (ref) => store.isOwn(ref)),
      ...differing(refsThat(isDynamic)),
      ...(competitor === undefined ? [] : [competingReloaderFinding(competitor)]),
      ...paused(pause),
      ...(isStamped && pause === undefined ? held(workload) : []),
    ].slice(0, MOST_FINDINGS);
    return findings.map((finding) => ({ ...finding, message: cutToBytes(finding.message) }));
  }

  /** Forgets the competitor of a workload that was recreated or follows nothing any more. */
  #competitorOf(workload: Workload, follows: ReadonlyMap<ObjectKey, Edge>): CompetingReloader | undefined {
    const key = keyOf(workload.ref);
    const competitor = this.#competitors.get(key)?.competitor;
    if (competitor?.workload.uid === workload.uid && follows.size > 0) return competitor;
    this.#competitors.delete(key);
    return undefined;
  }

  /** Replaces the findings of a workload and reports the new ones; of a recreated workload all are new. */
  #replace(key: ObjectKey, { ref, uid }: Subject, findings: readonly Finding[]): void {
    const board = this.#boards.get(key);
    const before = board?.uid === uid ? board.said : [];
    const known = new Set(before.flatMap(thingsIn));
    const wasSaid = (finding: Finding): boolean => thingsIn(finding).every((thing) => known.has(thing));
    const said = this.#isSelected(ref) ? findings : findings.filter(wasSaid);
    if (findings.length === 0) this.#boards.delete(key);
    else this.#boards.set(key, { ref, uid, findings, said });
    for (const finding of said) if (!wasSaid(finding)) this.#options.say({ ref, uid }, finding);
  }

  #isSelected({ namespace }: WorkloadRef): boolean {
    return this.#options.store.isSelected(namespace);
  }
}

/** A key for each thing that a finding covers: a finding that covers fewer things than before is not new. */
function thingsIn({ reason, about, covers = [about] }: Finding): readonly string[] {
  return covers.map((thing) => `${reason} ${thing}`);
}
