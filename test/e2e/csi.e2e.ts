/** What the Secrets Store CSI driver mounts, by an imitation of it on a real API server: which rotations roll, once, and what rolls nothing. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { skipWithoutSecretsStore, statusesPath, type Versions } from '../control-plane/secrets-store.ts';
import { type Sender, senderTo } from '../control-plane/sender.ts';
import { FaultProxy, type HeldPart } from '../faults/fault-proxy.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { pick } from '../sandbox/json.ts';
import { CsiStage, DB, mounting, V1, V2, V3 } from './csi-stage.ts';
import type { WorkloadParts } from './workloads.ts';

const plane = await ControlPlane.start();
after(() => plane[Symbol.asyncDispose]());
const skip = skipWithoutSecretsStore(plane);
const TOGETHER = { skip, concurrency: 4 };

const NATIVE = 'reloader.k8s.collaborne.com';
const THEIRS = 'reloader.stakater.com';
const SMALL: Partial<WorkloadParts> = { replicas: 1 };

/** Two workloads of three pods. */
function pair(): readonly WorkloadParts[] {
  return ['web', 'api'].map((name) => mounting(name, { replicas: 3 }));
}

function hasEvent({ stage }: CsiStage, reason: string, words: RegExp): Promise<void> {
  return stage.until(`an Event says ${words}`, async () =>
    (await stage.list('events')).some(
      (event) => event['reason'] === reason && words.test(String(event['message'])),
    ),
  );
}

/** The versions of the pods that are mounted now, each once. */
async function mountedVersions({ driver }: CsiStage): Promise<readonly string[]> {
  const objects = (await driver.statuses()).map(({ status }) => JSON.stringify(pick(status, 'objects')));
  return [...new Set(objects)];
}

describe('a rotation', TOGETHER, () => {
  test('that reaches 300 pods one by one rolls each of their 30 workloads once', async () => {
    const workloads = Array.from({ length: 30 }, (_, index) => mounting(`web-${index}`, { replicas: 10 }));
    await using csi = await CsiStage.open(plane, workloads);
    await csi.start({ periodMs: 5000 });
    csi.driver.put(DB, V2);
    assert.equal(await csi.driver.poll({ most: 20 }), 20);
    await csi.rollsTo(2);
    assert.equal(await csi.driver.poll(), 0);
    await csi.rollsTo(2);
    assert.equal((await mountedVersions(csi)).length, 1);
  });

  test('while no reloader runs is found at the start', async () => {
    await using csi = await CsiStage.open(plane, pair());
    await csi.start();
    await csi.reloader.kill();
    await csi.rotate(V2);
    await csi.startAgain();
    await csi.rollsTo(2);
    await csi.reloader.kill();
    await csi.startAgain();
    await csi.rollsTo(2);
  });

  test('that does not reach a node is rolled all the same', async () => {
    await using csi = await CsiStage.open(plane, pair());
    await csi.start();
    csi.driver.put(DB, V2);
    await csi.driver.poll({ most: 4 });
    await csi.rollsTo(2);
  });

  test('of a class with a synced Secret rolls once what follows both', async () => {
    const both = mounting('web', { follows: { SecretProviderClass: [DB], Secret: ['synced'] } });
    await using csi = await CsiStage.empty(plane, [both]);
    csi.driver.put(DB, V1);
    await csi.driver.createClass(DB, {}, ['synced']);
    await csi.stage.put('synced', 'before the first mount', 'Secret');
    await csi.createAll();
    await csi.start({ periodMs: 3000 });
    await csi.rotate(V2);
    await csi.rollsTo(2);
  });

  test('of a class of that name in another namespace rolls nothing', async () => {
    await using here = await CsiStage.open(plane);
    await using there = await CsiStage.open(plane);
    await here.start();
    await there.rotate(V2);
    await here.rollsTo(1);
    await here.rotate(V2);
    await here.rollsTo(2);
  });
});

const DEPLOYMENTS: CallMatch = { resource: 'deployments', verb: 'patch' };
const STATE: CallMatch = { resource: 'configmaps', name: 'reloader-state', verb: 'patch' };

/** When a process is killed. */
interface Kill {
  /** The write that is on its way, or its answer. */
  readonly held: readonly [CallMatch, HeldPart, passing?: number];
  /** Whether it arrives after the next start. */
  readonly isLate: boolean;
  /** Whether the state does not tell of a patch. Only what its pods have mounted does, so they run before the next start. @default false */
  readonly isPatched?: true;
}

/** The write of a change to the state before the commit is that of the mark. */
const KILLS: Readonly<Record<string, Kill>> = {
  'as it marks': { held: [STATE, 'request'], isLate: false },
  'before it hears of its mark': { held: [STATE, 'answer'], isLate: true },
  'as it patches': { held: [DEPLOYMENTS, 'request'], isLate: false, isPatched: true },
  'before it hears of its patch': { held: [DEPLOYMENTS, 'answer'], isLate: true, isPatched: true },
  'as it commits': { held: [STATE, 'request', 1], isLate: false },
  'before it hears of its commit': { held: [STATE, 'answer', 1], isLate: true },
};

/** In the middle of a rotation: what the driver does between two processes. */
const MIDDLES: Readonly<Record<string, (csi: CsiStage) => Promise<unknown>>> = {
  'and it goes on after the start': () => Promise.resolve(),
  'and it ends before the start': (csi) => csi.driver.poll(),
  'and one status more is rewritten before the start': (csi) => csi.driver.poll({ most: 1 }),
};

describe('a rotation is rolled once although the reloader is killed', TOGETHER, () => {
  for (const [when, between] of Object.entries(MIDDLES))
    test(`in the middle of it, ${when}`, async () => {
      await using csi = await CsiStage.open(plane, pair());
      await csi.start({ periodMs: 3000 });
      csi.driver.put(DB, V2);
      assert.equal(await csi.driver.poll({ most: 2 }), 2);
      await csi.reloader.kill();
      await between(csi);
      await csi.startAgain();
      await csi.driver.poll();
      await csi.rollsTo(2);
    });

  for (const [when, { held: given, isLate, isPatched }] of Object.entries(KILLS))
    test(when, async () => {
      await using csi = await CsiStage.open(plane, [mounting()]);
      const { url, ca } = plane.access;
      using sender: Sender & Disposable = disposable(senderTo({ url, ca }));
      await using proxy = await FaultProxy.start(sender.send, plane.servingCertificate());
      await csi.start({ as: { url: proxy.url } });
      const held = proxy.hold(...given);
      await csi.rotate(V2);
      await csi.stage.until('it is on its way', () => held.hasArrived());
      await csi.reloader.kill();
      if (!isLate) await held.release();
      if (isPatched) await csi.hasReplacedPods(2);
      await csi.startAgain();
      if (isLate) await held.release();
      await csi.rollsTo(2);
    });

  test('after it is committed', async () => {
    await using csi = await CsiStage.open(plane, pair());
    await csi.start();
    await csi.rotate(V2);
    await csi.rollsTo(2);
    await csi.reloader.kill();
    await csi.startAgain();
    await csi.rollsTo(2);
    await csi.rotate(V3);
    await csi.rollsTo(3);
  });
});

function disposable(sender: Sender): Sender & Disposable {
  return { ...sender, [Symbol.dispose]: () => sender.close() };
}

describe('without rotation', TOGETHER, () => {
  test('a new pod is the first news of a change: its workload is rolled once', async () => {
    await using csi = await CsiStage.open(plane, [mounting('web', { replicas: 3 })]);
    await csi.start();
    csi.driver.put(DB, V2);
    const [pod] = await csi.stage.list('pods?labelSelector=app%3Dweb');
    await csi.stage.expect('DELETE', `pods/${String(pick(pod, 'metadata', 'name'))}`);
    await csi.rollsTo(2);
    assert.equal((await mountedVersions(csi)).length, 1);
  });

  /** By how many pods it has: how often it has had another template once a person has restarted it. */
  const RESTARTS = [
    ['Deployment', 1, 2],
    ['StatefulSet', 1, 2],
    ['Deployment', 3, 3],
  ] as const;
  for (const [kind, replicas, revision] of RESTARTS)
    test(`a ${kind} of ${replicas} that a person restarts: rollouts of ours: ${revision - 2}`, async () => {
      await using csi = await CsiStage.open(plane, [mounting('web', { kind, replicas })]);
      await csi.start();
      csi.driver.put(DB, V2);
      await csi.stage.kubectl(['rollout', 'restart', `${kind}/web`]);
      await csi.stage.until('all pods have the new version', async () => {
        const versions = await mountedVersions(csi);
        return versions.length === 1 && !versions[0]?.includes('"1"');
      });
      await csi.rollsTo(revision);
      await csi.rotate(V3);
      await csi.rollsTo(revision + 1);
    });
});

/** Each pod has a password of its own, which each poll changes. */
function dynamic(poll: number): Versions {
  return { password: (podUid) => `${podUid}.${poll}` };
}

test('credentials of which each pod has its own roll nothing, and a Warning says so', { skip }, async () => {
  await using csi = await CsiStage.open(plane, pair(), dynamic(1));
  await csi.start();
  await hasEvent(csi, 'ClassDiffersByPod', /SecretProviderClass\/db/);
  for (const poll of [2, 3]) {
    await csi.rotate(dynamic(poll));
    await csi.rollsTo(1);
  }
  await csi.rotate(V1);
  await csi.rotate(V2);
  await csi.rollsTo(2);
});

describe('no rollout is due', TOGETHER, () => {
  for (const flags of [[], ['--reload-on-create', '--reload-on-delete']])
    test(`when a class is deleted and comes back: ${flags.join(' ') || 'without flags'}`, async () => {
      await using csi = await CsiStage.open(plane);
      await csi.start({ flags });
      await csi.deleteClass();
      await csi.rollsTo(1);
      await csi.driver.createClass(DB);
      await csi.rollsTo(1);
      await csi.rotate(V2);
      await csi.rollsTo(2);
    });

  test("when a StatefulSet's pod moves to another node", async () => {
    const node = '/api/v1/nodes/node-1';
    await using csi = await CsiStage.open(plane, [mounting('web', { kind: 'StatefulSet' })]);
    await csi.start();
    const before = new Set((await csi.driver.statuses()).map(({ metadata }) => JSON.stringify(metadata)));
    await plane.expect('PATCH', node, { spec: { unschedulable: true } });
    for (const { metadata } of await csi.stage.list('pods?labelSelector=app%3Dweb'))
      await csi.stage.expect('DELETE', `pods/${String(pick(metadata, 'name'))}`);
    await csi.stage.until('the statuses are others', async () => {
      const now = (await csi.driver.statuses()).map(({ metadata }) => JSON.stringify(metadata));
      return now.length === 2 && !now.some((each) => before.has(each));
    });
    await plane.expect('PATCH', node, { spec: { unschedulable: null } });
    await csi.rollsTo(1);
    // The same, where the driver is faster than the garbage collector.
    for (const { metadata } of await csi.driver.statuses())
      await plane.expect('PATCH', statusesPath(csi.stage.namespace, String(pick(metadata, 'name'))), {
        metadata: { labels: { 'internal.secrets-store.csi.k8s.io/node-name': 'node-1' } },
        status: { targetPath: '/of/another/pod' },
      });
    await csi.rollsTo(1);
    await csi.rotate(V2);
    await csi.rollsTo(2);
  });

  test('when nothing is said of versions', async () => {
    await using csi = await CsiStage.open(plane);
    await csi.start();
    await csi.rotate({ password: '', user: '' });
    await csi.rollsTo(1);
    await csi.rotate({});
    await csi.rollsTo(1);
    await csi.rotate(V2);
    await csi.rollsTo(2);
  });
});

/** Classes that have annotations. */
const CLASSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [DB]: {},
  matched: { [`${THEIRS}/match`]: 'true' },
  ignored: { [`${THEIRS}/ignore`]: 'true' },
};

/** Workloads by their annotations, the class that they mount, and whether its rotation rolls them. */
const WORDS: readonly (readonly [
  annotations: Readonly<Record<string, string>>,
  name: string,
  isRolled: boolean,
])[] = [
  [{}, DB, false],
  [{ [`${NATIVE}/secret-provider-class`]: 'db, other' }, DB, true],
  [{ [`${NATIVE}/secret-provider-class`]: 'other' }, DB, false],
  [{ [`${NATIVE}/secret-provider-class-auto`]: 'true' }, DB, true],
  [{ [`${NATIVE}/auto`]: 'true' }, DB, true],
  [{ [`${NATIVE}/auto`]: 'true', [`${NATIVE}/exclude-secret-provider-class`]: DB }, DB, false],
  [{ [`${NATIVE}/secret-auto`]: 'true' }, DB, false],
  [{ [`secretproviderclass.${THEIRS}/reload`]: 'other,d.*' }, DB, true],
  [{ [`secretproviderclass.${THEIRS}/reload`]: 'd' }, DB, false],
  [{ [`secretproviderclass.${THEIRS}/auto`]: 'true' }, DB, true],
  [{ [`${THEIRS}/auto`]: 'true' }, DB, true],
  [{ [`${THEIRS}/auto`]: 'true', [`secretproviderclasses.exclude.${THEIRS}/reload`]: DB }, DB, false],
  [{ [`secret.${THEIRS}/auto`]: 'true' }, DB, false],
  [{ [`${THEIRS}/search`]: 'true' }, DB, false],
  [{ [`${THEIRS}/search`]: 'true' }, 'matched', true],
  [{ [`${THEIRS}/auto`]: 'true' }, 'ignored', false],
];

test('each annotation asks for what it says', { skip }, async () => {
  const workloads = WORDS.map(([annotations, name], index) =>
    mounting(`web-${index}`, { ...SMALL, annotations, follows: { SecretProviderClass: [name] } }),
  );
  await using csi = await CsiStage.empty(plane, workloads);
  for (const [name, annotations] of Object.entries(CLASSES)) {
    csi.driver.put(name, V1);
    await csi.driver.createClass(name, annotations);
  }
  await csi.createAll();
  await csi.start();
  for (const name of Object.keys(CLASSES)) csi.driver.put(name, V2);
  // A workload that is rolled while the poll goes on has mounted what is new already.
  assert.ok((await csi.driver.poll()) > 0);
  await csi.restsAt(WORDS.map(([, , isRolled]) => (isRolled ? 2 : 1)));
});

/** What Stakater Reloader computes of a class. */
function theirDigest(versions: Versions): string {
  const texts = Object.entries(versions).map(([id, version]) => `${id}=${String(version)}`);
  const sorted = [...texts, `SecretProviderClassName=${DB}`].toSorted();
  return createHash('sha1').update(sorted.join(';')).digest('hex');
}

/** Workloads with its stamps of a content, by either of its strategies. */
function stamped(name: string, versions: Versions): readonly WorkloadParts[] {
  const annotations = { [`secretproviderclass.${THEIRS}/reload`]: DB };
  const hash = theirDigest(versions);
  const source = {
    type: 'SECRETPROVIDERCLASS',
    name: DB,
    hash,
    containerRefs: ['app'],
    observedAt: 1_700_000_000,
  };
  return [
    mounting(`${name}-env`, { ...SMALL, annotations, variables: { STAKATER_DB_SECRETPROVIDERCLASS: hash } }),
    mounting(`${name}-annotation`, {
      ...SMALL,
      annotations,
      templateAnnotations: { [`${THEIRS}/last-reloaded-from`]: JSON.stringify(source) },
    }),
  ];
}

test("workloads with Stakater Reloader's stamps of the class are taken over without a rollout, then rolled once", {
  skip,
}, async () => {
  await using csi = await CsiStage.open(plane, stamped('known', V1));
  await csi.start();
  await csi.rollsTo(1);
  await csi.rotate(V2);
  await csi.rollsTo(2);
  const [inVariable] = await Promise.all(csi.workloads.map((each) => csi.stage.stamps(each)));
  assert.deepEqual(Object.keys(inVariable ?? {}), ['STAKATER_DB_SECRETPROVIDERCLASS']);
});

test('no right was missing', { skip }, async () => {
  const requests = await plane.audit();
  const refused = requests.filter(
    ({ userAgent, code }) => userAgent.startsWith('kubernetes-reloader/') && code === 403,
  );
  assert.deepEqual([...new Set(refused.map(({ verb, uri }) => `${verb} ${uri}`))], []);
});
