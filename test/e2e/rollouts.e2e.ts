/** What rolls, and what does not, counted by the controllers that make the pods. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { annotationsFor, KINDS, READINGS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const CONFIG_KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];
const STAMP = /^[0-9a-f]{40}\.2$/;

/** A workload for each kind of object and each way to read it, and the objects of their names. */
function waysToRead(kind: WorkloadParts['kind']): (WorkloadParts & { readonly config: ConfigKind })[] {
  return CONFIG_KINDS.flatMap((config) =>
    READINGS.map((reads) => {
      const name = `${config}-${reads}`.toLowerCase();
      return { kind, name, config, reads, follows: { [config]: [name] } };
    }),
  );
}

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
    const names = Array.from({ length: 20 }, (_, index) => `part-${index}`);
    const workload = web('web', { follows: { ConfigMap: names } });
    for (const name of names) await stage.put(name, 'A');
    await stage.create(workload);
    const reloader = await stage.reloader({ periodMs: 3000 });
    await Promise.all(names.map((name) => stage.put(name, 'B')));
    await stage.stampedAfter(workload, {});
    await stage.settled(reloader);
    await stage.rolledOut(workload);
    assert.equal(await stage.revision(workload), 2);
    assert.equal(Object.keys(await stage.stamps(workload)).length, 20);
    assert.equal((await stage.list('replicasets?labelSelector=app%3Dweb')).length, 2);
    if (cluster instanceof ControlPlane) assert.equal((await patchesIn(cluster, stage)).length, 1);
  });

  test('while no reloader ran is rolled once by the next', async () => {
    await using stage = await Stage.open(cluster);
    const pair = await stage.createPair();
    await (await stage.reloader()).stop();
    await stage.put('web', 'B');
    const reloader = await stage.reloader();
    await stage.stampedAfter(pair, {});
    await stage.mark(reloader);
    await stage.rolledOut(pair);
    assert.equal(await stage.revision(pair), 2);
  });
});

/** What must not roll anything: it is done to the pair `web` and its reloader, and answers which reloader runs then. */
interface Harmless {
  readonly periodMs?: number;
  /** Workloads that are not there before. */
  readonly alsoIn?: readonly WorkloadParts[];
  readonly act: (stage: Stage, reloader: ReloaderProcess) => Promise<ReloaderProcess | undefined>;
}

const LATE = web('late', { follows: { ConfigMap: ['web'] } });

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
  "an edit of an object's labels and annotations": {
    act: async (stage) => {
      const metadata = { labels: { edited: 'yes' }, annotations: { edited: 'yes' } };
      await stage.expect('PATCH', 'configmaps/web', { metadata });
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
    periodMs: 8000,
    act: async (stage, reloader) => {
      await stage.put('web', 'B');
      await stage.until('the change is seen', async () => !(await reloader.isSettled()));
      await stage.put('web', 'A');
      await stage.until('the change back is seen', () => reloader.says(/"changed-back"/));
    },
  },
  'an object that is deleted and made again with the same content': {
    act: async (stage) => {
      await stage.expect('DELETE', 'configmaps/web');
      await stage.put('web', 'A');
    },
  },
};

describe('nothing is rolled by', { concurrency: 3 }, () => {
  test('a first start beside ten workloads that run', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createMarker();
    const workloads = Array.from({ length: 10 }, (_, index) => web(`web-${index}`, { replicas: 1 }));
    for (const { name } of workloads) await stage.put(name, 'A');
    await Promise.all(workloads.map((workload) => stage.create(workload)));
    await stage.mark(await stage.reloader());
    assert.deepEqual(new Set(await stage.revisions(workloads)), new Set([1]));
  });

  for (const [name, { periodMs = 100, alsoIn = [], act }] of Object.entries(HARMLESS)) {
    test(name, async () => {
      await using stage = await Stage.open(cluster);
      const pair = await stage.createPair();
      const first = await stage.reloader({ periodMs });
      const reloader = (await act(stage, first)) ?? first;
      await stage.mark(reloader);
      const workloads = [pair, ...alsoIn];
      assert.deepEqual(
        await stage.revisions(workloads),
        workloads.map(() => 1),
      );
      // It was followed all the while: a change is rolled.
      await stage.put('web', 'C');
      for (const workload of workloads) await stage.stampedAfter(workload, {});
    });
  }
});

test('a window that is still open is not lost when the reloader is asked to end', async () => {
  await using stage = await Stage.open(cluster);
  const pair = await stage.createPair();
  const reloader = await stage.reloader({ periodMs: 600_000 });
  await stage.put('web', 'B');
  await stage.until('the change is seen', async () => !(await reloader.isSettled()));
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  assert.equal(await stage.revision(pair), 1);
  const next = await stage.reloader();
  await stage.stampedAfter(pair, {});
  await stage.mark(next);
  assert.equal(await stage.revision(pair), 2);
});

test('the pods of a Deployment are those of the new ReplicaSet, and the old one is kept for an undo', async () => {
  await using stage = await Stage.open(cluster);
  const pair = await stage.createPair();
  await stage.reloader();
  const before = await stage.list('pods?labelSelector=app%3Dweb');
  await stage.put('web', 'B');
  await stage.stampedAfter(pair, {});
  await stage.rolledOut(pair);
  const replicaSets = await stage.list('replicasets?labelSelector=app%3Dweb');
  assert.deepEqual(replicaSets.map((each) => pick(each, 'spec', 'replicas')).sort(), [0, 2]);
  const uids = (await stage.list('pods?labelSelector=app%3Dweb')).map((each) =>
    pick(each, 'metadata', 'uid'),
  );
  assert.ok(before.every((each) => !uids.includes(pick(each, 'metadata', 'uid'))));
});

/** The patches of workloads in a stage that were accepted, by whoever calls itself this program. */
async function patchesIn(plane: ControlPlane, { namespace }: Stage): Promise<readonly string[]> {
  const requests = (await plane.audit()).filter(
    (each) => each.userAgent.startsWith('kubernetes-reloader/') && each.namespace === namespace,
  );
  const patches = requests.filter(({ verb, apiGroup }) => verb === 'patch' && apiGroup === 'apps');
  return patches.map(({ name, code }) => `${name} ${code}`);
}
