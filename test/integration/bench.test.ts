/** That the benchmark runs; its figures are not judged, for machines differ. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Figure } from '../bench/figures.ts';

const run = promisify(execFile);
const BENCH = path.resolve(import.meta.dirname, '../bench/bench.ts');

test('a quick benchmark prints a table, says what it does, and writes figures and charts', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reloader-bench-test-'));
  try {
    const json = path.join(folder, 'run.json');
    const flags = ['--quick', '--target', 'sandbox', '--only', 'latency', '--json', json, '--charts', folder];
    const { stdout, stderr } = await run(process.execPath, [BENCH, ...flags]);
    assert.match(stdout, /^the sandbox\n.*\n\n +reloader +floor +ratio +wanted\n/);
    assert.match(stderr, / s {2}latency: /);
    const { figures } = JSON.parse(await readFile(json, 'utf8')) as { figures: readonly Figure[] };
    assert.equal(figures.length, 2);
    for (const { measured, floor } of figures) assert.ok(measured > 0 && (floor ?? 0) > 0);
    assert.match(await readFile(path.join(folder, 'latency.svg'), 'utf8'), /<polyline/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a scenario that does not exist is refused with those that do', async () => {
  await assert.rejects(
    run(process.execPath, [BENCH, '--only', 'latencies']),
    /no scenario "latencies"[\s\S]*burst/,
  );
});
