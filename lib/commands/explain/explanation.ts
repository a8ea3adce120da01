/** What `explain` answers about a workload, and about an object. */

import { shortDigest } from '../../model/digest.ts';
import { isUncommitted } from '../../model/edge.ts';
import { describe, keyOf, type ObjectKey } from '../../model/object-ref.ts';
import { parseStamp } from '../../model/stamp.ts';
import { ANNOTATIONS, referenceOf } from '../../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../../store/records.ts';
import { isOutdatedOn, judge, observedBy } from '../../tracking/edge-policy.ts';
import type { Observation, Unread } from '../observation.ts';
import type { Cause, Facts } from './cause.ts';
import { SETTING_RULES } from './causes-of-setting.ts';
import { followed, WORKLOAD_RULES } from './causes-of-workload.ts';
import { decidingWords, sentenceOf, wordsOf, wordText } from './policy-words.ts';

/** One object that a workload follows. */
export interface FollowedObject {
  readonly object: string;
  /** Whether its changes roll the workload. */
  readonly asks: boolean;
  readonly because: string;
  /** The annotations that decide. */
  readonly words: readonly string[];
  /** How its pods read the object. */
  readonly reference: string;
  /** `unknown`: the state, or the object, may not be read. */
  readonly pods: 'up to date' | 'out of date' | 'unknown' | 'absent';
  /** The short digests of the content that pods run, that is in force, and that is committed. */
  readonly running?: string | undefined;
  readonly observed?: string | undefined;
  readonly committed?: string | undefined;
}

/** One stamp in the pod template. */
export interface ShownStamp {
  readonly where: string;
  readonly variable: string;
  readonly state: string;
}

/** One Event about a workload. */
export interface ShownEvent {
  readonly time: string;
  readonly reason: string;
  readonly message: string;
}

/** The answer about a workload. */
export interface WorkloadExplanation {
  readonly workload: string;
  readonly namespace: string;
  readonly reloader: string;
  readonly state: string;
  readonly asks: readonly string[];
  readonly follows: readonly FollowedObject[];
  readonly rollout: string;
  readonly stamps: readonly ShownStamp[];
  readonly causes: readonly Cause[];
  readonly events: readonly ShownEvent[];
  readonly unread: readonly Unread[];
}

/** All causes that apply, in the order in which a person should look at them. */
export function causesOf(facts: Facts): readonly Cause[] {
  return [...SETTING_RULES, ...WORKLOAD_RULES].flatMap((rule) => rule(facts) ?? []);
}

/** The explanation of a workload. */
export function explanationOf(facts: Facts, events: readonly ShownEvent[]): WorkloadExplanation {
  const { workload, observation } = facts;
  return {
    workload: `${workload.ref.kind}/${workload.ref.name}`,
    namespace: workload.ref.namespace,
    reloader: reloaderText(facts),
    state: stateText(observation),
    asks: wordsOf(workload).map(wordText),
    follows: followed(facts).map(([record, config]) => followedObject(facts, record, config)),
    rollout: workload.isRolledOut ? 'every pod runs the present template' : 'not rolled out',
    stamps: stampsOf(facts),
    causes: causesOf(facts),
    events,
    unread: observation.unread,
  };
}

/** Which reloader counts, and what it watches. */
export function reloaderText({ reloader }: Pick<Facts, 'reloader'>): string {
  const { installation, place, notes } = reloader;
  if (installation === undefined) return [`none found: the defaults count`, ...notes].join('; ');
  const { namespace, name, readyReplicas, replicas } = installation;
  const where = place.namespaces === undefined ? 'all namespaces' : place.namespaces.join(', ');
  return [
    `Deployment/${name} in ${namespace}, ${readyReplicas}/${replicas} ready, watches ${where}`,
    ...notes,
  ].join('; ');
}

/** Whether the persisted state could be read, and what follows if not. */
export function stateText({ state }: Pick<Observation, 'state'>): string {
  switch (state.is) {
    case 'read':
      return 'read';
    case 'absent':
      return 'there is none yet: the present content is the baseline';
    case 'forbidden':
      return `you may not read ${state.what}: whether pods are out of date is not known`;
  }
}

function followedObject(facts: Facts, record: WorkloadRecord, config: ConfigRecord): FollowedObject {
  const { store, state } = facts.observation;
  const verdict = judge(store, record, config);
  const digests = {
    running: short(record.edges.get(keyOf(config.ref))?.runningDigest),
    observed: short(observedBy(store, record, config)),
    committed: short(store.persisted.entryOf(config.ref)?.digest),
  };
  return {
    object: describe(config.ref),
    asks: verdict.asks,
    because: sentenceOf(verdict),
    words: decidingWords(store.settings.vocabularies, record.workload, config).map(wordText),
    reference: referenceText(facts, config),
    pods: podsOf(facts.observation, record, config),
    ...(state.is === 'read' ? digests : {}),
  };
}

/** Whether the pods of a workload run what is in force of an object, as far as the person may know. */
export function podsOf(
  { store, state, unread }: Pick<Observation, 'store' | 'state' | 'unread'>,
  record: WorkloadRecord,
  config: ConfigRecord,
): FollowedObject['pods'] {
  const key = keyOf(config.ref);
  const edge = record.edges.get(key);
  if (observedBy(store, record, config) === undefined)
    return unread.some(({ kind }) => kind === config.ref.kind) ? 'unknown' : 'absent';
  if (state.is === 'forbidden') return 'unknown';
  return edge !== undefined && isOutdatedOn(store, record, key, edge) ? 'out of date' : 'up to date';
}

function short(digest: string | undefined): string | undefined {
  return digest && shortDigest(digest);
}

function referenceText({ workload }: Facts, { ref }: ConfigRecord): string {
  const reference = referenceOf(workload, ref);
  if (reference === undefined) return 'its pods do not refer to it';
  const by = reference.container === undefined ? 'an init container' : `container ${reference.container}`;
  const keys = reference.keys === undefined ? '' : `, key ${reference.keys.join(', ')}`;
  return `read by ${by}${keys}`;
}

function stampsOf({ workload, record, observation }: Facts): readonly ShownStamp[] {
  const stateOf = (variable: string, value: string): string => {
    const stamp = parseStamp(value);
    if (stamp === undefined) return 'of another reloader';
    if (observation.state.is !== 'read') return 'unknown';
    const config = record && stampedObject(record, variable);
    const ref = config === undefined ? undefined : observation.store.configs.get(config)?.ref;
    const entry = ref && observation.store.persisted.entryOf(ref);
    return isUncommitted(stamp, entry) ? 'not committed yet' : 'committed';
  };
  return workload.stamps.map(({ container, variable, value }) => ({
    where: container === ANNOTATIONS ? 'annotation' : `container ${container}`,
    variable,
    state: stateOf(variable, value),
  }));
}

/** The object that a variable is the stamp of. */
function stampedObject({ variables }: WorkloadRecord, variable: string): ObjectKey | undefined {
  return [...variables].find(([, { read }]) => read.includes(variable))?.[0];
}
