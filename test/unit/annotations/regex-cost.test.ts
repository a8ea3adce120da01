/** How long expressions are once what they repeat is written out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { regexCost } from '../../../lib/annotations/name-list.ts';
import { fc } from '../../laws.ts';

const LENGTHS: Readonly<Record<string, readonly [pattern: string, length: number]>> = {
  'without a count it is that of the text': ['web-.*|(a)?', 11],
  'of nothing': ['', 0],
  'letters that are repeated are added': ['ab{3}c{2}', 6],
  'the count of a group may repeat all': ['x(ab){10}c{2}', 70],
  'no times counts as once': ['(a{0}b)', 4],
  'more times than can be': ['a{99999999999999999999}', 1_000],
};
for (const [sentence, [pattern, length]] of Object.entries(LENGTHS)) {
  test(`the length written out: ${sentence}`, () => assert.equal(regexCost(pattern), length));
}

const { pattern } = fc.letrec((tie) => {
  const letters = [
    'a',
    '.',
    'a*',
    '.?',
    '[a-c]',
    '[^)(]',
    '[[:alpha:](]',
    '[]{9}]',
    '[](]',
    '[^](]',
    '[[:^alpha:])]',
    '[\\](]',
    '()',
    '(|)',
    '\\(',
    '\\pL',
    '\\Q({9}\\E',
    '\\x{61}',
  ];
  const inside = tie('pattern').map((text) => `(${text})`);
  const atom = fc.oneof({ depthSize: 'small' }, fc.constantFrom(...letters), inside);
  const counted = fc.tuple(atom, fc.nat({ max: 40 })).map(([text, times]) => `(?:${text}){${times}}`);
  const part = fc.oneof(atom, counted);
  return {
    pattern: fc
      .array(part, { maxLength: 4 })
      .chain((parts) => fc.constantFrom('', '|').map((by) => parts.join(by))),
  };
}) as { readonly pattern: fc.Arbitrary<string> };

test('law: no expression has a program that is much longer', () => {
  fc.assert(
    fc.property(pattern, (text) => {
      assert.ok(sizeOf(text) <= 2 * regexCost(text) + 4, text);
    }),
    { numRuns: 500 },
  );
});

/** Zero where counts within counts are too much for RE2. */
function sizeOf(text: string): number {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return 0;
  }
}

for (const text of ['(', '[', '{', '\\Q', '\\p{', '(a{1000}){', '[]', '[[:a', '\\']) {
  test(`a text of many ${text} is measured in a time that grows no faster than it`, () => {
    assert.ok(regexCost(text.repeat(250_000 / text.length)) > 0);
  });
}
