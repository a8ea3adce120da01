/** `reloader state verify` and `state diff`: whether the state is sound, and what in the cluster differs from it. */

import { translated } from '../../model/digest.ts';
import { isUncommitted } from '../../model/edge.ts';
import { type ConfigRef, describe, keyOf, type ObjectKey } from '../../model/object-ref.ts';
import { FULL_BYTES, sizeOf } from '../../model/shards.ts';
import { configRefOf, workloadRefOf } from '../../model/state-entry.ts';
import { count } from '../../model/text.ts';
import { unknownAlgorithms } from '../../state/state-format.ts';
import { committable, isOutdatedOn } from '../../tracking/edge-policy.ts';
import type { Cause } from '../explain/cause.ts';
import { causeLines, unreadLines } from '../explain/explanation-text.ts';
import type { Observation, Unread } from '../observation.ts';
import type { Paint } from '../terminal.ts';
import { namespaceOfKey, type StoredState } from './stored-state.ts';

/** The namespaces that are compared; undefined: all. */
type Namespaces = readonly string[] | undefined;

/** What was compared with what. */
export interface Compared {
  readonly stored: StoredState;
  readonly observation: Observation;
  readonly namespaces: Namespaces;
  /** Whether every workload that may follow an object of these namespaces was looked at. */
  readonly isWhole: boolean;
}

/** The answer of `verify`. */
export interface Verified {
  readonly entries: number;
  readonly problems: readonly Cause[];
  /** What is as it should be while a reloader is at work, or was ended. */
  readonly notes: readonly Cause[];
  readonly unread: readonly Unread[];
}

/** Whether each part of the state can be read, and belongs to something in the cluster. */
export function verified(compared: Compared): Verified {
  const { stored, observation } = compared;
  const entries = [...stored.all.entries.keys()].filter((key) =>
    isAbout(compared.namespaces, namespaceOfKey(key, stored.home)),
  );
  return {
    entries: entries.length,
    problems: [
      ...damages(stored),
      ...(observation.state.is === 'read' ? lostKeys(stored, observation) : []),
      ...unfollowedEntries(compared),
      ...overridesOfNone(compared),
    ],
    notes: uncommittedStamps(compared),
    unread: [...observation.unread, ...unreadState(observation)],
  };
}

function isAbout(namespaces: Namespaces, namespace: string): boolean {
  return namespaces?.includes(namespace) !== false;
}

function unreadState({ state }: Observation): readonly Unread[] {
  if (state.is !== 'forbidden') return [];
  return [{ kind: 'Secret', what: state.what, why: 'you may not read it, so no content can be compared' }];
}

function damages({ parts, all, home }: StoredState): readonly Cause[] {
  return parts.flatMap(({ name, version, unreadable }, shard): readonly Cause[] => {
    const about = `ConfigMap/${name} in ${home}`;
    if (version === undefined) {
      const says = `${about} does not exist, although the first one announces it: its entries are lost`;
      return [
        {
          rule: 'state-missing',
          about,
          says,
          todo: 'restore it from a backup, or let the reloader begin it anew',
        },
      ];
    }
    const strays = all.strays.get(shard) ?? [];
    return [
      ...unreadable.map((key) => ({
        rule: 'state-unreadable',
        about,
        says: `the value of ${key} in ${about} cannot be read, and counts as absent`,
        todo: `kubectl -n ${home} edit configmap/${name}, and remove it`,
      })),
      ...strays.map((key) => ({
        rule: 'duplicate',
        about,
        says: `${key} stands in another ConfigMap of the state too, and the one in ${about} does not count`,
        todo: 'the next write of the reloader removes it',
      })),
      ...(sizeOf(version.data) >= FULL_BYTES
        ? [
            {
              rule: 'state-full',
              about,
              says: `${about} is full`,
              todo: 'watch fewer namespaces with one reloader',
            },
          ]
        : []),
    ];
  });
}

function lostKeys({ parts }: StoredState, { store }: Observation): readonly Cause[] {
  const names = new Set(parts.flatMap(({ version }) => unknownAlgorithms(store, version?.data ?? {})));
  return [...names].map((name) => ({
    rule: 'state-key-lost',
    about: name,
    says: `the Secret beside the state has no key ${name}: digests under it count as unknown`,
    todo: 'restore the Secret from a backup, or the workloads concerned are rolled once',
  }));
}

/** Entries that no workload follows; only where all workloads that could are known. */
function unfollowedEntries(compared: Compared): readonly Cause[] {
  return unfollowed(compared).map((ref) => ({
    rule: 'not-followed',
    about: describe(ref),
    says: `no workload follows ${describe(ref)} in ${ref.namespace}, which has an entry`,
    todo: `a reloader that runs removes it; or reloader state forget ${ref.kind}/${ref.name} -n ${ref.namespace}`,
  }));
}

function unfollowed({ stored, observation, namespaces, isWhole }: Compared): readonly ConfigRef[] {
  if (!isWhole) return [];
  const { store, assembly } = observation;
  const refs = [...stored.all.entries.keys()].map((key) => configRefOf(key, stored.home));
  return refs.filter(
    (ref) =>
      ref !== undefined &&
      isAbout(namespaces, ref.namespace) &&
      assembly.observed.gate.isSynced(ref.namespace) &&
      store.dependents.dependentsOf(keyOf(ref)).size === 0,
  ) as readonly ConfigRef[];
}

function overridesOfNone({ stored, observation, namespaces }: Compared): readonly Cause[] {
  const { store, assembly } = observation;
  return [...stored.all.overrides.keys()].flatMap((key): readonly Cause[] => {
    const ref = workloadRefOf(key, stored.home);
    if (ref === undefined || !isAbout(namespaces, ref.namespace) || store.workloads.has(keyOf(ref)))
      return [];
    if (!assembly.observed.gate.lists(ref.kind, ref.namespace)) return [];
    const about = describe(ref);
    const says = `${about} in ${ref.namespace} follows nothing, and the state has what its pods run`;
    return [{ rule: 'no-workload', about, says, todo: 'the next write of the reloader removes it' }];
  });
}

function uncommittedStamps({ stored, observation }: Compared): readonly Cause[] {
  const { store } = observation;
  return [...store.workloads.values()].flatMap(({ workload, edges }) =>
    [...edges].flatMap(([config, { stamp }]): readonly Cause[] => {
      const ref = store.configs.get(config)?.ref;
      const entry = ref && stored.all.entries.get(store.persisted.entryKeyOf(ref));
      if (ref === undefined || !isUncommitted(stamp, entry)) return [];
      const about = describe(workload.ref);
      const says = `the stamp of ${about} in ${workload.ref.namespace} for ${describe(ref)} is not committed yet: the entry follows`;
      return [{ rule: 'not-committed', about, says }];
    }),
  );
}

/** One object that differs from its entry, or whose entry not every workload has reached. */
export interface Difference {
  readonly object: string;
  readonly namespace: string;
  /** `pending`: the entry is of what is in force, and workloads are still out of date. */
  readonly is: 'changed' | 'new' | 'gone' | 'pending' | 'not followed';
  /** The workloads that are out of date with it. */
  readonly outdated: readonly string[];
}

/** The answer of `diff`. */
export interface StateDiff {
  readonly differences: readonly Difference[];
  readonly unread: readonly Unread[];
}

/** What a reloader that starts now would find different from the state. */
export function stateDiff(compared: Compared): StateDiff {
  const { observation, namespaces } = compared;
  const { store } = observation;
  const followed = [...store.dependents.configs()].flatMap((config): readonly Difference[] => {
    const ref = store.configs.get(config)?.ref;
    if (ref === undefined || !isAbout(namespaces, ref.namespace)) return [];
    const outdated = outdatedWith(compared, config);
    const is = stepOf(compared, config, ref) ?? (outdated.length > 0 ? 'pending' : undefined);
    return is === undefined ? [] : [{ object: describe(ref), namespace: ref.namespace, is, outdated }];
  });
  const left = unfollowed(compared).map(
    (ref): Difference => ({
      object: describe(ref),
      namespace: ref.namespace,
      is: 'not followed',
      outdated: [],
    }),
  );
  const differences = [...followed, ...left].sort(
    (one, other) => one.namespace.localeCompare(other.namespace) || one.object.localeCompare(other.object),
  );
  return { differences, unread: observation.unread };
}

function stepOf(
  { stored, observation }: Compared,
  config: ObjectKey,
  ref: ConfigRef,
): Difference['is'] | undefined {
  const { store, unread } = observation;
  const record = store.configs.get(config);
  const entry = stored.all.entries.get(store.persisted.entryKeyOf(ref));
  const digest = record && committable(store, record);
  if (digest === undefined)
    return entry === undefined || unread.some(({ kind }) => kind === ref.kind) ? undefined : 'gone';
  if (entry === undefined) return 'new';
  return translated(entry.digest, record ?? {}) === digest ? undefined : 'changed';
}

function outdatedWith({ observation: { store } }: Compared, config: ObjectKey): readonly string[] {
  return store
    .edgesOf(config)
    .filter(([record, edge]) => isOutdatedOn(store, record, config, edge))
    .map(([{ workload }]) => `${describe(workload.ref)} in ${workload.ref.namespace}`)
    .sort();
}

/** The answer of `verify` for people. */
export function verifiedText({ entries, problems, notes, unread }: Verified, paint: Paint): string {
  const sum = `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  return [
    problems.length === 0
      ? `${sum}: ${paint('green', 'the state agrees with the cluster')}`
      : `${sum}, ${paint('red', count(problems.length, 'problem'))}`,
    ...causeLines([...problems, ...notes], paint),
    ...unreadLines(unread),
    '',
  ].join('\n');
}

const SAYS: Readonly<Record<Difference['is'], string>> = {
  changed: 'its content is another one than was committed',
  new: 'it has no entry yet: its content becomes the baseline',
  gone: 'it does not exist, and its entry is kept',
  pending: 'its content is committed, and not rolled out everywhere',
  'not followed': 'no workload follows it, and its entry is removed',
};

/** The answer of `diff` for people. */
export function stateDiffText({ differences, unread }: StateDiff, paint: Paint): string {
  return [
    ...differences.flatMap(({ object, namespace, is, outdated }) => [
      `${object} in ${namespace}: ${paint('yellow', SAYS[is])}`,
      ...outdated.map((workload) => `  ${workload} is out of date`),
    ]),
    ...(differences.length === 0 ? ['Nothing in the cluster differs from the state.'] : []),
    ...unreadLines(unread),
    '',
  ].join('\n');
}
