/** Deployments that ask for a pause, on a real control plane with the rights of `k8s/base`. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, pick } from '../sandbox/json.ts';
import { isAt, restsAt } from './endings.ts';
import { fieldsByManager } from './managed-fields.ts';
import { Stage } from './stage.ts';
import { annotationsFor, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';
/** Long enough for a busy machine to look into it. */
const PAUSE_MS = 15_000;
const WEB = web('web', {
  annotations: { ...annotationsFor(web().follows), [PERIOD]: `${PAUSE_MS}ms` },
});

/** WEB, what it follows, and a reloader. */
async function begin(stage: Stage): Promise<ReloaderProcess> {
  await stage.createPair(WEB);
  return await stage.reloaderWithRights();
}

async function isPaused(stage: Stage): Promise<boolean> {
  return pick(await stage.live(WEB), 'spec', 'paused') === true;
}

/** When its pause began, as WEB says it; undefined: it does not. */
async function pausedAt(stage: Stage): Promise<unknown> {
  return objectOf(pick(await stage.live(WEB), 'metadata', 'annotations'))[PAUSED_AT];
}

/** Changes the content; resolves when that is stamped. */
async function change(stage: Stage, content: string): Promise<void> {
  const before = await stage.stamps(WEB);
  await stage.put('web', content);
  await stage.stampedAfter(WEB, before);
}

async function resumed(stage: Stage): Promise<void> {
  await stage.until('WEB is resumed', async () => !(await isPaused(stage)));
}

describe('a Deployment that asks for a pause', { concurrency: 3 }, () => {
  test('is paused with its stamp, stamped again, and rolled once when the first pause is over', async () => {
    await using stage = await Stage.open(cluster);
    const reloader = await begin(stage);
    await change(stage, 'B');
    const since = await pausedAt(stage);
    assert.deepEqual([await isPaused(stage), typeof since], [true, 'string']);
    await change(stage, 'C');
    assert.deepEqual([await isPaused(stage), await pausedAt(stage)], [true, since]);
    assert.equal(await stage.revision(WEB), 1);
    await resumed(stage);
    assert.ok(Date.now() - Date.parse(String(since)) >= PAUSE_MS);
    await restsAt(stage, reloader, WEB, 2);
    assert.equal(await pausedAt(stage), undefined);
    const ours = fieldsByManager(await stage.live(WEB))['kubernetes-reloader'] ?? [];
    assert.deepEqual(
      ours.filter((field) => /paused/.test(field)),
      [],
    );
    await stage.until('Events tell of both', async () => {
      const reasons = (await stage.list('events')).map(({ reason }) => reason);
      return reasons.includes('Paused') && reasons.includes('Resumed');
    });
  });

  test('is left alone while a person has it paused', async () => {
    await using stage = await Stage.open(cluster);
    const reloader = await begin(stage);
    await stage.kubectl(['rollout', 'pause', 'deployment/web']);
    await change(stage, 'B');
    await stage.mark(reloader);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + 2000));
    assert.deepEqual([await isPaused(stage), await pausedAt(stage)], [true, undefined]);
    await stage.kubectl(['rollout', 'resume', 'deployment/web']);
    await isAt(stage, WEB, 2);
  });

  test('cannot be undone meanwhile, and is rolled at once by who resumes it', async () => {
    await using stage = await Stage.open(cluster);
    const reloader = await begin(stage);
    await change(stage, 'B');
    await resumed(stage);
    await restsAt(stage, reloader, WEB, 2);
    await stage.patch(WEB, { metadata: { annotations: { [PERIOD]: '1h' } } });
    await change(stage, 'C');
    await assert.rejects(stage.kubectl(['rollout', 'undo', 'deployment/web']), /paused/);
    await stage.kubectl(['rollout', 'resume', 'deployment/web']);
    await restsAt(stage, reloader, WEB, 3);
    await stage.until('its beginning goes', async () => (await pausedAt(stage)) === undefined);
    await stage.patch(WEB, { metadata: { annotations: { [PERIOD]: null } } });
    await change(stage, 'D');
    assert.deepEqual([await isPaused(stage), await pausedAt(stage)], [false, undefined]);
    await restsAt(stage, reloader, WEB, 4);
  });
});
