/** What the answers need and is not known: then nothing counts as up to date, and nobody is said to be missing. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadExplanation } from '../../../lib/commands/explain/explanation.ts';
import { graphOf } from '../../../lib/commands/graph/graph.ts';
import {
  findReloader,
  type InstalledReloader,
  type Wanted,
} from '../../../lib/commands/installed-reloader.ts';
import { doubtsAbout } from '../../../lib/commands/scene.ts';
import { STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import { until } from '../../integration/reloader-process.ts';
import { type JsonObject, pick } from '../../sandbox/json.ts';
import { rolledOut, well } from './named-causes.ts';
import { follows, type LeaseParts, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const SECOND_MS = 1000;

/** A Lease as a reloader on a laptop holds it. */
function lease(world: World, parts: LeaseParts = {}): World {
  return world.lease({ holder: 'laptop_0a1b', namespace: 'shared', ...parts });
}

/** Refuses every list of all namespaces of this resource, and those of the usual ones unless `isNear`. */
function mayNotList(world: World, resource: string, isNear = true): World {
  const { refuses } = world;
  const pattern = new RegExp(isNear ? `/v1/${resource}([?]|$)` : `/${resource}([?]|$)`);
  world.refuses = (request) => refuses(request) || pattern.test(request.path);
  return world;
}

async function foundIn(world: World, about: Partial<Wanted> = {}): Promise<InstalledReloader> {
  await rolledOut(world);
  const found = findReloader(world.send, { namespace: 'default', settings: [], ...about });
  await found.finally(() => world.sandbox.close());
  return await found;
}

describe('which reloader runs is not known', () => {
  const cases: Readonly<
    Record<string, readonly [make: (world: World) => World, says: RegExp, places?: Wanted['places']]>
  > = {
    'where a Lease is renewed, and no Deployment is found': [
      (world) => lease(world),
      /laptop_0a1b renewed Lease\/reloader-state in shared within a minute: it is a reloader, and its flags are not known/,
    ],
    'where one serves the namespace, and another process renews a Lease elsewhere': [
      (world) => lease(world.install()),
      /laptop_0a1b renewed Lease\/reloader-state in shared within a minute: it is a reloader/,
    ],
    'where a pod of the same name renews a Lease elsewhere': [
      (world) => lease(world.install(['-A'], 0), { holder: 'reloader-7f-x_uid_0a' }),
      /reloader-7f-x_uid_0a renewed Lease\/reloader-state in shared/,
    ],
    'where the pod that holds the Lease is gone, and its process may run': [
      (world) => world.install().pod(),
      /^Pod\/reloader-7f-x holds Lease\/reloader-state in reloader, and does not exist: its flags are not known \(--reloader none/,
    ],
    'where the pod that holds the Lease has ended a moment ago': [
      (world) => world.install(['-A'], 0).lease(),
      /^Pod\/reloader-7f-x holds Lease\/reloader-state in reloader, and does not exist/,
    ],
    'where the pod that holds the Lease is of a former template': [
      (world) => world.install().pod({ args: ['-A', '--ignored-workload-types=deployments'] }),
      /, and is of a former template: its flags are not known/,
    ],
    'where the pod that holds the Lease may not be read': [
      (world) => {
        world.refuses = ({ path }) => path.endsWith('/pods/reloader-7f-x');
        return world.install();
      },
      /, and may not be read with your rights: its flags are not known/,
    ],
    'where a flag of its Deployment names another cluster': [
      (world) => world.install(['-A', '--server=https://other:6443']),
      /^which cluster or rights Deployment reloader\/reloader has: a flag sets its server$/,
    ],
    'where its variables are in another object': [
      (world) => world.install(['-A'], 1, [], [{ configMapRef: { name: 'flags', optional: true } }]),
      /the variables of Deployment reloader\/reloader are in objects that envFrom names/,
    ],
    'where it has a command that is not understood': [
      (world) => world.install(['-A'], 1, [], [], ['sh', '-c', 'exec node reloader.mjs --dry-run']),
      /which flags count: Deployment reloader\/reloader has a command of its own/,
    ],
    'where a Lease was renewed a moment ago, and not since': [
      (world) => lease(world, { renewedMsAgo: 40 * SECOND_MS }),
      /laptop_0a1b renewed Lease\/reloader-state in shared within a minute: it is a reloader/,
    ],
    'where a Lease is renewed that was created without a spec': [
      (world) => lease(world, { holder: 'laptop_0a1b2c3d', manager: '' }),
      /laptop_0a1b2c3d renewed Lease\/reloader-state in shared/,
    ],
    'where two watch the namespace': [
      (world) => world.install().another(),
      /2 reloaders watch namespace default: Deployment\/reloader in reloader, Deployment\/second in shared \(--reloader \S+ names one\)/,
    ],
    'where two watch one of the namespaces': [
      (world) => world.install().another(['--namespace=billing']),
      /^2 reloaders watch namespace billing: Deployment\/reloader in reloader, Deployment\/second in shared/,
      ['default', 'billing'],
    ],
    'where each watches one of the namespaces': [
      (world) => world.install(['--namespace=shop']).another(['--namespace=billing']),
      /^2 reloaders watch only some of the namespaces: Deployment\/reloader in reloader, Deployment\/second in shared/,
      ['shop', 'billing'],
    ],
    'where two watch some of all namespaces': [
      (world) => world.install(['--namespace=shop']).another(['--namespace=billing']),
      /^2 reloaders watch namespaces: .* \(--reloader <namespace>\/<name> names one\)$/,
      'all',
    ],
    'without the right to Deployments': [
      (world) => mayNotList(world, 'deployments'),
      /you may not list the Deployments of all namespaces: .* default and reloader alone \(--reloader <namespace>\/<name> names it\)/,
    ],
    'without the right to Leases, if there is no Deployment': [
      (world) => mayNotList(world, 'leases', false),
      /you may not list the Leases of all namespaces/,
    ],
    'if another one was found, which does not serve the namespace': [
      (world) => mayNotList(world.install(['--namespace=shared']), 'deployments'),
      /you may not list the Deployments of all namespaces/,
    ],
  };
  for (const [name, [make, says, places]] of Object.entries(cases))
    test(name, async () =>
      assert.match((await foundIn(make(new World()), { places })).unknown.join('\n'), says),
    );
});

test('which flags count is not known while the reloader is being rolled out', async () => {
  const world = new World().install();
  await rolledOut(world);
  const template = { metadata: { annotations: { a: 'b' } } };
  world.sandbox.patch('deployments', 'reloader', 'reloader', { spec: { paused: true, template } });
  await until('an old pod stays', () => {
    const object = world.sandbox.get('deployments', 'reloader', 'reloader') as JsonObject | undefined;
    return pick(object, 'status', 'replicas') === 1 && pick(object, 'status', 'updatedReplicas') !== 1;
  });
  const { unknown } = await foundIn(world);
  assert.deepEqual(unknown, ['which flags count while Deployment reloader/reloader is being rolled out']);
});

test('flags in its command count', async () => {
  const world = new World().install(['-A'], 1, [], [], ['node', 'dist/reloader.mjs', '--dry-run']);
  const { options, unknown } = await foundIn(world);
  assert.deepEqual([options.dryRun, unknown], [true, []]);
});

describe('a Deployment that a person names', () => {
  test('is a reloader by its label', async () => {
    const two = new World().install().another();
    assert.deepEqual((await foundIn(two, { asked: 'shared/second' })).unknown, []);
  });

  test('is known to run only if its Lease is renewed in time, is there and has a holder', async () => {
    const refuses: World['refuses'] = ({ path }) => path.endsWith('/leases/reloader-state');
    const cases: readonly (readonly [says: RegExp, make: (world: World) => World])[] = [
      [/^undefined$/, (world) => world],
      [/in reloader: no pod renews it in time/, (world) => world.lease({ renewedMsAgo: 16 * SECOND_MS })],
      [/no pod renews it in time/, (world) => world.lease({ holder: '' })],
      [/without the right to it one leads alone$/, (world) => world.unlease()],
      [
        /^whether the reloader runs: Lease\/reloader-state in reloader: may not$/,
        (world) => Object.assign(world, { refuses }),
      ],
    ];
    for (const [says, make] of cases) {
      const found = await foundIn(make(new World().install()), { asked: 'reloader/reloader' });
      assert.match(String(found.silence), says);
    }
    for (const args of [['-A', '--leader-elect=false'], ['-A']] as const) {
      const world = new World().install(args, args.length - 1).unlease();
      assert.equal((await foundIn(world)).silence, undefined);
    }
  });

  test('runs by the clock of the API server, whatever the own one says', async () => {
    for (const aheadMs of [-180 * SECOND_MS, undefined, 180 * SECOND_MS])
      for (const [seconds, isSilent, says] of [
        [1, false, /it is a reloader/],
        [66, true, /^$/],
      ] as const) {
        const parts = { renewedMsAgo: seconds * SECOND_MS };
        const [own, other] = [new World({}, aheadMs), new World({}, aheadMs)];
        assert.equal((await foundIn(own.install().lease(parts))).silence !== undefined, isSilent);
        assert.match((await foundIn(lease(other, parts))).unknown.join(), says);
      }
  });

  test('is none otherwise', async () => {
    const none = foundIn(lease(new World().deployment({ reads: [] })), { asked: 'web' });
    await assert.rejects(none, /--reloader: the Deployment web lacks the label \S+ of a reloader/);
  });
});

/** A reloader with a variable whose value is in a Secret. */
function hiding(world: World, name: string): World {
  world.sandbox.create('secrets', { metadata: { namespace: 'reloader', name: 'flags' }, data: { a: '' } });
  return world.install(['-A'], 1, [{ name, valueFrom: { secretKeyRef: { name: 'flags', key: 'a' } } }]);
}

test('a flag whose value is hidden is not known, unless it is the address of a webhook', async () => {
  const { unknown } = await foundIn(hiding(new World(), 'RELOADER_OPT_NAMESPACE'));
  assert.match(
    unknown.join(),
    /the value of RELOADER_OPT_NAMESPACE of Deployment reloader\/reloader is not in/,
  );
  const told = await foundIn(hiding(new World(), 'RELOADER_OPT_WEBHOOK_URL'));
  assert.deepEqual([told.unknown, told.options.webhookUrl === undefined], [[], false]);
});

test('the flags of a reloader of other namespaces are no guess', async () => {
  const { options, installation } = await foundIn(
    lease(new World().install(['--namespace=shop', '--dry-run'])),
  );
  assert.deepEqual([options.dryRun, installation], [false, undefined]);
});

describe('it is known', () => {
  const cases: Readonly<Record<string, (world: World) => World>> = {
    'where nothing is there': (world) => world,
    'where a Lease was renewed long ago': (world) => lease(world, { renewedMsAgo: 120 * SECOND_MS }),
    'where a Lease was released': (world) => lease(world, { holder: '' }),
    'where a Lease is of another program': (world) => lease(world, { manager: 'other' }),
    'where a Lease without a manager is of another program': (world) => {
      const holder = 'host_0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f';
      return lease(world, { holder, manager: '' });
    },
    'where a webhook has added a variable to the pod that holds the Lease': (world) => {
      const env = [{ name: 'TRACING', value: 'on' }];
      return world.install().pod({ name: 'reloader', args: ['-A', '--state-namespace=reloader'], env });
    },
  };
  for (const [name, make] of Object.entries(cases))
    test(name, async () => assert.deepEqual((await foundIn(make(new World()))).unknown, []));
});

async function explained(
  make: (world: World) => unknown,
  { isStuck = false }: { readonly isStuck?: boolean } = {},
): Promise<WorkloadExplanation> {
  const world = new World();
  await make(world);
  if (!isStuck) await rolledOut(world);
  const explanation = await world.explained();
  world.sandbox.close();
  return explanation;
}

function podsIn({ follows: objects }: WorkloadExplanation): readonly string[] {
  return objects.map(({ pods }) => pods);
}

function rulesIn({ causes }: WorkloadExplanation): readonly string[] {
  return causes.map(({ rule }) => rule);
}

describe('explain', () => {
  test('knows all of a workload that is up to date', async () => {
    const answer = await explained(well());
    assert.deepEqual([podsIn(answer), answer.unknown], [['no change to roll'], []]);
  });

  const unheard: Readonly<Record<string, (world: World) => World>> = {
    'has no replicas': (world) => world.install(['-A'], 0),
    'does not exist': (world) => world,
    'may run, and renews no Lease': (world) => world.install().lease({ renewedMsAgo: 120 * SECOND_MS }),
    'runs as a dry run': (world) => world.install(['-A', '--dry-run']),
  };
  for (const [what, install] of Object.entries(unheard))
    for (const isChanged of [false, true])
      test(`does not know what pods have started with while the reloader ${what}, changed: ${isChanged}`, async () => {
        const answer = await explained((world) => {
          install(world)
            .configMap()
            .deployment({ annotations: follows('web') });
          if (isChanged) world.change();
        });
        const unknown = 'whether pods run the current content of ConfigMap/web';
        assert.deepEqual([podsIn(answer), answer.unknown.at(-1)], [['unknown'], unknown]);
        const isOpen = /^whether the reloader runs: /.test(answer.unknown[0] ?? '');
        const rules = isOpen ? /^(needs-rollout)?$/ : /^(?!.*unchanged)((no-)?reloader|dry-run)/;
        assert.equal(answer.unknown.length, isOpen ? 2 : 1);
        assert.match(rulesIn(answer).join(), rules);
        assert.doesNotMatch(answer.causes.map(({ says }) => says).join(), /it is out of date/);
      });

  const damages: Readonly<Record<string, object>> = {
    'an entry that is not readable': { data: { 'default_v1.ConfigMap_web': 'garbage' } },
    'an entry under a lost key': { data: { 'default_v1.ConfigMap_web': `k00000000:${'0'.repeat(40)}.1` } },
    'the version of a later program': { metadata: { annotations: { [STATE_VERSION_ANNOTATION]: '2' } } },
  };
  for (const [name, damage] of Object.entries(damages))
    test(`does not know what pods run by a state with ${name}`, async () => {
      const answer = await explained((world) => {
        well()(world);
        world.sandbox.patch('configmaps', 'reloader', 'reloader-state', damage);
      });
      assert.deepEqual([answer.state, podsIn(answer)], ['unknown', ['unknown']]);
    });

  test('claims nothing of a reloader that it does not know', async () => {
    const answer = await explained((world) => {
      lease(world.configMap().deployment({ annotations: follows('web') }));
    });
    assert.deepEqual([answer.reloader.is, answer.state, podsIn(answer)], ['unknown', 'unknown', ['unknown']]);
    assert.ok(!rulesIn(answer).some((rule) => ['no-reloader', 'baseline'].includes(rule)));
    assert.ok(!answer.unknown.includes('it is not known which reloader runs'));
  });

  test('does not know what pods run of an object that no reloader has recorded', async () => {
    const annotations = follows('web');
    const answer = await explained((world) => world.configMap('web', {}, false).deployment({ annotations }));
    assert.deepEqual([answer.reloader.is, answer.state, podsIn(answer)], ['none', 'absent', ['unknown']]);
    assert.match(answer.unknown.join(), /whether pods run the current content of ConfigMap\/web/);
  });

  test('does not count a workload as up to date that is rolling out', async () => {
    const stuck = async (world: World): Promise<void> => {
      world.sandbox.setRolloutDelay({ kind: 'Deployment', namespace: 'default', name: 'web' }, 'frozen');
      await rolledOut(world.install());
      world.configMap().deployment({ annotations: follows('web') });
    };
    const answer = await explained(stuck, { isStuck: true });
    assert.deepEqual(podsIn(answer), ['rolling out']);
  });

  for (const words of [
    { [`${NATIVE}/approval`]: 'required' },
    { [`${NATIVE}/notify-only`]: 'true' },
    { [`${NATIVE}/hold`]: 'true' },
    { 'reloader.k8s.collaborne.com/reload-window': 'Sun 00:00-00:01' },
  ] as const)
    test(`asks nobody for anything if nothing waits: ${Object.keys(words).join()}`, async () => {
      const answer = await explained(well({ ...follows('web'), ...(words as Words) }));
      assert.deepEqual([rulesIn(answer), podsIn(answer)], [[], ['no change to roll']]);
    });

  const outdated =
    (words: Words = {}) =>
    (world: World) =>
      well({ ...follows('web'), ...words })(world).change();

  test('knows what keeps a workload that is held', async () => {
    assert.deepEqual((await explained(outdated({ [`${NATIVE}/hold`]: 'true' }))).unknown, []);
  });

  test('does not say that a namespace lacks labels which it may not see', async () => {
    const answer = await explained((world) => {
      world.install(['-A', '--namespace-selector=tier=web']).configMap();
      world.deployment({ annotations: follows('web') });
      world.sandbox.denied.push({ resource: 'namespaces' });
      world.refuses = ({ path }) => /\/v1\/namespaces([?]|$)/.test(path);
    });
    assert.ok(!rulesIn(answer).some((rule) => rule.startsWith('unselected')), rulesIn(answer).join());
    assert.match(answer.unknown.join(), /not read: Namespace: may not/);
  });

  test('knows the labels of its namespace, where those count', async () => {
    const answer = await explained((world) => {
      world.install(['-A', '--namespace-selector=tier=web', '--namespace-annotations']).configMap();
      world.deployment({ annotations: follows('web') });
      world.sandbox.patch('namespaces', undefined, 'default', { metadata: { labels: { tier: 'web' } } });
    });
    assert.deepEqual([rulesIn(answer), answer.unknown, podsIn(answer)], [[], [], ['no change to roll']]);
  });
});

test('a namespace that may not be read exists if anything was found in it', async () => {
  const world = new World().configMap();
  world.refuses = ({ path }) => /\/v1\/namespaces\/[^/]+$/.test(path);
  assert.deepEqual(await doubtsAbout(world.send, 'default'), []);
  assert.deepEqual(await doubtsAbout(world.send, 'shared'), [
    'you may not read namespace shared, and nothing was found in it: it may not exist',
  ]);
  world.sandbox.close();
});

test('a graph says what could not be listed, and whose pods are not known', async () => {
  const world = well()(new World()).configMap('new', {}, false);
  for (const name of ['other', 'third'])
    world.deployment({ name, annotations: follows('new'), reads: ['new'] });
  await rolledOut(world);
  world.sandbox.denied.push({ resource: 'secrets' }, { resource: 'statefulsets' });
  world.refuses = ({ path }) => /\/(?:secrets|statefulsets)([?]|$)/.test(path);
  const { observation } = await world.factsAbout('deployment/web');
  const { unknown } = graphOf(observation, true);
  await observation.end();
  world.sandbox.close();
  assert.deepEqual(unknown, [
    'not read: Secret in default: you may not list it',
    'not read: StatefulSet in default: you may not list it',
    'whether pods run the current content of ConfigMap/new',
  ]);
});
