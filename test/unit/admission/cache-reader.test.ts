/** What the webhook knows of contents: what it answers, and that it learns nothing from being asked. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CacheReader } from '../../../lib/admission/mutate.ts';
import { cacheReaderOf } from '../../../lib/admission/review.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import { KeyWorld } from '../tracking/key-world.ts';
import { World } from '../tracking/world.ts';

const OPTIONS = { leads: true, ownManager: 'kubernetes-reloader' };

function knowledgeIn(world: World): CacheReader {
  return cacheReaderOf(world.store, { isSynced: () => true }, OPTIONS);
}

/** The current content of the only object that `name` follows; `name` itself is not known. */
function currentOf(world: World, name: string): string | undefined {
  const known = knowledgeIn(world);
  const workload = world.view(name);
  const [ref, ...others] = known.follows(workload);
  assert.ok(ref !== undefined && others.length === 0);
  const content = known.contentOf(ref);
  const asks = content && known.vocabularies.judge(workload, ref, content.annotations).asks;
  return asks ? content.digest?.replace(/^([a-f])\1{39}/, '$1') : undefined;
}

test('the kinds whose pods are replaced are stamped, those too that a cluster may lack', () => {
  const { isServed } = knowledgeIn(new World());
  const kinds = [
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'Rollout',
    'DeploymentConfig',
    'Job',
    'CronJob',
    '',
  ];
  assert.deepEqual(kinds.filter(isServed), kinds.slice(0, 5));
});

test('the current content is the observed one, whatever the state says', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'b', { initial: true });
  world.edit('new', { follows: ['cfg'] });
  assert.equal(currentOf(world, 'new'), 'b');
});

describe('nothing is in force of', () => {
  test('an object that is not there', () => {
    const world = new World();
    world.edit('new', { follows: ['cfg'] });
    assert.equal(currentOf(world, 'new'), undefined);
  });

  test('one that the workload does not ask for', () => {
    const world = new World();
    world.config('cfg', 'a', { initial: true, marks: { 'reloader.stakater.com/ignore': 'true' } });
    world.edit('new', { asks: { 'configmap.reloader.stakater.com/reload': 'cfg' } });
    assert.equal(currentOf(world, 'new'), undefined);
  });

  test('one for which nothing is begun, where the namespace is not selected', () => {
    const world = new World();
    world.settings.selectsNamespaces = true;
    world.config('cfg', 'a', { initial: true });
    world.edit('new', { follows: ['cfg'] });
    assert.equal(currentOf(world, 'new'), undefined);
  });
});

describe('of keys that no workload followed before', () => {
  const reads = { follows: ['cfg'], template: { spec: { containers: [container('a')] } } };

  function container(key: string) {
    const valueFrom = { configMapKeyRef: { name: 'cfg', key } };
    return { name: 'main', env: [{ name: 'READS', valueFrom }] };
  }

  test('that is in force which they have once they are followed', () => {
    const world = new KeyWorld();
    world.holds({ a: '1', b: '1' }, { initial: true });
    world.edit('new', reads);
    const before = currentOf(world, 'new');
    world.tellWorkload('new', { initial: true });
    assert.equal(before, currentOf(world, 'new'));
    assert.match(before ?? '', /^[0-9a-f]{40}$/);
  });
});

test('nothing is remembered of a question, be it about an object that is not there or about keys', () => {
  const world = new KeyWorld();
  world.holds({ a: '1' }, { initial: true });
  const ref = { kind: 'ConfigMap', namespace: 'home', name: 'cfg', keys: ['a'] } as const;
  world.edit('new', { follows: ['cfg'] });
  const known = knowledgeIn(world);
  const before = [...world.store.configs.keys()];
  for (const asked of [
    ref,
    { ...ref, name: 'none' },
    { kind: 'Secret', namespace: 'home', name: 'x' } as const,
  ]) {
    known.contentOf(asked);
  }
  assert.deepEqual([...world.store.configs.keys()], before);
  assert.deepEqual(
    [...world.store.parts.of(keyOf({ kind: 'ConfigMap', namespace: 'home', name: 'cfg' }))],
    [],
  );
  assert.equal(world.store.workloads.size, 0);
});
