/** How long expressions are once what they repeat is written out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { regexCost } from '../../../lib/annotations/name-list.ts';
import { fc } from '../../laws.ts';

const LENGTHS: Readonly<Record<string, readonly [pattern: string, length: number]>> = {
  'without a count it is that of the text': ['web-.*|(a)?', 11],
  'of nothing': ['', 0],
  'a letter that is repeated': ['ab{3}c', 5],
  'a group that is repeated, with its brackets': ['x(ab){10}', 41],
  'groups in groups': ['((a{2}){3}){4}', 4 * (2 + 3 * (2 + 2))],
  'a class is one letter': ['[-a-z0-9]{5}[^{}()]', 6],
  'so is an escaped letter': ['\\({2}\\pL\\p{Greek}{3}\\x{10FFFF}', 8],
  'in a class nothing is repeated': ['[a{9}]', 1],
  'whatever stands in it': ['([](][^](][[:alpha:](][[:^digit:])]){9}', 54],
  'nor in a quoted text': ['\\Q(a{9}\\E{2}', 18],
  'no times counts as once': ['a{0}b', 2],
  'more times than can be': ['a{99999999999999999999}', 1_000],
  'nothing that is repeated': ['{5}({7})', 8],
  'what is left open': ['(a(b{3}', 6],
  'a class that is left open': ['[ab{3}', 1],
  'what was never opened': ['a)b{3}', 5],
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
