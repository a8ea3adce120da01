/** Stages, halts that go on, orders and canaries: what their values mean, and the findings about those that cannot be read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  configGatingMistakes,
  isResumedBy,
  rolloutOrderOf,
  stagesOf,
} from '../../../lib/annotations/gating.ts';
import { deployment, vocabulary } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const vocabularies = vocabulary();
const REF = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' } as const;

type Words = Readonly<Record<string, string>>;

function withPrefix(words: Words): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]));
}

test('the stages of an object count before those of the flag, if they can be read', () => {
  const usual = [{ percent: 50 }];
  assert.deepEqual(stagesOf(withPrefix({ stages: '1, 10%' }), usual), [{ count: 1 }, { percent: 10 }]);
  assert.deepEqual(stagesOf(withPrefix({ stages: 'all' }), usual), usual);
  assert.deepEqual(stagesOf({}, usual), usual);
  assert.equal(stagesOf({}, undefined), undefined);
});

test('a halt goes on with its own token alone', () => {
  const isResumed = (value: string): boolean => isResumedBy(withPrefix({ resume: value }), '0a');
  assert.deepEqual(['0a', 'true', '', '0A', '0a '].map(isResumed), [true, false, false, false, false]);
});

const PLACES: readonly (readonly [Words, number])[] = [
  [{}, 0],
  [{ 'rollout-order': '10' }, 10],
  [{ 'rollout-order': ' -1 ' }, -1],
  [{ 'rollout-order': '1.5' }, 0],
  [{ 'rollout-order': '1234567' }, 0],
  [{ canary: 'true', 'rollout-order': '10' }, Number.NEGATIVE_INFINITY],
  [{ canary: 'yes', 'rollout-order': '10' }, 10],
];
for (const [words, place] of PLACES)
  test(`the place in the stages of ${JSON.stringify(words)} is ${place}`, () =>
    assert.equal(rolloutOrderOf(deployment(vocabularies, withPrefix(words))), place));

const mistakesOf = (words: Words): string[] =>
  vocabularies.mistakesOf(deployment(vocabularies, withPrefix(words))).map(({ message }) => message);
const configMistakesOf = (words: Words): string[] =>
  configGatingMistakes(REF, withPrefix(words)).map(({ message }) => message);

test('people are told of what cannot be read, and of nothing else', () => {
  assert.deepEqual(configMistakesOf({ stages: 'all' }), [
    `"all" of ${PREFIX}/stages of ConfigMap/cfg does not count; write at most 20 numbers of workloads or percentages such as 1,10%,50%,100%`,
  ]);
  assert.deepEqual(mistakesOf({ 'rollout-order': 'first', canary: 'maybe' }).toSorted(), [
    `"first" of ${PREFIX}/rollout-order is no number such as 10 or -1 and does not count`,
    `"maybe" of ${PREFIX}/canary is neither true nor false and does not count; write ${PREFIX}/canary: "true"`,
  ]);
  assert.deepEqual(mistakesOf({ 'rollout-order': '-1', canary: 'false' }), []);
  for (const stages of ['1,100%', '10,5%,20', '5%,5%'])
    assert.deepEqual(configMistakesOf({ stages, resume: '0a' }), []);
  for (const stages of ['10,5', '1,20%,10%'])
    assert.match(
      configMistakesOf({ stages })[0] ?? '',
      /ends before the one before it; write ends that rise/,
    );
});

test('they are annotations that are read, of workloads or of objects', () => {
  const words = ['rollout-order', 'canary', 'stages', 'resume'].map((word) => `${PREFIX}/${word}`);
  const read = (isRead: (key: string) => boolean): readonly boolean[] => words.map(isRead);
  assert.deepEqual(
    read((key) => vocabularies.isPolicyAnnotation(key)),
    [true, true, false, false],
  );
  assert.deepEqual(
    read((key) => vocabularies.isConfigAnnotation(key)),
    [false, false, true, true],
  );
});
