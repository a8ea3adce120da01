/** `reloader plan`: what applying manifests would roll, decided by the program itself. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { graphOf } from '../../../lib/commands/graph/graph.ts';
import { manifestsIn } from '../../../lib/commands/manifests/documents.ts';
import { planAgainst } from '../../../lib/commands/manifests/plan.ts';
import { planMarkdown } from '../../../lib/commands/manifests/plan-text.ts';
import { digestOf } from '../../digests.ts';
import { rolledOut } from './named-causes.ts';
import { configMap, deployment, manifestsOf, onCluster, type Rollouts, shortened, textOf } from './plans.ts';
import { follows, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
const SECRET = 'hush-hush';

interface Row {
  readonly from: readonly object[];
  readonly to: readonly object[];
  readonly rolls: Rollouts;
}

const WEB = [configMap(), deployment('app:1')];
const CHANGED = configMap({ value: 'B', more: 'C' });
const BY_RELOADER: Rollouts = [['Deployment/web', 'reloader', 'ConfigMap/web (keys more, value)']];

const SECRET_OBJECT = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' } };

const TREES: Readonly<Record<string, Row>> = {
  'nothing, where nothing changes': { from: WEB, to: WEB, rolls: [] },
  'a workload whose object changes, with the keys': {
    from: WEB,
    to: [CHANGED, deployment('app:1')],
    rolls: BY_RELOADER,
  },
  'the workload of its own accord, where its template changes too': {
    from: WEB,
    to: [CHANGED, deployment('app:2')],
    rolls: [['Deployment/web', 'owner', 'ConfigMap/web (keys more, value)']],
  },
  'a workload by the reloader, where its template is the same to the API server': {
    from: [configMap(), deployment('app:1', follows('web'), { resources: { limits: { cpu: '500m' } } })],
    to: [CHANGED, deployment('app:1', follows('web'), { command: [], resources: { limits: { cpu: 0.5 } } })],
    rolls: BY_RELOADER,
  },
  'nothing more, where only its template changes': {
    from: WEB,
    to: [configMap(), deployment('app:2')],
    rolls: [],
  },
  'nothing, for a workload that does not ask': {
    from: [configMap(), deployment('app:1', {})],
    to: [CHANGED, deployment('app:1', {})],
    rolls: [],
  },
  'nothing, for a workload that is new': {
    from: [configMap()],
    to: [CHANGED, deployment('app:1')],
    rolls: [],
  },
  'nothing, for an object that is new': { from: [deployment('app:1')], to: WEB, rolls: [] },
  'nothing, for an object that is deleted': { from: WEB, to: [deployment('app:1')], rolls: [] },
  'nothing, for a workload that is deleted': { from: WEB, to: [CHANGED], rolls: [] },
  'nothing, where only metadata changes': {
    from: WEB,
    to: [{ ...configMap(), metadata: { name: 'web', labels: { a: 'b' } } }, deployment('app:1')],
    rolls: [],
  },
  'a workload that is held, all the same': {
    from: [configMap(), deployment('app:1', { ...follows('web'), [`${NATIVE}/hold`]: 'true' })],
    to: [CHANGED, deployment('app:1', { ...follows('web'), [`${NATIVE}/hold`]: 'true' })],
    rolls: BY_RELOADER,
  },
};

describe('between two trees a plan has', { concurrency: 4 }, () => {
  for (const [name, { from, to, rolls }] of Object.entries(TREES))
    test(name, async () => {
      const answer = await planAgainst(manifestsOf(to), manifestsOf(from), 'default', []);
      assert.deepEqual(shortened(answer), rolls);
    });
});

/** What is live and what is applied: what is rolled after `kubectl apply`, and what else makes it unknown. */
interface Dropped {
  readonly live: readonly [config: object, workload: object];
  readonly to: readonly object[];
  readonly rolls: Rollouts;
  /** Whether the pods run an older content. */
  readonly isOutdated?: true;
  readonly unknown?: string;
}

const BOTH = configMap({ value: 'A', more: 'B' });
const AUTO = { [`${NATIVE}/auto`]: 'true' };
const HELD = { ...follows('web'), [`${NATIVE}/hold`]: 'true' };
const BY_VALUE: Rollouts = [['Deployment/web', 'reloader', 'ConfigMap/web (key value)']];
const DROPPED: Readonly<Record<string, Dropped>> = {
  'a key': {
    live: [BOTH, deployment('app:1')],
    to: [configMap()],
    rolls: [['Deployment/web', 'reloader', 'ConfigMap/web (key more)']],
    unknown: 'ConfigMap/web',
  },
  'a key beside another change': {
    live: [BOTH, deployment('app:1')],
    to: [configMap({ value: 'B' })],
    rolls: BY_RELOADER,
    unknown: 'ConfigMap/web',
  },
  'all keys': {
    live: [BOTH, deployment('app:1')],
    to: [{ ...configMap(), data: undefined }],
    rolls: BY_RELOADER,
    unknown: 'ConfigMap/web',
  },
  'a key that nobody follows': { live: [BOTH, deployment('app:1', {})], to: [configMap()], rolls: [] },
  'the annotation that asks': {
    live: [configMap(), deployment('app:1', AUTO)],
    to: [configMap({ value: 'B' }), deployment('app:1', {})],
    rolls: [],
    unknown: 'Deployment/web',
  },
  'a hold': {
    live: [configMap(), deployment('app:1', HELD)],
    to: [deployment('app:1')],
    rolls: [['Deployment/web', 'reloader', 'ConfigMap/web']],
    isOutdated: true,
    unknown: 'Deployment/web',
  },
  'the limits of a container': {
    live: [configMap(), deployment('app:1', AUTO, { resources: { limits: { cpu: '1' } } })],
    to: [configMap({ value: 'B' }), deployment('app:1', AUTO)],
    rolls: [['Deployment/web', 'owner', 'ConfigMap/web (key value)']],
    unknown: 'Deployment/web',
  },
  'a reference': {
    live: [configMap(), deployment('app:1', AUTO)],
    to: [configMap({ value: 'B' }), deployment('app:1', AUTO, { envFrom: undefined })],
    rolls: [],
    unknown: 'Deployment/web',
  },
  'what a server adds': {
    live: [
      configMap(),
      deployment('app:1', { ...follows('web'), 'deployment.kubernetes.io/revision': '1' }, { resources: {} }),
    ],
    to: [configMap({ value: 'B' }), deployment('app:1')],
    rolls: BY_VALUE,
  },
};
/** The objects as `kubectl apply` leaves them, or without what it writes. */
function droppedFrom({ live, isOutdated }: Dropped, isApplied: boolean): World {
  const world = new World().install();
  for (const [index, object] of live.entries()) {
    const { metadata, ...fields } = JSON.parse(JSON.stringify(object));
    const annotations = { ...metadata.annotations, ...(isApplied && { [LAST]: JSON.stringify(object) }) };
    const own = { ...metadata, namespace: 'default', annotations };
    world.sandbox.create(['configmaps', 'deployments'][index] ?? '', { ...fields, metadata: own });
  }
  const ran = isOutdated ? configMap({ value: 'Z' }) : live[0];
  return world.commit('web', digestOf('ConfigMap', ran as Parameters<typeof digestOf>[1]));
}

describe('where a manifest drops', { concurrency: 4 }, () => {
  for (const [name, row] of Object.entries(DROPPED)) {
    const to = JSON.parse(JSON.stringify(row.to));
    test(`${name}, which kubectl has applied, the plan is certain`, async () => {
      const answer = await onCluster(droppedFrom(row, true), to);
      assert.deepEqual([shortened(answer), answer.unknown.length], [row.rolls, row.isOutdated ? 1 : 0]);
    });
    test(`${name}, which another client has written, the plan is ${row.unknown ? 'unknown' : 'the same'}`, async () => {
      const { rollouts, unknown } = await onCluster(droppedFrom(row, false), to);
      if (row.unknown)
        assert.deepEqual(unknown, [
          `whether what the manifest of ${row.unknown} lacks goes: \`kubectl apply\` did not write it`,
        ]);
      else assert.deepEqual([rollouts.length, unknown], [row.rolls.length, []]);
    });
  }
});

describe('against a cluster a plan has', () => {
  const world = (): World =>
    new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });

  test('nothing, if the manifests are those that were applied: defaults of the API server are no change', async () => {
    assert.deepEqual(shortened(await onCluster(world(), [configMap(), deployment('app:1')])), []);
  });

  test('nothing of an object whose name is generated', async () => {
    const text = JSON.stringify(CHANGED).replace('"name":', '"generateName":');
    const manifests = manifestsIn({ file: '-', text, isNamed: true, report: () => assert.fail() });
    const { objects, rollouts, causes } = await onCluster(
      world(),
      manifests.map(({ object }) => object),
    );
    const says = 'kubectl apply refuses the generateName of ConfigMap/web*';
    assert.deepEqual(
      [objects, rollouts, causes],
      [[], [], [{ rule: 'refused', about: 'ConfigMap/web*', says }]],
    );
  });

  test('the workloads of the namespace, also those that no manifest has', async () => {
    assert.deepEqual(shortened(await onCluster(world(), [CHANGED])), BY_RELOADER);
  });

  test('the workload of its own accord, but for what changes after it in the file', async () => {
    const files = [CHANGED, deployment('app:2')];
    assert.deepEqual(
      (await onCluster(world(), files)).rollouts.map(({ by }) => by),
      ['owner'],
    );
    const { rollouts } = await onCluster(world(), files.toReversed());
    assert.deepEqual(
      rollouts.map(({ by }) => by),
      ['reloader'],
    );
    assert.match(rollouts[0]?.when ?? '', /, beside the rollout of its own change, which comes first$/);
  });

  test('the workload of its own accord, whatever holds the reloader', async () => {
    for (const annotation of ['hold', 'notify-only', 'approval']) {
      const value = annotation === 'approval' ? 'required' : 'true';
      const held = deployment('app:2', { [`reloader.k8s.collaborne.com/${annotation}`]: value });
      const { rollouts } = await onCluster(world(), [CHANGED, held]);
      assert.deepEqual([annotation, ...rollouts.map(({ by }) => by)], [annotation, 'owner']);
    }
  });

  test('no pods that are current with an object that does not exist', async () => {
    const named = new World()
      .install(['-A', '--reload-on-create', '--reload-on-delete'])
      .commit('other', '-')
      .deployment({ name: 'a', annotations: follows('other'), reads: [] })
      .deployment({ annotations: { 'configmap.reloader.stakater.com/reload': 'oth.*' }, reads: [] });
    await rolledOut(named);
    const { observation } = await named.factsAbout('deployment/web');
    const { edges } = graphOf(observation, false);
    await observation.end();
    assert.deepEqual(
      edges.map(({ workload, pods }) => [workload.name, pods]),
      [
        ['a', 'absent or unwatched'],
        ['web', 'absent or unwatched'],
      ],
    );
  });

  test('what is out of date already, apart', async () => {
    const answer = await onCluster(world().change(), [configMap({ value: 'B' })]);
    assert.deepEqual(shortened(answer), []);
    assert.deepEqual(answer.pending, [{ kind: 'Deployment', namespace: 'default', name: 'web' }]);
  });

  test('a change that comes with a rollout that is pending already', async () => {
    const answer = await onCluster(world().change(), [CHANGED]);
    assert.deepEqual(shortened(answer), [['Deployment/web', 'reloader', 'ConfigMap/web (key more)']]);
    assert.deepEqual(
      answer.rollouts.map(({ isPending }) => isPending),
      [true],
    );
    assert.match(
      textOf(answer),
      /for ConfigMap\/web \(key more\)\n {4}in one rollout with the pending one\n/,
    );
  });

  test('what the labels and annotations of the namespace decide', async () => {
    const selective = (): World =>
      new World()
        .install(['-A', '--namespace-selector=team=a', '--namespace-annotations'])
        .configMap()
        .deployment({ annotations: follows('web') });
    assert.deepEqual(shortened(await onCluster(selective(), [CHANGED])), []);
    const selected = selective();
    selected.sandbox.patch('namespaces', '', 'default', { metadata: { labels: { team: 'a' } } });
    const answer = await onCluster(selected, [CHANGED]);
    assert.deepEqual(shortened(answer), BY_RELOADER);
    assert.equal(answer.rollouts[0]?.keptBy, undefined);
  });

  /** What is live beside the usual, what is applied, and what the API server says to that. */
  const REFUSED: readonly (readonly [live: object, to: object, says: readonly string[]])[] = [
    [{ immutable: true }, { ...configMap(), immutable: false }, ['ConfigMap/web is immutable']],
    [{ immutable: true }, CHANGED, ['ConfigMap/web is immutable']],
    [{ immutable: true }, { ...CHANGED, immutable: true }, ['ConfigMap/web is immutable']],
    [
      { immutable: true },
      { ...configMap(), immutable: true, metadata: { name: 'web', labels: { a: 'b' } } },
      [],
    ],
    [{}, { ...SECRET_OBJECT, type: 'Opaque', data: {} }, []],
    [{}, { ...SECRET_OBJECT, type: 'other' }, ['Secret/web keeps its type Opaque']],
  ];
  for (const [live, to, says] of REFUSED)
    test(`nothing of what the API server refuses: ${JSON.stringify([live, to])}`, async () => {
      const fixed = world();
      fixed.sandbox.create('secrets', { metadata: { name: 'web' }, type: 'Opaque', data: {} });
      fixed.sandbox.patch('configmaps', 'default', 'web', live);
      const { causes, objects, rollouts, unknown } = await onCluster(fixed, [to]);
      assert.deepEqual(
        causes.map((cause) => cause.says),
        says.map((each) => `${each}: the API server refuses the change`),
      );
      assert.deepEqual([objects, rollouts, unknown], [[], [], []]);
    });

  test('only objects with the labels that the reloader watches', async () => {
    const cases = [
      [{}, {}, [], ['unselected-object']],
      [{ app: 'a' }, {}, BY_RELOADER, []],
      [{ app: 'a' }, { app: 'b' }, [], ['unselected-object']],
      [{}, { app: 'a' }, BY_RELOADER, []],
    ] as const;
    for (const [before, after, rolls, rules] of cases) {
      const selective = new World()
        .install(['-A', '--resource-label-selector=app in (a,c)'])
        .configMap('web', { labels: before })
        .deployment({ annotations: follows('web') });
      const changed = { ...CHANGED, metadata: { name: 'web', labels: after } };
      const { causes, ...answer } = await onCluster(selective, [changed]);
      assert.deepEqual([shortened({ ...answer, causes }), causes.map(({ rule }) => rule)], [rolls, rules]);
    }
  });

  test('what keeps the reloader from rolling anything', async () => {
    const none = /^(?!.*rollouts? by)/s;
    for (const [args, replicas, rule, says] of [
      [['--namespace=shared'], 1, 'namespace-not-watched', none],
      [['-A', '--namespaces-to-ignore=default'], 1, 'namespace-not-watched', none],
      [['-A', '--namespace-selector=team=a'], 1, 'unselected-namespace', none],
      [['-A'], 0, 'reloader-scaled-down', /web in default by the reloader, once the reloader runs$/m],
      [['-A', '--dry-run'], 1, 'dry-run', none],
      [
        ['-A', '--webhook-url=https://hooks.invalid'],
        1,
        'webhook',
        /by the webhook that the reloader notifies, 5s after .*\n1 notification of the webhook, if/s,
      ],
    ] as const) {
      const idle = new World()
        .install(args, replicas)
        .configMap()
        .deployment({ annotations: follows('web') });
      const answer = await onCluster(idle, [CHANGED]);
      assert.deepEqual(
        answer.causes.map((cause) => cause.rule),
        [rule],
      );
      for (const text of [textOf(answer), planMarkdown(answer)])
        assert.ok(text.includes(answer.causes[0]?.says ?? 'none'));
      assert.match(textOf(answer), says);
    }
  });

  test('a pending rollout that the manifests let go, and none that they do not', async () => {
    const held = { ...follows('web'), [`${NATIVE}/hold`]: 'true' };
    const isHeld = (): World => new World().install().configMap().deployment({ annotations: held }).change();
    const letGo = { ...follows('web'), [`${NATIVE}/hold`]: 'false' };
    assert.deepEqual(shortened(await onCluster(isHeld(), [deployment('app:1', letGo)])), [
      ['Deployment/web', 'reloader', 'ConfigMap/web'],
    ]);
    assert.deepEqual(shortened(await onCluster(isHeld(), [deployment('app:1', held)])), []);
  });

  test('nothing of a Secret whose base64 text has line breaks', async () => {
    const open = world();
    open.sandbox.create('secrets', { metadata: { name: 'tls' }, data: { a: 'QUJD' } });
    const text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: tls}\ndata:\n  a: |\n    QU\n    JD\n';
    const manifests = manifestsIn({ file: '-', text, isNamed: true, report: () => assert.fail() });
    const { objects } = await onCluster(
      open,
      manifests.map(({ object }) => object),
    );
    assert.deepEqual(objects, []);
  });

  test('the names of the keys of a Secret, and nothing of what is in it', async () => {
    const open = world();
    open.sandbox.create('secrets', { metadata: { name: 'tls' }, data: { a: 'QQ==', b: 'Qg==' } });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tls' },
      stringData: { a: SECRET, b: 'B' },
    };
    const answer = await onCluster(open, [secret]);
    assert.deepEqual(answer.objects, [
      { object: { kind: 'Secret', namespace: 'default', name: 'tls' }, change: 'changed', keys: ['a'] },
    ]);
    const text = JSON.stringify(answer) + planMarkdown(answer);
    assert.ok(!text.includes(SECRET) && !text.includes(Buffer.from(SECRET).toString('base64')));
  });
});
