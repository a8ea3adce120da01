/** What is answered about a kind that the reloader may not list, or whose rights are unknown. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainObject } from '../../../lib/commands/explain/explain-object.ts';
import type { Explanation } from '../../../lib/commands/explain/explanation.ts';
import { answerTo } from '../../../lib/commands/graph/graph.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { rolledOut } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, podOf, World } from './world.ts';

const WANTED = { namespace: 'default', settings: [] };
const ROLLOUT = 'Rollout/ro';
const LACKS = 'the reloader may not list rollouts, and leaves them out';
const MAY_LACK =
  'whether the reloader may list rollouts: its rights cannot be reviewed, or differ by namespace';

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
      assert.deepEqual(text(answer.edges.map(({ workload }) => workload)), rolled);
      assertRights(answer);
    });

    test(`${name}: plan`, async () => {
      const answer = await onCluster(await created(), [configMap({ value: 'B' })]);
      assert.deepEqual(text(answer.rollouts.map(({ workload }) => workload)), rolled);
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
