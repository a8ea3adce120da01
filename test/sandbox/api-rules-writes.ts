/** Rules of create, update, delete, conflicts, generation and managed fields. */

import assert from 'node:assert/strict';
import { type ApiRule, configMap, deployment, metadataOf, versionOf } from './api-rules.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from './json.ts';

/** Each a case for `runRule`. */
export const WRITE_RULES: readonly ApiRule[] = [
  {
    name: 'what was created can be read, with a uid and a version',
    run: async (api) => {
      const created = await api.created('configmaps', configMap('a'));
      const { status, body } = await api.get('configmaps/a');
      assert.equal(status, 200);
      assert.deepEqual(
        [body['kind'], body['apiVersion'], body['data']],
        ['ConfigMap', 'v1', { key: 'value' }],
      );
      assert.equal(metadataOf(body, 'uid'), metadataOf(created, 'uid'));
      assert.equal(versionOf(body), versionOf(created));
    },
  },
  {
    name: 'a second create of one name is 409 AlreadyExists',
    run: async (api) => {
      await api.created('configmaps', configMap('a'));
      const { status, body } = await api.create('configmaps', configMap('a'));
      assert.deepEqual([status, body['reason']], [409, 'AlreadyExists']);
      assert.equal(body['message'], 'configmaps "a" already exists');
    },
  },
  {
    name: 'a create that carries a version is 500',
    run: async (api) => {
      const { status } = await api.create('configmaps', configMap('a', {}, { resourceVersion: '5' }));
      assert.equal(status, 500);
      assert.equal((await api.get('configmaps/a')).status, 404);
    },
  },
  {
    name: 'a name that is none is 422; a place or a name that is not that of the path is 400',
    run: async (api) => {
      for (const metadata of [{ name: 'UPPER' }, { name: 'a/b' }, {}])
        assert.equal((await api.create('configmaps', { metadata })).status, 422);
      const elsewhere = configMap('a', {}, { namespace: 'kube-system' });
      assert.equal((await api.create('configmaps', elsewhere)).status, 400);
      assert.equal((await api.update('configmaps/a', configMap('b'))).status, 400);
      const path = 'configmaps/a?fieldManager=alice';
      assert.equal((await api.patch(path, 'apply-patch', configMap('b'))).status, 400);
    },
  },
  {
    name: 'reading, patching and deleting what is not there is 404 NotFound',
    run: async (api) => {
      const answers = [
        await api.get('configmaps/none'),
        await api.patch('configmaps/none', 'merge-patch', { data: { a: 'b' } }),
        await api.delete('configmaps/none'),
        await api.update('configmaps/none', configMap('none')),
      ];
      for (const { status, body } of answers) assert.deepEqual([status, body['reason']], [404, 'NotFound']);
      assert.equal(answers[0]?.body['message'], 'configmaps "none" not found');
    },
  },
  {
    name: 'an update of an old version is 409 Conflict and changes nothing',
    run: async (api) => {
      const created = await api.created('configmaps', configMap('a'));
      await api.patch('configmaps/a', 'merge-patch', { data: { key: 'theirs' } });
      const stale = configMap('a', { key: 'ours' }, { resourceVersion: versionOf(created) });
      const { status, body } = await api.update('configmaps/a', stale);
      assert.deepEqual([status, body['reason']], [409, 'Conflict']);
      assert.deepEqual((await api.get('configmaps/a')).body['data'], { key: 'theirs' });
    },
  },
  {
    name: 'an update without a version replaces what is there',
    run: async (api) => {
      await api.created('configmaps', configMap('a', { old: '1' }));
      const { status, body } = await api.update('configmaps/a', configMap('a', { new: '2' }));
      assert.equal(status, 200);
      assert.deepEqual(body['data'], { new: '2' });
    },
  },
  {
    name: 'an update that names another uid is 409',
    run: async (api) => {
      await api.created('configmaps', configMap('a'));
      const other = configMap('a', {}, { uid: '11111111-1111-4111-8111-111111111111' });
      assert.equal((await api.update('configmaps/a', other)).status, 409);
    },
  },
  {
    name: 'a patch that names another uid is 422',
    run: async (api) => {
      await api.created('configmaps', configMap('a'));
      const patch = { metadata: { uid: '11111111-1111-4111-8111-111111111111' }, data: { key: 'x' } };
      assert.equal((await api.patch('configmaps/a', 'merge-patch', patch)).status, 422);
    },
  },
  {
    name: 'what is recreated has another uid',
    run: async (api) => {
      const first = await api.created('configmaps', configMap('a'));
      assert.equal((await api.delete('configmaps/a')).status, 200);
      const second = await api.created('configmaps', configMap('a'));
      assert.notEqual(metadataOf(first, 'uid'), metadataOf(second, 'uid'));
    },
  },
  {
    name: 'a delete whose precondition fails is 409 and deletes nothing',
    run: async (api) => {
      const created = await api.created('configmaps', configMap('a'));
      await api.patch('configmaps/a', 'merge-patch', { data: { key: 'new' } });
      const preconditions = [
        { uid: '11111111-1111-4111-8111-111111111111' },
        { resourceVersion: versionOf(created) },
      ];
      for (const each of preconditions) {
        assert.equal((await api.delete('configmaps/a', { preconditions: each })).status, 409);
      }
      assert.equal((await api.get('configmaps/a')).status, 200);
    },
  },
  {
    name: 'a create in a namespace that is not there is 404 of the namespace',
    run: async (api) => {
      const path = '/api/v1/namespaces/nowhere/configmaps';
      const headers = { 'content-type': 'application/json' };
      const response = await api.send({
        method: 'POST',
        path,
        headers,
        body: JSON.stringify(configMap('a')),
      });
      for await (const _ of response.body);
      assert.equal(response.status, 404);
    },
  },
  {
    name: 'a dry run answers what would be and writes nothing',
    run: async (api) => {
      const created = await api.created('configmaps', configMap('a'));
      const { body } = await api.patch('configmaps/a?dryRun=All', 'merge-patch', { data: { key: 'new' } });
      assert.deepEqual(body['data'], { key: 'new' });
      assert.equal((await api.create('configmaps?dryRun=All', configMap('b'))).status, 201);
      assert.equal(versionOf((await api.get('configmaps/a')).body), versionOf(created));
      assert.equal((await api.get('configmaps/b')).status, 404);
    },
  },
  {
    name: 'generation grows with the spec; of a Deployment also with its annotations, not with its labels',
    run: async (api) => {
      const generation = async (patch: object): Promise<unknown> => {
        const answer = await api.patch('deployments/web', 'merge-patch', { ...patch });
        return metadataOf(answer.body, 'generation');
      };
      const created = await api.created('deployments', deployment('web'));
      assert.equal(metadataOf(created, 'generation'), 1);
      assert.equal(await generation({ metadata: { labels: { a: 'b' } } }), 1);
      assert.equal(await generation({ metadata: { annotations: { a: 'b' } } }), 2);
      assert.equal(await generation({ spec: { paused: true } }), 3);
      assert.equal(await generation({ spec: { paused: true } }), 3);
    },
  },
  {
    name: 'generation of a StatefulSet and a DaemonSet grows with the spec, not with annotations',
    run: async (api) => {
      for (const [resource, kind] of [
        ['statefulsets', 'StatefulSet'],
        ['daemonsets', 'DaemonSet'],
      ] as const) {
        const { selector, template } = objectOf(deployment('web')['spec']);
        await api.created(resource, { ...deployment('web'), kind, spec: { selector, template } });
        const generation = async (patch: JsonObject): Promise<unknown> =>
          metadataOf((await api.patch(`${resource}/web`, 'merge-patch', patch)).body, 'generation');
        assert.equal(await generation({ metadata: { annotations: { a: 'b' } } }), 1);
        assert.equal(await generation({ spec: { minReadySeconds: 1 } }), 2);
      }
    },
  },
  {
    name: 'the templates of a DaemonSet are counted in an annotation of the server, and nothing else is',
    run: async (api) => {
      const { selector, template } = objectOf(deployment('web')['spec']);
      const daemonSet = { ...deployment('web'), kind: 'DaemonSet', spec: { selector, template } };
      const countOf = (body: Json | undefined): unknown =>
        pick(body, 'metadata', 'annotations', 'deprecated.daemonset.template.generation');
      const count = async (patch: JsonObject): Promise<unknown> =>
        countOf((await api.patch('daemonsets/web', 'merge-patch', patch)).body);
      assert.equal(countOf(await api.created('daemonsets', daemonSet)), '1');
      assert.equal(await count({ metadata: { annotations: { a: 'b' } } }), '1');
      assert.equal(await count({ metadata: { annotations: null } }), '1');
      assert.equal(await count({ spec: { minReadySeconds: 1 } }), '1');
      assert.equal(await count({ spec: { template: { metadata: { annotations: { a: 'b' } } } } }), '2');
    },
  },
  {
    name: 'one that is deleted without what it owns stays until that has no owner any more',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const { status } = await api.delete('deployments/web', { propagationPolicy: 'Orphan' });
      assert.equal(status, 200);
      const { body } = await api.get('deployments/web');
      assert.deepEqual(metadataOf(body, 'finalizers'), ['orphan']);
      assert.equal(typeof metadataOf(body, 'deletionTimestamp'), 'string');
    },
  },
  {
    name: 'who removes a key and changes nothing else leaves neither a name nor a time in managedFields',
    run: async (api) => {
      const managersAfter = async (manager: string, data: JsonObject): Promise<readonly unknown[]> => {
        const { body } = await api.patch(`configmaps/a?fieldManager=${manager}`, 'merge-patch', { data });
        return objectsOf(pick(body, 'metadata', 'managedFields')).map((each) => each['manager']);
      };
      await api.created('configmaps?fieldManager=one', configMap('a', { key: 'x', other: 'y' }));
      assert.deepEqual(await managersAfter('two', { key: null }), ['one']);
      assert.deepEqual((await managersAfter('three', { other: 'z' })).at(-1), 'three');
    },
  },
  {
    name: 'what an apply that owns nothing has created has no managedFields, whoever writes it later',
    run: async (api) => {
      for (const each of [{ name: 'a' }, { name: 'b', labels: { by: 'one' } }]) {
        const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: each };
        await api.patch(`configmaps/${each.name}?fieldManager=one`, 'apply-patch', manifest);
      }
      const entriesAfter = async (name: string): Promise<number> => {
        const { body } = await api.patch(`configmaps/${name}?fieldManager=one`, 'merge-patch', {
          data: { key: 'x' },
        });
        return objectsOf(pick(body, 'metadata', 'managedFields')).length;
      };
      assert.deepEqual([await entriesAfter('a'), await entriesAfter('b')], [0, 2]);
    },
  },
  {
    name: 'a container without an image is 422 and names the field',
    run: async (api) => {
      const { status, body } = await api.create(
        'deployments',
        deployment('web', { containers: [{ name: 'app' }] }),
      );
      assert.deepEqual([status, body['reason']], [422, 'Invalid']);
      assert.match(String(body['message']), /spec\.template\.spec\.containers\[0\]\.image: Required value/);
    },
  },
  {
    name: 'a key that is no file name is 422, a value that is no string is 400, in a patch 422',
    run: async (api) => {
      assert.equal((await api.create('configmaps', configMap('a', { 'a/b': 'x' }))).status, 422);
      assert.equal((await api.create('configmaps', configMap('a', { a: 1 }))).status, 400);
      await api.created('configmaps', configMap('a'));
      assert.equal((await api.update('configmaps/a', configMap('a', { a: 1 }))).status, 400);
      assert.equal((await api.patch('configmaps/a', 'merge-patch', { data: { a: 1 } })).status, 422);
    },
  },
  {
    name: 'an immutable ConfigMap keeps its content, 422 else',
    run: async (api) => {
      await api.created('configmaps', { ...configMap('a'), immutable: true });
      assert.equal((await api.patch('configmaps/a', 'merge-patch', { data: { key: 'x' } })).status, 422);
      const edit = { metadata: { labels: { a: 'b' } } };
      assert.equal((await api.patch('configmaps/a', 'merge-patch', edit)).status, 200);
    },
  },
  {
    name: 'an Event of a name that is there is 409; one about an object elsewhere is 422',
    run: async (api) => {
      const event = (namespace: string): JsonObject => ({
        metadata: { name: 'a' },
        involvedObject: { kind: 'Deployment', namespace, name: 'web' },
        type: 'Normal',
        reason: 'Why',
        message: 'what',
      });
      assert.equal((await api.create('events', event('elsewhere'))).status, 422);
      await api.created('events', event(api.namespace));
      const { status, body } = await api.create('events', event(api.namespace));
      assert.deepEqual([status, body['reason']], [409, 'AlreadyExists']);
    },
  },
  {
    name: 'the type of a Secret stays, 422 else; a value that is not base64 is 400, in a patch 422',
    run: async (api) => {
      await api.created('secrets', { metadata: { name: 's' }, type: 'example.com/x', data: { a: 'Yg==' } });
      const status = async (patch: JsonObject): Promise<number> =>
        (await api.patch('secrets/s', 'merge-patch', patch)).status;
      assert.equal(await status({ type: 'example.com/y' }), 422);
      assert.equal(await status({ data: { a: '*' } }), 422);
      assert.equal((await api.create('secrets', { metadata: { name: 't' }, data: { a: '*' } })).status, 400);
      assert.equal(await status({ data: { a: 'Yw==' } }), 200);
    },
  },
  {
    name: 'content of more than a mebibyte is 422',
    run: async (api) => {
      const half = 'x'.repeat(1024 * 512);
      assert.equal(
        (await api.create('configmaps', configMap('a', { a: half, b: half, c: 'x' }))).status,
        422,
      );
      assert.equal((await api.create('configmaps', configMap('a', { a: half }))).status, 201);
    },
  },
  {
    name: 'the selector of a Deployment fits its template and stays, two containers have two names, 422 else',
    run: async (api) => {
      const web = deployment('web');
      const selector = { matchLabels: { app: 'other' } };
      const unfit = { ...web, spec: { ...objectOf(web['spec']), selector } };
      assert.equal((await api.create('deployments', unfit)).status, 422);
      const container = { name: 'app', image: 'app:1' };
      const twins = deployment('web', { containers: [container, container] });
      assert.equal((await api.create('deployments', twins)).status, 422);
      await api.created('deployments', web);
      const relabelled = { matchLabels: { app: 'web', more: '1' } };
      const template = { metadata: { labels: { app: 'web', more: '1' } } };
      const patch = { spec: { selector: relabelled, template } };
      assert.equal((await api.patch('deployments/web', 'merge-patch', patch)).status, 422);
    },
  },
  {
    name: 'stringData of a Secret is stored as base64 in data',
    run: async (api) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } };
      const created = await api.created('secrets', secret);
      assert.deepEqual(
        [created['data'], created['stringData'], created['type']],
        [{ a: 'Yg==' }, undefined, 'Opaque'],
      );
    },
  },
  {
    name: 'an object with a finalizer goes only when the finalizer is removed',
    run: async (api) => {
      await api.created('configmaps', configMap('a', {}, { finalizers: ['example.com/hold'] }));
      assert.equal((await api.delete('configmaps/a')).status, 200);
      assert.ok(metadataOf((await api.get('configmaps/a')).body, 'deletionTimestamp'));
      await api.patch('configmaps/a', 'merge-patch', { metadata: { finalizers: null } });
      assert.equal((await api.get('configmaps/a')).status, 404);
    },
  },
  {
    name: 'managedFields name each manager once, by fieldManager or user agent',
    run: async (api) => {
      await api.create('configmaps?fieldManager=alice', configMap('a'));
      await api.patch('configmaps/a?fieldManager=bob', 'merge-patch', { data: { more: '1' } });
      const { body } = await api.patch('configmaps/a?fieldManager=bob', 'merge-patch', {
        data: { more: '2' },
      });
      const entries = objectsOf(metadataOf(body, 'managedFields'));
      assert.deepEqual(entries.map((entry) => entry['manager']).sort(), ['alice', 'bob']);
      const bob = entries.find((entry) => entry['manager'] === 'bob');
      assert.deepEqual(pick(bob, 'fieldsV1', 'f:data', 'f:more'), {});
      assert.match(String(bob?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    },
  },
];
