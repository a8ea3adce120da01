/** `reloader graph`: who follows what. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DRAWINGS } from '../../../lib/commands/graph/drawings.ts';
import { type Graph, type GraphEdge, type GraphFilter, graphOf } from '../../../lib/commands/graph/graph.ts';
import { rolledOut } from './named-causes.ts';
import { World } from './world.ts';

const EXCLUDING = {
  'reloader.k8s.collaborne.com/auto': 'true',
  'reloader.k8s.collaborne.com/exclude-configmap': 'other',
};

async function graphWith(
  filter: Partial<GraphFilter>,
  prepare: (world: World) => unknown = () => undefined,
): Promise<Graph> {
  const world = new World().install().configMap().configMap('other');
  world.deployment({ annotations: EXCLUDING, reads: ['web', 'other'] });
  await rolledOut(world);
  prepare(world);
  const { observation } = await world.factsAbout('deployment/web');
  const graph = graphOf(observation, { isOutdated: false, ...filter });
  await observation.end();
  world.sandbox.close();
  return graph;
}

const WEB = 'default/ConfigMap/web';
const OTHER = 'default/ConfigMap/other';
const WORKLOAD = 'default/Deployment/web';

test('each object has its followers, those that are not rolled for it too', async () => {
  const { edges } = await graphWith({});
  assert.deepEqual(edges, [
    { object: OTHER, workload: WORKLOAD, asks: false, pods: 'up to date' },
    { object: WEB, workload: WORKLOAD, asks: true, pods: 'up to date' },
  ]);
});

test('only the neighbours of one object, or what is out of date', async () => {
  assert.deepEqual(
    (await graphWith({ only: OTHER })).edges.map(({ object }) => object),
    [OTHER],
  );
  assert.equal((await graphWith({ only: WORKLOAD })).edges.length, 2);
  assert.deepEqual((await graphWith({ isOutdated: true })).edges, []);
  const outdated = await graphWith({ isOutdated: true }, (world) => world.change());
  assert.deepEqual(
    outdated.edges.map(({ object, pods }) => [object, pods]),
    [[WEB, 'out of date']],
  );
});

test('without the right to the state nothing counts as up to date', async () => {
  const { edges } = await graphWith({}, (world) => {
    world.refuses = ({ path }) => path.includes('/namespaces/reloader/configmaps/');
  });
  assert.deepEqual(new Set(edges.map(({ pods }) => pods)), new Set(['unknown']));
});

function edge(pods: GraphEdge['pods'], asks = true, name = 'web'): GraphEdge {
  return { object: `default/ConfigMap/${name}`, workload: `default/Deployment/${pods}`, asks, pods };
}

const EACH = [
  edge('up to date', false),
  edge('out of date'),
  edge('unknown'),
  edge('absent', true, 'gone'),
  { ...edge('unknown'), workload: 'default/Deployment/out of date' },
];

test('what is not up to date is said in words, and has a class of its own', () => {
  const dot = DRAWINGS['dot']?.(EACH) ?? '';
  assert.match(dot, /label="ConfigMap\/web in default", shape=note\]/);
  assert.match(dot, /label="Deployment\/up to date in default", shape=box\]/);
  assert.match(dot, /in default\\nout of date", shape=box, color="#cc0000", class="outdated"\]/);
  assert.match(dot, /in default\\nunknown", shape=box, class="unknown"\]/);
  assert.match(dot, /label="ConfigMap\/gone in default\\nabsent", shape=note, class="absent"\]/);
  assert.match(dot, /n0 -> n1 \[style=dashed\]/);
});

test('names are escaped, also those that no API server has', () => {
  const object = `default/ConfigMap/"];x&lt;\\`;
  assert.ok(
    DRAWINGS['dot']?.([{ ...edge('up to date'), object }]).includes(
      String.raw`[label="ConfigMap/\"];x&amp;lt;\\ in default", shape=note]`,
    ),
  );
});
