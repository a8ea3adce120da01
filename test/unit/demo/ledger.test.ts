/** A claim that is not so is seen, wherever the rollout came from. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Counts, Ledger } from '../../demo/ledger.ts';
import { Screen } from '../../demo/screen.ts';

const WORKLOADS = ['a', 'b'].map((name) => ({ kind: 'Deployment', namespace: 'default', name }));

interface Verdict {
  readonly isTrue: boolean;
  readonly lines: readonly string[];
}

/** Begins at 5 rollouts each; `counts` are those at the first row, the second row, and the end. */
function judged(counts: readonly [Counts, Counts, Counts], other = true): Verdict {
  let now: Counts = [5, 5];
  const ledger = new Ledger(WORKLOADS, ({ name }) => now[name === 'a' ? 0 : 1] ?? 0);
  ledger.begin();
  now = counts[0];
  ledger.expect('first', [1, 1]);
  now = counts[1];
  ledger.expect('second', [0, 1]);
  ledger.claim('other', other);
  now = counts[2];
  let text = '';
  const isTrue = ledger.conclude(new Screen({ write: (piece) => (text += piece) }));
  return { isTrue, lines: text.trimEnd().split('\n').slice(1) };
}

describe('a ledger', () => {
  test('agrees with what is as it claims', () => {
    const { isTrue, lines } = judged([
      [6, 6],
      [6, 7],
      [6, 7],
    ]);
    assert.ok(isTrue);
    assert.deepEqual(
      lines.map((line) => line.trim().split(/\s+/)),
      [
        ['first', '1', '1', 'yes'],
        ['second', '0', '1', 'yes'],
        ['in', 'all', '1', '2', 'yes'],
        ['other', 'yes'],
      ],
    );
  });

  const wrong: Record<string, [verdict: Verdict, words: RegExp]> = {
    'a rollout too many': [
      judged([
        [6, 7],
        [6, 8],
        [6, 8],
      ]),
      /^first .* NO \(claimed: 1 1\)$/m,
    ],
    'a rollout too few': [
      judged([
        [6, 6],
        [6, 6],
        [6, 6],
      ]),
      /^second .* NO \(claimed: 0 1\)$/m,
    ],
    'a rollout after the last row': [
      judged([
        [6, 6],
        [6, 7],
        [7, 7],
      ]),
      /^in all .* NO \(claimed: 1 2\)$/m,
    ],
    'another claim that is not so': [
      judged(
        [
          [6, 6],
          [6, 7],
          [6, 7],
        ],
        false,
      ),
      /^other .* NO$/m,
    ],
  };
  for (const [name, [{ isTrue, lines }, words]] of Object.entries(wrong)) {
    test(`denies ${name}`, () => {
      assert.equal(isTrue, false);
      assert.match(lines.join('\n'), words);
    });
  }
});
