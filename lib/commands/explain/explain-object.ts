/** The answer about an object. */

import { isNotifyOnly } from '../../annotations/gating.ts';
import { haltedText, holdCommand } from '../../annotations/stage-news.ts';
import { levelsOf } from '../../blockers/blocker.ts';
import { holdBy } from '../../blockers/hold-annotation.ts';
import {
  type ConfigRef,
  describe,
  isMountedKind,
  keyOf,
  type WorkloadRef,
  wholeOf,
} from '../../model/object-ref.ts';
import { referenceOf } from '../../model/workload.ts';
import type { WorkloadKind } from '../../model/workload-kind.ts';
import { haltOf } from '../../tracking/halts.ts';
import type { Observation } from '../observation.ts';
import { isNotServed } from '../reads.ts';
import { rightsKeyOf } from '../reloader-rights.ts';
import { factsIn, observeFor, type Scene, withLeader, workloadsIn } from '../scene.ts';
import type { Paint } from '../terminal.ts';
import type { Cause, Facts } from './cause.ts';
import { INSTALLED_RULES, notSelected, notWatched, unseenBecause } from './causes-of-setting.ts';
import { timeUnknown } from './causes-of-workload.ts';
import {
  doubtsOf,
  type Explanation,
  explanationOf,
  type FollowedObject,
  shownReloader,
  unrecorded,
  whatIsUnknown,
} from './explanation.ts';
import { causeLines, followedLine, sourceLines, unknownLines } from './explanation-text.ts';

/** A workload that mentions or names the object. */
export interface Follower {
  readonly workload: WorkloadRef;
  readonly follows?: FollowedObject;
  /** Why it is not rolled. */
  readonly causes: readonly Cause[];
}

/** The answer about an object. */
export interface ObjectExplanation extends Explanation {
  readonly object: ConfigRef;
  readonly isMissing: boolean;
  readonly followers: readonly Follower[];
  /** Those that mention it and are not rolled for it. */
  readonly others: readonly Follower[];
}

/** The explanation of an object, with the workloads of its namespace. */
export async function explainObject(
  scene: Scene,
  { kind, name }: Pick<ConfigRef, 'kind' | 'name'>,
): Promise<ObjectExplanation> {
  const { namespace, reloader } = scene;
  const ref: ConfigRef = { kind, namespace, name };
  const unwatched = notWatched(reloader, namespace);
  const observation = await observeFor(scene, [namespace]);
  const { mentioning: all, unlisted } =
    unwatched === undefined ? await mentionsOf(scene, observation, ref) : { mentioning: [], unlisted: [] };
  const mentioning = await withLeader(scene, all);
  const unseen = await unseenBecause(scene, ref);
  const ignored = leftOut(scene, observation, unseen);
  const followers = mentioning.map((facts) =>
    ignored.length > 0 ? { workload: facts.workload.ref, causes: ignored } : followerOf(facts, ref),
  );
  const isAlone = mentioning.length + unlisted.length === 0 && !unwatched;
  const says = `no workload of ${namespace} follows it, and no container reads it`;
  const installed = reloader.unknown.length > 0 ? [] : INSTALLED_RULES.flatMap((rule) => rule(scene) ?? []);
  const causes = [
    ...(unwatched ? [unwatched] : [...installed, ...gatesOf(scene, observation, ref)]),
    ...unseen,
    ...(isAlone && !isMountedKind(kind) ? [{ rule: 'no-follower', about: describe(ref), says }] : []),
  ];
  const asking = followers.filter(({ follows }) => follows?.asks === true);
  const rolled = asking.filter(isRolled);
  const late = mentioning.flatMap((facts, index) =>
    followers[index]?.follows?.pods === 'out of date' ? timeUnknown(facts) : [],
  );
  const kinds = [kind, ...asking.map(({ workload }) => rightsKeyOf(observation.store, workload))];
  const answer = {
    object: ref,
    isMissing: causes.some(({ rule }) => rule === 'missing'),
    causes,
    unknown: [
      ...(followers.length === 0 ? doubtsOf(reloader) : whatIsUnknown({ reloader, observation }, kinds)),
      ...unlisted,
      ...causes.filter(({ rule }) => rule === 'not-readable').map(({ says }) => says),
      ...new Set(late),
      ...unrecorded(asking.flatMap(({ follows }) => follows ?? [])),
    ],
    followers: rolled,
    others: followers.filter((each) => !rolled.includes(each)),
    reloader: shownReloader(reloader),
    state: observation.state.is,
  };
  await observation.end();
  return answer;
}

/** Why nothing is rolled for the object. */
function leftOut(
  { namespace, reloader }: Scene,
  observation: Observation,
  unseen: readonly Cause[],
): readonly Cause[] {
  const selection = reloader.unknown.length > 0 ? undefined : notSelected(reloader, observation, namespace);
  const ignored = unseen.filter(({ rule }) => rule !== 'missing' && rule !== 'not-readable');
  return [...(selection ? [selection] : []), ...ignored];
}

function isRolled({ causes }: Follower): boolean {
  return !causes.some(({ rule }) => rule === 'notify-only' || rule === 'kind-not-permitted');
}

/** The workloads that mention the object, and kinds that could not be listed. */
async function mentionsOf(
  scene: Scene,
  observation: Observation,
  ref: ConfigRef,
): Promise<Readonly<{ mentioning: Facts[]; unlisted: string[] }>> {
  const { send, namespace } = scene;
  const { store } = observation;
  const followers = store.dependents.ofAny(store.partsOf(keyOf(ref)));
  const mentioning: Facts[] = [];
  const hidden: [WorkloadKind, string][] = [];
  for await (const [row, raw] of workloadsIn(scene, [namespace], (...kind) => hidden.push(kind))) {
    const key = keyOf({ kind: row.kind, namespace, name: raw.metadata.name });
    const each = await factsIn(scene, observation, row, raw);
    const isNamed = store.settings.vocabularies.judge(each.workload, ref, {}).asks;
    if (isNamed || followers.has(key) || referenceOf(each.workload, ref) !== undefined) mentioning.push(each);
  }
  const unlisted: string[] = [];
  // Without a right the API server does not say that it lacks the kind.
  for (const [row, why] of hidden)
    if (!(await isNotServed(send, row))) unlisted.push(`${row.kind} in ${namespace} ${why}`);
  return { mentioning, unlisted };
}

function followerOf(facts: Facts, ref: ConfigRef): Follower {
  const object = describe(ref);
  const { follows: objects, causes: all } = explanationOf(facts);
  const follows = objects.find((each) => keyOf(wholeOf(each.object)) === keyOf(ref));
  const causes = all.filter(
    ({ rule, about, says, blocks }) =>
      blocks || /^(kind-not|managed|paused)/.test(rule) || `${about} ${says}`.includes(object),
  );
  const asks = all.filter(({ rule }) => /^(not-asked|mis|malformed)/.test(rule));
  const isNotified = follows?.asks === true && !causes.some(({ rule }) => rule === 'notify-only');
  const notified = isNotified ? notifiedOnly(facts) : [];
  return {
    workload: facts.workload.ref,
    ...(follows === undefined ? {} : { follows }),
    causes: causes.length > 0 || follows !== undefined ? [...notified, ...causes] : asks,
  };
}

/** That a person rolls the workload, whether or not it is out of date. */
export function notifiedOnly({ record, observation }: Facts): readonly Cause[] {
  const isOnly = record !== undefined && isNotifyOnly(levelsOf(observation.store, record));
  const says = 'it is notify-only: a change is notified, and a person rolls it';
  return isOnly ? [{ rule: 'notify-only', about: 'notify-only', says, blocks: true }] : [];
}

/** The hold and the halts of the object, which concern each of its followers. */
function gatesOf({ reloader }: Scene, observation: Observation, ref: ConfigRef): readonly Cause[] {
  const { store } = observation;
  const about = describe(ref);
  const records = store.partsOf(keyOf(ref)).flatMap((key) => store.configs.get(key) ?? []);
  const held = holdBy(records[0]?.annotations ?? {}, about, reloader.now);
  const halted = records.flatMap((record) => {
    const halt = haltOf(store, record);
    return halt === undefined ? [] : [haltedText(record.ref, halt)];
  });
  const blocks = true as const;
  return [
    ...(held ? [{ rule: 'hold', about, says: held.message, todo: holdCommand(ref, true), blocks }] : []),
    ...halted.map((says) => ({ rule: 'halt', about, says, blocks })),
  ];
}

/** The answer for people. */
export function objectText(answer: ObjectExplanation, paint: Paint): string {
  const { object, followers, others, causes, unknown } = answer;
  const named = ({ workload, follows }: Follower): string =>
    follows === undefined ? `  ${describe(workload)}` : followedLine(follows, describe(workload), paint);
  const lines = (each: Follower): readonly string[] => [named(each), ...causeLines(each.causes, paint)];
  const none = `No workload is ${unknown.length > 0 ? 'known that is ' : ''}rolled when it changes`;
  return [
    paint('bold', `${describe(object)} in namespace ${object.namespace}`),
    ...causeLines(causes, paint),
    ...unknownLines(unknown, paint),
    paint('bold', followers.length === 0 ? none : 'Rolled when it changes'),
    ...followers.flatMap(lines),
    ...(others.length === 0 ? [] : [paint('bold', 'Not rolled, although they mention it')]),
    ...others.flatMap(lines),
    ...sourceLines(answer),
    '',
  ].join('\n');
}
