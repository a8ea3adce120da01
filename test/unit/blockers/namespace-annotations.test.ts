/** Annotations of a namespace that count for the workloads in it. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { EVER } from '../../../lib/model/timeline.ts';
import { NamespaceAnnotations } from '../../../lib/rollout/namespace-annotations.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { annotate, annotateNamespace, waitsFor } from './gate-words.ts';

const MINUTE_MS = 60_000;
type Words = Readonly<Record<string, string>>;

/** A stage whose namespaces are listed. */
function staged(t: TestContext, flags = {}): RolloutStage {
  const stage = new RolloutStage(t, ['web'], { flags });
  stage.world.settings.readsNamespaces = true;
  stage.world.store.areNamespacesListed = true;
  return stage;
}

/** Of the namespace, of the workload, and what the workload waits for then after a change. */
const CASES: Readonly<Record<string, readonly [ofNamespace: Words, own: Words, waits: string | undefined]>> =
  {
    'a hold of either holds': [{ hold: 'true' }, {}, 'hold'],
    'also against the word of the workload': [{ hold: 'true' }, { hold: 'false' }, 'hold'],
    'an approval is needed': [{ approval: 'required' }, {}, 'approval'],
    'unless the workload needs none': [
      { approval: 'required' },
      { approval: 'none', 'reload-window': 'always' },
      undefined,
    ],
    'a word of the workload that is none does not count': [
      { approval: 'required' },
      { approval: 'x' },
      'approval',
    ],
    'all is notify-only': [{ 'notify-only': 'true' }, {}, 'notify-only'],
    'but what is not': [
      { 'notify-only': 'true' },
      { 'notify-only': 'false', 'reload-window': 'always' },
      undefined,
    ],
    'a window is that of all': [{ 'reload-window': '12:00-13:00' }, {}, 'window'],
    'that have none': [{ 'reload-window': '12:00-13:00' }, { 'reload-window': 'always' }, undefined],
    'one of the namespace comes before that of the flag': [{ 'reload-window': 'always' }, {}, undefined],
    'and one that cannot be read counts for neither': [
      { 'reload-window': 'x' },
      { 'reload-window': 'y' },
      'window',
    ],
    'nothing of it is nothing': [{}, { 'reload-window': 'always' }, undefined],
  };

describe('of a namespace and a workload', () => {
  for (const [sentence, [ofNamespace, own, waits]] of Object.entries(CASES))
    test(sentence, async (t) => {
      const stage = staged(t, { reloadWindow: '12:00-13:00' });
      annotateNamespace(stage, ofNamespace);
      annotate(stage, own);
      stage.change('b');
      await stage.pass(MINUTE_MS);
      assert.equal(waitsFor(stage), waits);
      assert.equal(stage.patches.length, waits === undefined ? 1 : 0);
    });
});

test('what a hold of the namespace keeps is rolled once it is taken away', async (t) => {
  const stage = staged(t);
  annotateNamespace(stage, { hold: 'true' });
  stage.change('b');
  await stage.pass(MINUTE_MS);
  const { message } = stage.waitOf('web') ?? {};
  assert.equal(message, 'namespace home is held until its annotation hold is taken away');
  annotateNamespace(stage, {});
  await stage.pass(MINUTE_MS);
  assert.equal(stage.patches.length, 1);
  assert.equal(stage.world.store.namespaceAnnotations.size, 0);
});

test('nothing is rolled before the namespaces are listed', async (t) => {
  const stage = staged(t);
  stage.world.store.areNamespacesListed = false;
  stage.change('b');
  await stage.pass(MINUTE_MS);
  assert.equal(waitsFor(stage), 'namespace');
  const namespaces = new NamespaceAnnotations(stage.world.store, (keys) => {
    for (const key of keys) stage.controller.wake(key);
  });
  namespaces.observe({ type: 'synced' });
  await stage.pass(MINUTE_MS);
  assert.equal(stage.patches.length, 1);
});

test('only a change of what counts is news, and only for the workloads of that namespace', (t) => {
  const stage = staged(t);
  const news: string[] = [];
  const namespaces = new NamespaceAnnotations(stage.world.store, (keys) => void news.push(keys.join()));
  const tell = (name: string, annotations: Words): void => {
    const event = {
      type: 'present',
      key: `/Namespace/${name}`,
      object: { name, annotations },
      span: EVER,
    } as const;
    namespaces.observe({ ...event, isInInitialList: false, isRelisted: false });
  };
  tell('home', { a: '1', b: '2' });
  tell('home', { b: '2', a: '1' });
  tell('elsewhere', { a: '1' });
  namespaces.observe({ type: 'absent', key: '/Namespace/home', span: EVER });
  assert.deepEqual(news, ['home/Deployment/web', '', 'home/Deployment/web']);
});
