/** Where digests stand, by the algorithm that they are made with: a key leaves once nothing is under it any more. */

import { type AlgorithmName, algorithmOf, type Digest, SHA1 } from '../model/digest.ts';
import { isUncommitted } from '../model/edge.ts';
import type { PersistedState } from '../model/persisted-state.ts';
import { parseStamp } from '../model/stamp.ts';
import type { Store } from '../store/store.ts';
import { isKeyId } from './keyring.ts';

/** By algorithm, the number of entries, overrides and uncommitted stamps that a start would compare under it. */
export function algorithmUses(store: Store): ReadonlyMap<AlgorithmName, number> {
  const uses = new Map<AlgorithmName, number>();
  const count = (digest: Digest | undefined): void => {
    const name = algorithmOf(digest);
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
  };
  for (const shard of store.persisted.state.shards) digestsIn(shard).forEach(count);
  for (const { edges } of store.workloads.values()) {
    for (const [config, { stamp }] of edges) {
      const ref = store.configs.get(config)?.ref;
      if (isUncommitted(stamp, ref && store.persisted.entryOf(ref))) count(stamp.digest);
    }
  }
  return uses;
}

/** The number of stamps in pod templates that are digests without a key. */
export function unkeyedStamps(store: Store): number {
  let stamps = 0;
  for (const { workload } of store.workloads.values()) {
    for (const { value } of workload.stamps)
      if (algorithmOf(parseStamp(value)?.digest) === SHA1.name) stamps += 1;
  }
  return stamps;
}

/** Whether a version of this program without keys could not read the shard. */
export function needsKeys(shard: PersistedState): boolean {
  return digestsIn(shard).some((digest) => digest === undefined || isKeyId(algorithmOf(digest) ?? ''));
}

function digestsIn({ entries, overrides }: PersistedState): readonly (Digest | undefined)[] {
  return [
    ...[...entries.values()].map(({ digest }) => digest),
    ...[...overrides.values()].flatMap((each) => Object.values(each)),
  ];
}
