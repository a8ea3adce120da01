/** What the commands say of a namespace, or of a kind of object, that the reloader leaves out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainObject } from '../../../lib/commands/explain/explain-object.ts';
import { answerTo } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { Scene } from '../../../lib/commands/scene.ts';
import { rolledOut, well } from './named-causes.ts';
import { follows, World } from './world.ts';

test('no workload of an unselected namespace is rolled for an object, and the graph says why', async () => {
  const world = new World().install(['-A', '--namespace-selector=tier=web']).configMap();
  world.deployment({ annotations: follows('web') });
  const namespace = 'default';
  const reloader = await findReloader(world.send, { namespace, settings: [] });
  const scene: Scene = { send: world.send, namespace, reloader };
  const { followers, others } = await explainObject(scene, { kind: 'ConfigMap', name: 'web' });
  assert.deepEqual(
    [followers, others.flatMap(({ causes }) => causes.map(({ rule }) => rule))],
    [[], ['unselected-namespace']],
  );
  const { edges, causes } = await answerTo({ flags: { output: 'text' }, operands: [] }, scene);
  world.sandbox.close();
  assert.deepEqual([edges.length, causes.map(({ rule }) => rule)], [1, ['unselected-namespace']]);
});

test('a workload that also reads objects of a kind without the right is rolled for the others', async () => {
  const world = well({ ...follows('web'), 'reloader.k8s.collaborne.com/secret': 'tls' })(new World());
  world.mayDo = (resource) => resource !== 'secrets';
  await rolledOut(world);
  const { workloadState, causes } = await world.explained();
  world.sandbox.close();
  assert.deepEqual([workloadState, causes.map(({ rule }) => rule)], ['healthy', ['kind-of-object-ignored']]);
});

test('a right that only evictions need is named where a workload evicts', async () => {
  const answers = [];
  for (const words of [{}, { 'reloader.k8s.collaborne.com/reload-strategy': 'evict' }]) {
    const world = well({ ...follows('web'), ...words })(new World());
    world.mayDo = (resource) => resource !== 'pods';
    const reloader = await findReloader(world.send, { namespace: 'default', settings: [] });
    const scene: Scene = { send: world.send, namespace: 'default', reloader };
    answers.push(
      (await answerTo({ flags: { output: 'text' }, operands: [] }, scene)).causes.map(({ says }) => says),
    );
    world.sandbox.close();
  }
  assert.deepEqual(answers, [[], ['the reloader may not list pods, and evicts none']]);
});
