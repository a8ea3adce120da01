/** That the soak runs; how long it has to run to be worth something is for whoever starts it. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SOAK = path.resolve(import.meta.dirname, '../soak/soak.ts');

test('a short soak says what it does, prints a table, and finds nothing lost', async () => {
  const flags = ['--minutes', '0.2', '--seed', '3', '--target', 'sandbox'];
  const { stdout, stderr } = await run(process.execPath, [SOAK, ...flags]);
  assert.match(stderr, / s {2}on the sandbox over HTTP, seed 3\n/);
  assert.match(stderr, / s {2}\d+ kills: \d+ changes, \d+ rollouts\n/);
  assert.match(stderr, / s {2}killed: number \d+, by SIGTERM: the other one leads after \d\.\d s\n/);
  assert.match(stderr, / s {2}limited: no more changes: \d+ changes, \d+ rollouts\n/);
  assert.ok(!stderr.includes('still at it'));
  assert.match(stdout, /\nchanges +[1-9]\d* +[1-9]\d* +[1-9]\d*\n/);
  assert.match(stdout, /\nlost +0 +0 +0\ntoo many +0 +0 +0\nwrites without the lead +0 +0 +0\n/);
  assert.match(stdout, /\ntake-overs +\d+ +[1-9]\d* +\d+\n +longest .*\nkills and ends +0 +[1-9]\d* +0\n/);
});

test('a target that does not exist is refused with those that do', async () => {
  await assert.rejects(run(process.execPath, [SOAK, '--target', 'moon']), /no target "moon"[\s\S]*sandbox/);
});
