import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { heapAfterCollection } from '../../bench/heap.ts';

const MAKE = 'Array.from({ length: 1_000_000 }, (_, i) => i + 0.5)';

/** The heap of a process that has run `code`. */
async function heapOf(code: string): Promise<number> {
  const script = `${code}; process.stdin.resume(); setImmediate(() => require('node:inspector').open(0))`;
  const child = spawn(process.execPath, ['-e', script], { env: {} });
  try {
    const [line] = await once(createInterface(child.stderr), 'line');
    return await heapAfterCollection(String(line).replace('Debugger listening on ', ''));
  } finally {
    child.kill();
  }
}

test('the heap after a collection has what is held, and no garbage', async () => {
  const [held, dropped] = await Promise.all([heapOf(`globalThis.held = ${MAKE}`), heapOf(MAKE)]);
  assert.ok(Math.abs(held - dropped - 8_000_000) < 500_000, `${held - dropped} bytes for 8,000,000`);
});

test('an inspector that is not there is an error', async () => {
  await assert.rejects(heapAfterCollection('ws://127.0.0.1:1/none'), /closed/);
});
