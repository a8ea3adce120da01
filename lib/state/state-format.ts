/** The format of a shard as it is written: its version, and what the first write of an older state has to name. */

import { type AlgorithmName, algorithmOf, type Digest, SHA1 } from '../model/digest.ts';
import {
  HALTED_STATE_VERSION,
  type PersistedState,
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
  UNKEYED_STATE_VERSION,
} from '../model/persisted-state.ts';
import { algorithmsNamedIn, formatEntry, type StateKey } from '../model/state-entry.ts';
import type { StateVersion } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { isKeyId } from './keyring.ts';

/**
 * The version of a shard with this content: where nothing is under a key, versions of this program without keys can read it, and
 * where nothing is halted, those without stages.
 */
export function versionOf({ settings }: Store, shard: PersistedState): string {
  if ([...shard.entries.values()].some(({ halts }) => halts !== undefined)) return HALTED_STATE_VERSION;
  return settings.algorithms.own !== SHA1 || needsKeys(shard) ? STATE_VERSION : UNKEYED_STATE_VERSION;
}

/**
 * The annotation of a shard that had keyed digests and has none any more, so that versions of this program without keys can read
 * it: what has no digests to rewrite is not written otherwise.
 */
export function loweredVersion({ data, annotations }: StateVersion): Readonly<Record<string, string>> {
  const isKeyed = [...algorithmsNamedIn(Object.values(data))].some(isKeyId);
  if (isKeyed || annotations[STATE_VERSION_ANNOTATION] !== STATE_VERSION) return {};
  return { [STATE_VERSION_ANNOTATION]: UNKEYED_STATE_VERSION };
}

/** The first write gives a state a version, so its entries under the older formula have to name it from then on. */
export function versionedOrphans(shard: PersistedState | undefined): Record<StateKey, string> {
  const entries = [...(shard?.entries ?? [])].filter(([, { digest }]) => digest !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, formatEntry(entry)]));
}

/** The algorithms that the values name and that are not known: their keys are lost, or were made after the keys were read. */
export function unknownAlgorithms(
  { settings: { knows } }: Store,
  data: Readonly<Record<string, string>>,
): readonly AlgorithmName[] {
  return [...algorithmsNamedIn(Object.values(data))].filter((name) => !knows(name));
}

/** Whether a version of this program without keys could not read the shard. */
function needsKeys(shard: PersistedState): boolean {
  return digestsIn(shard).some((digest) => digest === undefined || isKeyId(algorithmOf(digest) ?? ''));
}

function digestsIn({ entries, overrides }: PersistedState): readonly (Digest | undefined)[] {
  return [
    ...[...entries.values()].map(({ digest }) => digest),
    ...[...overrides.values()].flatMap((each) => Object.values(each)),
  ];
}
