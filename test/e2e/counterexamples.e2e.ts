/**
 * Histories that a simpler model fails, on a real API server. The letters are those of the simulation's, which also has
 * what needs an order of the streams that nobody can ask of a real server: e is tried here, in whatever order comes, and
 * g (events that are late by more than a rollout takes) is only there.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { endsAt, restsAt } from './endings.ts';
import { commits, Refusal, SilentWebhook, templates } from './refusal.ts';
import { type ReloaderOptions, Stage } from './stage.ts';
import { annotationsFor, type WorkloadName, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const WEB = web();
/** A second follower of the same object. */
const API = web('api', { follows: { ConfigMap: ['web'] } });
const LATE = web('late', { follows: { ConfigMap: ['web'] } });

/** Starts a reloader that may not be able to commit yet. */
async function startReloader(stage: Stage, options: ReloaderOptions = {}): Promise<ReloaderProcess> {
  const reloader = await stage.startReloader(options);
  await stage.until('the reloader is ready', () => reloader.isReady());
  return reloader;
}

async function isOwedBy({ kind, name }: WorkloadName, reloader: ReloaderProcess): Promise<boolean> {
  const { workloads } = await reloader.status();
  return workloads.find(({ workload }) => workload === `${kind}/${name}`)?.isOutdated === true;
}

describe('counterexamples', { concurrency: 3 }, () => {
  test('a: what is changed back after a patch and before the commit is rolled again', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const reloader = await stage.reloader();
    const refusal = await Refusal.of(stage, commits());
    await stage.changeAndRoll(WEB, 'B');
    await stage.changeAndRoll(WEB, 'A');
    await refusal.end();
    await endsAt(stage, reloader, WEB, 3);
  });

  test('a: also with a crash between the patch and the change back', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const first = await stage.reloader();
    const refusal = await Refusal.of(stage, commits());
    await stage.changeAndRoll(WEB, 'B');
    await first.kill();
    const reloader = await startReloader(stage);
    await stage.changeAndRoll(WEB, 'A');
    await refusal.end();
    await endsAt(stage, reloader, WEB, 3);
  });

  test('a: also with the change back while no reloader runs', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const first = await stage.reloader();
    const refusal = await Refusal.of(stage, commits());
    await stage.changeAndRoll(WEB, 'B');
    await first.kill();
    await refusal.end();
    const before = await stage.stamps(WEB);
    await stage.put('web', 'A');
    const reloader = await startReloader(stage);
    await stage.stampedAfter(WEB, before);
    await endsAt(stage, reloader, WEB, 3);
  });

  test('b: a stamp brought back by undo does not tell what its pods read', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const reloader = await stage.reloader();
    await stage.changeAndRoll(WEB, 'C');
    await stage.settled(reloader);
    await stage.changeAndRoll(WEB, 'B');
    await stage.settled(reloader);
    await stage.kubectl(['rollout', 'undo', 'deployment/web']);
    await stage.rolledOut(WEB);
    await stage.mark(reloader);
    assert.equal(await stage.revision(WEB), 4);
    await stage.changeAndRoll(WEB, 'C');
    await endsAt(stage, reloader, WEB, 5);
  });

  test('c, d: who is refused stays owed over restarts; its siblings, old and new, are not rolled for it', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    await stage.create(API);
    await stage.create({ ...LATE, follows: {} });
    const first = await stage.reloader();
    const refusal = await Refusal.of(stage, templates('web', true));
    await stage.put('web', 'B');
    await stage.stampedAfter(API, {});
    await stage.until('the exception is written', async () => 'ran.Deployment_web' in (await stage.state()));
    await stage.patch(LATE, { metadata: { annotations: annotationsFor(LATE.follows) } });
    await stage.create(web('newest', { follows: { ConfigMap: ['web'] } }));
    await first.kill();
    const second = await startReloader(stage);
    await stage.until('it is still owed', () => isOwedBy(WEB, second));
    await second.kill();
    const reloader = await startReloader(stage);
    await stage.until('it is still owed', () => isOwedBy(WEB, reloader));
    assert.equal(await stage.revision(WEB), 1);
    await refusal.end();
    await stage.stampedAfter(WEB, {});
    await endsAt(stage, reloader, WEB, 2);
    assert.deepEqual(await stage.revisions([API, LATE, web('newest')]), [2, 1, 1]);
    assert.ok(!('ran.Deployment_web' in (await stage.state())));
  });

  test('e: a change after an opt-in is rolled, whichever is heard of first', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const reloader = await stage.reloader();
    const names = Array.from({ length: 10 }, (_, index) => `racer-${index}`);
    const racers = names.map((name) => web(name, { replicas: 1 }));
    for (const { name } of racers) await stage.put(name, 'A');
    // Somebody else follows them, so that they have entries.
    await stage.create(web('all', { follows: { ConfigMap: names } }));
    for (const racer of racers) await stage.create({ ...racer, follows: {} });
    await stage.mark(reloader);
    for (const racer of racers) {
      await stage.patch(racer, { metadata: { annotations: annotationsFor(racer.follows) } });
      await stage.put(racer.name, 'B');
    }
    for (const racer of racers) await stage.stampedAfter(racer, {});
    await stage.mark(reloader);
    assert.deepEqual(new Set(await stage.revisions(racers)), new Set([2]));
  });

  test('f: changes there and back and there, faster than the commits', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const first = await stage.reloader();
    const refusal = await Refusal.of(stage, commits());
    for (const content of ['B', 'A', 'B']) await stage.changeAndRoll(WEB, content);
    await first.kill();
    await refusal.end();
    await endsAt(stage, await stage.reloader(), WEB, 4);
  });

  test('h: a patch that landed after its exception was written counts, not the exception', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    const first = await stage.reloader();
    const frozen = await Refusal.of(stage, templates('web', true));
    await stage.put('web', 'B');
    await stage.until('the exception is written', async () => 'ran.Deployment_web' in (await stage.state()));
    const noCommit = await Refusal.of(stage, commits());
    await frozen.end();
    const stamps = await stage.stampedAfter(WEB, {});
    await stage.rolledOut(WEB);
    await first.kill();
    assert.ok('ran.Deployment_web' in (await stage.state()));
    await noCommit.end();
    await stage.put('web', 'A');
    const reloader = await startReloader(stage);
    await stage.stampedAfter(WEB, stamps);
    await endsAt(stage, reloader, WEB, 3);
  });

  test('i: a foreign stamp with a high number silences no stamp of a workload that was rolled', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair();
    await stage.create(API);
    const first = await stage.reloader();
    // What is not answered yet is awaited before the commit.
    await using unfinished = await SilentWebhook.of(stage, 'api');
    await stage.put('web', 'B');
    const stamps = await stage.stampedAfter(WEB, {});
    // The API server awaits the webhook for ten seconds.
    assert.match((await stage.state())['v1.ConfigMap_web'] ?? '', /\.1$/);
    await stage.rolledOut(WEB);
    await stage.create({ ...LATE, variables: { _RELOADER_CONFIGMAP_WEB: `${'0'.repeat(40)}.99` } });
    await stage.until('the number is lifted', async () =>
      /\.99$/.test((await stage.state())['v1.ConfigMap_web'] ?? ''),
    );
    await first.kill();
    await stage.put('web', 'A');
    const reloader = await startReloader(stage);
    await stage.stampedAfter(WEB, stamps);
    await unfinished.end();
    // The other one is stamped later, with a number of its own.
    const [stamp = ''] = Object.values(await restsAt(stage, reloader, WEB, 3));
    const entry = (await stage.state())['v1.ConfigMap_web'] ?? '';
    assert.equal(stamp.split('.')[0], entry.split('.')[0]);
  });

  for (const [words, how] of [
    ['pods that an owner started while a change was open are rolled though it is changed back', 'restart'],
    ['the same after an undo', 'undo'],
  ] as const) {
    test(`j: ${words}`, async () => {
      await using stage = await Stage.open(cluster);
      await stage.createPair();
      await stage.kubectl(['set', 'env', 'deployment/web', 'MODE=production']);
      await stage.rolledOut(WEB);
      const reloader = await stage.reloader({ periodMs: 15_000 });
      await stage.put('web', 'B');
      await stage.until('the change is seen', () => isOwedBy(WEB, reloader));
      await stage.kubectl(['rollout', how, 'deployment/web']);
      await stage.rolledOut(WEB);
      await stage.put('web', 'A');
      await stage.stampedAfter(WEB, {});
      await endsAt(stage, reloader, WEB, 4);
    });
  }
});
