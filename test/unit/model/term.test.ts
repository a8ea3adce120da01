/** The mark of a leader in the state: how it is read, which term comes next, and which mark stands against one's own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  annotationsOf,
  contests,
  LAST_TERM,
  markIn,
  TERM_ANNOTATION,
  type TermMark,
  termAfter,
} from '../../../lib/model/shards.ts';
import { fc } from '../../laws.ts';

const TERMS: Record<string, readonly [text: string | undefined, term: number]> = {
  'none is 0': [undefined, 0],
  'a number is read': ['7', 7],
  'the last one is read': [String(LAST_TERM), LAST_TERM],
  'what comes after it is made up': [String(LAST_TERM + 1), 0],
  'a number beyond all counting is made up': ['9'.repeat(400), 0],
  'a negative one is none': ['-3', 0],
  'a fraction is none': ['1.5', 0],
  'another notation is none': ['1e3', 0],
  'no number is none': ['NaN', 0],
  'spaces are none': [' ', 0],
};

for (const [sentence, [text, term]] of Object.entries(TERMS)) {
  test(`the term of a shard: ${sentence}`, () => {
    assert.deepEqual(markIn(text === undefined ? {} : { [TERM_ANNOTATION]: text }), { term, writer: '' });
  });
}

const marks = fc.record({ term: fc.integer({ min: 0, max: LAST_TERM }), writer: fc.string() });

test('law: a mark is read as it was written', () => {
  fc.assert(fc.property(marks, (mark) => assert.deepEqual(markIn(annotationsOf(mark)), { ...mark })));
});

const m = (term: number, writer = 'a'): TermMark => ({ term, writer });
const NEXT: Record<string, readonly [found: readonly TermMark[], next: number]> = {
  'of nothing it is 1': [[], 1],
  'of what has no mark it is 1': [[m(0, '')], 1],
  'it is above the highest one': [[m(3), m(9, 'b'), m(4)], 10],
  'it is one that is read again': [[m(LAST_TERM - 1)], LAST_TERM],
  'after the last one they begin anew': [[m(LAST_TERM)], 1],
};

for (const [sentence, [found, next]] of Object.entries(NEXT)) {
  test(`the next term: ${sentence}`, () => assert.equal(termAfter(found), next));
}

const CONTESTS: Record<string, readonly [found: TermMark, isContest: boolean]> = {
  'the own mark does not': [m(5), false],
  'no mark does not': [m(0, ''), false],
  'one of an earlier term does not': [m(4, 'b'), false],
  'that of another one of the same term does': [m(5, 'b'), true],
  'that of another one of a later term does': [m(6, 'b'), true],
  'that of this process of a later term does': [m(6), true],
  'that of this process of an earlier term does not': [m(4), false],
};

for (const [sentence, [found, isContest]] of Object.entries(CONTESTS)) {
  test(`against the holder of a term: ${sentence}`, () => assert.equal(contests(found, m(5)), isContest));
}
