/**
 * Begins the term of a leader: before anything else is written each shard of the state is marked, fenced by its version.
 * What an earlier leader has sent fails its own fence from then on, and the answers are the state that counts.
 */

import { unknownVersionIn } from '../model/persisted-state.ts';
import { annotationsOf, contests, markIn, type TermMark, termAfter } from '../model/term.ts';
import type { Refusal } from './known-state.ts';
import {
  type AllShards,
  type Failure,
  readShards,
  type StateStore,
  type StateVersion,
} from './state-store.ts';

/** What a term is begun with. */
export interface TermOptions {
  readonly store: StateStore;
  /** Of this process, unlike that of any other. */
  readonly identity: string;
  /** Nothing is marked any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The term, and the state that counts in it. */
export interface BegunTerm {
  readonly kind: 'begun';
  readonly term: number;
  readonly shards: AllShards;
}

/** How often the state is read before the attempt is given up. */
const MOST_TRIES = 8;
const ENDED: Failure = { kind: 'failed', message: 'the term was ended before it had begun' };

/**
 * The term is one above the highest that is found. A shard that is not there is not marked, and a state that a later version
 * of this program wrote is answered as it was read.
 */
export async function beginTerm({ store, identity, signal }: TermOptions): Promise<BegunTerm | Failure> {
  let own: TermMark | undefined;
  let refusal: Refusal = { kind: 'conflict' };
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reading = await readShards(store, signal);
    if (reading.kind === 'failed') return reading;
    const { shards } = reading;
    own = markAfter(shards, identity, own);
    if (shards.some((shard) => shard !== undefined && unknownVersionIn(shard.annotations) !== undefined))
      return { kind: 'begun', term: own.term, shards };
    const result = await markAll(store, shards, own, signal);
    if (result.kind === 'begun' || result.kind === 'failed') return result;
    refusal = result;
    if (refusal.kind === 'rejected' || refusal.kind === 'throttled') break;
  }
  return failureOf(refusal);
}

/** What is to be written; the mark of the last try, where it was not outrun. */
function markAfter(shards: AllShards, writer: string, last: TermMark | undefined): TermMark {
  const found = shards.flatMap((shard) => (shard === undefined ? [] : [markIn(shard.annotations)]));
  const isOutrun = last === undefined || found.some((mark) => contests(mark, last));
  return isOutrun ? { term: termAfter(found), writer } : last;
}

/**
 * One after the other: of two that begin at once one is first at the first shard. What carries the mark already was marked
 * by a write whose answer was lost, or by the last try.
 */
async function markAll(
  store: StateStore,
  shards: AllShards,
  mark: TermMark,
  signal: AbortSignal | undefined,
): Promise<BegunTerm | Failure | Refusal> {
  const marked: (StateVersion | undefined)[] = [];
  for (const [shard, version] of shards.entries()) {
    if (version === undefined || isMarked(version, mark)) {
      marked.push(version);
      continue;
    }
    if (signal?.aborted === true) return ENDED;
    const { resourceVersion } = version;
    const result = await store.patch(shard, { resourceVersion, data: {}, annotations: annotationsOf(mark) });
    if (result.kind !== 'accepted') return result;
    // What a workload is younger than is what the state says, not its mark.
    const { lastWrite: _, ...object } = result.object;
    const { lastWrite } = version;
    marked.push(lastWrite === undefined ? object : { ...object, lastWrite });
  }
  const [first, ...further] = marked;
  return { kind: 'begun', term: mark.term, shards: [first, ...further] };
}

function isMarked({ annotations }: StateVersion, { term, writer }: TermMark): boolean {
  const found = markIn(annotations);
  return found.term === term && found.writer === writer;
}

function failureOf(refusal: Refusal): Failure {
  const reason = 'message' in refusal ? refusal.message : 'others write it again and again';
  const retryAfterMs = 'retryAfterMs' in refusal ? refusal.retryAfterMs : undefined;
  return {
    kind: 'failed',
    message: `no term can be begun in the state: ${reason}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(refusal.kind === 'rejected' && refusal.code === 'forbidden' ? { isForbidden: true } : {}),
  };
}
