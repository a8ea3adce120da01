/** Holds and reload windows on a real API server: what a person types, what the Events say, and a death in between. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { type JsonObject, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const PREFIX = 'reloader.k8s.collaborne.com';
const APP = web('app', { follows: { ConfigMap: ['web'] } });
/** Never open while these tests run, whenever that is: it opens twelve hours from now. */
const CLOSED = `0 ${(new Date().getUTCHours() + 12) % 24} * * * 1m`;

/** The messages of all Events `RolloutHeld`. */
async function told(stage: Stage): Promise<readonly string[]> {
  const events = await stage.list('events');
  return events
    .filter(({ reason }) => reason === 'RolloutHeld')
    .map((event: JsonObject) => String(pick(event, 'message')));
}

/** The object gets another content, and keeps its annotations. */
async function change(stage: Stage, content: string): Promise<void> {
  await stage.expect('PATCH', 'configmaps/web', { data: { version: content } });
}

describe('a change waits, over a death of the reloader, and is one rollout once a person lets it go:', () => {
  const HOLDS: Readonly<Record<string, readonly [object: string, annotation: string, says: RegExp]>> = {
    'a hold on the workload': [
      'deployment/app',
      `${PREFIX}/hold=true`,
      /: it is held until its annotation hold/,
    ],
    'a hold on the object': ['configmap/web', `${PREFIX}/hold=true`, /: ConfigMap\/web is held until/],
    'a reload window': [
      'deployment/app',
      `${PREFIX}/reload-window=${CLOSED}`,
      /: its reload window is closed, at least until/,
    ],
  };
  for (const [what, [object, annotation, says]] of Object.entries(HOLDS))
    test(what, async () => {
      await using stage = await Stage.open(cluster);
      await stage.put('web', 'A');
      await stage.create(APP);
      await stage.createMarker();
      const first = await stage.reloader();
      await stage.kubectl(['annotate', object, annotation]);
      await stage.mark(first);
      await change(stage, 'B');
      await stage.until('an Event says so', async () => (await told(stage)).length === 1);
      await first.kill();
      const second = await stage.startReloader();
      await second.hasSaid(/"reason":"held"/);
      await change(stage, 'C');
      await stage.markBeside();
      assert.equal(await second.metric('reloader_workloads_held'), 1);
      assert.equal(await stage.revision(APP), 1);
      for (const message of await told(stage)) assert.match(message, says);
      await stage.kubectl(['annotate', object, `${annotation.split('=')[0]}-`]);
      await stage.until('it is rolled', async () => (await stage.revision(APP)) === 2);
      await stage.settled(second);
      assert.equal(await second.metric('reloader_workloads_held'), 0);
      assert.equal(await stage.revision(APP), 2);
    });
});
