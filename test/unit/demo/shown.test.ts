/** What README shows of the demo is compared whole, but for what differs from run to run. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { counterparts, refreshed, settled, shownIn } from '../../demo/shown.ts';

const README = 'Before\n\n<!-- demo -->\n\n```text\nOne\n> a\n\n…\n\nDone, after 9 s.\n```\n\nAfter\n';

describe('what README shows', () => {
  test('is its paragraphs, without the sign for those that are left out', () => {
    assert.deepEqual(shownIn(README), ['One\n> a', 'Done, after 9 s.']);
    assert.deepEqual(shownIn('no block'), []);
  });

  test('is found again by its first lines, if it is still there', () => {
    assert.deepEqual(counterparts(['One\n> a', 'Three'], '\nZero\n\nOne\n> b\n\nTwo\n'), [
      'One\n> b',
      undefined,
    ]);
  });

  test('is brought up to date, without the lines that only pass the time', () => {
    const output = '\nOne\n> b\n  … waiting until it rains (1.5 s)\n\nTwo\n\nDone, after 12 s.\n';
    assert.equal(refreshed(README, output), README.replace('> a', '> b').replace('9 s', '12 s'));
  });
});

describe('two runs are the same', () => {
  const same: Record<string, [string, string]> = {
    'at other times': ['  10:00:00.123Z INFO  a', '  23:59:59.999Z INFO  a'],
    'on other ports': ['http://127.0.0.1:1/ port=2', 'http://127.0.0.1:3/ port=4'],
    'of another version': ['kubernetes-reloader 0.1.0 watches', 'kubernetes-reloader 1.0.0-rc.1 watches'],
    'after another random wait': ['next try in 9.3 s reason', 'next try in 500 ms reason'],
    'where a line is broken elsewhere': ['  10:00:00.123Z a b\n      c', '  10:00:00.123Z a\n      b c'],
    'with neighbours in another order': [
      '> x\n  10:00:00.001Z a\n  10:00:00.002Z b\n> y',
      '> x\n  10:00:00.001Z b\n  10:00:00.002Z a\n> y',
    ],
    'with other lines that pass the time': ['a\n  … waiting until x (1.5 s)\nb', 'a\nb'],
  };
  for (const [name, [one, other]] of Object.entries(same)) {
    test(name, () => assert.equal(settled(one), settled(other)));
  }

  const different: Record<string, [string, string]> = {
    'with another word': ['  10:00:00.123Z INFO  a', '  10:00:00.123Z INFO  b'],
    'with a line more': ['  10:00:00.123Z a', '  10:00:00.123Z a\n  10:00:00.123Z a'],
    'with a line of the log in another act': ['> x\n  10:00:00.001Z a\n> y', '> x\n> y\n  10:00:00.001Z a'],
    'with another count': ['web 1 yes', 'web 2 yes'],
  };
  for (const [name, [one, other]] of Object.entries(different)) {
    test(`but not ${name}`, () => assert.notEqual(settled(one), settled(other)));
  }
});
