/** What `reloader plan` says of pods that are out of date already, and of what it cannot know. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planAgainst } from '../../../lib/commands/manifests/plan.ts';
import type { Plan } from '../../../lib/commands/manifests/plan-answer.ts';
import { planMarkdown } from '../../../lib/commands/manifests/plan-text.ts';
import { digestOf } from '../../digests.ts';
import { configMap, deployment, manifestsOf, onCluster, textOf } from './plans.ts';
import { follows, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const CHANGED = configMap({ value: 'B', more: 'C' });

/** What is there before the manifests, by what its pods run. */
interface Situation {
  readonly now: string;
  /** The content of the entry. */
  readonly entry: string;
  /** Whether the state says that pods may run another one. */
  readonly isMarked?: true;
  /** Whether pods are starting. */
  readonly isStarting?: true;
  /** By the content of the manifest. */
  readonly to: Readonly<Record<string, Outcome>>;
}

/** `pending`: nothing new, and the rollout that is pending stays; `goes`: nothing, and that one goes. */
type Outcome = 'nothing' | 'rolls' | 'rolls with the pending one' | 'pending' | 'goes';

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'all run the content': { now: 'A', entry: 'A', to: { A: 'nothing', B: 'rolls' } },
  'all run the former content, which waits for its quiet period': {
    now: 'B',
    entry: 'A',
    to: { A: 'goes', B: 'pending', C: 'rolls with the pending one' },
  },
  'may run either': {
    now: 'B',
    entry: 'B',
    isMarked: true,
    to: { A: 'rolls with the pending one', B: 'pending', C: 'rolls with the pending one' },
  },
  'start while the content is another one': {
    now: 'B',
    entry: 'B',
    isMarked: true,
    isStarting: true,
    to: { A: 'rolls with the pending one', B: 'pending' },
  },
};

function digestOfContent(value: string): string {
  return digestOf('ConfigMap', { metadata: { name: 'web' }, data: { value } });
}

function situated({ now, entry, isMarked, isStarting }: Situation, annotations: Words): World {
  const world = new World().install().configMap();
  const { sandbox } = world;
  const web = { kind: 'Deployment', namespace: 'default', name: 'web' };
  if (isStarting === true) sandbox.setRolloutDelay(web, 'frozen');
  world.deployment({ annotations }).commit('web', digestOfContent(entry));
  sandbox.patch('configmaps', 'default', 'web', { data: { value: now } });
  if (isMarked) world.mark('web', 'Deployment/web');
  return world;
}

function outcomeOf({ rollouts: [rollout], pending, withdrawn }: Plan): Outcome {
  if (withdrawn.length > 0) return 'goes';
  if (rollout !== undefined) return rollout.isPending ? 'rolls with the pending one' : 'rolls';
  return pending.length > 0 ? 'pending' : 'nothing';
}

describe('where its pods', () => {
  for (const [name, situation] of Object.entries(SITUATIONS))
    for (const hold of ['true', 'false'])
      test(`${name}, with hold: ${hold}`, async () => {
        for (const [value, outcome] of Object.entries(situation.to)) {
          const world = situated(situation, { ...follows('web'), [`${NATIVE}/hold`]: hold });
          const answer = await onCluster(world, [configMap({ value })], situation.isStarting);
          assert.equal(outcomeOf(answer), outcome, `to ${value}`);
          const says =
            /no longer out of date, so that the pending rollout goes: `?Deployment\/web in default/i;
          for (const text of [textOf(answer), planMarkdown(answer)])
            assert.deepEqual(
              says.test(text) && /No workload is rolled for a changed object, if the API/.test(text),
              outcome === 'goes',
            );
        }
      });
});

test('a Secret of a type that is not watched rolls nothing, and the plan says so', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls' }, type: 'helm.sh/release.v1' };
  const words = { 'reloader.k8s.collaborne.com/secret': 'tls' };
  const world = new World().install().configMap().deployment({ annotations: words });
  const metadata = { name: 'tls', namespace: 'default' };
  world.sandbox.create('secrets', { ...secret, metadata, data: { release: 'YQ==' } });
  const { rollouts, causes, unknown } = await onCluster(world, [{ ...secret, data: { release: 'Yg==' } }]);
  assert.deepEqual([rollouts, causes.map(({ rule }) => rule), unknown], [[], ['secret-not-watched'], []]);
});

test('no workload is called out of date while no reloader runs', async () => {
  for (const [value, rolled] of Object.entries({ A: [false], B: [], C: [false] })) {
    const world = situated({ now: 'B', entry: 'B', isMarked: true, to: {} }, follows('web'));
    world.lease({ renewedMsAgo: 120_000 });
    const { pending, withdrawn, rollouts, unknown } = await onCluster(world, [configMap({ value })]);
    assert.deepEqual([pending, withdrawn, rollouts.map(({ isPending }) => isPending)], [[], [], rolled]);
    if (value !== 'A')
      assert.equal(unknown.at(-1), 'whether pods run the current content of ConfigMap/web is not recorded');
  }
});

/** Refuses a resource, in every way. */
function without(resource: string, from: World): World {
  from.sandbox.denied.push({ resource });
  from.refuses = ({ path: asked }) => asked.includes(`/${resource}`);
  return from;
}

const TLS = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls' }, stringData: { a: 'hush-hush' } };
/** What may not be read, what is applied, and why the answer is not known. */
const UNREADABLE: Readonly<Record<string, [resource: string, objects: readonly object[], because?: RegExp]>> =
  {
    'an object of the manifests may not be read': [
      'secrets',
      [CHANGED, TLS],
      /^Secret in default: you may not list it$/,
    ],
    'a kind of workload may not be listed, and an object changes': [
      'statefulsets',
      [CHANGED],
      /^StatefulSet in default: you may not list it$/,
    ],
    'the state may not be read, and something is rolled': [
      'configmaps/reloader-state',
      [CHANGED],
      /^you may not read ConfigMap\/reloader-state in reloader$/,
    ],
    'the state may not be read, and a workload changes, which may be out of date': [
      'configmaps/reloader-state',
      [deployment('app:2')],
      /^you may not read ConfigMap\/reloader-state in reloader$/,
    ],
    'an object has a directive of a patch': [
      'none',
      [configMap({ $patch: 'replace', w: '1' }), { ...TLS, stringData: { a: '{"$patch":"replace"}' } }],
      /^ConfigMap\/web: it has the directive \$patch$/,
    ],
    'a field has a directive of a patch': [
      'none',
      [deployment('app:1', follows('web'), { '$deleteFromPrimitiveList/args': ['a'] })],
      /^Deployment\/web: it has the directive \$deleteFromPrimitiveList$/,
    ],
    'nothing, where what may not be read does not concern the manifests': ['secrets', [CHANGED]],
    'nothing, where the state does not matter: nothing changes': ['configmaps/reloader-state', [configMap()]],
  };

describe('a plan is not known because', () => {
  const world = (): World =>
    new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });

  for (const [name, [resource, objects, because]] of Object.entries(UNREADABLE))
    test(name, async () => {
      const answer = await onCluster(without(resource, world()), objects);
      assert.equal(answer.unknown.length, because === undefined ? 0 : 1, answer.unknown.join('\n'));
      if (because !== undefined) assert.match(answer.unknown[0] ?? '', because);
      for (const text of [textOf(answer), planMarkdown(answer)]) {
        assert.equal(/unknown, because \S/.test(text), because !== undefined);
        assert.equal(
          /No workload is rolled for a changed object, if the API/.test(text),
          because === undefined && answer.rollouts.length === 0,
        );
      }
    });

  test('two reloaders watch a namespace of the manifests', async () => {
    const there = { ...CHANGED, metadata: { namespace: 'kube-system', name: 'web' } };
    const { unknown } = await onCluster(world().another(['--namespace=kube-system']), [there]);
    assert.match(unknown.join(), /^2 reloaders watch namespace kube-system: /);
  });

  test('no reloader has recorded what pods run, and it is rolled, or changes', async () => {
    for (const object of [CHANGED, deployment('app:2'), configMap()]) {
      const unrecorded = new World().install().configMap('web', {}, false);
      const { unknown } = await onCluster(unrecorded.deployment({ annotations: follows('web') }), [object]);
      const says = 'whether pods run the current content of ConfigMap/web is not recorded';
      assert.deepEqual(unknown, 'data' in object && object !== CHANGED ? [] : [says]);
    }
  });

  const paced = { [`${NATIVE}/min-rollout-interval`]: '10m' };
  const urgent = { [`${NATIVE}/urgent`]: 'true' };
  const held = { ...paced, [`${NATIVE}/hold`]: 'true' };
  /** What is asked for, and what the running reloader alone knows of it. */
  const REMEMBERED: Readonly<Record<string, [flags: string[], of: Words, object: Words, open?: string]>> = {
    'a least interval': [[], paced, {}, 'Deployment/web in default waits (min-rollout-interval)'],
    'a budget': [['--max-concurrent-rollouts=1'], {}, urgent, 'Deployment/web in default waits (budget)'],
    'both for one workload': [
      ['--rollout-rate=1'],
      paced,
      {},
      'Deployment/web in default waits (min-rollout-interval, budget)',
    ],
    'a later stage': [['--stages=1'], {}, {}, 'Deployment/web in default waits (stage)'],
    'nothing of what is urgent': [['--stages=1'], paced, urgent],
    'nothing of what is held': [['--max-concurrent-rollouts=1'], held, {}],
  };
  for (const [what, [flags, words, annotations, open]] of Object.entries(REMEMBERED))
    test(`the running reloader alone knows of ${what}`, async () => {
      const one = new World().install(['-A', ...flags]).configMap('web', { annotations });
      one.deployment({ annotations: { ...follows('web'), ...words } });
      if (flags.includes('--stages=1')) one.deployment({ name: 'api', annotations: follows('web') });
      const { unknown } = await onCluster(one, [{ ...CHANGED, metadata: { name: 'web', annotations } }]);
      assert.deepEqual(unknown, open ? [`the running reloader alone knows whether ${open}`] : []);
    });

  test('labels of namespaces count, and may not be read', async () => {
    const selective = ['-A', '--namespace-selector=team=a'];
    const closed = without('namespaces?', new World().install(selective).configMap());
    closed.deployment({ annotations: follows('web') });
    const { unknown } = await onCluster(closed, [CHANGED]);
    assert.match(unknown.join(), /^Namespace: /);
  });

  test('the reloader is not found, and it may be where nobody may look', async () => {
    const closed = new World().configMap().deployment({ annotations: follows('web') });
    closed.refuses = ({ path: asked }) => /^\/apis\/apps\/v1\/deployments/.test(asked);
    const { unknown } = await onCluster(closed, [CHANGED]);
    assert.match(unknown.join(), /you may not list the Deployments of all namespaces/);
  });
});

/** By the Events of the workload, in their order, whether a plan does not know that it is rolled. */
const ATTEMPTS: readonly (readonly [isUnknown: boolean, ...reasons: readonly string[]])[] = [
  [true, 'ReloadRefused'],
  [true, 'Reloaded', 'ReloadRefused', 'ReloadRefused', 'SecondReloader', 'RolloutHeld'],
  [false, 'ReloadRefused', 'Reloaded'],
  [false, 'ReloadRefused', 'WebhookNotified', 'MistypedAnnotation'],
  [false, 'RolloutHeld'],
];

describe('a plan knows of attempts that were refused: after the Events', () => {
  const world = (words: Words = {}): World =>
    new World()
      .install()
      .configMap()
      .deployment({ annotations: { ...follows('web'), ...words } });
  for (const [isUnknown, ...reasons] of ATTEMPTS)
    test(reasons.join(', '), async () => {
      const tried = world();
      for (const [minute, reason] of reasons.entries()) tried.event(reason, minute);
      const minute = reasons.lastIndexOf('ReloadRefused');
      const says = `the last attempt to roll Deployment/web in default was refused at 2026-01-31T12:0${minute}:00.000Z`;
      const { unknown, rollouts } = await onCluster(tried, [CHANGED]);
      assert.deepEqual([unknown, rollouts.length], [isUnknown ? [says] : [], 1]);
    });

  test('of another workload, of one that a person rolls, or that may not be read', async () => {
    const other = world().event('ReloadRefused', 0, 'another');
    const notified = world({ [`${NATIVE}/notify-only`]: 'true' }).event('ReloadRefused', 0);
    const hidden = without('events', world().event('ReloadRefused', 0));
    for (const each of [other, notified, hidden])
      assert.deepEqual((await onCluster(each, [CHANGED])).unknown, []);
  });
});

test('a plan names the workloads that are no longer rolled for an object, and why', async () => {
  const search = { 'reloader.stakater.com/search': 'true' };
  const match = { 'reloader.stakater.com/match': 'true' };
  const own = { ...configMap(), metadata: { name: 'web', annotations: match } };
  const last = 'kubectl.kubernetes.io/last-applied-configuration';
  const annotations = { ...match, [last]: JSON.stringify(own) };
  const searching = new World().install().configMap('web', { annotations });
  const { causes, rollouts } = await onCluster(searching.deployment({ annotations: search }), [CHANGED]);
  assert.deepEqual(rollouts, []);
  const [{ rule = '', says = '' } = {}] = causes;
  assert.deepEqual([causes.length, rule], [1, 'not-matched']);
  assert.match(says, /^Deployment\/web in default is no longer rolled for ConfigMap\/web: /);
});

const OFF: Readonly<Record<string, readonly [object[], string[]]>> = {
  'before its object': [[deployment('a', { [`${NATIVE}/auto`]: 'false' }), CHANGED], ['not-asked']],
  'after its object': [[CHANGED, deployment('a', { [`${NATIVE}/auto`]: 'false' })], ['not-asked']],
  'beside an object that stays': [[deployment('a', { [`${NATIVE}/auto`]: 'false' })], ['not-asked']],
  'not named, if its pods no longer read it': [
    [{ ...deployment('a', {}), spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } } }],
    [],
  ],
};
for (const [what, [objects, rules]] of Object.entries(OFF))
  test(`a plan names a workload whose manifest turns auto off: ${what}`, async () => {
    const annotations = { [`${NATIVE}/auto`]: 'true' };
    for (const answer of [
      await onCluster(new World().install().configMap().deployment({ annotations }), objects),
      await planAgainst(
        manifestsOf(objects.length > 1 ? objects : [configMap(), ...objects]),
        manifestsOf([configMap(), deployment('a', annotations)]),
        'default',
        [],
      ),
    ]) {
      const { causes, rollouts } = answer;
      assert.deepEqual([causes.map(({ rule }) => rule), rollouts], [rules, []]);
      for (const { says } of causes)
        assert.match(
          says,
          /^Deployment\/web in default is no longer rolled for ConfigMap\/web: no annotation/,
        );
    }
  });

test('an object of a kind that is ignored rolls nothing, and the plan says so if it changes', async () => {
  for (const [value, rules] of [
    ['A', []],
    ['B', ['kind-of-object-ignored']],
  ] as const) {
    const world = new World().install(['-A', '--resources-to-ignore=configMaps']).configMap();
    world.deployment({ annotations: follows('web') });
    const { causes, rollouts, unknown } = await onCluster(world, [configMap({ value })]);
    assert.deepEqual([causes.map(({ rule }) => rule), rollouts, unknown], [rules, [], []]);
  }
});

test('a Namespace that is selected no more leaves what is out of date as it is, and the plan says why', async () => {
  const metadata = { name: 'default', labels: { team: 'b' } };
  const selective = new World().install(['-A', '--namespace-selector=team=a']).configMap();
  selective.sandbox.patch('namespaces', '', 'default', { metadata: { labels: { team: 'a' } } });
  selective.deployment({ annotations: follows('web') }).change();
  const { withdrawn, causes } = await onCluster(selective, [
    { apiVersion: 'v1', kind: 'Namespace', metadata },
  ]);
  assert.deepEqual([withdrawn, causes.map(({ rule }) => rule)], [[], ['unselected-namespace']]);
});
