/** The threat model names a test for each control: it exists, under that title. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../source-tree.ts';

const PAGE = readFileSync(path.join(ROOT, 'docs/explanation/threat-model.md'), 'utf8');
const TABLE = PAGE.slice(PAGE.indexOf('<!-- begin threats -->'), PAGE.indexOf('<!-- end threats -->'));
const ROWS = TABLE.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
  .slice(1)
  .map((line) => line.slice(2, -2).split(' | '));

/** Whether a test, or a group of tests, of `file` has a title in which `words` stand. */
function isTitle(file: string, words: string): boolean {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return new RegExp(
    `\\b(?:test|describe)\\(\\s*['\`"].*${words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`,
  ).test(text);
}

describe('each row of the threat model', () => {
  for (const [threat = '', control = '', tests = '', remains = ''] of ROWS) {
    test(threat, () => {
      assert.ok(control.length > 0 && remains.length > 0);
      const named = tests.split('<br>').map((each) => /^`(?<file>[^`]+)`: (?<title>.+)$/.exec(each)?.groups);
      for (const groups of named) {
        const { file = '', title = '' } = groups ?? {};
        assert.ok(existsSync(path.join(ROOT, file)), `there is no ${file}`);
        assert.ok(isTitle(file, title), `${file} has no test "${title}"`);
      }
    });
  }
});

test('the table is not empty, and every row has four cells', () => {
  assert.ok(ROWS.length > 15);
  for (const row of ROWS) assert.equal(row.length, 4, row[0]);
});

test('a title that is nowhere is found out', () => {
  assert.ok(isTitle('test/docs/threat-model.test.ts', 'a title that is nowhere is found out'));
  assert.ok(!isTitle('test/docs/threat-model.test.ts', 'a title of another file'));
});
