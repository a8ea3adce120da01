/** Lists of several pages: what becomes of one whose requests fail, and of one that takes too long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { A, after, start } from './reflector-stage.ts';
import { answered, configMap, listOf, openWatchOf, refused, settle } from './scripted-send.ts';

test('of a list that outlives its version all is listed in one answer, not on with the token that is offered', async (t) => {
  const offer = { metadata: { continue: 'of another version' } };
  const { asked, told, stop } = start(t, [
    listOf('7', [A], '2'),
    refused(410, offer),
    listOf('9', [configMap('b', '8')]),
    openWatchOf(),
  ]);
  await settle();
  assert.deepEqual(asked(), ['list', 'list more 2', 'list all', 'watch 9']);
  assert.deepEqual(told, [
    'begin',
    'list a',
    'failure expired, again in 0',
    'info: list of ConfigMap outlived its resourceVersion; requesting all objects in one response',
    'begin',
    'list b',
    'end 9',
    'info: list of ConfigMap is complete after failures',
    'up',
  ]);
  await stop();
});

for (const [what, { answer, ms }] of Object.entries({
  'a 429': { answer: refused(429), ms: 500 },
  'a 429 that asks for a pause': { answer: refused(429, {}, { 'retry-after': '3' }), ms: 3_000 },
  'a 500': { answer: refused(500), ms: 500 },
  'a page that breaks off': {
    answer: answered(200, '{"metadata":{"resourceVersion":"7"},"items":['),
    ms: 500,
  },
  'no answer': { answer: new Error('ECONNREFUSED'), ms: 500 },
}))
  test(`after ${what} a list goes on with the same page`, async (t) => {
    const { asked, told, stop } = start(t, [
      listOf('7', [A], '2'),
      answer,
      listOf('7', [configMap('b', '6')], '3'),
      listOf('7', [configMap('c', '6')]),
      openWatchOf(),
    ]);
    await after(t, ms - 1);
    assert.deepEqual(asked(), ['list', 'list more 2']);
    await after(t, 1);
    assert.deepEqual(asked().slice(2), ['list more 2', 'list more 3', 'watch 7']);
    assert.deepEqual(
      told.filter((word) => /^(begin|list|end)/.test(word)),
      ['begin', 'list a', 'list b', 'list c', 'end 7'],
    );
    await stop();
  });

test('a page without an answer for a minute is asked for again', async (t) => {
  const { asked, stop } = start(t, [listOf('7', [A], '2'), 'silence', listOf('7', []), openWatchOf()]);
  await after(t, 60_000);
  await after(t, 500);
  assert.deepEqual(asked(), ['list', 'list more 2', 'list more 2', 'watch 7']);
  await stop();
});

for (const [what, beginning, page] of [
  ['a page', [listOf('7', [A], '2')], 'list more 2'],
  ['all in one answer', [listOf('7', [A], '2'), refused(410)], 'list all'],
] as const)
  test(`the list begins anew once ${what} failed ten times, and never ends to try`, async (t) => {
    const failures = Array.from({ length: 10 }, () => refused(500));
    const { asked, told, stop } = start(t, [
      ...beginning,
      ...failures,
      listOf('8', [A], '3'),
      refused(500),
      listOf('8', []),
      openWatchOf(),
    ]);
    for (let turn = 0; turn < 11; turn += 1) await after(t, 500);
    const tries = Array.from({ length: 10 }, () => page);
    assert.deepEqual(asked().slice(beginning.length), [
      ...tries,
      'list',
      'list more 3',
      'list more 3',
      'watch 8',
    ]);
    const warnings = told.filter((word) => word.startsWith('warn'));
    assert.deepEqual(warnings.slice(-1), ['warn: restarting the list of ConfigMap after 10 failed requests']);
    await stop();
  });

test('the pause before a page grows with its failures, and starts small for the next page', async (t) => {
  const two = [refused(503), refused(503)];
  const answers = [
    listOf('7', [], '2'),
    ...two,
    listOf('7', [], '3'),
    ...two,
    listOf('7', []),
    openWatchOf(),
  ];
  const { asked, told, stop } = start(t, answers, () => 1);
  for (let turn = 0; turn < 4; turn += 1) await after(t, 2_000);
  assert.equal(asked().at(-1), 'watch 7');
  const failures = told.filter((word) => word.startsWith('failure'));
  const pauses = [1000, 2000, 1000, 2000];
  assert.deepEqual(
    failures,
    pauses.map((ms) => `failure unavailable, again in ${ms}`),
  );
  assert.equal(
    told.filter((word) => word.startsWith('warn')).length,
    1,
    'only the first of a list is a warning',
  );
  await stop();
});
