/** docs/reference tells what the program has: no flag, metric, reason or Event is missing or described in other words. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { EVENTS, REASONS } from '../../lib/model/reasons.ts';
import { ALL_FLAGS } from '../../lib/options/flags.ts';
import { METRICS } from '../../lib/telemetry/metric-table.ts';
import { withTables } from './tables.ts';
import { writtenFiles } from './written.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MAX_README_LINES = 200;

function textOf(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

describe('the tables of', () => {
  for (const { file, text, expected } of writtenFiles()) {
    test(`${file} are those of the code`, () => {
      assert.equal(text, expected, 'npm run reference writes them anew');
    });
  }

  test('a page with an unknown name are an error', () => {
    assert.throws(
      () => withTables('<!-- table: what -->\n<!-- end of the table -->'),
      /no table 'what', only flags/,
    );
  });
});

describe('the reference names', () => {
  const expected: Record<string, readonly [page: string, names: readonly string[]]> = {
    'every flag': ['flags', ALL_FLAGS.map(({ name }) => `--${name}`)],
    'every metric': ['metrics', METRICS.map(({ name }) => name)],
    'every reason': ['reasons', Object.keys(REASONS).map((reason) => `\`${reason}\``)],
    'every Event, its type and its reason': [
      'events',
      Object.entries(EVENTS).map(([name, { type, tells }]) => `| \`${name}\` | ${type} | \`${tells}\` |`),
    ],
  };
  for (const [what, [page, names]] of Object.entries(expected)) {
    test(what, () => {
      const text = textOf(`docs/reference/${page}.md`);
      assert.deepEqual(
        names.filter((name) => !text.includes(name)),
        [],
      );
    });
  }
});

test(`README has at most ${MAX_README_LINES} lines`, () => {
  assert.ok(textOf('README.md').trimEnd().split('\n').length <= MAX_README_LINES);
});
