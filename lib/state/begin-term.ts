/**
 * Begins the term of a leader: before anything else is written each shard of the state is marked, fenced by its version.
 * What an earlier leader has sent fails its own fence from then on, and the answers are the state that counts.
 */

import { unknownVersionIn } from '../model/persisted-state.ts';
import { annotationsOf, markIn, termAfter } from '../model/term.ts';
import {
  type AllShards,
  type Failure,
  readShards,
  type StateClient,
  type StateVersion,
} from '../store/state-client.ts';
import type { Refusal } from './known-state.ts';

/** What a term is begun with. */
export interface TermOptions {
  readonly stateClient: StateClient;
  /** Of this process, unlike that of any other. */
  readonly identity: string;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** The term, and the state that counts in it. */
export interface BegunTerm {
  readonly kind: 'begun';
  readonly term: number;
  readonly shards: AllShards;
}

/**
 * One try. The term is one above the highest that is found, and the shards are marked one after the other: of two that begin at
 * once one is first at the first shard. A shard that is not there is not marked, and a state that a later version of this
 * program wrote is answered as it was read.
 */
export async function beginTerm({
  stateClient,
  identity,
  signal,
}: TermOptions): Promise<BegunTerm | Failure> {
  const reading = await readShards(stateClient, signal);
  if (reading.kind === 'failed') return reading;
  const { shards } = reading;
  const found = shards.filter((shard) => shard !== undefined);
  const term = termAfter(found.map(({ annotations }) => markIn(annotations)));
  if (found.some(({ annotations }) => unknownVersionIn(annotations) !== undefined))
    return { kind: 'begun', term, shards };
  const annotations = annotationsOf({ term, writer: identity });
  const marked: (StateVersion | undefined)[] = [];
  for (const [shard, version] of shards.entries()) {
    if (version === undefined) {
      marked.push(undefined);
      continue;
    }
    const { resourceVersion, lastWrite } = version;
    const result = await stateClient.patch(shard, { resourceVersion, data: {}, annotations });
    if (result.kind !== 'accepted') return failureOf(result);
    // What a workload is younger than is what the state says, not its mark.
    marked.push({ ...result.object, lastWrite });
  }
  const [first, ...further] = marked;
  return { kind: 'begun', term, shards: [first, ...further] };
}

function failureOf(refusal: Refusal): Failure {
  const reason = 'message' in refusal ? refusal.message : 'others wrote it first';
  const message = `no term can be begun in the state: ${reason}`;
  return {
    kind: 'failed',
    message,
    ...('retryAfterMs' in refusal ? { retryAfterMs: refusal.retryAfterMs } : {}),
  };
}
