import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areVersionsComparable } from '../../../lib/kubernetes/comparable-versions.ts';
import { listOf, ok, refused, type Script, scripted, settle } from './scripted-send.ts';

function ask(script: Script, signal = new AbortController().signal): Promise<boolean> {
  return areVersionsComparable({
    send: script.send,
    configs: '/api/v1/configmaps',
    workloads: '/apis/apps/v1/deployments',
    signal,
    random: () => 0,
  });
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
  'opaque versions may not be compared': { versions: ['5', 'a6', '9'], comparable: false },
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

for (const [times, isAnswered] of [
  [3, true],
  [4, false],
] as const)
  test(`a right that is missing ${times} times is ${isAnswered ? 'one that lags behind' : 'missing for good'}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const refusals = Array.from({ length: times }, () => refused(403));
    const script = scripted(...refusals, listOf('5', []), listOf('6', []), listOf('7', []));
    const answer = ask(script);
    for (let attempt = 0; attempt < times; attempt += 1) {
      await settle();
      t.mock.timers.tick(5000);
    }
    assert.equal(await answer, isAnswered);
    assert.equal(script.requests.length, isAnswered ? times + 3 : times);
  });

test('it ends when told to', async () => {
  const controller = new AbortController();
  const answer = ask(scripted('silence'), controller.signal);
  controller.abort();
  assert.equal(await answer, false);
});
