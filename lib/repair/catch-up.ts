/**
 * Brings the caches of a new leader up to date before it acts: they may be older than the state that the previous leader left.
 * Reads only what may be older, by its digest or mark.
 */

import {
  type ConfigRef,
  configRefIn,
  isMountedKind,
  keyOf,
  type ObjectKey,
  type WorkloadRef,
  wholeKeyOf,
  workloadRefIn,
} from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import type { AllShards } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { lacksDigest } from '../tracking/named-algorithms.ts';
import { partsIn } from '../tracking/other-scopes.ts';
import { staleCaches } from '../tracking/stale-caches.ts';
import type { Refetcher } from './refetcher.ts';

type Look = Pick<Refetcher, 'atConfig' | 'atWorkload'>;

const LOOKS_AT_ONCE = 16;

/**
 * Reads again every object and workload in `store` that may be older than `shards`, which were just read. False: a read failed,
 * so the caller must not act yet. Kinds that are not listed yet are left out: their list will be newer than the state.
 */
export async function catchUp(
  store: Store,
  shards: AllShards,
  look: Look,
  isListed: (ref: ConfigRef | WorkloadRef) => boolean,
): Promise<boolean> {
  const { homeNamespace, knows } = store.settings;
  for (const [shard, version] of shards.entries()) {
    const parsed = version && parseState(version.data, version.annotations, homeNamespace, knows);
    store.persisted.takeShard(shard, parsed?.type === 'state' ? parsed.entries : new Map());
  }
  for (const whole of partsIn(store).keys()) store.scopes.recorded.add(whole);
  for (const config of store.dependents.configs()) {
    const record = store.configs.get(config);
    if (record === undefined || isMountedKind(record.ref.kind)) continue;
    // Forget the version, so that the same one is read again for its other digests.
    if (lacksDigest(store, record)) record.resourceVersion = undefined;
  }
  return await lookAtStale(store, look, isListed);
}

/** Reads everything stale, each once, until nothing more is found: a workload may have begun to follow further objects. */
async function lookAtStale(
  store: Store,
  look: Look,
  isListed: (ref: ConfigRef | WorkloadRef) => boolean,
): Promise<boolean> {
  const seen = new Set<ObjectKey>();
  const isToBeSeen = (ref: ConfigRef | WorkloadRef): boolean => isListed(ref) && !seen.has(keyOf(ref));
  for (;;) {
    const { configs, workloads } = staleCaches(store);
    const objects = [...new Set([...configs].map(wholeKeyOf))].filter((key) => {
      const ref = configRefIn(key);
      // A class has no content to read: its streams bring it.
      return !isMountedKind(ref.kind) && isToBeSeen(ref);
    });
    const followers = [...workloads].map(workloadRefIn).filter(isToBeSeen);
    if (objects.length + followers.length === 0) return true;
    for (const key of [...objects, ...followers.map(keyOf)]) seen.add(key);
    const isSeen = await inTurns(objects, (config) => look.atConfig(config));
    if (!isSeen || !(await inTurns(followers, (ref) => look.atWorkload(ref)))) return false;
  }
}

/** Whether `act` succeeds for all, some at a time; after a failure no more are tried. */
async function inTurns<T>(all: readonly T[], act: (one: T) => Promise<boolean>): Promise<boolean> {
  for (let at = 0; at < all.length; at += LOOKS_AT_ONCE) {
    const seen = await Promise.all(all.slice(at, at + LOOKS_AT_ONCE).map(act));
    if (seen.includes(false)) return false;
  }
  return true;
}
