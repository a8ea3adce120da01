import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { PageAccess, type Review } from '../../../lib/telemetry/page-access.ts';

let now = 0;
/** What was asked of the API server, as `token path`. */
let asked: string[] = [];
let failures: unknown[] = [];
/** By token; what is absent is not known. An error is a review that fails. */
let verdicts: Record<string, Review | Error> = {};
let access: PageAccess;

beforeEach(() => {
  now = 0;
  [asked, failures, verdicts] = [[], [], {}];
  mock.method(performance, 'now', () => now);
  access = new PageAccess({
    review: async (token, path) => {
      asked.push(`${token} ${path}`);
      const verdict = verdicts[token] ?? 'unauthenticated';
      if (verdict instanceof Error) throw verdict;
      return verdict;
    },
    onFailure: (error) => failures.push(error),
  });
});
afterEach(() => mock.restoreAll());

const admit = (token: string, path = '/metrics') => access.admit(`Bearer ${token}`, path);

describe('a token is reviewed', () => {
  for (const verdict of ['allowed', 'forbidden', 'unauthenticated'] as const)
    test(`and its answer passed on: ${verdict}`, async () => {
      verdicts = { t: verdict };
      assert.equal(await admit('t'), verdict);
      assert.deepEqual(asked, ['t /metrics']);
    });

  test('however the scheme is written', async () => {
    verdicts = { 'a.b-c_d': 'allowed' };
    for (const scheme of ['Bearer', 'bearer', 'BEARER  '])
      assert.equal(await access.admit(`${scheme} a.b-c_d`, '/metrics'), 'allowed');
  });

  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'token'])
    test(`but not ${JSON.stringify(header)}`, async () => {
      assert.equal(await access.admit(header, '/metrics'), 'unauthenticated');
      assert.deepEqual(asked, []);
    });

  test('for each path by itself', async () => {
    verdicts = { t: 'allowed' };
    for (const path of ['/metrics', '/status.json', '/metrics']) await admit('t', path);
    assert.deepEqual(asked, ['t /metrics', 't /status.json']);
  });

  test('once for many requests at the same time', async () => {
    verdicts = { t: 'allowed' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => admit('t')));
    assert.deepEqual(new Set(answers), new Set(['allowed']));
    assert.deepEqual(asked, ['t /metrics']);
  });
});

describe('an answer is remembered', () => {
  test('for a minute if it allows, and a right that was withdrawn does not count after it', async () => {
    verdicts = { t: 'allowed' };
    await admit('t');
    verdicts = { t: 'forbidden' };
    now = 59_999;
    assert.equal(await admit('t'), 'allowed');
    now = 60_000;
    assert.equal(await admit('t'), 'forbidden');
    assert.equal(await admit('t'), 'forbidden');
    assert.equal(asked.length, 2);
  });

  test('for ten seconds if it refuses, and a right that was granted counts after it', async () => {
    verdicts = { t: 'forbidden' };
    await admit('t');
    verdicts = { t: 'allowed' };
    now = 9_999;
    assert.equal(await admit('t'), 'forbidden');
    now = 10_000;
    assert.equal(await admit('t'), 'allowed');
    assert.equal(asked.length, 2);
  });

  test('but not a failed review, which allows nothing', async () => {
    verdicts = { t: new Error('no answer') };
    assert.equal(await admit('t'), 'unavailable');
    assert.deepEqual(failures, [verdicts['t']]);
    verdicts = { t: 'allowed' };
    assert.equal(await admit('t'), 'allowed');
  });

  test('and nothing is open when the review after it fails', async () => {
    verdicts = { t: 'allowed' };
    await admit('t');
    verdicts = { t: new Error('no answer') };
    now = 60_000;
    assert.equal(await admit('t'), 'unavailable');
  });
});

describe('many strangers', () => {
  async function come(count: number, each: (index: number) => Promise<unknown>): Promise<unknown[]> {
    return await Promise.all(Array.from({ length: count }, (_, index) => each(index)));
  }

  test('cost twenty reviews a second, however many tokens they make up', async () => {
    const answers = await come(1000, (index) => admit(`made-up-${index}`));
    assert.equal(asked.length, 20);
    assert.equal(answers.filter((answer) => answer === 'busy').length, 980);
    now = 1000;
    assert.equal(await admit('another'), 'unauthenticated');
  });

  test('keep none out who was allowed before', async () => {
    verdicts = { t: 'allowed' };
    await admit('t');
    for (const second of [1000, 30_000, 60_000]) {
      now = second;
      const answers = await come(30, (index) => admit(`${second}-${index}`));
      assert.ok(answers.includes('busy'));
    }
    assert.equal(await admit('t'), 'allowed');
    assert.equal(asked.at(-1), 't /metrics');
  });

  test('are forgotten, the oldest first', async () => {
    for (let round = 0; round < 6; round += 1) {
      now = round * 1000;
      await come(20, (index) => admit(`${round}-${index}`));
    }
    assert.equal(asked.length, 120);
    now = 6000;
    await admit('5-19');
    assert.equal(asked.length, 120);
    await admit('0-0');
    assert.equal(asked.length, 121);
  });
});
