/** Workloads in the words of SAP's pod-reloader and of wave, on a real control plane with the rights of `k8s/base`. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import { isAt } from './endings.ts';
import { Stage } from './stage.ts';
import { KINDS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const DIALECTS = ['--dialects', 'collaborne,stakater,sap,wave'];
const WAVE = { 'wave.pusher.com/update-on-config-change': 'true' };
/** What they hash is theirs alone. */
const THEIRS = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** How a workload asks for a ConfigMap and a Secret of this name that its pods read, and where its hash stands. */
const VOCABULARIES = {
  sap: {
    asks: (name: string) => ({
      'pod-reloader.cs.sap.com/configmaps': name,
      'pod-reloader.cs.sap.com/secrets': name,
    }),
    hash: 'pod-reloader.cs.sap.com/config-hash',
  },
  wave: { asks: () => WAVE, hash: 'wave.pusher.com/config-hash' },
} as const;
type Vocabulary = keyof typeof VOCABULARIES;

async function startReloader(stage: Stage): Promise<ReloaderProcess> {
  await stage.createMarker();
  return await stage.reloaderWithRights({ periodMs: 1000, flags: DIALECTS });
}

/** The annotations of the pod template. */
async function annotationsOf(stage: Stage, workload: WorkloadParts): Promise<JsonObject> {
  return objectOf(pick(await stage.live(workload), 'spec', 'template', 'metadata', 'annotations'));
}

/** Each has so many templates, and carries its hash; answers the hashes. */
async function hashesAt(
  stage: Stage,
  workloads: readonly (WorkloadParts & { readonly words: Vocabulary })[],
  revision: number,
): Promise<readonly unknown[]> {
  const hashes = [];
  for (const each of workloads) {
    await isAt(stage, each, revision);
    hashes.push((await annotationsOf(stage, each))[VOCABULARIES[each.words].hash]);
  }
  return hashes;
}

const SHOP = web('shop', { follows: { ConfigMap: ['shop'], Secret: ['shop'] } });

const EACH = (['sap', 'wave'] as const).flatMap((words) =>
  KINDS.map((kind) => ({
    words,
    kind,
    name: `${words}-${kind.toLowerCase()}`,
    follows: SHOP.follows,
    annotations: VOCABULARIES[words].asks('shop'),
  })),
);

const TAKEN_OVER = Array.from({ length: 50 }, (_, index) => {
  const words = index % 2 === 0 ? 'sap' : 'wave';
  return {
    words,
    kind: KINDS[index % KINDS.length] ?? 'Deployment',
    name: `app-${index}`,
    replicas: 1,
    follows: SHOP.follows,
    annotations: {
      ...VOCABULARIES[words].asks('shop'),
      // Its controller asked a webhook that was away.
      ...(index % 4 === 0 ? { [VOCABULARIES.sap.hash]: THEIRS } : {}),
    },
    templateAnnotations: { [VOCABULARIES[words].hash]: THEIRS },
  } as const;
});

describe('the words of SAP and wave', { concurrency: 2 }, () => {
  test('each kind is rolled once for each change, and by no label', async () => {
    await using stage = await Stage.open(cluster);
    await stage.putAll(SHOP, 'A');
    await Promise.all(EACH.map((each) => stage.create(each)));
    const reloader = await startReloader(stage);
    await stage.mark(reloader);
    assert.deepEqual(
      await hashesAt(stage, EACH, 1),
      EACH.map(() => undefined),
    );

    await stage.put('shop', 'B');
    for (const each of EACH) await stage.stampedAfter(each, {});
    await stage.mark(reloader);
    const first = await hashesAt(stage, EACH, 2);
    for (const hash of first) assert.match(String(hash), /^[0-9a-f]{64}$/);
    assert.equal(new Set(first).size, 1, 'the same contents have the same hash');

    for (const below of ['configmaps/shop', 'secrets/shop'])
      await stage.expect('PATCH', below, { metadata: { labels: { team: 'a' } } });
    await stage.mark(reloader);
    assert.deepEqual(await hashesAt(stage, EACH, 2), first);

    const stamps = await Promise.all(EACH.map((each) => stage.stamps(each)));
    await stage.put('shop', 'B', 'Secret');
    for (const [index, each] of EACH.entries()) await stage.stampedAfter(each, stamps[index] ?? {});
    await stage.mark(reloader);
    const second = await hashesAt(stage, EACH, 3);
    assert.equal(new Set([...first, ...second]).size, 2);
  });

  test('50 workloads with their hashes are taken over without a rollout; the next change rolls each once', async () => {
    await using stage = await Stage.open(cluster);
    await stage.putAll(SHOP, 'A');
    await Promise.all(TAKEN_OVER.map((each) => stage.create(each)));
    const reloader = await startReloader(stage);
    await stage.mark(reloader);
    assert.deepEqual(new Set(await hashesAt(stage, TAKEN_OVER, 1)), new Set([THEIRS]));

    await stage.put('shop', 'B');
    for (const each of TAKEN_OVER) await stage.stampedAfter(each, {});
    await stage.mark(reloader);
    const hashes = new Set(await hashesAt(stage, TAKEN_OVER, 2));
    assert.ok(hashes.size === 1 && !hashes.has(THEIRS));
    for (const each of TAKEN_OVER) {
      const own = objectOf(pick(await stage.live(each), 'metadata', 'annotations'));
      assert.equal(own[VOCABULARIES.sap.hash], undefined, `${each.name} asks no webhook any more`);
    }
    assert.ok(!reloader.says(/second-reloader/));
  });
});
