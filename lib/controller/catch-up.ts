/** What a new leader looks at before it acts: its caches may be older than the state that the leader before it has left. */

import {
  type ConfigRef,
  configRefIn,
  type WorkloadRef,
  wholeKeyOf,
  workloadRefIn,
} from '../model/object-ref.ts';
import { EMPTY_STATE, parseState } from '../model/persisted-state.ts';
import type { Edges } from './edges.ts';
import type { FreshLook } from './fresh-look.ts';
import { wantsLegacyDigest } from './legacy-digest.ts';
import { staleCaches } from './stale-caches.ts';
import type { AllShards } from './state-store.ts';

const LOOKS_AT_ONCE = 16;

/**
 * Looks at all that `edges` may know too late beside `shards`, which were read just now; false: something cannot be looked at.
 * What is not listed yet is listed later than the state was read.
 */
export async function catchUp(
  edges: Edges,
  shards: AllShards,
  look: Pick<FreshLook, 'atConfig' | 'atWorkload'>,
  isListed: (ref: ConfigRef | WorkloadRef) => boolean,
): Promise<boolean> {
  for (const [shard, version] of shards.entries()) {
    const parsed = version && parseState(version.data, version.annotations, edges.homeNamespace, shard === 0);
    edges.takeShard(shard, parsed?.type === 'state' ? parsed.state : EMPTY_STATE);
  }
  const { configs, workloads } = staleCaches(edges);
  for (const config of configs) {
    const record = edges.configs.get(config);
    // In the version that is known it is looked at again, for its digest under the older formula.
    if (record !== undefined && wantsLegacyDigest(edges, record.ref)) record.resourceVersion = undefined;
  }
  const objects = [...new Set([...configs].map(wholeKeyOf))].filter((key) => isListed(configRefIn(key)));
  const followers = [...workloads].map(workloadRefIn).filter(isListed);
  const isSeen = await inTurns(objects, (config) => look.atConfig(config));
  return isSeen && (await inTurns(followers, (ref) => look.atWorkload(ref)));
}

/** Whether `act` succeeds for all, some at a time; after a failure no more are tried. */
async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<boolean>): Promise<boolean> {
  for (let at = 0; at < all.length; at += LOOKS_AT_ONCE) {
    const seen = await Promise.all(all.slice(at, at + LOOKS_AT_ONCE).map(act));
    if (seen.includes(false)) return false;
  }
  return true;
}
