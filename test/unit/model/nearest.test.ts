import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestTo } from '../../../lib/model/nearest.ts';

const CASES: Record<string, [word: string, candidates: string[], nearest: string | undefined]> = {
  'the word itself': ['web', ['wep', 'web'], 'web'],
  'a letter dropped': ['confgmap', ['secret', 'configmap'], 'configmap'],
  'a letter too many': ['secrets', ['secret', 'configmap'], 'secret'],
  'letters replaced': ['configMap', ['configmap'], 'configmap'],
  'of two the one with fewer differences': ['wab-1', ['web-2', 'web-1'], 'web-1'],
  'of two alike the first': ['web-3', ['web-1', 'web-2'], 'web-1'],
  'a third of the letters at the most': ['abcdef', ['abcdxy'], 'abcdxy'],
  'none beyond a third': ['abcdef', ['abcxyz'], undefined],
  'none of a quite different length': ['web', ['web-templates'], undefined],
  'none where there is none': ['web', [], undefined],
  'none for nothing': ['', ['web'], undefined],
};

for (const [sentence, [word, candidates, nearest]] of Object.entries(CASES)) {
  test(`the nearest: ${sentence}`, () => assert.equal(nearestTo(word, candidates), nearest));
}
