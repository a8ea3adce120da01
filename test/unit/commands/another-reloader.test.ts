/** Whether another reloader rolls a workload, for a person who may not look for one in all namespaces. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainObject } from '../../../lib/commands/explain/explain-object.ts';
import { explanationOf } from '../../../lib/commands/explain/explanation.ts';
import { answerTo } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { Scene } from '../../../lib/commands/scene.ts';
import { rolledOut } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, World } from './world.ts';

describe('whether another reloader rolls it', () => {
  const shortOf = (): World => {
    const world = new World().install(['-A', '--ignored-workload-types=deployments']);
    world.refuses = ({ path }) => /\/v1\/(deployments|leases)([?]|$)/.test(path);
    return world.configMap().deployment({ annotations: follows('web') });
  };
  const says =
    'whether another reloader rolls the workloads: you may not list the Deployments and Leases of all namespaces (--reloader reloader/reloader asks about this one alone)';

  const about = async <T>(answer: (world: World) => Promise<T>): Promise<T> => {
    const world = shortOf();
    await rolledOut(world);
    return await answer(world).finally(() => world.sandbox.close());
  };
  const sceneOf = async ({ send }: World, asked?: string): Promise<Scene> => {
    const reloader = await findReloader(send, { namespace: 'default', settings: [], asked });
    return { send, namespace: 'default', reloader };
  };

  test('is not known without the right to lists of all namespaces, unless one is named', async () => {
    const { unknown, doubts, installation } = await about(async (world) => (await sceneOf(world)).reloader);
    assert.deepEqual([unknown, doubts, installation?.name], [[], [says], 'reloader']);
    const named = await about(async (world) => (await sceneOf(world, 'reloader/reloader')).reloader);
    assert.deepEqual([named.unknown, named.doubts ?? []], [[], []]);
  });

  test('is unknown of a workload that one leaves alone, of an object, in a graph and in a plan', async () => {
    const workload = await about(async (world) => await world.explained());
    const subject = { is: 'object', kind: 'ConfigMap', name: 'web' } as const;
    const object = await about(async (world) => await explainObject(await sceneOf(world), subject));
    const context = { flags: { output: 'text' as const }, operands: [] };
    const graph = await about(async (world) => await answerTo(context, await sceneOf(world)));
    const plan = await onCluster(shortOf(), [configMap({ value: 'B' })]);
    for (const { unknown } of [workload, object, graph, plan]) assert.deepEqual(unknown, [says]);
    assert.deepEqual(
      workload.causes.map(({ rule }) => rule),
      ['kind-not-served'],
    );
    assert.deepEqual([graph.edges, plan.rollouts], [[], []]);
  });

  test('is unknown in a namespace that the one that was found does not watch, unless it is named', async () => {
    const outside = (): World => new World().install(['--namespace=shared']).configMap();
    const world = outside().deployment({ annotations: follows('web') });
    await rolledOut(world);
    const facts = await world.factsAbout('deployment/web');
    await facts.observation.end();
    const context = { flags: { output: 'text' as const }, operands: [] };
    const graph = await answerTo(context, await sceneOf(world));
    const named = await answerTo(context, await sceneOf(world, 'reloader/reloader'));
    const plan = await onCluster(world, [configMap({ value: 'B' })]);
    for (const { unknown } of [explanationOf(facts), graph, plan])
      assert.match(unknown.join(), /^whether another reloader .* without the label [^,]+ would not be$/);
    assert.deepEqual(named.unknown, []);
  });
});
