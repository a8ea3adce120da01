import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Edge,
  isOutdated,
  isUncommitted,
  newEdge,
  recordedDigest,
  runningDigestAtStart,
} from '../../../lib/model/edge.ts';
import { A, B, C, EDGE } from '../edges.ts';

const ENTRY = { digest: A, sequence: 2 };

const UNCOMMITTED: Record<string, readonly [number | undefined, number | undefined, boolean]> = {
  'above the entry': [3, 2, true],
  'equal to the entry': [2, 2, false],
  'below the entry': [1, 2, false],
  'without an entry': [1, undefined, true],
  'a bare digest without an entry': [0, undefined, false],
  'no stamp': [undefined, undefined, false],
};

for (const [sentence, [m, n, is]] of Object.entries(UNCOMMITTED)) {
  test(`a stamp is uncommitted only while its sequence is above that of the entry: ${sentence}`, () => {
    const stamp = m === undefined ? undefined : { digest: B, sequence: m };
    assert.equal(isUncommitted(stamp, n === undefined ? undefined : { digest: A, sequence: n }), is);
  });
}

const AT_START: Record<string, readonly [Parameters<typeof runningDigestAtStart>, string | undefined]> = {
  'the stamp, if it is uncommitted, before the override': [[ENTRY, C, { digest: B, sequence: 3 }], B],
  'the override, if the stamp is committed': [[ENTRY, C, { digest: B, sequence: 2 }], C],
  'the override, if there is no stamp': [[ENTRY, C, undefined], C],
  'the override even if it is unknown': [[ENTRY, '?', undefined], '?'],
  'the stamp that the override is for': [[ENTRY, '?2', { digest: B, sequence: 2 }], B],
  'the committed digest for that stamp, if only the entry is under the present key': [
    [{ digest: `k00000001:${A}`, sequence: 2 }, '?2', { digest: A, sequence: 2 }],
    `k00000001:${A}`,
  ],
  'unknown, if it is for another stamp': [[ENTRY, '?2', { digest: B, sequence: 1 }], '?'],
  'unknown, if it is for a stamp that is gone': [[ENTRY, '?2', undefined], '?'],
  'the committed digest, if nothing else is said': [[ENTRY, undefined, { digest: B, sequence: 2 }], A],
  'nothing without an entry, whatever the stamp says': [
    [undefined, C, { digest: B, sequence: 9 }],
    undefined,
  ],
};

for (const [sentence, [given, runningDigest]] of Object.entries(AT_START)) {
  test(`what pods ran, at a start: ${sentence}`, () =>
    assert.equal(runningDigestAtStart(...given), runningDigest));
}

const OWED: Record<string, readonly [Partial<Edge>, string | undefined, boolean]> = {
  'another content is out of date': [{}, B, true],
  'the same content is not': [{}, A, false],
  'an edge with mixed pods is, whatever the digests say': [{ mixedPods: true }, A, true],
  'unknown is, whatever is observed': [{ runningDigest: '?' }, A, true],
  'an absent object is not': [{ mixedPods: true, runningDigest: '?' }, undefined, false],
  'an object never seen before is not: it is the baseline': [{ runningDigest: undefined }, A, false],
};

for (const [sentence, [edge, observed, is]] of Object.entries(OWED)) {
  test(`whether an edge is out of date: ${sentence}`, () =>
    assert.equal(isOutdated({ ...EDGE, ...edge }, observed), is));
}

const RECORDED: Record<string, readonly [Partial<Edge>, boolean, string | undefined]> = {
  'what is sure is recorded as it is': [{}, false, A],
  'an edge with mixed pods is recorded as unknown': [{ mixedPods: true }, false, '?'],
  'an edge in flight is recorded as unknown': [{}, true, '?'],
  'unknown stays unknown': [{ runningDigest: '?' }, false, '?'],
  'nothing is recorded of what was never seen': [{ runningDigest: undefined }, true, undefined],
};

for (const [sentence, [edge, isInFlight, runningDigest]] of Object.entries(RECORDED)) {
  test(sentence, () => assert.equal(recordedDigest({ ...EDGE, ...edge }, isInFlight), runningDigest));
}

const NEW: Record<string, readonly [Edge, Partial<Edge>]> = {
  'a new edge keeps the sequence that it was found with': [
    newEdge({ digest: B, sequence: 7 }, EDGE.followedSince),
    {
      runningDigest: undefined,
      followedSince: EDGE.followedSince,
      mixedPods: false,
      highestSequence: 7,
      rolloutInProgress: false,
    },
  ],
  'a new edge without a stamp begins at 0': [
    newEdge(undefined, undefined),
    { stamp: undefined, highestSequence: 0 },
  ],
};

for (const [sentence, [edge, expected]] of Object.entries(NEW)) {
  test(sentence, () => assert.deepEqual(edge, { ...edge, ...expected }));
}
