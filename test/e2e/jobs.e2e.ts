/** Jobs that are created anew after a change, with the rights of their component, beside the controllers that run them. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { senderTo } from '../control-plane/sender.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the certificate of a control plane of its own is needed';

const ANNOTATIONS = { 'reloader.k8s.collaborne.com/configmap': 'work' };
/** No node has it: pods wait for ever, so the Job does not finish. */
const NOWHERE: JsonObject = { nodeSelector: { 'example.com/none': 'such' } };

async function open(): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await stage.createMarker();
  await stage.put('work', 'A');
  return stage;
}

function specOf(pods: JsonObject): JsonObject {
  const containers = [
    { name: 'app', image: 'registry.k8s.io/pause:3.10', envFrom: [{ configMapRef: { name: 'work' } }] },
  ];
  return { template: { spec: { restartPolicy: 'Never', containers, ...pods } } };
}

/** Creates the Job `work`; answers its uid. */
async function create(stage: Stage, pods: JsonObject = {}): Promise<unknown> {
  const metadata = { name: 'work', labels: { team: 'a' }, annotations: ANNOTATIONS };
  return pick(await stage.expect('POST', 'jobs', { metadata, spec: specOf(pods) }), 'metadata', 'uid');
}

async function uidOf(stage: Stage): Promise<unknown> {
  const answer = await cluster.ask('GET', stage.path('jobs/work'));
  return pick(answer.body, 'metadata', 'uid');
}

async function isFinished(stage: Stage): Promise<void> {
  await stage.until('the Job has finished', async () => {
    const job = await stage.expect('GET', 'jobs/work');
    return objectsOf(pick(job, 'status', 'conditions')).some(({ type }) => type === 'Complete');
  });
}

async function isAnew(stage: Stage, uid: unknown): Promise<JsonObject> {
  let jobs: readonly JsonObject[] = [];
  await stage.until('the new Job alone is there', async () => {
    jobs = await stage.list('jobs');
    const [name, other] = ['name', 'uid'].map((field) => pick(jobs[0], 'metadata', field));
    return jobs.length === 1 && name === 'work' && other !== uid;
  });
  return objectOf(jobs[0]);
}

function reloader(stage: Stage, way = 'recreate', proxy?: FaultProxy): Promise<ReloaderProcess> {
  const flags = [`--job-reload=${way}`];
  return stage.reloaderWithRights({ flags, as: proxy ? { url: proxy.url } : {} }, ['jobs']);
}

describe('with --job-reload', { concurrency: 3 }, () => {
  test('a Job that runs is created anew once, its pods with it, and a restart creates none', async () => {
    await using stage = await open();
    const uid = await create(stage, NOWHERE);
    await stage.until(
      'it has a pod',
      async () => (await stage.list('pods?labelSelector=job-name%3Dwork')).length === 1,
    );
    const first = await reloader(stage);
    await stage.put('work', 'B');
    const made = await isAnew(stage, uid);
    assert.deepEqual(pick(made, 'metadata', 'labels', 'team'), 'a');
    assert.deepEqual(pick(made, 'metadata', 'annotations', 'reloader.k8s.collaborne.com/configmap'), 'work');
    const own = `pods?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D`;
    await stage.until(
      'the pod of the old one is gone',
      async () => (await stage.list(own + String(uid))).length === 0,
    );
    await stage.until('the new one has its pod', async () => {
      const [pod] = await stage.list(own + String(pick(made, 'metadata', 'uid')));
      const [container] = objectsOf(pick(pod, 'spec', 'containers'));
      return objectsOf(container?.['env']).some(({ name }) => name === '_RELOADER_CONFIGMAP_WORK');
    });
    await stage.mark(first);
    await first.stop();
    await stage.mark(await reloader(stage));
    assert.equal(await uidOf(stage), pick(made, 'metadata', 'uid'));
  });

  test('a Job that has finished runs again with recreate', async () => {
    await using stage = await open();
    const uid = await create(stage);
    await isFinished(stage);
    const process = await reloader(stage);
    await stage.put('work', 'B');
    await isAnew(stage, uid);
    await isFinished(stage);
    await stage.mark(process);
  });

  test('a Job that has finished stays with recreate-running, one that runs does not', async () => {
    await using stage = await open();
    const uid = await create(stage);
    await isFinished(stage);
    const process = await reloader(stage, 'recreate-running');
    await stage.put('work', 'B');
    await process.hasSaid(/nothing rolled for Job\/work, since it has finished/);
    await stage.mark(process);
    assert.equal(await uidOf(stage), uid);
    await stage.expect('DELETE', 'jobs/work?propagationPolicy=Background');
    const running = await create(stage, NOWHERE);
    await stage.mark(process);
    await stage.put('work', 'C');
    await isAnew(stage, running);
  });

  test('the Jobs of a CronJob are left alone', async () => {
    await using stage = await open();
    const jobTemplate = { metadata: { annotations: ANNOTATIONS }, spec: specOf(NOWHERE) };
    const spec = { schedule: '0 0 29 2 *', jobTemplate };
    await stage.expect('POST', 'cronjobs', { metadata: { name: 'cron' }, spec });
    await stage.kubectl(['create', 'job', 'work', '--from=cronjob/cron']);
    const uid = await uidOf(stage);
    assert.ok(uid);
    const process = await reloader(stage);
    await stage.put('work', 'B');
    await stage.mark(process);
    assert.equal(await uidOf(stage), uid);
  });

  const DEATHS: Record<string, CallMatch & { readonly nth: number }> = {
    'before the old one is deleted': { verb: 'delete', resource: 'jobs', nth: 1 },
    'before the new one is created': { verb: 'create', resource: 'jobs', nth: 2 },
    'before the copy is deleted': { verb: 'delete', resource: 'jobs', nth: 2 },
  };
  for (const [when, { nth, ...match }] of Object.entries(DEATHS)) {
    test(`killed ${when}, the next one finishes it`, { skip }, async () => {
      await using stage = await open();
      const uid = await create(stage, NOWHERE);
      // While its status is still written the copy may be of an older one, and is made again.
      await stage.until('the Job runs', async () => {
        return pick(await stage.expect('GET', 'jobs/work'), 'status', 'active') === 1;
      });
      const { send, close } = senderTo(cluster.access);
      await using proxy = await FaultProxy.start(send, cluster.servingCertificate());
      const first = await reloader(stage, 'recreate', proxy);
      proxy.add({ match, nth, times: 'always', effect: { kind: 'status', code: 503 } });
      await stage.put('work', 'B');
      await stage.until('the copy is there, and the fault', async () => {
        const { status } = await cluster.ask('GET', stage.path('jobs/work-reload'));
        return status === 200 && proxy.deeds > 0;
      });
      await first.kill();
      proxy.clear();
      const second = await reloader(stage, 'recreate', proxy);
      await isAnew(stage, uid);
      await stage.mark(second);
      await second.stop();
      close();
    });
  }
});
