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

const VERSIONS: Record<string, { versions: string[]; comparable: boolean }> = {
  'ascending versions may be compared': { versions: ['5', '6', '9'], comparable: true },
  'equal versions may be compared': { versions: ['5', '5', '5'], comparable: true },
  'a workload version below the ConfigMaps has another counter': {
    versions: ['5', '4', '6'],
    comparable: false,
  },
  'a workload version above the later ConfigMaps has another counter': {
    versions: ['5', '7', '6'],
    comparable: false,
  },
  'versions are numbers, not text': { versions: ['9', '10', '11'], comparable: true },
  'what is no number may not be compared': { versions: ['5', 'a6', '9'], comparable: false },
  'versions beyond the exact integers may not be compared': {
    versions: ['1', '2', '99999999999999999999'],
    comparable: false,
  },
};

for (const [sentence, { versions, comparable }] of Object.entries(VERSIONS)) {
  test(sentence, async () => {
    const script = scripted(...versions.map((version) => listOf(version, [])));
    assert.equal(await ask(script), comparable);
    assert.deepEqual(
      script.requests.map(({ path }) => path),
      ['/api/v1/configmaps?limit=1', '/apis/apps/v1/deployments?limit=1', '/api/v1/configmaps?limit=1'],
    );
  });
}

const THREE = [['/c'], ['/s'], ['/d']];
const OF_THREE: Record<string, { versions: string[]; comparable: boolean }> = {
  'of one counter': { versions: ['5', '6', '7', '8', '9'], comparable: true },
  'the second counts from below': { versions: ['50', '6', '57', '58', '7'], comparable: false },
  'the second counts from above': { versions: ['5', '60', '7', '8', '61'], comparable: false },
  'the last counts from below': { versions: ['50', '56', '7', '58', '59'], comparable: false },
  'the last counts from above': { versions: ['5', '6', '70', '8', '9'], comparable: false },
  'the first counts from above': { versions: ['50', '6', '7', '51', '8'], comparable: false },
  'each counts from further above': { versions: ['5', '60', '700', '6', '61'], comparable: false },
};

for (const [which, { versions, comparable }] of Object.entries(OF_THREE))
  test(`of three kinds, ${which}: versions ${comparable ? 'may' : 'may not'} be compared`, async () => {
    const script = scripted(...versions.map((version) => listOf(version, [])));
    assert.equal(await ask(script, undefined, THREE), comparable);
    const asked = script.requests.map(({ path }) => path);
    const all = ['/c?limit=1', '/s?limit=1', '/d?limit=1', '/c?limit=1', '/s?limit=1'];
    assert.deepEqual(asked, all);
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
