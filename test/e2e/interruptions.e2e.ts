/** Reloaders that are stopped or killed at a bad moment, on a real API server. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { Churn } from '../faults/churn.ts';
import type { Held } from '../faults/fault-proxy.ts';
import { killAgainAndAgain } from '../faults/kills.ts';
import { Scene, WEB, WORKLOADS } from '../faults/scene.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { randomOf } from '../simulation/random.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the certificate of a control plane of its own is needed';

const COMMIT: CallMatch = { verb: 'patch', resource: 'configmaps', name: 'reloader-state' };
const PATCH: CallMatch = { verb: 'patch', resource: 'deployments', name: 'web' };

/** Two reloaders: a write of the first waits in its proxy, and the first is stopped. */
interface Pair {
  readonly stopped: ReloaderProcess;
  readonly other: ReloaderProcess;
  readonly held: Held;
}

/** Both are started for the first time in this namespace. */
async function firstStart(scene: Scene, match: CallMatch): Promise<Pair> {
  const proxy = await scene.addProxy();
  const held = scene.proxy.hold(match);
  const stopped = await scene.start();
  await scene.stage.until('the write is on its way', held.hasArrived);
  stopped.pause();
  return { stopped, other: await scene.reloader({ proxy }), held };
}

/** Both run, and a change leads to the write; `before` comes first. */
async function bothRun(scene: Scene, match: CallMatch, before?: () => void): Promise<Pair> {
  const stopped = await scene.reloader();
  const other = await scene.reloader({ proxy: await scene.addProxy() });
  before?.();
  const held = scene.proxy.hold(match);
  // Else the other one might be first.
  other.pause();
  await scene.change('web');
  await scene.stage.until('the write is on its way', held.hasArrived);
  stopped.pause();
  other.resume();
  return { stopped, other, held };
}

/** The write that was held, and what the API server answers when it comes at last. */
interface Write {
  readonly begin: (scene: Scene, match: CallMatch) => Promise<Pair>;
  readonly match: CallMatch;
  readonly status: number;
}

const WRITES: Readonly<Record<string, Write>> = {
  // It carries no data, so there is nothing to be stale: what is there stays.
  'creates the state': {
    begin: firstStart,
    match: { verb: 'apply', resource: 'configmaps' },
    status: 200,
  },
  'writes its baseline': { begin: firstStart, match: COMMIT, status: 409 },
  'patches a workload': { begin: bothRun, match: PATCH, status: 409 },
  commits: { begin: bothRun, match: COMMIT, status: 409 },
};

/** What a reloader believes. The order of its page is that in which the kinds were first listed. */
async function beliefOf(reloader: ReloaderProcess): Promise<string> {
  const { workloads } = await reloader.status();
  const beliefs = workloads.map(({ workload, isOwed, follows }) =>
    JSON.stringify([
      workload,
      isOwed,
      follows.map(({ object, observed, committed, ran }) => [object, observed, committed, ran]),
    ]),
  );
  return beliefs.sort().join();
}

async function agree(scene: Scene, reloaders: readonly ReloaderProcess[]): Promise<void> {
  for (const reloader of reloaders) await scene.stage.settled(reloader);
  await scene.stage.until('both believe the same', async () => {
    const beliefs = await Promise.all(reloaders.map(beliefOf));
    return new Set(beliefs).size === 1;
  });
}

/** The write comes, the one that was stopped goes on, and what follows is done once. */
async function handOver(scene: Scene, { stopped, other, held }: Pair, status: number): Promise<void> {
  assert.equal(await held.release(), status);
  stopped.resume();
  await scene.isRight(stopped);
  await agree(scene, [stopped, other]);
  assert.equal(scene.rollouts(WEB), scene.changesOf(WEB));
  await scene.change('web');
  await scene.isRight(stopped);
  await agree(scene, [stopped, other]);
  assert.equal(scene.rollouts(WEB), scene.changesOf(WEB));
}

describe('of two reloaders one is stopped while it', { skip, concurrency: 3 }, () => {
  for (const [name, { begin, match, status }] of Object.entries(WRITES)) {
    test(`${name}: the other takes over, the write comes too late, and both agree`, async () => {
      await using scene = await Scene.open(cluster);
      const pair = await begin(scene, match);
      await scene.isRight(pair.other);
      await handOver(scene, pair, status);
    });
  }

  test('commits what it could not do: the other does, the write comes too late, and both agree', async () => {
    await using scene = await Scene.open(cluster);
    const { stage } = scene;
    const refusal = { match: PATCH, times: 'always', effect: { kind: 'status', code: 403 } } as const;
    const pair = await bothRun(scene, COMMIT, () => {
      for (const proxy of scene.proxies) proxy.add(refusal);
    });
    await stage.until('it is written', async () => 'ran.Deployment_web' in (await stage.state()));
    for (const proxy of scene.proxies) proxy.clear();
    // What was refused is tried again at once when the owner changes something of it.
    await stage.patch(WEB, { spec: { minReadySeconds: 1 } });
    await scene.isRight(pair.other);
    await handOver(scene, pair, 409);
    assert.ok(!('ran.Deployment_web' in (await stage.state())));
  });
});

test('nothing is lost by twenty kills at random moments while objects change', { skip }, async () => {
  await using scene = await Scene.open(cluster);
  const reloader = { periodMs: 200 };
  const begun = Date.now();
  await (await scene.reloader(reloader)).kill();
  // Long enough for some to roll, also on a busy machine.
  const latestMs = Math.max(1200, 2 * (Date.now() - begun));
  const random = randomOf(1);
  const churn = new Churn(scene, randomOf(2));
  const { openKills } = await killAgainAndAgain(scene, { kills: 20, latestMs, random, reloader });
  await churn.end();
  await scene.isRight(await scene.reloader(reloader));
  assert.deepEqual(scene.rolledTooOften(openKills), []);
  // Else nothing was tried.
  for (const workload of WORKLOADS.slice(0, 3)) assert.ok(scene.rollouts(workload) > 1, workload.name);
});
