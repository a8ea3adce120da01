/** `reloader graph`: who follows what. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Graph, graphOf, mermaidOf } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { observeFor } from '../../../lib/commands/scene.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import { sleep } from '../../../lib/queue/abortable-sleep.ts';
import { rolledOut } from './named-causes.ts';
import { World } from './world.ts';

const EXCLUDING = {
  'reloader.k8s.collaborne.com/auto': 'true',
  'reloader.k8s.collaborne.com/exclude-configmap': 'other',
};

async function graphWith(
  { isOutdated = false, only }: { readonly isOutdated?: boolean; readonly only?: string },
  prepare: (world: World) => unknown = () => undefined,
): Promise<Graph> {
  const world = new World().install().configMap().configMap('other');
  world.deployment({ annotations: EXCLUDING, reads: ['web', 'other'] });
  await rolledOut(world);
  prepare(world);
  const { observation } = await world.factsAbout('deployment/web');
  try {
    return graphOf(observation, isOutdated, only);
  } finally {
    await observation.end();
    world.sandbox.close();
  }
}

const WEB = { kind: 'ConfigMap', namespace: 'default', name: 'web' } as const;
const OTHER = { ...WEB, name: 'other' };
const WORKLOAD = { ...WEB, kind: 'Deployment' };

test('each object has its followers, those that are not rolled for it too', async () => {
  const { edges } = await graphWith({});
  assert.deepEqual(edges, [
    { object: OTHER, workload: WORKLOAD, asks: false, pods: 'not compared' },
    { object: WEB, workload: WORKLOAD, asks: true, pods: 'no change to roll' },
  ]);
});

test('only the neighbours of one object, or what is out of date', async () => {
  assert.deepEqual(
    (await graphWith({ only: keyOf(OTHER) })).edges.map(({ object }) => object),
    [OTHER],
  );
  assert.equal((await graphWith({ only: keyOf(WORKLOAD) })).edges.length, 2);
  assert.deepEqual((await graphWith({ isOutdated: true })).edges, []);
  const outdated = await graphWith({ isOutdated: true }, (world) => world.change());
  assert.deepEqual(
    outdated.edges.map(({ object, pods }) => [object, pods]),
    [[WEB, 'out of date']],
  );
});

test('the keys of an object that was listed before its follower are compared', async () => {
  const world = new World().configMap('web', {}, false);
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'web', key: 'value' } } }];
  const auto = 'reloader.k8s.collaborne.com/auto';
  const annotations = { [auto]: 'true', 'reloader.k8s.collaborne.com/key-scoped': 'true' };
  world.deployment({ annotations, reads: [], container: { env } });
  await rolledOut(world);
  const reloader = await findReloader(world.send, { namespace: 'default', settings: [] });
  const send: Send = async (request) => {
    if (request.path.includes('/default/deployments?')) await sleep(100, new AbortController().signal);
    return await world.send(request);
  };
  const observation = await observeFor({ send, namespace: 'default', reloader }, ['default']);
  const { edges } = graphOf(observation, false);
  await observation.end();
  world.sandbox.close();
  assert.deepEqual(
    edges.map(({ pods }) => pods),
    ['unknown'],
  );
});

test('a picture has what is unknown as comments', () => {
  assert.equal(mermaidOf([], ['unknown: why']), 'graph LR\n  %% unknown: why\n');
});

test('a picture has each name once, dashed arrows where nothing is rolled, and a class for what is out of date', () => {
  const edge = { object: WEB, workload: WORKLOAD, asks: true, pods: 'out of date' } as const;
  const quiet = {
    object: OTHER,
    workload: { ...WORKLOAD, kind: 'DaemonSet', name: 'a' },
    asks: false,
    pods: 'unknown',
  } as const;
  const [, ...lines] = mermaidOf([edge, { ...edge, object: OTHER }, quiet])
    .trimEnd()
    .split('\n  ');
  assert.deepEqual(lines, [
    'n0["ConfigMap/web in default"]',
    'n1["Deployment/web in default"]',
    'n2["ConfigMap/other in default"]',
    'n3["DaemonSet/a in default"]',
    'n0 --> n1',
    'n2 --> n1',
    'n2 -.-> n3',
    'classDef outdated stroke:#c00,stroke-width:2px',
    'class n1 outdated',
  ]);
});
