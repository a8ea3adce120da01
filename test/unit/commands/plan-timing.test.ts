/** `reloader plan`: by whom, in which window and in which stage a workload is rolled. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { Manifest } from '../../../lib/commands/manifests/documents.ts';
import { plan, planAgainst } from '../../../lib/commands/manifests/plan.ts';
import type { Plan, PlannedRollout } from '../../../lib/commands/manifests/plan-answer.ts';
import { planMarkdown, planText } from '../../../lib/commands/manifests/plan-text.ts';
import type { RawObject } from '../../../lib/model/raw-objects.ts';
import { digestOf } from '../../digests.ts';
import { rolledOut } from './named-causes.ts';
import { configMap as newConfigMap, deployment as newDeployment, onCluster } from './plans.ts';
import { follows, podOf, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const USUAL = '5s after the last change, 30s after the first one at the latest';

/** A reload window that opens in half a year. */
const CLOSED = `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} * 1h`;

function manifest(kind: string, apiVersion: string, object: object): Manifest {
  return { file: '-', apiVersion, kind, object: object as RawObject, lineOf: () => 1 };
}

function workload(name: string, annotations: Words = {}, kind = 'Deployment', spec: object = {}): Manifest {
  const labels = { app: name };
  return manifest(kind, 'apps/v1', {
    metadata: { name, annotations: { ...follows('web'), ...annotations } },
    spec: {
      replicas: 1,
      ...spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podOf(['web']) },
    },
  });
}

function configMap(value: string, annotations: Words = {}): Manifest {
  return manifest('ConfigMap', 'v1', { metadata: { name: 'web', annotations }, data: { value } });
}

interface Change {
  readonly workloads: readonly Manifest[];
  /** On the ConfigMap. */
  readonly words?: Words;
  readonly flags?: readonly string[];
}

async function planned({ workloads, words = {}, flags = [] }: Change): Promise<Plan> {
  const former = [configMap('A', words), ...workloads];
  return await planAgainst([configMap('B', words), ...workloads], former, 'default', flags);
}

async function rolloutOf(annotations: Words, change: Partial<Change> = {}): Promise<PlannedRollout> {
  const { rollouts } = await planned({ workloads: [workload('web', annotations)], ...change });
  const [rollout] = rollouts;
  assert.ok(rollout !== undefined && rollouts.length === 1);
  return rollout;
}

const WHEN: Readonly<Record<string, [annotations: Words, when: string | RegExp, keptBy?: string]>> = {
  'the usual window': [{}, USUAL],
  'its least interval': [
    { [`${NATIVE}/min-rollout-interval`]: '10m' },
    `${USUAL}, 10m after its last rollout at the earliest`,
  ],
  'its pause': [
    { 'deployment.reloader.stakater.com/pause-period': '2m' },
    `${USUAL}, its pods 2m later, when its pause ends`,
  ],
  'a reload window that is open': [
    { [`${NATIVE}/reload-window`]: 'always' },
    `${USUAL}, while its reload window is open`,
  ],
  'a reload window that is closed': [
    { [`${NATIVE}/reload-window`]: CLOSED },
    /^its reload window is closed, at least until \d{4}-/,
    'window',
  ],
  'a hold': [{ [`${NATIVE}/hold`]: 'true' }, 'it is held until its annotation hold is taken away', 'hold'],
  'an approval': [
    { [`${NATIVE}/approval`]: 'required' },
    /^it needs an approval: reloader approve deployment\/web -n default$/,
    'approval',
  ],
};

test('an urgent change waits for no least interval', async () => {
  const change = { words: { [`${NATIVE}/urgent`]: 'true' }, flags: ['--min-rollout-interval=90s'] };
  assert.equal((await rolloutOf({}, change)).when, USUAL);
});

describe('a plan says of the time of a rollout', { concurrency: 4 }, () => {
  for (const [name, [annotations, when, keptBy]] of Object.entries(WHEN))
    test(name, async () => {
      const flags = ['--dialects=collaborne,stakater'];
      const rollout = await rolloutOf(annotations, { flags });
      assert[typeof when === 'string' ? 'equal' : 'match'](rollout.when, when as string & RegExp);
      assert.deepEqual([rollout.by, rollout.keptBy], ['reloader', keptBy]);
    });

  const pausedAt = new Date().toISOString();
  const pausing = {
    'deployment.reloader.stakater.com/pause-period': '2m',
    'deployment.reloader.stakater.com/paused-at': pausedAt,
  };
  const PODS: Readonly<Record<string, [Manifest, RegExp]>> = {
    'that is paused': [
      workload('web', {}, 'Deployment', { paused: true }),
      /, it is paused: its pods take it after kubectl rollout resume deployment\/web$/,
    ],
    'whose pause has begun': [
      workload('web', pausing, 'Deployment', { paused: true }),
      new RegExp(`, its pods when its pause ends: paused since ${pausedAt}, until `),
    ],
    'whose pods a person deletes': [
      workload('web', {}, 'StatefulSet', { updateStrategy: { type: 'OnDelete' } }),
      /, its updateStrategy is OnDelete: each pod takes it when it is deleted$/,
    ],
  };
  for (const [what, [one, when]] of Object.entries(PODS))
    test(`when the pods of a workload start ${what}`, async () => {
      const flags = ['--dialects=collaborne,stakater'];
      assert.match((await rolloutOf({}, { workloads: [one], flags })).when, when);
    });

  for (const [kind, words, spec] of [
    ['StatefulSet', {}, { updateStrategy: { type: 'OnDelete' } }],
    ['StatefulSet', {}, { updateStrategy: { rollingUpdate: { partition: 1 } } }],
    ['Deployment', pausing, { paused: true }],
  ] as const)
    test(`nothing of what keeps a template from the pods, if they are evicted: ${JSON.stringify(spec)}`, async () => {
      const evicted = { [`${NATIVE}/reload-strategy`]: 'evict', ...words };
      const change = { workloads: [workload('web', evicted, kind, spec)] };
      assert.equal(
        (await rolloutOf({}, { ...change, flags: ['--dialects=collaborne,stakater'] })).when,
        USUAL,
      );
    });

  test('the end of a pause that has begun, for what is held since', async () => {
    const world = new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });
    await rolledOut(world);
    const template = { metadata: { annotations: { a: 'b' } } };
    const annotations = { ...pausing, [`${NATIVE}/hold`]: 'true' };
    const begun = { metadata: { annotations }, spec: { paused: true, template } };
    world.sandbox.patch('deployments', 'default', 'web', begun);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { value: 'B' } };
    const { rollouts } = await onCluster(world, [object]);
    assert.deepEqual([rollouts.length, rollouts[0]?.by, rollouts[0]?.keptBy], [1, 'reloader', undefined]);
    const says = `paused since ${pausedAt}, until \\S+: older pods are replaced then`;
    assert.match(
      rollouts[0]?.when ?? '',
      new RegExp(`^it is held until .*, but ${says}, even if it is held$`),
    );
  });

  test('the window of the flags and of a workload that cannot be paused', async () => {
    const pause = { 'deployment.reloader.stakater.com/pause-period': '2m' };
    const { when } = await rolloutOf(
      {},
      {
        workloads: [workload('web', pause, 'StatefulSet')],
        flags: ['--dialects=collaborne,stakater', '--coalesce-period=1s', '--coalesce-max-wait=3s'],
      },
    );
    assert.equal(when, '2m after the last change, 2m after the first one at the latest');
  });

  test('nothing of windows and pauses, if the change is urgent', async () => {
    const window = { [`${NATIVE}/reload-window`]: CLOSED, [`${NATIVE}/hold`]: 'false' };
    const words = { [`${NATIVE}/urgent`]: 'true', [`${NATIVE}/stages`]: '1' };
    assert.equal((await rolloutOf(window, { words })).when, USUAL);
  });
});

/** By the quiet period, whether what is applied first, and how many objects later the template. */
const RACES: readonly (readonly [flag: string, isObjectFirst: boolean, later: number, isOpen: boolean])[] = [
  ['0', true, 1, true],
  ['0', false, 1, false],
  ['150ms', true, 2, true],
  ['5s', true, 3, false],
];
for (const [period, isObjectFirst, later, isOpen] of RACES)
  test(`a quiet period of ${period}, and a template ${later} after its object: ${isObjectFirst}`, async () => {
    const former = [configMap('A'), workload('web'), ...['b', 'c'].map((name) => workload(name))];
    const { object } = workload('web');
    const template = { metadata: { labels: { app: 'web' } }, spec: podOf(['web'], { image: 'app:2' }) };
    const spec = { ...(object as { spec?: object }).spec, template };
    const own = manifest('Deployment', 'apps/v1', { ...object, spec });
    const between = ['b', 'c'].slice(0, later - 1).map((name) => workload(name, { a: 'b' }));
    const next = [configMap('B'), ...between, own];
    const to = isObjectFirst ? next : next.toReversed();
    const { unknown } = await planAgainst([...to, ...former.slice(2 + between.length)], former, 'default', [
      `--coalesce-period=${period}`,
    ]);
    const says = 'whether the reloader rolls Deployment/web in default before its own change is applied';
    assert.equal(
      unknown.some((each) => each.startsWith(says)),
      isOpen,
      unknown.join(),
    );
  });

test('what is notify-only is rolled by a person, and counted apart', async () => {
  const answer = await planned({
    workloads: [workload('web', { [`${NATIVE}/notify-only`]: 'true' }), workload('api')],
  });
  assert.deepEqual(
    answer.rollouts.map(({ workload: { name }, by, keptBy }) => [name, by, keptBy]),
    [
      ['api', 'reloader', undefined],
      ['web', 'person', 'notify-only'],
    ],
  );
  for (const text of [planText(answer, (_, words) => words), planMarkdown(answer)])
    assert.match(
      text,
      /1 rollout by the reloader, 1 more by a person, if the API server accepts the manifests\./,
    );
});

type Stages = Readonly<Record<string, string | undefined>>;

/** By workload, its stages; of one that is kept, by what. */
function stagesIn({ rollouts }: Plan): Stages {
  return Object.fromEntries(
    rollouts.map(({ workload: name, when, keptBy }) => [
      name.name,
      keptBy ?? /in stage (.*?\))/.exec(when)?.[1],
    ]),
  );
}

const FOUR = ['a', 'b', 'c', 'd'].map((name) => workload(name));
const STAGED = { [`${NATIVE}/stages`]: '1,50%' };
const IN_STAGES: Readonly<Record<string, [Change, Stages]>> = {
  'those of the object': [
    { workloads: FOUR, words: STAGED },
    { a: '1 of 3 (1)', b: '2 of 3 (50%)', c: '3 of 3 (100%)', d: '3 of 3 (100%)' },
  ],
  'those of the flag': [
    { workloads: FOUR, flags: ['--stages=75%'] },
    { a: '1 of 2 (75%)', b: '1 of 2 (75%)', c: '1 of 2 (75%)', d: '2 of 2 (100%)' },
  ],
  'a canary before all others': [
    { workloads: [...FOUR.slice(0, 2), workload('z', { [`${NATIVE}/canary`]: 'true' })], words: STAGED },
    { z: '1 of 3 (1)', a: '2 of 3 (50%)', b: '3 of 3 (100%)' },
  ],
  'none of what is held: the others do not wait for it': [
    { workloads: [workload('a', { [`${NATIVE}/hold`]: 'true' }), ...FOUR.slice(1)], words: STAGED },
    { a: 'hold', b: '1 of 3 (1)', c: '2 of 3 (50%)', d: '3 of 3 (100%)' },
  ],
  'nothing of a stage without stages': [{ workloads: FOUR.slice(0, 1) }, { a: undefined }],
};

describe('a plan has the stages of a change:', { concurrency: 4 }, () => {
  for (const [name, [change, stages]] of Object.entries(IN_STAGES))
    test(name, async () => assert.deepEqual(stagesIn(await planned(change)), stages));

  test('and that an order is a stage of its own', async () => {
    const [a, b] = FOUR;
    const last = workload('c', { [`${NATIVE}/rollout-order`]: '5' });
    const { rollouts } = await planned({
      workloads: [a, b, last].flatMap((each) => each ?? []),
      words: STAGED,
    });
    for (const { when } of rollouts) assert.match(when, / of the change of ConfigMap\/web at the earliest/);
  });

  test('in words, with what a later one waits for', async () => {
    const { rollouts } = await planned({ workloads: FOUR.slice(0, 2), words: STAGED });
    const of = 'of the change of ConfigMap/web';
    assert.deepEqual(
      rollouts.map(({ when }) => when),
      [
        `${USUAL}, in stage 1 of 2 (1) ${of}`,
        `in stage 2 of 2 (50%) ${of}, once those before it have stayed ready for 30s`,
      ],
    );
  });

  test('none for what also needs a content that is halted, and how a person lets it go on', async () => {
    const world = new World().install().configMap('web').configMap('halted', { annotations: STAGED });
    world.deployment({ annotations: follows('web', 'halted'), reads: ['web', 'halted'] });
    await rolledOut(world);
    const digest = digestOf('ConfigMap', { metadata: { name: 'halted' }, data: { value: 'A' } });
    world.sandbox.patch('configmaps', 'reloader', 'reloader-state', {
      data: {
        'default_v1.ConfigMap_halted': `${digest}.1!0a0b=default/Deployment/first?Deployment/web`,
      },
    });
    const { send } = world;
    const reloader = await findReloader(send, { namespace: 'default', settings: [] });
    const target = { send, namespace: 'default', reloader };
    const { rollouts } = await plan(target, [configMap('B')]);
    world.sandbox.close();
    const [{ when = '', keptBy = '' } = {}] = rollouts;
    assert.equal(keptBy, 'halt');
    assert.match(when, /ConfigMap\/halted is halted.*resume=0a0b$/);
  });
});

test('a plan knows no halt for pods that do not exist yet', async () => {
  const staged = new World().install(['-A', '--stages=1,100%', '--reload-on-create']);
  const web = newDeployment('app:1', follows('new'));
  const api = { ...web, metadata: { name: 'api', annotations: follows('new') } };
  const { rollouts } = await onCluster(staged, [web, api, newConfigMap({ value: 'A' }, 'new')]);
  assert.deepEqual(
    rollouts.map(({ unknown }) => unknown),
    [['stage'], ['stage']],
  );
});

const READY: Readonly<Record<string, readonly Manifest[]>> = {
  'no other one': [],
  'ready ones, which may be in any stage too': [workload('y'), workload('z')],
};
for (const [others, ready] of Object.entries(READY))
  test(`a plan knows no stage of pods that do not exist yet, beside ${others}`, async () => {
    const world = new World().install().configMap('web', { annotations: STAGED });
    for (const { object } of ready) world.sandbox.create('deployments', inDefault(object));
    const { rollouts } = await onCluster(world, [
      ...['a', 'b'].map((name) => ({ ...workload(name).object, apiVersion: 'apps/v1', kind: 'Deployment' })),
      { ...configMap('B', STAGED).object, apiVersion: 'v1', kind: 'ConfigMap' },
    ]);
    const when = `in a stage of the change of ConfigMap/web that is not known, once those before it have stayed ready for 30s`;
    assert.deepEqual(
      rollouts.map(({ workload: { name }, ...each }) => [name, each.when, each.unknown]),
      ['a', 'b', ...ready.map(({ object }) => object.metadata.name)].map((name) => [name, when, ['stage']]),
    );
  });

function inDefault(object: RawObject): object {
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } };
}
