import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, after, start } from './reflector-stage.ts';
import {
  type Answer,
  answered,
  bookmark,
  configMap,
  cutWatchOf,
  line,
  listOf,
  openWatchOf,
  refused,
  settle,
  watchOf,
} from './scripted-send.ts';

const GONE = line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' });
const TOO_NEW = { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };

test('it lists, then watches from the version of the list', async (t) => {
  const { told, asked, stop } = start(t, [
    listOf('7', [A], '2'),
    listOf('7', [configMap('b', '6')]),
    openWatchOf(line('ADDED', configMap('c', '8')), bookmark('9')),
  ]);
  await settle();
  assert.deepEqual(asked(), ['list', 'list more 2', 'watch 7']);
  assert.deepEqual(told, ['begin', 'list a', 'list b', 'end 7', 'up', 'ADDED 8', 'BOOKMARK 9']);
  await stop();
  assert.equal(told.length, 7, 'a shutdown is no news');
});

test('a watch that the server ends is resumed at once from the last version, bookmarks included', async (t) => {
  const { asked, told, stop } = start(t, [
    listOf('7', []),
    watchOf(line('ADDED', A), bookmark('12')),
    openWatchOf(),
  ]);
  await settle();
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 12']);
  assert.ok(told.includes('down: ended'));
  await stop();
});

test('a watch that ends at once without an event, again and again, backs off', async (t) => {
  const { asked, stop } = start(t, [
    listOf('7', []),
    ...Array.from({ length: 9 }, () => watchOf(bookmark('7'))),
  ]);
  await settle();
  assert.equal(asked().length, 3, 'the second one is tried at once');
  await after(t, 499);
  assert.equal(asked().length, 3);
  await after(t, 1);
  assert.equal(asked().length, 4);
  await stop();
});

test('a watch that lasted and told nothing is resumed at once', async (t) => {
  const { asked, told, jolt, stop } = start(t, [
    listOf('7', []),
    refused(500),
    refused(500),
    openWatchOf(),
    openWatchOf(),
  ]);
  await after(t, 500);
  jolt();
  await after(t, 500);
  assert.equal(asked().length, 4);
  jolt();
  await after(t, 160_000);
  assert.deepEqual(told.slice(-3), ['down: silence', 'failure silent, again in 0', 'up']);
  await stop();
});

test('a server asked to end a watch between 300 and 600 seconds ends them at different times', async (t) => {
  const chances = [0, 0.5, 1];
  const answers = [listOf('7', []), watchOf(line('ADDED', A)), watchOf(line('ADDED', A))];
  const { script, stop } = start(t, answers, () => chances.shift() ?? 0);
  await settle();
  const seconds = script.requests.map(({ path }) =>
    new URL(path, 'http://x').searchParams.get('timeoutSeconds'),
  );
  assert.deepEqual(seconds, [null, '300', '450', '600']);
  await stop();
});

for (const [where, expiry] of Object.entries({
  'inside a 200': watchOf(GONE),
  'as an answer': refused(410),
})) {
  test(`a 410 ${where} leads to a list at once`, async (t) => {
    const { asked, told, stop } = start(t, [listOf('7', [A]), expiry, listOf('20', [A]), openWatchOf()]);
    await settle();
    assert.deepEqual(asked(), ['list', 'watch 7', 'list', 'watch 20']);
    assert.ok(told.includes('down: expired'));
    await stop();
  });
}

test('410 after 410 backs off', async (t) => {
  const { asked, stop } = start(t, [
    listOf('7', []),
    refused(410),
    listOf('8', []),
    refused(410),
    listOf('9', []),
  ]);
  await settle();
  assert.deepEqual(asked(), ['list', 'watch 7', 'list', 'watch 8']);
  await after(t, 500);
  assert.deepEqual(asked().slice(4), ['list', 'watch 9']);
  await stop();
});

test('a version that the server has not seen yet is asked for again, not listed', async (t) => {
  const { asked, stop } = start(t, [listOf('7', []), refused(504, TOO_NEW), openWatchOf()]);
  await after(t, 500);
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 7']);
  await stop();
});

test('a version that no server has seen for ten tries is given up: the data may come from a backup', async (t) => {
  const tooNew = Array.from({ length: 10 }, () => refused(504, TOO_NEW));
  const { asked, stop } = start(t, [listOf('7', []), ...tooNew, listOf('8', []), openWatchOf()]);
  for (let turn = 0; turn < 10; turn += 1) await after(t, 500);
  assert.deepEqual(asked().slice(-3), ['watch 7', 'list', 'watch 8']);
  assert.equal(asked().length, 13);
  await stop();
});

const FAILURES: Record<string, { answer: Answer; code: string }> = {
  'a network error': { answer: new Error('ECONNREFUSED'), code: 'unanswered' },
  'a 500': { answer: refused(500), code: 'unavailable' },
  'a 401 after new credentials were tried': { answer: refused(401), code: 'unauthorized' },
  'a 403': { answer: refused(403), code: 'forbidden' },
  'a 404': { answer: refused(404), code: 'not-found' },
  'a 429': { answer: refused(429), code: 'throttled' },
  garbage: { answer: answered(200, '<html>'), code: 'malformed' },
};

for (const [what, { answer, code }] of Object.entries(FAILURES)) {
  test(`${what} instead of a list is tried again after a pause`, async (t) => {
    const { asked, told, stop } = start(t, [answer, listOf('7', []), openWatchOf()]);
    await after(t, 499);
    assert.deepEqual(asked(), ['list']);
    assert.deepEqual(told.slice(1), [
      `failure ${code}, again in 500`,
      'warn: list of ConfigMap failed, retrying',
    ]);
    await after(t, 1);
    assert.deepEqual(asked(), ['list', 'list', 'watch 7']);
    await stop();
  });
}

test('the pause between failures grows to 30 s and starts small again after a success', async (t) => {
  const failures = Array.from({ length: 8 }, () => refused(503));
  const answers = [...failures, listOf('7', []), watchOf(line('ADDED', A), GONE), refused(503)];
  const { told, stop } = start(t, answers, () => 1);
  for (let turn = 0; turn < 8; turn += 1) await after(t, 30_000);
  const pauses = told
    .filter((word) => word.startsWith('failure unavailable'))
    .map((word) => word.split(' in ')[1]);
  assert.deepEqual(pauses, ['1000', '2000', '4000', '8000', '16000', '30000', '30000', '30000', '1000']);
  assert.equal(
    told.filter((word) => word.startsWith('warn')).length,
    2,
    'only the first of a row is a warning',
  );
  await stop();
});

test("the server's own wish is a lower bound of the pause", async (t) => {
  const { told, stop } = start(t, [
    refused(429, {}, { 'retry-after': '20' }),
    listOf('7', []),
    openWatchOf(),
  ]);
  await settle();
  assert.equal(told[1], 'failure throttled, again in 20000');
  await stop();
});

test('a watch that is cut is resumed from the last version after a pause', async (t) => {
  const { asked, told, stop } = start(t, [
    listOf('7', []),
    cutWatchOf(line('ADDED', A), bookmark('9')),
    openWatchOf(),
  ]);
  await after(t, 500);
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 9']);
  assert.ok(told.includes('down: error'));
  await stop();
});

test('a watch without a byte for 160 s is cut and resumed from the last version', async (t) => {
  const { asked, told, script, stop } = start(t, [
    listOf('7', []),
    openWatchOf(bookmark('9')),
    openWatchOf(),
  ]);
  await after(t, 159_999);
  assert.deepEqual(asked(), ['list', 'watch 7']);
  await after(t, 1);
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 9']);
  assert.equal(script.requests[1]?.signal?.aborted, true, 'the socket is let go');
  assert.ok(told.includes('down: silence'));
  await stop();
});

test('two silent watches in a row lead to a list: the version may be one that the server has not reached', async (t) => {
  const { asked, told, stop } = start(t, [
    listOf('9', []),
    openWatchOf(bookmark('9')),
    openWatchOf(bookmark('9')),
    openWatchOf(),
    listOf('9', []),
    openWatchOf(),
    openWatchOf(),
  ]);
  await after(t, 160_000);
  await after(t, 160_000);
  assert.deepEqual(
    asked(),
    ['list', 'watch 9', 'watch 9', 'watch 9'],
    'each but the last gave a sign of life',
  );
  await after(t, 160_000);
  assert.deepEqual(asked().slice(4), ['list', 'watch 9']);
  await after(t, 160_000);
  assert.deepEqual(asked().slice(6), ['watch 9'], 'and it begins anew');
  assert.equal(told.filter((each) => each === 'down: silence').length, 4);
  await stop();
});

test('a list whose version is no number is not believed: nothing could be said to be newer', async (t) => {
  const { told, stop } = start(t, [listOf('v7', [A]), listOf('8', [A]), openWatchOf()]);
  await after(t, 0);
  assert.ok(told.includes('failure unordered, again in 500'));
  assert.ok(!told.includes('list a'));
  await after(t, 500);
  assert.ok(told.includes('end 8'));
  await stop();
});

test('what cannot be read is logged, and leads to a list after a pause', async (t) => {
  const { asked, told, stop } = start(t, [
    listOf('7', []),
    watchOf(line('ADDED', A), '{"type":\n'),
    listOf('8', []),
    openWatchOf(),
  ]);
  await after(t, 500);
  assert.deepEqual(asked(), ['list', 'watch 7', 'list', 'watch 8']);
  assert.ok(told.includes('down: malformed'));
  assert.ok(told.includes('warn: watch of ConfigMap failed, retrying'));
  await stop();
});

test('a list older than what was seen is not believed, and the fourth in a row tells that versions went back', async (t) => {
  const stale = Array.from({ length: 4 }, () => listOf('3', [A]));
  const { told, stop } = start(t, [listOf('7', []), watchOf(GONE), ...stale, listOf('8', []), openWatchOf()]);
  for (let turn = 0; turn < 3; turn += 1) {
    assert.ok(!told.includes('turned back'));
    await after(t, 500);
  }
  assert.ok(told.includes('turned back'));
  for (let turn = 0; turn < 6; turn += 1) await after(t, 1_000);
  assert.deepEqual([told.includes('list a'), told.includes('end 8')], [false, true]);
  await stop();
});

test('a list that is believed ends the count of stale ones', async (t) => {
  const stale = (count: number): Answer[] => Array.from({ length: count }, () => listOf('3', [A]));
  const useful = watchOf(line('ADDED', configMap('b', '9')), GONE);
  const answers = [
    listOf('7', []),
    watchOf(GONE),
    ...stale(2),
    listOf('8', []),
    useful,
    ...stale(2),
    listOf('9', []),
  ];
  const { told, stop } = start(t, answers);
  for (let turn = 0; turn < 6; turn += 1) await after(t, 1_000);
  assert.ok(!told.includes('turned back'));
  assert.ok(told.includes('end 9'));
  await stop();
});

for (const [where, answers] of Object.entries({
  'a list is under way': ['silence'],
  'a pause is under way': [refused(500)],
  'a watch is being opened': [listOf('7', []), 'silence'],
  'a watch is open': [listOf('7', []), openWatchOf(bookmark('8'))],
} satisfies Record<string, Answer[]>)) {
  test(`it ends when told to while ${where}, and leaves nothing behind`, async (t) => {
    const { script, stop } = start(t, answers);
    await settle();
    const before = script.requests.length;
    await stop();
    await after(t, 600_000);
    assert.equal(script.requests.length, before);
  });
}
