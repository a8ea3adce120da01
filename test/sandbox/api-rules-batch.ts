/** Rules of CronJobs and Jobs. */

import assert from 'node:assert/strict';
import { type ApiRules, metadataOf, versionOf } from './api-rules.ts';
import { type JsonObject, objectOf, objectsOf, pick } from './json.ts';

const SPEC: JsonObject = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] };
const BACKGROUND = 'Background';

/** By name: cases for `runRule`. */
export const BATCH_RULES: ApiRules = {
  'a patch of the template of a CronJob merges containers and variables by their names': async (api) => {
    const { generation } = objectOf((await api.created('cronjobs', cronJob('a')))['metadata']);
    const patch = stampPatch({ name: 'STAMP', value: '1' });
    const { status, body } = await api.patch('cronjobs/a', 'strategic-merge-patch', patch);
    assert.equal(status, 200);
    const [container] = objectsOf(pick(body, ...TEMPLATE, 'spec', 'containers'));
    assert.equal(container?.['image'], 'app:1');
    assert.deepEqual(container['env'], [{ name: 'STAMP', value: '1' }]);
    assert.equal(metadataOf(body, 'generation'), Number(generation) + 1);
  },
  'a dry run of such a patch answers the next generation, as often as one asks, and changes nothing': async (
    api,
  ) => {
    const created = await api.created('cronjobs', cronJob('a'));
    const fence = { metadata: { resourceVersion: versionOf(created) } };
    const patch = { ...stampPatch({ name: 'STAMP', value: '1' }), ...fence };
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await api.patch('cronjobs/a?dryRun=All', 'strategic-merge-patch', patch);
      assert.equal(status, 200);
      assert.equal(metadataOf(body, 'generation'), Number(metadataOf(created, 'generation')) + 1);
      const [container] = objectsOf(pick(body, ...TEMPLATE, 'spec', 'containers'));
      assert.deepEqual(container?.['env'], [{ name: 'STAMP', value: '1' }]);
    }
    assert.equal(versionOf((await api.get('cronjobs/a')).body), versionOf(created));
    await api.patch('cronjobs/a', 'merge-patch', { spec: { suspend: true } });
    const stale = await api.patch('cronjobs/a?dryRun=All', 'strategic-merge-patch', patch);
    assert.equal(stale.status, 409);
  },
  'a label of a CronJob does not raise its generation, suspending it does': async (api) => {
    const before = metadataOf(await api.created('cronjobs', cronJob('a')), 'generation');
    const labelled = await api.patch('cronjobs/a', 'merge-patch', { metadata: { labels: { a: 'b' } } });
    assert.equal(metadataOf(labelled.body, 'generation'), before);
    const suspended = await api.patch('cronjobs/a', 'merge-patch', { spec: { suspend: true } });
    assert.equal(metadataOf(suspended.body, 'generation'), Number(before) + 1);
  },
  'a Job whose name is taken is 409 AlreadyExists': async (api) => {
    await api.created('jobs', job('a'));
    const { status, body } = await api.create('jobs', job('a'));
    assert.deepEqual([status, body['reason']], [409, 'AlreadyExists']);
  },
  'a Job may have an owner that controls it, and a name of 63 characters': async (api) => {
    const owner = await api.created('cronjobs', cronJob('a'.repeat(52)));
    const { name, uid } = objectOf(owner['metadata']);
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }];
    const created = await api.created('jobs', job(`${String(name)}-0123456789`, { ownerReferences }));
    assert.deepEqual(metadataOf(created, 'ownerReferences'), ownerReferences);
  },
  'a Job gets labels and a selector of its own, which no other Job can be created with': async (api) => {
    const created = await api.created('jobs', job('a'));
    const uid = metadataOf(created, 'uid');
    const template = objectOf(pick(created, 'spec', 'template'));
    assert.deepEqual(pick(template, 'metadata', 'labels'), {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'a',
      'controller-uid': uid,
      'job-name': 'a',
    });
    assert.deepEqual(pick(created, 'spec', 'selector'), {
      matchLabels: { 'batch.kubernetes.io/controller-uid': uid },
    });
    assert.equal((await api.create('jobs', { ...job('b'), spec: { template } })).status, 422);
    const selector = pick(created, 'spec', 'selector') ?? {};
    const selecting = { ...job('b'), spec: { selector, template: { spec: SPEC } } };
    assert.equal((await api.create('jobs', selecting)).status, 422);
  },
  'the template of a Job is immutable: 422': async (api) => {
    await api.created('jobs', job('a'));
    const containers = [{ name: 'app', env: [{ name: 'STAMP', value: '1' }] }];
    const patch = { spec: { template: { spec: { containers } } } };
    assert.equal((await api.patch('jobs/a', 'strategic-merge-patch', patch)).status, 422);
  },
  'a Job is deleted at once in the background, and only under its own uid': async (api) => {
    const created = await api.created('jobs', job('a'));
    const options = (uid: string): JsonObject => ({
      propagationPolicy: BACKGROUND,
      preconditions: { uid },
    });
    const other = options('11111111-1111-4111-8111-111111111111');
    assert.equal((await api.delete('jobs/a', other)).status, 409);
    assert.equal((await api.delete('jobs/a', options(String(metadataOf(created, 'uid'))))).status, 200);
    assert.equal((await api.get('jobs/a')).status, 404);
    assert.equal((await api.create('jobs', job('a'))).status, 201);
  },
};

const TEMPLATE = ['spec', 'jobTemplate', 'spec', 'template'] as const;

function cronJob(name: string): JsonObject {
  const jobTemplate = { spec: { template: { spec: SPEC } } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '0 0 1 1 *', jobTemplate },
  };
}

function job(name: string, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...metadata },
    spec: { template: { spec: SPEC } },
  };
}

function stampPatch(variable: JsonObject): JsonObject {
  const template = { spec: { containers: [{ name: 'app', env: [variable] }] } };
  return { spec: { jobTemplate: { spec: { template } } } };
}
