import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalOf, isOlder, type Span, Timeline } from '../../../lib/model/timeline.ts';

const AGES: Record<string, readonly [string, string, boolean]> = {
  'a smaller number is older': ['9', '10', true],
  'a greater number is not': ['10', '9', false],
  'the same is not older than itself': ['10', '10', false],
  'what is no number is not older': ['abc', '10', false],
  'nothing is older than what is no number': ['10', 'abc', false],
  'an empty version is not older': ['', '10', false],
};

for (const [sentence, [a, b, older]] of Object.entries(AGES)) {
  test(sentence, () => assert.equal(isOlder(a, b), older));
}

test('only decimals that can be counted on are numbers', () => {
  assert.deepEqual(['7', '', 'x', '-1', '1.5', '1234567890123456'].map(decimalOf), [
    7,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

function comparable(): Timeline {
  const timeline = new Timeline();
  timeline.comparable = true;
  return timeline;
}

const COMPARED: Record<string, readonly [(timeline: Timeline) => Span, Span]> = {
  'a write took place at its own version': [
    (timeline) => timeline.ofWrite('40', { at: 7, arrival: 1 }),
    { from: 39, to: 40 },
  ],
  'what a list shows happened since the last sign of life': [
    (timeline) => timeline.ofListed('40', { at: 7, arrival: 1 }),
    { from: 7, to: 40 },
  ],
  'what a first list shows happened at any time': [
    (timeline) => timeline.ofListed('40', undefined),
    { from: Number.NEGATIVE_INFINITY, to: 40 },
  ],
  'a sign of life that is newer than the object leaves its last write': [
    (timeline) => timeline.ofListed('40', { at: 90, arrival: 1 }),
    { from: 39, to: 40 },
  ],
  'a sign of life that is no number bounds nothing': [
    (timeline) => timeline.ofListed('40', { at: undefined, arrival: 1 }),
    { from: Number.NEGATIVE_INFINITY, to: 40 },
  ],
};

for (const [sentence, [spanOf, span]] of Object.entries(COMPARED)) {
  test(`where versions compare: ${sentence}`, () => assert.deepEqual(spanOf(comparable()), span));
}

test('where versions do not compare, news lies between the last sign of life and its arrival', () => {
  const timeline = new Timeline();
  const before = timeline.sign('900');
  timeline.sign('of another stream');
  const write = timeline.ofWrite('7', before);
  assert.deepEqual(write, { from: before.arrival, to: before.arrival + 2 });
  assert.deepEqual(timeline.ofListed('8', undefined), { from: Number.NEGATIVE_INFINITY, to: write.to + 1 });
});
