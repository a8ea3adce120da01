/** A wait that ends in time, also where the work takes no notice of its signal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../../../lib/leader/term.ts';

/** Waits for work that never ends; answers how to learn what came of the wait. */
function waiting(ms: number, end?: AbortSignal): () => Promise<string | undefined> {
  let answer: string | undefined = 'still waits';
  const never = (): Promise<string> => new Promise(() => {});
  void within(ms, end, never).then((value) => {
    answer = value;
  });
  return async () => {
    await new Promise(setImmediate);
    return answer;
  };
}

test('work that ignores its signal is not waited for after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answer = waiting(1000);
  t.mock.timers.tick(999);
  assert.equal(await answer(), 'still waits');
  t.mock.timers.tick(1);
  assert.equal(await answer(), undefined);
});

test('nor after the end of all', async () => {
  const end = new AbortController();
  const answer = waiting(1_000_000, end.signal);
  end.abort();
  assert.equal(await answer(), undefined);
});
