import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closestMatch } from '../../../lib/model/text.ts';
import { fc } from '../../laws.ts';

const CASES: Record<string, [word: string, candidates: string[], nearest: string | undefined]> = {
  'the word itself': ['web', ['wep', 'web'], 'web'],
  'a letter dropped': ['confgmap', ['secret', 'configmap'], 'configmap'],
  'a letter too many': ['secrets', ['secret', 'configmap'], 'secret'],
  'letters replaced': ['configMap', ['configmap'], 'configmap'],
  'neighbours swapped': ['wbe', ['web'], 'web'],
  'neighbours swapped at the end': ['abcdfe', ['abcdef'], 'abcdef'],
  'letters swapped that are no neighbours': ['bew', ['web'], undefined],
  'of two the one with fewer differences': ['wab-1', ['web-2', 'web-1'], 'web-1'],
  'of two alike the first': ['web-3', ['web-1', 'web-2'], 'web-1'],
  'a third of the letters at the most': ['abcdef', ['abcdxy'], 'abcdxy'],
  'none beyond a third': ['abcdef', ['abcxyz'], undefined],
  'none of a quite different length': ['web', ['web-templates'], undefined],
  'none where there is none': ['web', [], undefined],
  'none for nothing': ['', ['web'], undefined],
};

for (const [sentence, [word, candidates, nearest]] of Object.entries(CASES)) {
  test(`the nearest: ${sentence}`, () => assert.equal(closestMatch(word, candidates), nearest));
}

/** The same by definition: the best of all ways to end. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const isSame = a.at(-1) === b.at(-1);
  const isSwapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  return Math.min(
    distance(a.slice(0, -1), b) + 1,
    distance(a, b.slice(0, -1)) + 1,
    distance(a.slice(0, -1), b.slice(0, -1)) + (isSame ? 0 : 1),
    isSwapped ? distance(a.slice(0, -2), b.slice(0, -2)) + 1 : Number.POSITIVE_INFINITY,
  );
}

test('law: a word is near exactly if a third of its letters at the most have to change', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(words, words, (a, b) => {
      const isNear = distance(a, b) <= Math.max(a.length, b.length) / 3;
      assert.equal(closestMatch(a, [b]) === b, isNear);
    }),
  );
});
