/** What rolls, and what does not, counted by the controllers that make the pods. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { KEYED } from '../digests.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, pick } from '../sandbox/json.ts';
import { restsAt } from './endings.ts';
import { Stage } from './stage.ts';
import { annotationsFor, CONFIG_KINDS, KINDS, READINGS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const STAMP = new RegExp(`^${KEYED}\\.\\d{16}$`);

/** A workload for each kind of object and each way to read it, and the objects of their names. */
function waysToRead(kind: WorkloadParts['kind']): (WorkloadParts & { readonly config: ConfigKind })[] {
  return CONFIG_KINDS.flatMap((config) =>
    READINGS.map((reads) => {
      const name = `${config}-${reads}`.toLowerCase();
      return { kind, name, config, reads, follows: { [config]: [name] } };
    }),
  );
}

/** A Deployment that follows one object of each kind. */
const PAIR = web('web', { follows: { ConfigMap: ['web'], Secret: ['web'] } });

async function hasRolledOnce(stage: Stage, workload: WorkloadParts): Promise<void> {
  await stage.rolledOut(workload);
  assert.equal(await stage.revision(workload), 2, workload.name);
  const stamps = await stage.podStamps(workload);
  assert.equal(stamps.length, 2, workload.name);
  for (const stamp of stamps) assert.match(Object.values(stamp).join(), STAMP, workload.name);
}

describe('a change of content', { concurrency: 3 }, () => {
  for (const kind of KINDS) {
    test(`rolls the pods of a ${kind} once, however they read it`, async () => {
      await using stage = await Stage.open(cluster);
      const cases = waysToRead(kind);
      for (const { name, config } of cases) await stage.put(name, 'A', config);
      await Promise.all(cases.map((each) => stage.create(each)));
      const reloader = await stage.reloader();
      for (const { name, config } of cases) await stage.put(name, 'B', config);
      for (const each of cases) await stage.stampedAfter(each, {});
      await stage.settled(reloader);
      for (const each of cases) await hasRolledOnce(stage, each);
      assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    });
  }

  test('of 20 objects at once is one rollout and one patch', async () => {
    await using stage = await Stage.open(cluster);
    const names = Array.from({ length: 10 }, (_, index) => `part-${index}`);
    const workload = await stage.createPair(web('web', { follows: { ConfigMap: names, Secret: names } }));
    const reloader = await stage.reloader({ periodMs: 3000 });
    const puts = CONFIG_KINDS.flatMap((kind) => names.map((name) => stage.put(name, 'B', kind)));
    await Promise.all(puts);
    await stage.stampedAfter(workload, {});
    await stage.settled(reloader);
    await stage.rolledOut(workload);
    assert.equal(await stage.revision(workload), 2);
    assert.equal(Object.keys(await stage.stamps(workload)).length, 20);
    assert.equal((await stage.list('replicasets?labelSelector=app%3Dweb')).length, 2);
    if (cluster instanceof ControlPlane) assert.equal((await patchesIn(cluster, stage)).length, 1);
  });

  for (const kind of KINDS) {
    test(`while no reloader ran is rolled once by the next: a ${kind}`, async () => {
      await using stage = await Stage.open(cluster);
      const pair = await stage.createPair({ ...PAIR, kind });
      await (await stage.reloader()).stop();
      await stage.putAll(pair, 'B');
      await restsAt(stage, await stage.reloader(), pair, 2);
      assert.equal(Object.keys(await stage.stamps(pair)).length, 2);
    });
  }
});

/** What must not roll anything: it is done to PAIR and its reloader, and answers which reloader runs then. */
interface Harmless {
  readonly periodMs?: number;
  /** Workloads that are not there before. */
  readonly alsoIn?: readonly WorkloadParts[];
  readonly act: (stage: Stage, reloader: ReloaderProcess) => Promise<ReloaderProcess | undefined>;
}

const LATE: WorkloadParts = { ...PAIR, name: 'late' };

/** Of the objects that PAIR follows. */
const RESOURCES = ['configmaps', 'secrets'];

const HARMLESS: Readonly<Record<string, Harmless>> = {
  'a restart': {
    act: async (stage, reloader) => {
      await reloader.stop();
      return await stage.reloader();
    },
  },
  'a kill': {
    act: async (stage, reloader) => {
      await reloader.kill();
      return await stage.reloader();
    },
  },
  "an edit of the objects' labels and annotations": {
    act: async (stage) => {
      const metadata = { labels: { edited: 'yes' }, annotations: { edited: 'yes' } };
      for (const resource of RESOURCES) await stage.expect('PATCH', `${resource}/web`, { metadata });
    },
  },
  "an edit of a workload's labels and annotations": {
    act: async (stage) => {
      await stage.patch(web(), { metadata: { labels: { edited: 'yes' }, annotations: { edited: 'yes' } } });
    },
  },
  'an opt-in': {
    alsoIn: [LATE],
    act: async (stage) => {
      await stage.create({ ...LATE, follows: {} });
      await stage.patch(LATE, { metadata: { annotations: annotationsFor(LATE.follows) } });
    },
  },
  'a new workload': {
    alsoIn: [LATE],
    act: async (stage) => {
      await stage.create(LATE);
    },
  },
  'a content that is changed back within the window': {
    periodMs: 15_000,
    act: async (stage, reloader) => {
      await stage.putAll(PAIR, 'B');
      await stage.until('the change is seen', async () => !(await reloader.isSettled()));
      await stage.putAll(PAIR, 'A');
      await stage.until('the change back is seen', () => reloader.says(/"changed-back"/));
    },
  },
  'objects that are deleted and made again with the same content': {
    act: async (stage) => {
      for (const resource of RESOURCES) await stage.expect('DELETE', `${resource}/web`);
      await stage.putAll(PAIR, 'A');
    },
  },
};

describe('nothing is rolled by', { concurrency: 3 }, () => {
  test('a first start beside ten workloads that run', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createMarker();
    const workloads = Array.from({ length: 10 }, (_, index) =>
      web(`web-${index}`, { kind: KINDS[index % KINDS.length] ?? 'Deployment', replicas: 1 }),
    );
    for (const { name } of workloads) await stage.put(name, 'A');
    await Promise.all(workloads.map((workload) => stage.create(workload)));
    await stage.mark(await stage.reloader());
    assert.deepEqual(new Set(await stage.revisions(workloads)), new Set([1]));
  });

  for (const [name, { periodMs = 100, alsoIn = [], act }] of Object.entries(HARMLESS)) {
    test(name, async () => {
      await using stage = await Stage.open(cluster);
      await stage.createPair(PAIR);
      const first = await stage.reloader({ periodMs });
      const reloader = (await act(stage, first)) ?? first;
      await stage.mark(reloader);
      const workloads = [PAIR, ...alsoIn];
      assert.deepEqual(
        await stage.revisions(workloads),
        workloads.map(() => 1),
      );
      // It was followed all the while: a change is rolled.
      await stage.putAll(PAIR, 'C');
      for (const workload of workloads) await stage.stampedAfter(workload, {});
    });
  }
});

describe('all pods are replaced', { concurrency: 3 }, () => {
  for (const kind of KINDS) {
    test(`of a ${kind}, by those of the new revision, and the one before is kept for an undo`, async () => {
      await using stage = await Stage.open(cluster);
      const pair = await stage.createPair({ ...PAIR, kind });
      // Both objects change within the window, also on a busy machine.
      await stage.reloader({ periodMs: 5000 });
      const before = (await podsOf(stage)).map(({ uid }) => uid);
      await stage.changeAndRoll(pair, 'B');
      const pods = await podsOf(stage);
      assert.ok(pods.length === 2 && pods.every(({ uid }) => !before.includes(uid)));
      const revisions = await revisionsOf(stage, kind);
      assert.equal(revisions.length, 2);
      assert.ok(pods.every(({ hash }) => revisions[1]?.endsWith(hash) && !revisions[0]?.endsWith(hash)));
    });
  }
});

/** The pods of the workload `web`; a hash ends the name of the revision that a pod is of. */
async function podsOf(stage: Stage): Promise<readonly { readonly uid: string; readonly hash: string }[]> {
  const pods = await stage.list('pods?labelSelector=app%3Dweb');
  const there = pods.filter((pod) => pick(pod, 'metadata', 'deletionTimestamp') === undefined);
  return there.map(({ metadata }) => {
    const labels = objectOf(pick(metadata, 'labels'));
    const hash = labels['pod-template-hash'] ?? labels['controller-revision-hash'];
    return { uid: String(pick(metadata, 'uid')), hash: String(hash) };
  });
}

/** The names of what a controller keeps of each template of the workload `web`, in their order. */
async function revisionsOf(stage: Stage, kind: WorkloadParts['kind']): Promise<readonly string[]> {
  const resource = kind === 'Deployment' ? 'replicasets' : 'controllerrevisions';
  const kept = await stage.list(`${resource}?labelSelector=app%3Dweb`);
  const numbered = kept.map(({ metadata, revision }) => ({
    name: String(pick(metadata, 'name')),
    number: Number(revision ?? pick(metadata, 'annotations', 'deployment.kubernetes.io/revision')),
  }));
  return numbered.sort((a, b) => a.number - b.number).map(({ name }) => name);
}

/** The patches of workloads in a stage that were accepted, by whoever calls itself this program. */
async function patchesIn(plane: ControlPlane, { namespace }: Stage): Promise<readonly string[]> {
  const requests = (await plane.audit()).filter(
    (each) => each.userAgent.startsWith('kubernetes-reloader/') && each.namespace === namespace,
  );
  const patches = requests.filter(
    ({ verb, apiGroup, code }) => verb === 'patch' && apiGroup === 'apps' && code < 300,
  );
  return patches.map(({ name, code }) => `${name} ${code}`);
}
