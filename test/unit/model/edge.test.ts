import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Edge, isOutdated, recordedDigest, recover } from '../../../lib/model/edge.ts';
import { A, B, EDGE } from '../edges.ts';

const ENTRY = { digest: A };

const RECOVERED: Record<string, readonly [Parameters<typeof recover>, string | undefined]> = {
  'the digest of the entry, whatever the stamp says': [[ENTRY, undefined, { digest: B, id: 3 }], A],
  'unknown, if there is a mark': [[ENTRY, '?', { digest: A, id: 2 }], '?'],
  'the digest of the entry, if the mark is for this stamp': [[ENTRY, '?2', { digest: A, id: 2 }], A],
  'unknown, if that stamp has another digest, or one under another key': [
    [{ digest: `k00000001:${A}` }, '?2', { digest: A, id: 2 }],
    '?',
  ],
  'unknown, if the mark is for another stamp': [[ENTRY, '?2', { digest: A, id: 3 }], '?'],
  'unknown, if the mark is for a stamp that is gone': [[ENTRY, '?2', undefined], '?'],
  'nothing without an entry, whatever mark and stamp say': [
    [undefined, '?', { digest: B, id: 9 }],
    undefined,
  ],
};

for (const [sentence, [given, runningDigest]] of Object.entries(RECOVERED)) {
  test(`what the state gives: ${sentence}`, () => assert.equal(recover(...given), runningDigest));
}

const OWED: Record<string, readonly [Partial<Edge>, string | undefined, boolean]> = {
  'another content is out of date': [{}, B, true],
  'the same content is not': [{}, A, false],
  'unknown is, whatever is observed': [{ runningDigest: '?' }, A, true],
  'an absent object is not': [{ runningDigest: '?' }, undefined, false],
  'an object never seen before is not: it is the baseline': [{ runningDigest: undefined }, A, false],
};

for (const [sentence, [edge, observed, is]] of Object.entries(OWED)) {
  test(`whether an edge is out of date: ${sentence}`, () =>
    assert.equal(isOutdated({ ...EDGE, ...edge }, observed), is));
}

const RECORDED: Record<string, readonly [Partial<Edge>, boolean, string | undefined]> = {
  'what is sure is recorded as it is': [{}, false, A],
  'an edge in flight is recorded as unknown': [{}, true, '?'],
  'unknown stays unknown': [{ runningDigest: '?' }, false, '?'],
  'nothing is recorded of what was never seen': [{ runningDigest: undefined }, true, undefined],
};

for (const [sentence, [edge, isInFlight, runningDigest]] of Object.entries(RECORDED)) {
  test(sentence, () => assert.equal(recordedDigest({ ...EDGE, ...edge }, isInFlight), runningDigest));
}
