import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asPatched,
  asUnknown,
  type Edge,
  isOwed,
  newEdge,
  ranAtStart,
  recordedRan,
  speaks,
  withStamp,
} from '../../../lib/model/edge.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const ENTRY = { digest: A, number: 2 };
const EDGE: Edge = {
  ran: A,
  began: { from: 3, to: 4 },
  declinedAt: 2,
  dirty: false,
  stamp: { digest: A, number: 2 },
  highestNumber: 5,
  reservedNumber: 0,
  isUnsettled: false,
};

const SPEAKS: Record<string, readonly [number | undefined, number | undefined, boolean]> = {
  'above the entry': [3, 2, true],
  'equal to the entry': [2, 2, false],
  'below the entry': [1, 2, false],
  'without an entry': [1, undefined, true],
  'a bare digest without an entry': [0, undefined, false],
  'no stamp': [undefined, undefined, false],
};

for (const [sentence, [m, n, is]] of Object.entries(SPEAKS)) {
  test(`a stamp speaks only while its number is above that of the entry: ${sentence}`, () => {
    const stamp = m === undefined ? undefined : { digest: B, number: m };
    assert.equal(speaks(stamp, n === undefined ? undefined : { digest: A, number: n }), is);
  });
}

const AT_START: Record<string, readonly [Parameters<typeof ranAtStart>, string | undefined]> = {
  'the stamp, if it speaks, before the exception': [[ENTRY, C, { digest: B, number: 3 }], B],
  'the exception, if the stamp is silent': [[ENTRY, C, { digest: B, number: 2 }], C],
  'the exception, if there is no stamp': [[ENTRY, C, undefined], C],
  'the exception even if it says unknown': [[ENTRY, '?', undefined], '?'],
  'the committed digest, if nothing else is said': [[ENTRY, undefined, { digest: B, number: 2 }], A],
  'nothing without an entry, whatever the stamp says': [[undefined, C, { digest: B, number: 9 }], undefined],
};

for (const [sentence, [given, ran]] of Object.entries(AT_START)) {
  test(`what pods ran, at a start: ${sentence}`, () => assert.equal(ranAtStart(...given), ran));
}

const OWED: Record<string, readonly [Partial<Edge>, string | undefined, boolean]> = {
  'another content is owed': [{}, B, true],
  'the same content is not': [{}, A, false],
  'a dirty edge is, whatever the digests say': [{ dirty: true }, A, true],
  'unknown is, whatever is observed': [{ ran: '?' }, A, true],
  'an absent object is not': [{ dirty: true, ran: '?' }, undefined, false],
  'an object never seen before is not: it is the baseline': [{ ran: undefined }, A, false],
};

for (const [sentence, [edge, observed, is]] of Object.entries(OWED)) {
  test(`what a workload owes: ${sentence}`, () => assert.equal(isOwed({ ...EDGE, ...edge }, observed), is));
}

const RECORDED: Record<string, readonly [Partial<Edge>, boolean, string | undefined]> = {
  'what is sure is recorded as it is': [{}, false, A],
  'a dirty edge is recorded as unknown': [{ dirty: true }, false, '?'],
  'an edge in flight is recorded as unknown': [{}, true, '?'],
  'unknown stays unknown': [{ ran: '?' }, false, '?'],
  'nothing is recorded of what was never seen': [{ ran: undefined }, true, undefined],
};

for (const [sentence, [edge, isInFlight, ran]] of Object.entries(RECORDED)) {
  test(sentence, () => assert.equal(recordedRan({ ...EDGE, ...edge }, isInFlight), ran));
}

const DIRTY: Edge = { ...EDGE, dirty: true };
const TRANSITIONS: Record<string, readonly [Edge, Partial<Edge>]> = {
  'a new edge remembers the number that it was found with': [
    newEdge({ digest: B, number: 7 }, EDGE.began),
    { ran: undefined, began: EDGE.began, dirty: false, highestNumber: 7, isUnsettled: false },
  ],
  'a new edge without a stamp begins at 0': [
    newEdge(undefined, undefined),
    { stamp: undefined, highestNumber: 0 },
  ],
  'a lower stamp does not lower the highest number seen': [
    withStamp(EDGE, { digest: B, number: 1 }),
    { ran: A, stamp: { digest: B, number: 1 }, highestNumber: 5 },
  ],
  'a stamp that goes leaves its number': [withStamp(EDGE, undefined), { stamp: undefined, highestNumber: 5 }],
  'unknown needs no dirt beside it': [asUnknown(DIRTY), { ran: '?', dirty: false, isUnsettled: false }],
  'a patch cleans the edge and leaves its rollout to be seen': [
    asPatched(DIRTY, B, { digest: B, number: 6 }),
    { ran: B, dirty: false, highestNumber: 6, isUnsettled: true },
  ],
  'a patch for another object of the workload leaves this one settled': [
    asPatched(EDGE, A, EDGE.stamp),
    { ran: A, dirty: false, isUnsettled: false },
  ],
};

for (const [sentence, [edge, expected]] of Object.entries(TRANSITIONS)) {
  test(sentence, () => assert.deepEqual(edge, { ...edge, ...expected }));
}
