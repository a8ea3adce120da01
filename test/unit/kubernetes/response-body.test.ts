import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../lib/kubernetes/json-call.ts';
import { readStart } from '../../../lib/kubernetes/transport.ts';
import { fc } from '../../laws.ts';

async function* told(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function linesIn(longest: number, ...pieces: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(told(...pieces), longest)) lines.push(line);
  return lines;
}

test('however a body is cut into pieces, its lines are the same', async () => {
  const piece = fc.stringMatching(/^[ab\n]*$/);
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const whole = pieces.join('').split('\n').slice(0, -1);
      assert.deepEqual(
        await linesIn(1_000_000, ...pieces),
        whole.filter((line) => line !== ''),
      );
    }),
  );
});

test('what follows the last line end is not a line', async () => {
  assert.deepEqual(await linesIn(100, 'one\ntw'), ['one']);
});

test('a line longer than allowed is refused, ended or not', async () => {
  assert.deepEqual(await linesIn(3, 'abc\n'), ['abc']);
  await assert.rejects(linesIn(3, 'ab', 'cd\n'), { code: 'malformed' });
  await assert.rejects(linesIn(3, 'ab', 'cd'), { code: 'malformed' });
});

test('only the start of a body is kept, and the rest not read', async () => {
  const body = told('abc', 'def', 'ghi');
  assert.equal(await readStart(body, 5), 'abcde');
  assert.deepEqual(await body.next(), { done: true, value: undefined });
  assert.equal(await readStart(told('abc'), 5), 'abc');
});
