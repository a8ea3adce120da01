/** Rules of what the owner of a workload does to a variable that somebody else put into its pod template. */

import assert from 'node:assert/strict';
import { type ApiRule, deployment, envPatch, type RuleClient, variablesOf } from './api-rules.ts';
import { type JsonObject, objectOf, objectsOf, pick } from './json.ts';

const STAMP = { name: 'STAMP', value: '1' };
const OWN = { name: 'OWN', value: '1' };

/** Each a case for `runRule`. */
export const OWNER_RULES: readonly ApiRule[] = [
  {
    name: 'the patch of a client-side apply keeps a variable that it does not know',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      await stamp(api);
      const env = [{ name: 'OWN', value: '2' }];
      const container = { name: 'app', env, '$setElementOrder/env': [{ name: 'OWN' }] };
      const order = { '$setElementOrder/containers': [{ name: 'app' }] };
      const patch = { spec: { template: { spec: { containers: [container], ...order } } } };
      const { status, body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.equal(status, 200);
      assert.deepEqual(variablesOf(body), { OWN: '2', STAMP: '1' });
    },
  },
  {
    name: 'a client-side apply that has no variables any more drops all of them',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      await stamp(api);
      const patch = { spec: { template: { spec: { containers: [{ name: 'app', env: null }] } } } };
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.deepEqual(variablesOf(body), {});
    },
  },
  {
    name: 'a server-side apply keeps a variable of another manager, also when it has none any more itself',
    run: async (api) => {
      await apply(api, 'owner', [OWN]);
      await stamp(api);
      assert.deepEqual(variablesOf(await apply(api, 'owner', [{ ...OWN, value: '2' }])), {
        OWN: '2',
        STAMP: '1',
      });
      assert.deepEqual(variablesOf(await apply(api, 'owner', [])), { STAMP: '1' });
    },
  },
  {
    name: 'a server-side apply removes a variable that it no longer applies',
    run: async (api) => {
      await apply(api, 'owner', [OWN, { name: 'OLD', value: '1' }]);
      assert.deepEqual(variablesOf(await apply(api, 'owner', [OWN])), { OWN: '1' });
    },
  },
  {
    name: 'a server-side apply that renames the container drops the variables of others with it',
    run: async (api) => {
      await apply(api, 'owner', [OWN]);
      await stamp(api);
      const live = await apply(api, 'owner', [OWN], 'main');
      assert.deepEqual([variablesOf(live, 'main'), variablesOf(live, 'app')], [{ OWN: '1' }, {}]);
      const containers = pick(live, 'spec', 'template', 'spec', 'containers');
      assert.deepEqual(
        objectsOf(containers).map((each) => each['name']),
        ['main'],
      );
    },
  },
  {
    name: 'a server-side apply of a variable that another manager set otherwise is 409',
    run: async (api) => {
      await apply(api, 'owner', [OWN]);
      await stamp(api);
      const containers = [{ name: 'app', image: 'app:1', env: [OWN, { name: 'STAMP', value: '2' }] }];
      const configuration = deployment('web', { containers });
      const path = 'deployments/web?fieldManager=owner';
      assert.equal((await api.patch(path, 'apply-patch', configuration)).status, 409);
      const forced = await api.patch(`${path}&force=true`, 'apply-patch', configuration);
      assert.deepEqual(variablesOf(forced.body), { OWN: '1', STAMP: '2' });
    },
  },
  {
    name: 'a server-side apply keeps the annotations of others in the pod template, and removes its own old ones',
    run: async (api) => {
      const annotated = (annotations: JsonObject): JsonObject => {
        const metadata = { labels: { app: 'web' }, annotations };
        const spec = { containers: [{ name: 'app', image: 'app:1' }] };
        const whole = deployment('web');
        return { ...whole, spec: { ...objectOf(whole['spec']), template: { metadata, spec } } };
      };
      const path = 'deployments/web?fieldManager=owner';
      await api.patch(path, 'apply-patch', annotated({ own: '1', old: '1' }));
      const theirs = { spec: { template: { metadata: { annotations: { stamp: '1' } } } } };
      await api.patch('deployments/web?fieldManager=reloader', 'strategic-merge-patch', theirs);
      const { body } = await api.patch(path, 'apply-patch', annotated({ own: '2' }));
      const kept = pick(body, 'spec', 'template', 'metadata', 'annotations');
      assert.deepEqual(kept, { own: '2', stamp: '1' });
    },
  },
  {
    name: 'a replacement drops a variable that it does not name',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      await stamp(api);
      const { status, body } = await api.update('deployments/web', deployment('web'));
      assert.equal(status, 200);
      assert.deepEqual(variablesOf(body), { OWN: '1' });
    },
  },
  {
    name: 'a client-side apply that renames the container drops its variables',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      await stamp(api);
      const containers = [
        { name: 'main', image: 'app:1', env: [OWN] },
        { name: 'app', $patch: 'delete' },
      ];
      const patch = { spec: { template: { spec: { containers } } } };
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.deepEqual(variablesOf(body, 'main'), { OWN: '1' });
      assert.deepEqual(variablesOf(body, 'app'), {});
    },
  },
];

async function stamp(api: RuleClient): Promise<void> {
  const path = 'deployments/web?fieldManager=reloader';
  const { status } = await api.patch(path, 'strategic-merge-patch', envPatch('app', STAMP));
  assert.equal(status, 200);
}

async function apply(
  api: RuleClient,
  manager: string,
  env: readonly JsonObject[],
  container = 'app',
): Promise<JsonObject> {
  const containers = [{ name: container, image: 'app:1', ...(env.length === 0 ? {} : { env }) }];
  const path = `deployments/web?fieldManager=${manager}`;
  const answer = await api.patch(path, 'apply-patch', deployment('web', { containers }));
  assert.ok(answer.status < 300, String(answer.body['message']));
  return objectOf(answer.body);
}
