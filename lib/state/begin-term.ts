/**
 * Begins the term of a leader: before any other write it marks each shard of the state, fenced by the shard's resourceVersion.
 * From then on a write that the previous leader still has on its way fails with a conflict. The answers to the marking writes
 * are the state with which the new leader starts, so no earlier write can be missing from it.
 */

import type { FailedRead } from '../model/outcome.ts';
import { rehomed, type StateChange, type StateVersion, unknownVersionIn } from '../model/persisted-state.ts';
import { annotationsOf, markIn, type TermMark, termAfter } from '../model/shards.ts';
import { type AllShards, readShards, type StateClient } from '../store/state-client.ts';
import { failureOf } from './refusal.ts';

/** A term, and the state as its leader marked it. */
export interface BegunTerm {
  readonly kind: 'begun';
  readonly mark: TermMark;
  readonly shards: AllShards;
}

/** Whether a later version of this program wrote the state. */
export function isOfLaterVersion(shards: AllShards): boolean {
  return shards.some((shard) => unknownVersionIn(shard?.annotations ?? {}) !== undefined);
}

/**
 * Makes one attempt; the caller retries after a `FailedRead`. The term is one above the highest on any shard. The shards are
 * marked one after the other, so of two processes that begin at once only one can mark the first shard. Shards that do not
 * exist stay so. `writer`: the identity of this process; `signal`: aborts the reads. If a later version of this program wrote the state, it is returned as read, without a mark.
 */
export async function beginTerm(
  stateClient: StateClient,
  writer: string,
  homeNamespace: string,
  signal?: AbortSignal,
): Promise<BegunTerm | FailedRead> {
  const reading = await readShards(stateClient, signal);
  if (reading.kind === 'failed') return reading;
  const { shards } = reading;
  const found = shards.filter((shard) => shard !== undefined);
  const term = termAfter(found.map(({ annotations }) => markIn(annotations)));
  const mark: TermMark = { term, writer, homeNamespace };
  if (isOfLaterVersion(shards)) return { kind: 'begun', mark, shards };
  const annotations = annotationsOf(mark);
  const marked: (StateVersion | undefined)[] = [];
  for (const [shard, version] of shards.entries()) {
    if (version === undefined) {
      marked.push(undefined);
      continue;
    }
    const { resourceVersion } = version;
    const data = changesOf(version, homeNamespace);
    const result = await stateClient.patch(shard, { resourceVersion, data, annotations });
    if (result.kind !== 'accepted') return failureOf(result, 'no term can be begun in the state');
    marked.push(result.object);
  }
  const [first, ...further] = marked;
  return { kind: 'begun', mark, shards: [first, ...further] };
}

/** The merge patch that makes the keys those of the present namespace; null removes a key. */
function changesOf({ data, annotations }: StateVersion, homeNamespace: string): StateChange['data'] {
  const next = rehomed(data, annotations, homeNamespace);
  return next === data ? {} : { ...Object.fromEntries(Object.keys(data).map((key) => [key, null])), ...next };
}
