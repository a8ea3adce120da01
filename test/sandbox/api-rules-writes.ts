/** Rules of create, update, delete, conflicts, generation and managed fields. */

import assert from 'node:assert/strict';
import { type ApiRules, configMap, deployment, metadataOf, versionOf } from './api-rules.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from './json.ts';

/** By name: cases for `runRule`. */
export const WRITE_RULES: ApiRules = {
  'what was created can be read, with a uid and a version': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    const { status, body } = await api.get('configmaps/a');
    assert.equal(status, 200);
    assert.deepEqual([body['kind'], body['apiVersion'], body['data']], ['ConfigMap', 'v1', { key: 'value' }]);
    assert.equal(metadataOf(body, 'uid'), metadataOf(created, 'uid'));
    assert.equal(versionOf(body), versionOf(created));
  },
  'a second create of one name is 409 AlreadyExists': async (api) => {
    await api.created('configmaps', configMap('a'));
    const { status, body } = await api.create('configmaps', configMap('a'));
    assert.deepEqual([status, body['reason']], [409, 'AlreadyExists']);
    assert.equal(body['message'], 'configmaps "a" already exists');
  },
  'reading, patching and deleting what is not there is 404 NotFound': async (api) => {
    const answers = [
      await api.get('configmaps/none'),
      await api.patch('configmaps/none', 'merge-patch', { data: { a: 'b' } }),
      await api.delete('configmaps/none'),
      await api.update('configmaps/none', configMap('none')),
    ];
    for (const { status, body } of answers) assert.deepEqual([status, body['reason']], [404, 'NotFound']);
    assert.equal(answers[0]?.body['message'], 'configmaps "none" not found');
  },
  'an update of an old version is 409 Conflict and changes nothing': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    await api.patch('configmaps/a', 'merge-patch', { data: { key: 'theirs' } });
    const stale = configMap('a', { key: 'ours' }, { resourceVersion: versionOf(created) });
    const { status, body } = await api.update('configmaps/a', stale);
    assert.deepEqual([status, body['reason']], [409, 'Conflict']);
    assert.deepEqual((await api.get('configmaps/a')).body['data'], { key: 'theirs' });
  },
  'an update without a version replaces what is there': async (api) => {
    await api.created('configmaps', configMap('a', { old: '1' }));
    const { status, body } = await api.update('configmaps/a', configMap('a', { new: '2' }));
    assert.equal(status, 200);
    assert.deepEqual(body['data'], { new: '2' });
  },
  'a patch that names another uid is 422': async (api) => {
    await api.created('configmaps', configMap('a'));
    const patch = { metadata: { uid: '11111111-1111-4111-8111-111111111111' }, data: { key: 'x' } };
    assert.equal((await api.patch('configmaps/a', 'merge-patch', patch)).status, 422);
  },
  'what is recreated has another uid': async (api) => {
    const first = await api.created('configmaps', configMap('a'));
    assert.equal((await api.delete('configmaps/a')).status, 200);
    const second = await api.created('configmaps', configMap('a'));
    assert.notEqual(metadataOf(first, 'uid'), metadataOf(second, 'uid'));
  },
  'a delete whose precondition fails is 409 and deletes nothing': async (api) => {
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
  'a create in a namespace that is not there is 404 of the namespace': async (api) => {
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
  'a dry run answers what would be and writes nothing': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    const { body } = await api.patch('configmaps/a?dryRun=All', 'merge-patch', { data: { key: 'new' } });
    assert.deepEqual(body['data'], { key: 'new' });
    assert.equal((await api.create('configmaps?dryRun=All', configMap('b'))).status, 201);
    assert.equal(versionOf((await api.get('configmaps/a')).body), versionOf(created));
    assert.equal((await api.get('configmaps/b')).status, 404);
  },
  'generation grows with the spec; of a Deployment also with its annotations, not with its labels': async (
    api,
  ) => {
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
  'generation of a StatefulSet and a DaemonSet grows with the spec, not with annotations': async (api) => {
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
  'the templates of a DaemonSet are counted in an annotation of the server, and nothing else is': async (
    api,
  ) => {
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
  'one that is deleted without what it owns stays until that has no owner any more': async (api) => {
    await api.created('deployments', deployment('web'));
    const { status } = await api.delete('deployments/web', { propagationPolicy: 'Orphan' });
    assert.equal(status, 200);
    const { body } = await api.get('deployments/web');
    assert.deepEqual(metadataOf(body, 'finalizers'), ['orphan']);
    assert.equal(typeof metadataOf(body, 'deletionTimestamp'), 'string');
  },
  'who removes a key and changes nothing else leaves neither a name nor a time in managedFields': async (
    api,
  ) => {
    const managersAfter = async (manager: string, data: JsonObject): Promise<readonly unknown[]> => {
      const { body } = await api.patch(`configmaps/a?fieldManager=${manager}`, 'merge-patch', { data });
      return objectsOf(pick(body, 'metadata', 'managedFields')).map((each) => each['manager']);
    };
    await api.created('configmaps?fieldManager=one', configMap('a', { key: 'x', other: 'y' }));
    assert.deepEqual(await managersAfter('two', { key: null }), ['one']);
    assert.deepEqual((await managersAfter('three', { other: 'z' })).at(-1), 'three');
  },
  'what an apply that owns nothing has created has no managedFields, whoever writes it later': async (
    api,
  ) => {
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
  'a container without an image is 422 and names the field': async (api) => {
    const { status, body } = await api.create(
      'deployments',
      deployment('web', { containers: [{ name: 'app' }] }),
    );
    assert.deepEqual([status, body['reason']], [422, 'Invalid']);
    assert.match(String(body['message']), /spec\.template\.spec\.containers\[0\]\.image: Required value/);
  },
  'content of more than a mebibyte is 422': async (api) => {
    const half = 'x'.repeat(1024 * 512);
    assert.equal((await api.create('configmaps', configMap('a', { a: half, b: half, c: 'x' }))).status, 422);
    assert.equal((await api.create('configmaps', configMap('a', { a: half }))).status, 201);
  },
  'stringData of a Secret is stored as base64 in data': async (api) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } };
    const created = await api.created('secrets', secret);
    assert.deepEqual(
      [created['data'], created['stringData'], created['type']],
      [{ a: 'Yg==' }, undefined, 'Opaque'],
    );
  },
  'an object with a finalizer goes only when the finalizer is removed': async (api) => {
    await api.created('configmaps', configMap('a', {}, { finalizers: ['example.com/hold'] }));
    assert.equal((await api.delete('configmaps/a')).status, 200);
    assert.ok(metadataOf((await api.get('configmaps/a')).body, 'deletionTimestamp'));
    await api.patch('configmaps/a', 'merge-patch', { metadata: { finalizers: null } });
    assert.equal((await api.get('configmaps/a')).status, 404);
  },
  'managedFields name each manager once, by fieldManager or user agent': async (api) => {
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
};
