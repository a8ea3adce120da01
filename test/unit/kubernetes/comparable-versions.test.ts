import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areVersionsComparable } from '../../../lib/kubernetes/comparable-versions.ts';
import { listOf, ok, refused, type Script, scripted, settle } from './scripted-send.ts';

const CONFIG_MAPS = ['/api/v1/configmaps'];
const TWO = [CONFIG_MAPS, ['/apis/apps/v1/deployments']];

function ask(
  script: Script,
  signal = new AbortController().signal,
  kinds: readonly (readonly string[])[] = TWO,
): Promise<boolean> {
  return areVersionsComparable({ send: script.send, kinds, signal, random: () => 0 });
}

const THREE = [['/c'], ['/s'], ['/d']];
/** What the lists of the kinds show, one after the other, of all but the last one again. */
const VERSIONS: Record<string, readonly [versions: string, comparable: boolean]> = {
  'two ascending ones': ['5 6 9', true],
  'two equal ones': ['5 5 5', true],
  'two of which the second is below the first': ['5 4 6', false],
  'two of which the second is above what the first is later': ['5 7 6', false],
  'two that ascend as numbers, not as text': ['9 10 11', true],
  'two of which one is no number': ['5 a6 9', false],
  'two beyond the exact integers': ['1 2 99999999999999999999', false],
  'three of one counter': ['5 6 7 8 9', true],
  'three of which the second counts from below': ['50 6 57 58 7', false],
  'three of which the second counts from above': ['5 60 7 8 61', false],
  'three of which the last counts from below': ['50 56 7 58 59', false],
  'three of which the last counts from above': ['5 6 70 8 9', false],
  'three of which the first counts from above': ['50 6 7 51 8', false],
  'three of which each counts from further above': ['5 60 700 6 61', false],
};

for (const [which, [told, comparable]] of Object.entries(VERSIONS))
  test(`versions of kinds ${comparable ? 'may' : 'may not'} be compared: ${which}`, async () => {
    const versions = told.split(' ');
    const script = scripted(...versions.map((version) => listOf(version, [])));
    const kinds = versions.length === 3 ? TWO : THREE;
    assert.equal(await ask(script, undefined, kinds), comparable);
    assert.deepEqual(
      script.requests.map(({ path }) => path),
      [...kinds, ...kinds.slice(0, -1)].map(([path]) => `${path}?limit=1`),
    );
  });

test('where one collection of a kind may not be listed another one is asked', async () => {
  const kinds = [['/c'], ['/a/s', '/b/s']];
  const script = scripted(listOf('5', []), refused(403), listOf('4', []), listOf('6', []));
  assert.equal(await ask(script, undefined, kinds), false);
  assert.deepEqual(
    script.requests.map(({ path }) => path),
    ['/c?limit=1', '/a/s?limit=1', '/b/s?limit=1', '/c?limit=1'],
  );
});

test('a kind that may not be listed for good is left out', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lags = Array.from({ length: 3 }, () => [listOf('5', []), refused(403)]).flat();
  const script = scripted(
    ...lags,
    listOf('5', []),
    refused(403),
    listOf('6', []),
    listOf('7', []),
    refused(403),
  );
  const answer = ask(script, undefined, THREE);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await settle();
    t.mock.timers.tick(5000);
  }
  assert.equal(await answer, true);
  assert.equal(script.left(), 0);
});

test('a list without a version is no ground for a comparison', async () => {
  assert.equal(await ask(scripted(ok({}), ok({}), ok({}))), false);
});

test('a failure is tried again, from the first list on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const script = scripted(
    listOf('5', []),
    refused(500),
    ...['6', '7', '8'].map((version) => listOf(version, [])),
  );
  const answer = ask(script);
  await settle();
  t.mock.timers.tick(500);
  assert.equal(await answer, true);
  assert.equal(script.left(), 0);
});

test('after ten failures the answer is no', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const script = scripted(...Array.from({ length: 20 }, () => refused(500)));
  const answer = ask(script);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await settle();
    t.mock.timers.tick(5000);
  }
  assert.equal(await answer, false);
  assert.equal(script.requests.length, 10);
});

test('a right that lags behind is waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refusals = Array.from({ length: 3 }, () => refused(403));
  const script = scripted(...refusals, listOf('5', []), listOf('6', []), listOf('4', []));
  const answer = ask(script);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await settle();
    t.mock.timers.tick(5000);
  }
  assert.equal(await answer, false);
  assert.equal(script.requests.length, 6);
});

test('it ends when told to', async () => {
  const controller = new AbortController();
  const answer = ask(scripted('silence'), controller.signal);
  controller.abort();
  assert.equal(await answer, false);
});
