/** What `explain` answers beside the causes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explanationOf, type WorkloadExplanation } from '../../../lib/commands/explain/explanation.ts';
import { explanationText } from '../../../lib/commands/explain/explanation-text.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { rolledOut } from './named-causes.ts';
import { follows, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const STAKATER = 'reloader.stakater.com';

async function explained(
  annotations: Words,
  prepare: (world: World) => unknown,
): Promise<WorkloadExplanation> {
  const world = new World().install().configMap().deployment({ annotations });
  await rolledOut(world);
  await prepare(world);
  const facts = await world.factsAbout('deployment/web');
  const explanation = explanationOf(facts);
  await facts.observation.end();
  world.sandbox.close();
  return explanation;
}

test('pods are up to date, then out of date', async () => {
  const before = await explained(follows('web'), () => undefined);
  assert.deepEqual(
    before.follows.map(({ pods }) => pods),
    ['up to date'],
  );
  const after = await explained(follows('web'), (world) => world.change());
  assert.deepEqual(
    after.follows.map(({ pods }) => pods),
    ['out of date'],
  );
  const doubtful = await explained(follows('web'), (world) => {
    const data = { 'default_ran.Deployment_web': JSON.stringify({ 'v1.ConfigMap_web': '?' }) };
    world.change().sandbox.patch('configmaps', 'reloader', 'reloader-state', { data });
  });
  assert.equal(doubtful.follows[0]?.running, undefined);
  const text = explanationText(doubtful, (_, words) => words);
  assert.match(text, /: out of date \(pods may run an older content, current is \w{4}…\)\n/);
});

test('without the right to the state it is not known whether pods are up to date', async () => {
  const {
    follows: objects,
    state,
    unknown,
  } = await explained(follows('web'), (world) => {
    world.refuses = ({ path }) => path.includes('/namespaces/reloader/configmaps/');
  });
  assert.deepEqual(
    objects.map(({ pods, running }) => [pods, running]),
    [['unknown', undefined]],
  );
  assert.equal(state, 'unknown');
  assert.match(unknown.join(), /you may not read ConfigMap\/reloader-state in reloader/);
});

test('only the annotations that decide are named', async () => {
  const words = {
    ...follows('web'),
    [`${NATIVE}/hold`]: 'true',
    [`${STAKATER}/auto`]: 'true',
    'secret.reloader.stakater.com/auto': 'true',
  };
  const { follows: objects, asks } = await explained(words, () => undefined);
  assert.deepEqual(objects[0]?.words, [
    { key: `${NATIVE}/configmap`, value: 'web', on: 'workload' },
    { key: `${STAKATER}/auto`, value: 'true', on: 'workload' },
  ]);
  assert.equal(asks.length, 4);
});

test('a kind that the cluster does not serve is no error of the API server', async () => {
  const world = new World().install();
  const error = { code: 'not-found', message: 'the cluster does not serve rollouts.argoproj.io' };
  await assert.rejects(world.factsAbout('rollout/web'), error);
  world.sandbox.close();
});

test('a wrong flag after -- is not blamed on the Deployment', async () => {
  const world = new World().install();
  const wanted = { namespace: 'default', settings: ['--nonsense'] };
  const error = { code: 'usage', message: /^the flags after --: unknown flag "--nonsense"/ };
  await assert.rejects(findReloader(world.send, wanted), error);
  world.sandbox.close();
});
