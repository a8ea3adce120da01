/** `reloader plan`: what applying manifests would roll, decided by the program itself. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { appliedTo, changedKeys } from '../../../lib/commands/manifests/apply.ts';
import { type Manifest, readManifests } from '../../../lib/commands/manifests/manifests.ts';
import { plan, planAgainst } from '../../../lib/commands/manifests/plan.ts';
import type { Plan } from '../../../lib/commands/manifests/plan-answer.ts';
import { planMarkdown } from '../../../lib/commands/manifests/plan-text.ts';
import { rolledOut } from './named-causes.ts';
import { follows, podOf, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const SECRET = 'hush-hush';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-plan-'));
});
after(() => rmSync(folder, { recursive: true }));

function deployment(image: string, annotations: Words = follows('web')): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podOf(['web'], { image }) },
    },
  };
}

function configMap(data: Words = { value: 'A' }, name = 'web'): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

let files = 0;
function manifestsOf(objects: readonly object[]): readonly Manifest[] {
  files += 1;
  const file = path.join(folder, `${files}.yaml`);
  writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
  return readManifests([file]);
}

type Rollouts = readonly (readonly [workload: string, by: string, objects: string])[];

function shortened({ rollouts }: Plan): Rollouts {
  return rollouts.map(({ workload, by, objects }) => [workload, by, objects.join()]);
}

interface Row {
  readonly from: readonly object[];
  readonly to: readonly object[];
  readonly rolls: Rollouts;
}

const WEB = [configMap(), deployment('app:1')];
const CHANGED = configMap({ value: 'B', more: 'C' });
const BY_RELOADER: Rollouts = [['Deployment/web', 'the reloader', 'ConfigMap/web (more, value)']];

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
    rolls: [['Deployment/web', 'its owner', 'ConfigMap/web (more, value)']],
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

async function onCluster(world: World, objects: readonly object[]): Promise<Plan> {
  await rolledOut(world);
  const { send } = world;
  const reloader = await findReloader(send, { namespace: 'default', settings: [] });
  const target = { send, namespace: 'default', reloader, isEverywhere: false };
  const answer = await plan(target, manifestsOf(objects), []);
  world.sandbox.close();
  return answer;
}

describe('against a cluster a plan has', () => {
  const world = (): World =>
    new World()
      .install()
      .configMap()
      .deployment({ annotations: follows('web') });

  test('nothing, if the manifests are those that were applied: defaults of the API server are no change', async () => {
    assert.deepEqual(shortened(await onCluster(world(), [configMap(), deployment('app:1')])), []);
  });

  test('the workloads of the namespace, also those that no manifest has', async () => {
    assert.deepEqual(shortened(await onCluster(world(), [CHANGED])), BY_RELOADER);
  });

  test('what is out of date already, apart', async () => {
    const answer = await onCluster(world().change(), [configMap({ value: 'B' })]);
    assert.deepEqual(shortened(answer), []);
    assert.deepEqual(answer.pending, ['Deployment/web in default']);
  });

  test('what may not be read, and all else', async () => {
    const closed = world();
    closed.sandbox.denied.push({ resource: 'secrets' });
    closed.refuses = ({ path: asked }) => /\/secrets/.test(asked);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls' }, stringData: { a: SECRET } };
    const answer = await onCluster(closed, [CHANGED, secret]);
    assert.deepEqual(shortened(answer), BY_RELOADER);
    assert.ok(answer.unread.some(({ what }) => what === 'Secret/tls'));
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
      { object: 'Secret/tls', namespace: 'default', change: 'changed', keys: ['a'] },
    ]);
    const text = JSON.stringify(answer) + planMarkdown(answer);
    assert.ok(!text.includes(SECRET) && !text.includes(Buffer.from(SECRET).toString('base64')));
  });
});

describe('to apply', () => {
  const isStamp = (name: string): boolean => name.startsWith('_RELOADER_');
  const live = {
    metadata: { name: 'web', uid: 'u', generation: 4, annotations: { by: 'controller' } },
    spec: {
      replicas: 3,
      template: {
        spec: {
          containers: [
            { name: 'app', image: 'a', env: [{ name: '_RELOADER_X', value: '1' }, { name: 'OLD' }] },
          ],
        },
      },
    },
  };
  const wanted = {
    metadata: { name: 'web' },
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'app', image: 'b' },
            { name: 'side', image: 'c' },
          ],
        },
      },
    },
  };

  test('keeps what the manifest lacks, and raises the generation with the spec', () => {
    const next = appliedTo(live, wanted, isStamp);
    assert.partialDeepStrictEqual(next, {
      metadata: { uid: 'u', generation: 5, annotations: { by: 'controller' } },
      spec: { replicas: 3, template: { spec: { containers: [{ image: 'b' }, { image: 'c' }] } } },
    });
    assert.equal(appliedTo(live, { metadata: { name: 'web' } }, isStamp).metadata.generation, 4);
  });

  test('drops items of a list that the manifest lacks, but for stamps', () => {
    const containers = [{ name: 'app', env: [{ name: 'NEW' }] }];
    const next = appliedTo(
      live,
      { ...wanted, spec: { template: { spec: { containers } } } } as object as typeof wanted,
      isStamp,
    );
    assert.deepEqual(JSON.stringify(next).match(/"name":"(NEW|OLD|_RELOADER_X)"/g), [
      '"name":"NEW"',
      '"name":"_RELOADER_X"',
    ]);
  });

  test('replaces data as a whole', () => {
    const before = { metadata: { name: 'web' }, data: { a: '1', b: '2' } };
    const next = appliedTo(before, { metadata: { name: 'web' }, data: { a: '1' } } as typeof before, isStamp);
    assert.deepEqual(changedKeys(before, next), ['b']);
  });
});
