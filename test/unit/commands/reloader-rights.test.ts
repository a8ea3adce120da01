/** What is answered about a kind that the reloader may not list, or whose rights are unknown. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainObject } from '../../../lib/commands/explain/explain-object.ts';
import { type Explanation, explanationOf } from '../../../lib/commands/explain/explanation.ts';
import { answerTo, graphOf } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { rolledOut } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, podOf, World } from './world.ts';

const WANTED = { namespace: 'default', settings: [] };
const ROLLOUT = 'Rollout/ro';
const LACKS = 'the reloader may not list rollouts, and leaves them out';
const MAY_LACK =
  'whether the reloader may list rollouts: its rights cannot be reviewed, or differ by namespace or name';

/** By who may know it, and what the account of the reloader may: what rolls, and why not or why that is not known. */
const RIGHTS: Readonly<
  Record<
    string,
    readonly [
      make: (world: World) => World,
      mayDo: World['mayDo'],
      rolls: boolean,
      causes: readonly string[],
      unknown: readonly string[],
    ]
  >
> = {
  'has the right': [(world) => world.install(), () => true, true, [], []],
  'lacks the right': [(world) => world.install(), (kind) => kind !== 'rollouts', false, [LACKS], []],
  'may list Rollouts, and not patch them': [
    (world) => world.install(),
    (kind, _, verb) => kind !== 'rollouts' || verb !== 'patch',
    false,
    ['the reloader may not patch rollouts, and rolls none but by eviction'],
    [],
  ],
  'may list Rollouts, and not watch them': [
    (world) => world.install(),
    (kind, _, verb) => kind !== 'rollouts' || verb !== 'watch',
    false,
    ['the reloader may not watch rollouts, and leaves them out'],
    [],
  ],
  'patches nothing in a dry run': [
    (world) => world.install(['-A', '--dry-run']),
    (_, __, verb) => verb !== 'patch',
    true,
    [],
    [],
  ],
  'lacks the right in the only namespace that it watches of those asked about': [
    (world) => world.install(['--namespace=default,shop']),
    (kind, namespace) => kind !== 'rollouts' || namespace !== 'default',
    false,
    [LACKS],
    [],
  ],
  'may lack the right: nobody may review it': [
    (world) => world.install(),
    () => undefined,
    true,
    [],
    [MAY_LACK],
  ],
};

describe('a Rollout follows an object, and the reloader', () => {
  for (const [name, [make, mayDo, rolls, causes, unknown]] of Object.entries(RIGHTS)) {
    const created = async (): Promise<World> => {
      const world = make(new World({ extensions: ['rollouts'] })).configMap();
      world.mayDo = mayDo;
      const spec = { replicas: 0, template: { metadata: {}, spec: podOf(['web']) } };
      const metadata = { namespace: 'default', name: 'ro', annotations: follows('web') };
      world.sandbox.create('rollouts', { metadata, spec });
      await rolledOut(world);
      return world;
    };
    const sceneIn = async ({ send }: World) => {
      const reloader = await findReloader(send, WANTED);
      return { send, namespace: 'default', reloader };
    };
    const text = (refs: readonly { readonly kind: string; readonly name: string }[]): readonly string[] =>
      refs.map((ref) => `${ref.kind}/${ref.name}`);
    const rolled = rolls ? [ROLLOUT] : [];
    const assertRights = (answer: Pick<Explanation, 'causes' | 'unknown'>): void => {
      assert.deepEqual(
        answer.causes.map(({ says }) => says).filter((each) => each.includes('may not')),
        causes,
      );
      assert.deepEqual(
        answer.unknown.filter((each) => each.includes('may list rollouts')),
        unknown,
      );
    };

    test(`${name}: explain`, async () => {
      const world = await created();
      const subject = { is: 'object', kind: 'ConfigMap', name: 'web' } as const;
      const answer = await explainObject(await sceneIn(world), subject);
      world.sandbox.close();
      const [followers, others] = [answer.followers, answer.others].map((all = []) =>
        text(all.map(({ workload }) => workload)),
      );
      assert.deepEqual([followers, others], [rolled, rolls ? [] : [ROLLOUT]]);
      const why = answer.others.flatMap((each) => each.causes.map(({ says }) => says));
      assert.deepEqual(why, causes);
      assert.deepEqual(
        answer.unknown.filter((each) => each.includes('may list rollouts')),
        unknown,
      );
    });

    test(`${name}: graph`, async () => {
      const world = await created();
      const answer = await answerTo({ flags: { output: 'text' }, operands: [] }, await sceneIn(world));
      world.sandbox.close();
      // It is out of date all the same where it may not be patched.
      const shown = causes.some((each) => each.includes('may not patch')) ? [ROLLOUT] : rolled;
      assert.deepEqual(text(answer.edges.map(({ workload }) => workload)), shown);
      assertRights(answer);
    });

    test(`${name}: plan`, async () => {
      const answer = await onCluster(await created(), [configMap({ value: 'B' })]);
      const isReported = answer.causes.some(({ rule }) => rule === 'dry-run');
      assert.deepEqual(text(answer.rollouts.map(({ workload }) => workload)), isReported ? [] : rolled);
      assertRights(answer);
    });
  }

  test('may lack each right that nobody may review: nothing is certain', async () => {
    const world = new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });
    world.mayDo = () => undefined;
    const { unknown } = await onCluster(world, [configMap({ value: 'B' })]);
    assert.deepEqual(
      unknown.map((each) => /may \w+ \w+/.exec(each)?.[0]),
      ['may list deployments', 'may list configmaps'],
    );
  });

  test('may lack a right that no Deployment tells, or that it has in some namespaces alone', async () => {
    const process = await findReloader(new World().send, { ...WANTED, asked: 'none' });
    assert.equal(process.mayLack?.get('Rollout'), MAY_LACK);
    const some = new World().install(['--namespace=default,shop']);
    some.mayDo = (_, namespace) => namespace === 'default';
    const { mayLack, lacks } = await findReloader(some.send, { ...WANTED, places: ['default', 'shop'] });
    assert.deepEqual([mayLack?.has('ConfigMap'), lacks?.size], [true, 0]);
  });
});

/** By right that the account does not have: the flags, the key of the workloads that are not rolled, and why. */
const REVIEWED: Readonly<Record<string, readonly [flags: readonly string[], key: string, says: string]>> = {
  'patch deployments': [
    [],
    'Deployment',
    'the reloader may not patch deployments, and rolls none but by eviction',
  ],
  'create jobs': [
    ['--cronjob-reload=run-now'],
    'CronJob',
    'the reloader may not create jobs, and starts none',
  ],
  'delete jobs': [['--job-reload=recreate'], 'Job', 'the reloader may not delete jobs, and starts none'],
  'create pods': [[], 'DaemonSet/eviction', 'the reloader may not create pods/eviction, and evicts none'],
  'list replicasets': [
    ['--reload-strategy=evict'],
    'Deployment/eviction',
    'the reloader may not list replicasets, and evicts none',
  ],
  'list namespaces': [
    ['--namespace-selector=a=b'],
    'StatefulSet',
    'the reloader may not list namespaces, and rolls nothing',
  ],
  'watch namespaces': [
    ['--namespace-annotations'],
    'Deployment',
    'the reloader may not watch namespaces, and rolls nothing',
  ],
};

describe('the right is reviewed to', () => {
  for (const [right, [flags, key, says]] of Object.entries(REVIEWED))
    test(right, async () => {
      const world = new World().install(['-A', ...flags]);
      world.mayDo = (resource, _, verb) => `${verb} ${resource}` !== right;
      const { lacks, mayLack } = await findReloader(world.send, WANTED);
      assert.deepEqual([lacks?.get(key)?.says, mayLack?.get(key)], [says, undefined]);
    });

  test('patch one Deployment by its name: it is not said that none is rolled', async () => {
    const world = new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });
    world.mayDo = (_, __, verb, name) => verb !== 'patch' || name === 'web';
    const { rollouts, unknown } = await onCluster(world, [configMap({ value: 'B' })]);
    assert.equal(rollouts.length, 1);
    assert.match(
      unknown.join(),
      /^whether the reloader may patch deployments: .* differ by namespace or name/,
    );
  });

  /** By right that the account lacks: whether a workload is rolled whose annotation says that its pods are evicted, and why not. */
  const EVICTED: Readonly<Record<string, readonly string[]>> = {
    'create pods': ['the reloader may not create pods/eviction, and evicts none'],
    'list pods': ['the reloader may not list pods, and evicts none'],
    'patch deployments': [],
  };
  for (const [right, says] of Object.entries(EVICTED))
    test(`${right}, for a workload whose pods are evicted by its annotation alone`, async () => {
      const evicted = { ...follows('web'), 'reloader.k8s.collaborne.com/reload-strategy': 'evict' };
      const world = new World().install().configMap().deployment({ annotations: evicted });
      world.mayDo = (resource, _, verb) => `${verb} ${resource}` !== right;
      await rolledOut(world);
      const { causes, unknown } = await world.explained();
      const answer = await onCluster(world, [configMap({ value: 'B' })]);
      const lacking = causes.filter(({ rule }) => rule === 'kind-not-permitted');
      assert.deepEqual([lacking.map((each) => each.says), unknown], [says, []]);
      const named = answer.causes.map((each) => each.says);
      assert.deepEqual(
        [named.filter((each) => says.includes(each)), answer.rollouts.length, answer.unknown],
        [says, says.length === 0 ? 1 : 0, says],
      );
    });

  test('patch a Deployment that is out of date: explain and graph name it, and to plan it is unknown', async () => {
    const create = async (): Promise<World> => {
      const world = new World()
        .install()
        .configMap()
        .deployment({ annotations: follows('web') });
      world.mayDo = (_, __, verb) => verb !== 'patch';
      await rolledOut(world);
      return world.change();
    };
    const world = await create();
    const facts = await world.factsAbout('deployment/web');
    const { follows: objects, causes, unknown } = explanationOf(facts);
    const { edges } = graphOf(facts.observation, true);
    await facts.observation.end();
    world.sandbox.close();
    assert.deepEqual([objects[0]?.pods, edges[0]?.pods, unknown], ['out of date', 'out of date', []]);
    assert.deepEqual(
      causes.map(({ rule }) => rule),
      ['kind-not-permitted', 'needs-rollout'],
    );
    const answer = await onCluster(await create(), [configMap({ value: 'C' })]);
    const lack = 'the reloader may not patch deployments, and rolls none but by eviction';
    assert.deepEqual([answer.rollouts.length, answer.pending.length, answer.unknown], [0, 1, [lack]]);
  });
});
