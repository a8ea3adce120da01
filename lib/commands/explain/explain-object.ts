/** What `explain` answers about an object: who follows it, and why others that mention it do not. */

import {
  type ConfigRef,
  describe,
  isMountedKind,
  keyOf,
  type ObjectKey,
  SOURCE_KINDS,
} from '../../model/object-ref.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import { referenceOf } from '../../model/workload.ts';
import { problemOf } from '../installed-reloader.ts';
import type { Observation, Unread } from '../observation.ts';
import { readObject } from '../reads.ts';
import { factsIn, observeFor, type Scene, workloadsIn } from '../scene.ts';
import type { Subject } from '../subject.ts';
import type { Paint } from '../terminal.ts';
import { type Cause, type Facts, NO_CAUSES } from './cause.ts';
import { causesOf, explanationOf, type FollowedObject, reloaderText, stateText } from './explanation.ts';
import { causeLines, followedLine, heading, unreadLines } from './explanation-text.ts';

/** A workload that mentions or names the object. */
export interface Follower {
  readonly workload: string;
  readonly follows?: FollowedObject;
  /** Why it is not rolled. */
  readonly causes: readonly Cause[];
}

/** The answer about an object. */
export interface ObjectExplanation {
  readonly object: string;
  readonly namespace: string;
  readonly reloader: string;
  readonly state: string;
  readonly followers: readonly Follower[];
  /** Those that mention it and are not rolled for it. */
  readonly others: readonly Follower[];
  readonly causes: readonly Cause[];
  readonly unread: readonly Unread[];
}

/** The explanation of an object, with the workloads of its namespace. */
export async function explainObject(
  scene: Scene,
  { kind, name }: Extract<Subject, { is: 'object' }>,
): Promise<ObjectExplanation> {
  const ref: ConfigRef = { kind, namespace: scene.namespace, name };
  const observation = await observeFor(scene, [scene.namespace]);
  const mentioning = await mentionsOf(scene, observation, ref);
  const followers = mentioning.map((facts) => followerOf(facts, ref));
  return {
    object: `${kind}/${name}`,
    namespace: scene.namespace,
    reloader: reloaderText(scene),
    state: stateText(observation),
    followers: followers.filter(({ follows }) => follows?.asks === true),
    others: followers.filter(({ follows }) => follows?.asks !== true),
    causes: await objectCauses(scene, ref, mentioning.length === 0),
    unread: observation.unread,
  };
}

/** The workloads of the namespace that follow the object, or whose pods read it. */
async function mentionsOf(scene: Scene, observation: Observation, ref: ConfigRef): Promise<readonly Facts[]> {
  const followers = observation.store.dependents.dependentsOfAny(keysOf(observation, ref));
  const facts: Facts[] = [];
  for await (const [row, raw] of workloadsIn(scene, [scene.namespace])) {
    const key = keyOf({ kind: row.kind, namespace: scene.namespace, name: raw.metadata.name });
    const each = await factsIn(scene, observation, row, raw);
    if (followers.has(key) || referenceOf(each.workload, ref) !== undefined) facts.push(each);
  }
  return facts;
}

function keysOf({ store }: Observation, ref: ConfigRef): readonly ObjectKey[] {
  return [keyOf(ref), ...store.scopes.of(keyOf(ref)).map(keyOf)];
}

function followerOf(facts: Facts, ref: ConfigRef): Follower {
  const object = describe(ref);
  const follows = explanationOf(facts, []).follows.find(
    (each) => each.object === object || each.object.startsWith(`${object} (`),
  );
  const all = causesOf(facts);
  const causes = all.filter(
    ({ rule, about, says }) => rule === 'kind-not-served' || about.includes(object) || says.includes(object),
  );
  const asks = all.filter(({ rule }) => rule === 'not-asked' || rule === 'mistyped');
  return {
    workload: describe(facts.workload.ref),
    ...(follows === undefined ? {} : { follows }),
    causes: causes.length > 0 || follows !== undefined ? causes : asks,
  };
}

/** What keeps the object itself from rolling anything. */
async function objectCauses(scene: Scene, ref: ConfigRef, isAlone: boolean): Promise<readonly Cause[]> {
  const about = describe(ref);
  const row = SOURCE_KINDS[ref.kind];
  const reading = await readObject<RawObject & { readonly type?: string }>(
    scene.send,
    row,
    ref.namespace,
    ref.name,
  );
  const alone = {
    rule: 'no-follower',
    about,
    says: `no workload of ${ref.namespace} follows or mentions it`,
  };
  const unfollowed = isAlone ? [alone] : NO_CAUSES;
  if (reading.kind === 'absent')
    return [{ rule: 'missing', about, says: `${about} does not exist`, todo: 'create it' }, ...unfollowed];
  if (reading.kind === 'failed')
    return [{ rule: 'not-readable', about, says: `${about} ${problemOf(reading)}` }, ...unfollowed];
  const { type = '', metadata } = reading.object;
  const { resourceLabelSelector } = scene.reloader.options;
  const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const isUnlabelled =
    resourceLabelSelector?.split(',').some((term) => term.includes('=') && !labels.includes(term)) === true;
  const unlabelled = {
    rule: 'unselected-object',
    about,
    says: `it does not have the labels of --resource-label-selector (${resourceLabelSelector})`,
    todo: 'label it',
  };
  const untyped = { rule: 'secret-not-watched', about, says: `Secrets of the type ${type} are not watched` };
  return [
    ...(row.ignoredTypes.includes(type) ? [untyped] : NO_CAUSES),
    ...(isUnlabelled ? [unlabelled] : NO_CAUSES),
    ...(isMountedKind(ref.kind) ? NO_CAUSES : unfollowed),
  ];
}

/** The answer for people. */
export function objectText(answer: ObjectExplanation, paint: Paint): string {
  const { object, namespace, reloader, state, followers, others, causes, unread } = answer;
  const named = ({ workload, follows }: Follower): string =>
    follows === undefined ? `  ${workload}` : followedLine({ ...follows, object: workload }, paint);
  return [
    ...heading(`${object} in namespace ${namespace}`, reloader, state, paint),
    paint('bold', followers.length === 0 ? 'No workload is rolled for it' : 'Rolled for it'),
    ...followers.map(named),
    ...(others.length === 0 ? [] : [paint('bold', 'Not rolled, although they mention it')]),
    ...others.flatMap((each) => [named(each), ...causeLines(each.causes, paint)]),
    ...causeLines(causes, paint),
    ...unreadLines(unread),
    '',
  ].join('\n');
}
