import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../../lib/queue/abortable-sleep.ts';

test('a moment that has passed is no warning of the runtime', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error): number => warnings.push(name);
  process.on('warning', note);
  await sleep(-1_000, new AbortController().signal);
  await new Promise(setImmediate);
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});
