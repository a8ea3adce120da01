/** What `explain` answers beside the causes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainObject, type ObjectExplanation } from '../../../lib/commands/explain/explain-object.ts';
import {
  explanationOf,
  shownReloader,
  type WorkloadExplanation,
} from '../../../lib/commands/explain/explanation.ts';
import { explanationText } from '../../../lib/commands/explain/explanation-text.ts';
import { graphOf } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { ConfigKind } from '../../../lib/model/object-ref.ts';
import { until } from '../../integration/reloader-process.ts';
import type { JsonObject } from '../../sandbox/json.ts';
import { rolledOut, well } from './named-causes.ts';
import { follows, podOf, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const STAKATER = 'reloader.stakater.com';

async function explained(
  annotations: Words,
  prepare: (world: World) => unknown,
): Promise<WorkloadExplanation> {
  const world = new World().install().configMap().deployment({ annotations });
  await rolledOut(world);
  await prepare(world);
  const explanation = await world.explained();
  world.sandbox.close();
  return explanation;
}

test('pods are out of date after a change', async () => {
  const after = await explained(follows('web'), (world) => world.change());
  assert.deepEqual(
    after.follows.map(({ pods }) => pods),
    ['out of date'],
  );
  // What pods ran before the baseline is not known.
  const plain = explanationText(after, (_, words) => words);
  assert.match(plain, /: out of date \(recorded is \w{4}…, current is \w{4}…\)\n/);
  const doubtful = await explained(follows('web'), (world) => {
    world.change().mark('web', 'Deployment/web');
  });
  assert.equal(doubtful.follows[0]?.recorded, undefined);
  const text = explanationText(doubtful, (_, words) => words);
  assert.match(text, /: out of date \(pods may run an older content, current is \w{4}…\)\n/);
});

/** By its state in the headline, how a workload comes to it. */
const STATES: Readonly<Record<string, readonly [state: string, make: (world: World) => unknown]>> = {
  'all is well': ['healthy', well()],
  'it may not be patched': [
    'not served',
    (world) => {
      world.mayDo = (resource, _, verb) => resource !== 'deployments' || verb !== 'patch';
      well()(world);
    },
  ],
  'its namespace is not watched': [
    'not served',
    (world) =>
      world
        .install(['--namespace=shared'])
        .configMap()
        .deployment({ annotations: follows('web') }),
  ],
  'its namespace is not selected': [
    'not served',
    (world) =>
      world
        .install(['-A', '--namespace-selector=tier=web'])
        .configMap()
        .deployment({ annotations: follows('web') }),
  ],
  'it is paused before its rollout is complete': [
    'waiting',
    (world) =>
      world
        .install()
        .configMap()
        .deployment({ annotations: follows('web'), spec: { paused: true } }),
  ],
  'the flags are guessed': [
    'unknown',
    (world) => well({ 'reloader.stakater.com/search': 'true' })(world).another(),
  ],
};

describe('the headline is true where', () => {
  for (const [what, [state, make]] of Object.entries(STATES))
    test(what, async () => {
      const world = new World();
      make(world);
      await rolledOut(world);
      const { workloadState } = await world.explained();
      world.sandbox.close();
      assert.equal(workloadState, state);
    });
});

/** By what limits a healthy workload, its headline. */
const LIMITED: Readonly<Record<string, readonly [state: string, make: (world: World) => unknown]>> = {
  nothing: ['healthy', well()],
  'a webhook that is notified instead': [
    'healthy, but see Why',
    (world) =>
      world
        .install(['-A', '--webhook-url=http://hooks.example.com'])
        .configMap()
        .deployment({ annotations: follows('web') }),
  ],
  'an object that is missing': [
    'healthy, but see Why',
    (world) =>
      world
        .install()
        .configMap()
        .deployment({ annotations: follows('web', 'gone') }),
  ],
  'that no object rolls it': [
    'healthy, but see Why',
    (world) => well({ 'reloader.stakater.com/search': 'true' })(world),
  ],
};

describe('the headline of a healthy workload names', () => {
  for (const [what, [state, make]] of Object.entries(LIMITED))
    test(what, async () => {
      const world = new World();
      make(world);
      await rolledOut(world);
      const [headline] = explanationText(await world.explained(), (_, words) => words).split('\n');
      world.sandbox.close();
      assert.equal(headline, `Deployment/web in namespace default: ${state}`);
    });
});

test('a Deployment that was paused before it had pods is not rolling out', async () => {
  const parts = { annotations: follows('web'), spec: { paused: true } };
  const world = new World().install().configMap().deployment(parts);
  await rolledOut(world);
  const { follows: objects, causes } = await world.explained();
  world.sandbox.close();
  assert.deepEqual([objects[0]?.pods, causes.map(({ rule }) => rule)], ['paused', ['pods-not-replaced']]);
});

test('pods of OnDelete are out of the way once they are deleted, and of no rollout before', async () => {
  const world = new World().install().configMap();
  const annotations = follows('web');
  const template = { metadata: { labels: { app: 'web' } }, spec: podOf(['web']) };
  const updateStrategy = { type: 'OnDelete' };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, updateStrategy, template };
  world.sandbox.create('statefulsets', {
    metadata: { namespace: 'default', name: 'web', annotations },
    spec,
  });
  const isNew = (count: number): Promise<void> =>
    until(`${count} pods are of the present template`, () => {
      const status = world.sandbox.get('statefulsets', 'default', 'web')?.['status'] as JsonObject;
      const { observedGeneration, readyReplicas, updatedReplicas = 0 } = status ?? {};
      const { generation } = world.sandbox.get('statefulsets', 'default', 'web')?.metadata ?? {};
      return observedGeneration === generation && readyReplicas === 2 && updatedReplicas === count;
    });
  const answer = async (): Promise<readonly unknown[]> => {
    const facts = await world.factsAbout('sts/web');
    const { follows: objects, causes, rollout, workloadState } = explanationOf(facts);
    const { edges } = graphOf(facts.observation, false);
    await facts.observation.end();
    assert.deepEqual(
      edges.map(({ pods }) => pods),
      objects.map(({ pods }) => pods),
    );
    return [objects[0]?.pods, causes.map(({ rule }) => rule).join(), rollout, workloadState];
  };
  await rolledOut(world);
  await isNew(2);
  const current = ['no change to roll', '', 'every pod runs the present template', 'healthy'];
  assert.deepEqual(await answer(), current);
  const annotated = { metadata: { annotations: { a: 'b' } } };
  world.sandbox.patch('statefulsets', 'default', 'web', { spec: { template: annotated } });
  const held = ['older pods stay', 'pods-not-replaced'];
  for (const old of [2, 1]) {
    await isNew(2 - old);
    assert.deepEqual(await answer(), [...held, `pods of an older template: ${old} of 2`, 'waiting']);
    const metadata = { name: `web-${old - 1}` };
    const path = `/api/v1/namespaces/default/pods/${metadata.name}/eviction`;
    const body = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata });
    const headers = { 'content-type': 'application/json' };
    await world.send({ method: 'POST', path, body, headers });
  }
  await isNew(2);
  assert.deepEqual(await answer(), current);
  world.sandbox.close();
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

async function explainedObject(
  world: World,
  name = 'web',
  kind: ConfigKind = 'ConfigMap',
): Promise<ObjectExplanation> {
  await rolledOut(world);
  const reloader = await findReloader(world.send, { namespace: 'default', settings: [] });
  const scene = { send: world.send, namespace: 'default', reloader };
  const answer = await explainObject(scene, { kind, name });
  world.sandbox.close();
  return answer;
}

test('of two reloaders the one that selects the namespace counts', async () => {
  for (const [label, isKnown] of Object.entries({ web: false, other: true })) {
    const world = well()(new World()).another(['-A', '--namespace-selector=tier=web']);
    world.sandbox.patch('namespaces', undefined, 'default', { metadata: { labels: { tier: label } } });
    await rolledOut(world);
    const { unknown, workloadState } = await world.explained();
    assert.equal(/2 reloaders watch namespace default/.test(unknown.join()), !isKnown);
    assert.equal(workloadState, isKnown ? 'healthy' : 'unknown');
    world.sandbox.close();
  }
});

/** By the flags of a reloader, what it watches in words. */
const WATCHED: readonly (readonly [flags: readonly string[], says: string])[] = [
  [['-A'], 'all namespaces'],
  [['-A', '--namespaces-to-ignore=a,b'], 'all namespaces but a, b'],
  [
    ['-A', '--namespace-selector=tier=web', '--resource-label-selector=a=b'],
    'all namespaces with the labels tier=web for objects with the labels a=b',
  ],
  [['--namespace=default,shop'], 'default, shop'],
];

test('the line about the reloader names what it leaves out', async () => {
  for (const [flags, says] of WATCHED) {
    const world = new World().install(flags);
    await rolledOut(world);
    const { says: line } = shownReloader(
      await findReloader(world.send, { namespace: 'default', settings: [] }),
    );
    world.sandbox.close();
    assert.equal(line.split(' watches ')[1], says);
  }
});

describe('explain of an object', () => {
  test('knows its followers', async () => {
    const { followers, unknown, isMissing } = await explainedObject(well()(new World()));
    assert.deepEqual([followers.length, unknown, isMissing], [1, [], false]);
  });

  test('does not know whether and when a follower that is out of date is rolled', async () => {
    const { followers, unknown } = await explainedObject(well()(new World()).change());
    assert.deepEqual([followers[0]?.follows?.pods, unknown.length], ['out of date', 1]);
    assert.match(unknown.join(), /^whether and when/);
  });

  for (const isChanged of [false, true])
    test(`counts a workload that is notified only as not rolled, changed: ${isChanged}`, async () => {
      const world = well({ ...follows('web'), [`${NATIVE}/notify-only`]: 'true' })(new World());
      if (isChanged) world.change();
      const { followers, others } = await explainedObject(world);
      const rules = others.map(({ causes: [first] }) => first?.rule);
      assert.deepEqual([followers, rules], [[], ['notify-only']]);
    });

  test('does not use the flags of a reloader of other namespaces', async () => {
    const world = new World().install(['--namespace=shared', '--resource-label-selector=a=b']).configMap();
    const { causes } = await explainedObject(world);
    assert.deepEqual([causes.length, causes[0]?.rule], [1, 'namespace-not-watched']);
  });

  test('says that it is held or halted, with the command that ends that', async () => {
    const world = new World().install().configMap('web', { annotations: { [`${NATIVE}/hold`]: 'true' } });
    const entry = world.sandbox.get('configmaps', 'reloader', 'reloader-state')?.['data'] as Words;
    const halted = `${entry['default_v1.ConfigMap_web']}!0a0b=default/Deployment/first`;
    const data = { 'default_v1.ConfigMap_web': halted };
    world.sandbox.patch('configmaps', 'reloader', 'reloader-state', { data });
    const { causes } = await explainedObject(world.deployment({ annotations: follows('web') }));
    const [hold, halt] = causes;
    assert.deepEqual([hold?.rule, halt?.rule, causes.length], ['hold', 'halt', 2]);
    assert.match(hold?.todo ?? '', /^kubectl annotate configmap\/web .*hold-$/);
    assert.match(halt?.says ?? '', /Deployment\/first did not get ready .*resume=0a0b$/);
  });

  test('knows that objects of a kind are not watched, without reading them', async () => {
    const world = new World().install(['-A', '--enable-csi-integration=false']);
    world.refuses = ({ path }) => path.includes('/secretproviderclasses');
    const { causes, unknown } = await explainedObject(world, 'vault', 'SecretProviderClass');
    const [ignored] = causes;
    assert.deepEqual(
      [ignored?.rule, ignored?.todo, unknown],
      ['kind-of-object-ignored', 'give the reloader --enable-csi-integration=auto', []],
    );
  });

  test('knows that an object of a kind that is not watched does not exist', async () => {
    const world = new World({ extensions: ['secretproviderclasses'] });
    world.install(['-A', '--enable-csi-integration=false']);
    const { causes, isMissing } = await explainedObject(world, 'typo', 'SecretProviderClass');
    assert.deepEqual(
      [causes.map(({ rule }) => rule), isMissing],
      [['kind-of-object-ignored', 'missing'], true],
    );
    const unserved = new World().install(['-A', '--enable-csi-integration=false']);
    const [, absent] = (await explainedObject(unserved, 'typo', 'SecretProviderClass')).causes;
    assert.match(absent?.says ?? '', /^the cluster does not serve secretproviderclasses/);
  });

  test('counts nobody as rolled for an object that is not watched', async () => {
    const secret = { metadata: { name: 'web' }, type: 'helm.sh/release.v1', data: {} };
    const unlabelled = new World().install(['-A', '--resource-label-selector=a=b']).configMap();
    const untyped = new World().install();
    untyped.sandbox.create('secrets', secret);
    const annotations = { [`${NATIVE}/configmap`]: 'web', [`${NATIVE}/secret`]: 'web' };
    const rows = [
      [unlabelled, 'ConfigMap', 'unselected-object'],
      [untyped, 'Secret', 'secret-not-watched'],
    ] as const;
    for (const [world, kind, rule] of rows) {
      const { followers, others } = await explainedObject(
        world.deployment({ annotations, reads: [] }),
        'web',
        kind,
      );
      const found = others.map(({ follows: object, causes }) => [object, causes.map((each) => each.rule)]);
      assert.deepEqual([followers, found], [[], [[undefined, [rule]]]]);
    }
  });

  test('knows why it is named in vain, on a pod template or by a kind that is not served', async () => {
    const world = new World()
      .install()
      .configMap()
      .deployment({ onTemplate: follows('web') });
    const spec = { schedule: '@yearly', jobTemplate: { spec: { template: { spec: podOf([]) } } } };
    world.sandbox.create('cronjobs', { metadata: { name: 'web', annotations: follows('web') }, spec });
    const { others } = await explainedObject(world);
    const found = others.map(({ workload, causes }) => [
      workload.kind,
      causes.map(({ rule }) => rule).join(),
    ]);
    assert.deepEqual(found, [
      ['Deployment', 'misplaced'],
      ['CronJob', 'kind-not-served'],
    ]);
  });

  test('says that it does not exist', async () => {
    const { isMissing, causes } = await explainedObject(well()(new World()), 'nope');
    assert.deepEqual([isMissing, causes.map(({ rule }) => rule)], [true, ['missing', 'no-follower']]);
  });

  test('does not say that nobody follows it, if not every kind of workload may be listed', async () => {
    const world = well()(new World());
    await rolledOut(world);
    world.sandbox.denied.push({ resource: 'deployments' });
    world.refuses = ({ path }) => /\/namespaces\/default\/deployments([?]|$)/.test(path);
    const { causes, unknown } = await explainedObject(world);
    assert.ok(!causes.some(({ rule }) => rule === 'no-follower'));
    assert.deepEqual(unknown, ['Deployment in default may not be read with your rights']);
  });

  test('knows that there are no workloads of a kind which the cluster does not serve', async () => {
    const world = well()(new World());
    world.refuses = ({ path }) => path.includes('/argoproj.io/v1alpha1/namespaces');
    assert.deepEqual((await explainedObject(world)).unknown, []);
  });
});
