/** What `explain` answers about a workload, and about an object. */

import { shortDigest } from '../../model/digest.ts';
import { UNKNOWN } from '../../model/edge.ts';
import {
  type ConfigRef,
  configKindOf,
  describeAll,
  keyOf,
  SOURCE_KINDS,
  type WorkloadRef,
} from '../../model/object-ref.ts';
import { POLICIES, type PolicyReason } from '../../model/reasons.ts';
import type { Reference } from '../../model/references.ts';
import type { State } from '../../model/status-report.ts';
import { referenceOf, type Workload } from '../../model/workload.ts';
import { stateOf } from '../../report/workload-state.ts';
import { isOutdatedOn, needsRollout, observedBy } from '../../tracking/edge-policy.ts';
import type { InstalledReloader } from '../installed-reloader.ts';
import { hasEntry, type Observation, type Seen, type StateAccess, type Unread } from '../observation.ts';
import { rightsKeyOf } from '../reloader-rights.ts';
import type { Cause, Facts, ShownEvent } from './cause.ts';
import { notWatched, SETTING_RULES } from './causes-of-setting.ts';
import {
  blocksIn,
  type Followed,
  followed,
  leftAlone,
  rolloutText,
  timeUnknown,
  WORKLOAD_RULES,
} from './causes-of-workload.ts';
import { unreadLines } from './explanation-text.ts';
import { decidingWords, type PolicyWord, wordsOf } from './policy-words.ts';

/** One object that a workload follows. */
export interface FollowedObject {
  readonly object: ConfigRef;
  /** Whether its changes roll the workload, why, and that in words. */
  readonly asks: boolean;
  readonly because: PolicyReason;
  readonly says: string;
  /** The annotations that decide. */
  readonly words: readonly PolicyWord[];
  /** How its pods read the object; absent: they do not refer to it. */
  readonly reference?: Pick<Reference, 'container' | 'keys'>;
  /** `rolling out`, `older pods stay`: not every pod is of the template. `not compared`: no change rolls it. */
  readonly pods:
    | 'no change to roll'
    | 'rolling out'
    | 'paused'
    | 'older pods stay'
    | 'out of date'
    | 'not compared'
    | 'unknown'
    | 'absent or unwatched';
  /** Short digests: of its last rollout or the baseline, and of the current content. */
  readonly recorded?: string | undefined;
  readonly current?: string | undefined;
}

/** Which reloader serves the namespace, and all that is known of it in words. */
export interface ShownReloader extends Partial<WorkloadRef> {
  readonly is: 'found' | 'none' | 'unknown';
  readonly says: string;
}

/** What each answer has. */
export interface Explanation {
  readonly causes: readonly Cause[];
  /** What the answer needs and is not known, each a sentence. */
  readonly unknown: readonly string[];
  readonly reloader: ShownReloader;
  /** Whether the persisted state could be read. */
  readonly state: StateAccess['is'];
}

/** The answer about a workload. */
export interface WorkloadExplanation extends Explanation {
  readonly workload: WorkloadRef;
  /** `not served`: the reloader never rolls it. */
  readonly workloadState: State | 'not served';
  readonly follows: readonly FollowedObject[];
  readonly asks: readonly PolicyWord[];
  /** How far its rollout has come, in words. */
  readonly rollout: string;
  readonly events: readonly ShownEvent[];
}

/** The causes by which the reloader never rolls a workload. */
export const NOT_SERVED: RegExp =
  /^(?:deleted|finalizer|kind-not|managed|namespace-not|unselected-namespace)/;

/** All causes that apply, in the order of looking; guessed settings are none. */
export function causesOf(facts: Facts): readonly Cause[] {
  const alone = leftAlone(facts);
  if (alone) return [alone];
  const settings = facts.reloader.unknown.length > 0 ? [] : SETTING_RULES;
  return [...settings, ...WORKLOAD_RULES].flatMap((rule) => rule(facts) ?? []);
}

/** The explanation of a workload; `events`: those of a reloader, the newest at the end. */
export function explanationOf(facts: Facts, events: readonly ShownEvent[] = []): WorkloadExplanation {
  const { workload, observation, reloader } = facts;
  const unwatched = notWatched(reloader, workload.ref.namespace);
  const isWatched = unwatched === undefined;
  const all = isWatched ? followed(facts) : [];
  const follows = all.map((each) => followedObject(facts, each));
  const isOutdated = follows.some(({ pods }) => pods === 'out of date');
  const time = isOutdated ? timeUnknown(facts) : [];
  // What blocks a rollout is no answer where none is due.
  const isDue = needsRollout(observation.store, keyOf(workload.ref));
  const causes = isWatched ? causesOf(facts).filter(({ blocks }) => isDue || !blocks) : [unwatched];
  return {
    workload: workload.ref,
    workloadState: shownState(facts, follows, causes),
    causes,
    unknown: isWatched ? [...hiddenOf(facts), ...unrecorded(follows), ...time] : doubtsOf(reloader),
    follows,
    reloader: shownReloader(reloader),
    state: observation.state.is,
    asks: wordsOf(workload),
    rollout: rolloutText(facts),
    events,
  };
}

function shownState(
  facts: Facts,
  follows: readonly FollowedObject[],
  causes: readonly Cause[],
): WorkloadExplanation['workloadState'] {
  const { record, observation, reloader } = facts;
  const has = (state: FollowedObject['pods']): boolean => follows.some(({ pods }) => pods === state);
  if (causes.some(({ rule }) => NOT_SERVED.test(rule))) return 'not served';
  if (record === undefined && hiddenOf(facts).length === 0) return 'not served';
  if (record === undefined || reloader.unknown.length > 0 || has('unknown')) return 'unknown';
  const state = stateOf(observation.store, record, has('out of date') ? blocksIn(facts) : undefined);
  return state === 'healthy' && causes.some(({ rule }) => rule === 'rolling-out') ? 'rolling' : state;
}

/** What of a workload's settings, objects and state is not known. */
export function hiddenOf(facts: Facts): readonly string[] {
  const { row, workload, observation, record, reloader } = facts;
  const words = wordsOf(workload).map(({ key }) => key);
  const mayMatter = ({ kind }: Unread): boolean => {
    const config = configKindOf(kind);
    if (config === undefined) return kind === row.kind || kind === 'Namespace';
    const isRead = workload.references.some((reference) => reference.kind === kind);
    return isRead || words.some((key) => key.includes(SOURCE_KINDS[config].word));
  };
  const own = rightsKeyOf(observation.store, workload.ref);
  const kinds = [own, ...followed(facts).map(({ config: { ref } }) => ref.kind)];
  const known = record === undefined ? doubtsOf(reloader) : whatIsUnknown(facts, kinds);
  return [...known, ...unreadLines(observation.unread.filter(mayMatter))];
}

/** Why it is not known which reloader counts; else which others do. */
export function doubtsOf({ unknown, doubts = [] }: InstalledReloader): readonly string[] {
  return unknown.length > 0 ? unknown : doubts;
}

/** What is not known of the reloader, its rights by these keys, and its state. */
export function whatIsUnknown(
  { reloader, observation }: Pick<Facts, 'reloader'> & { observation: Pick<Observation, 'state'> },
  kinds: readonly string[] = [],
): readonly string[] {
  if (reloader.unknown.length > 0) return reloader.unknown;
  const rights = [...new Set(kinds)].flatMap((kind) => reloader.mayLack?.get(kind) ?? []);
  const state = observation.state.is === 'unknown' ? [observation.state.why] : [];
  return [...doubtsOf(reloader), ...rights, ...(reloader.silence ? [reloader.silence] : []), ...state];
}

/** The objects of which it is unknown with what content the pods have started. */
export function unrecorded(
  follows: readonly (Partial<Pick<FollowedObject, 'asks' | 'pods'>> & Pick<FollowedObject, 'object'>)[],
): readonly string[] {
  const unknown = follows.filter(({ asks = true, pods = 'unknown' }) => asks && pods === 'unknown');
  const objects = [...new Map(unknown.map(({ object }) => [keyOf(object), object])).values()];
  return objects.length === 0 ? [] : [`whether pods run the current content of ${describeAll(objects)}`];
}

/** Which reloader counts, and what it watches. */
export function shownReloader(reloader: InstalledReloader): ShownReloader {
  const { installation, options, place, unknown } = reloader;
  if (unknown.length > 0) return { is: 'unknown', says: 'unknown' };
  if (installation === undefined) return { is: 'none', says: 'none: defaults and flags after -- count' };
  const { namespace, name, readyReplicas, replicas } = installation;
  const { namespacesToIgnore: ignored, namespaceSelector, resourceLabelSelector } = options;
  const ignores = ignored.length > 0 ? ` but ${ignored.join(', ')}` : '';
  const where = place.namespaces?.join(', ') ?? `all namespaces${ignores}`;
  const labels = namespaceSelector && ` with the labels ${namespaceSelector}`;
  const objects = resourceLabelSelector && ` for objects with the labels ${resourceLabelSelector}`;
  const says = `Deployment/${name} in ${namespace}, ${readyReplicas}/${replicas} ready, watches ${where}${labels ?? ''}${objects ?? ''}`;
  return { is: 'found', kind: 'Deployment', namespace, name, says };
}

function followedObject(facts: Facts, each: Followed): FollowedObject {
  const { record, config, verdict } = each;
  const { store, state, isServed } = facts.observation;
  const reference = referenceOf(facts.workload, config.ref);
  const digests = [record.edges.get(keyOf(config.ref))?.runningDigest, observedBy(store, record, config)];
  const [recorded, current] = digests.map((digest) =>
    digest && digest !== UNKNOWN ? shortDigest(digest, config.ref.keys) : undefined,
  );
  return {
    object: config.ref,
    asks: verdict.asks,
    because: verdict.because,
    says: POLICIES[verdict.because],
    words: decidingWords(store.settings.vocabularies, record.workload, config),
    ...(reference && {
      reference: { container: reference.container, ...(reference.keys && { keys: reference.keys }) },
    }),
    pods: podsOf(facts.observation, each),
    ...(state.is === 'read' ? { recorded: isServed ? recorded : undefined, current } : {}),
  };
}

/** Whether the pods of a workload run the current content of an object. */
export function podsOf(
  { store, state, unread, isServed }: Seen,
  { record, config, verdict }: Followed,
): FollowedObject['pods'] {
  const key = keyOf(config.ref);
  const edge = record.edges.get(key);
  if (observedBy(store, record, config) === undefined)
    return unread.some(({ kind }) => kind === config.ref.kind) ? 'unknown' : 'absent or unwatched';
  if (!verdict.asks) return 'not compared';
  const isOutdated = edge !== undefined && isOutdatedOn(store, record, key, edge);
  if (!isOutdated && config.digest === undefined) return 'absent or unwatched';
  // While no reloader runs, the state does not say with what pods start.
  if (!isServed || state.is === 'unknown' || !(isOutdated || hasEntry({ store, state }, config.ref)))
    return 'unknown';
  return podsSeen(isOutdated, record.workload);
}

function podsSeen(isOutdated: boolean, { isComplete, hold, isPaused }: Workload): FollowedObject['pods'] {
  if (isOutdated) return 'out of date';
  // What pods ran before it was followed is not known.
  if (isComplete) return 'no change to roll';
  if (hold !== undefined) return 'older pods stay';
  return isPaused === true ? 'paused' : 'rolling out';
}
