/** A reloader that is killed at bad moments, on a real API server. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { whileChanging } from '../faults/churn.ts';
import { killAgainAndAgain } from '../faults/kills.ts';
import { Scene, WORKLOADS } from '../faults/scene.ts';
import { randomOf } from '../simulation/random.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the certificate of a control plane of its own is needed';

test('nothing is lost by twenty kills at random moments while objects change', { skip }, async () => {
  await using scene = await Scene.open(cluster);
  const reloader = { periodMs: 200 };
  const begun = Date.now();
  await (await scene.reloader(reloader)).kill();
  // Long enough for some to roll, also on a busy machine.
  const latestMs = Math.max(1200, 2 * (Date.now() - begun));
  const start = async (): Promise<() => Promise<void>> => {
    const process = await scene.start(reloader);
    return () => process.kill();
  };
  const options = { kills: 20, latestMs, random: randomOf(1), start };
  const { openKills } = await whileChanging(scene, randomOf(2), () => killAgainAndAgain(scene, options));
  await scene.isRight(await scene.reloader(reloader));
  assert.deepEqual(scene.rolledTooOften(openKills), []);
  const wrong = WORKLOADS.flatMap((each) =>
    [scene.witness.needless(each), scene.witness.unmarked(each)].flat(),
  );
  assert.deepEqual(wrong, []);
  // Else nothing was tried.
  for (const workload of WORKLOADS.slice(0, 3)) assert.ok(scene.rollouts(workload) > 1, workload.name);
});
