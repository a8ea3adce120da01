/** Rules of the kinds of patch. */

import assert from 'node:assert/strict';
import {
  type ApiRules,
  configMap,
  deployment,
  envPatch,
  metadataOf,
  variablesOf,
  versionOf,
} from './api-rules.ts';
import { type Json, type JsonObject, objectsOf, pick } from './json.ts';

/** By name: cases for `runRule`. */
export const PATCH_RULES: ApiRules = {
  'a merge patch sets and removes keys and leaves the others': async (api) => {
    await api.created('configmaps', configMap('a', { keep: '1', drop: '2' }));
    const { status, body } = await api.patch('configmaps/a', 'merge-patch', {
      data: { drop: null, add: '3' },
    });
    assert.equal(status, 200);
    assert.deepEqual(body['data'], { keep: '1', add: '3' });
  },
  'a patch of the same value is no write, of whatever kind': async (api) => {
    const created = await api.created('deployments', deployment('web'));
    const own = { name: 'OWN', value: '1' };
    const answers = [
      await api.patch('deployments/web?fieldManager=other', 'strategic-merge-patch', envPatch('app', own)),
      await api.patch('deployments/web', 'merge-patch', { spec: { replicas: 0 } }),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, versionOf(body)], [200, versionOf(created)]);
    }
  },
  'a patch that carries an old version is 409, one that carries the live version is accepted': async (
    api,
  ) => {
    const created = await api.created('deployments', deployment('web'));
    const fenced = (value: string): Json => ({
      metadata: { resourceVersion: versionOf(created) },
      ...envPatch('app', { name: 'A', value }),
    });
    assert.equal((await api.patch('deployments/web', 'strategic-merge-patch', fenced('1'))).status, 200);
    const { status, body } = await api.patch('deployments/web', 'strategic-merge-patch', fenced('2'));
    assert.deepEqual([status, body['reason']], [409, 'Conflict']);
  },
  'a patch that carries an old version is 409 also where it would change nothing': async (api) => {
    const created = await api.created('deployments', deployment('web'));
    const old = { metadata: { resourceVersion: versionOf(created) } };
    await api.patch('deployments/web', 'merge-patch', { metadata: { labels: { a: 'b' } } });
    const patch = { ...old, ...envPatch('app', { name: 'OWN', value: '1' }) };
    const answers = [
      await api.patch('deployments/web', 'strategic-merge-patch', patch),
      await api.patch('deployments/web', 'merge-patch', old),
    ];
    for (const { status } of answers) assert.equal(status, 409);
  },
  'a strategic merge patch merges containers and their variables by name': async (api) => {
    const other = { name: 'other', image: 'other:1' };
    await api.created('deployments', deployment('web', { containers: [APP, other] }));
    const { body } = await api.patch(
      'deployments/web',
      'strategic-merge-patch',
      envPatch('app', { name: 'OWN', value: '2' }, { name: 'NEW', value: '3' }),
    );
    const containers = objectsOf(pick(body, 'spec', 'template', 'spec', 'containers'));
    assert.deepEqual(
      containers.map((each) => [each['name'], each['image']]),
      [
        ['app', 'app:1'],
        ['other', 'other:1'],
      ],
    );
    assert.deepEqual(variablesOf(body), { OWN: '2', NEW: '3' });
  },
  'a strategic merge patch removes a variable with $patch: delete': async (api) => {
    await api.created('deployments', deployment('web'));
    const patch = envPatch('app', { name: 'OWN', $patch: 'delete' }, { name: 'NONE', $patch: 'delete' });
    const { status, body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
    assert.equal(status, 200);
    assert.deepEqual(variablesOf(body), {});
  },
  'a new variable of a strategic merge patch stands before those that were there': async (api) => {
    await api.created('deployments', deployment('web'));
    const patch = envPatch('app', { name: 'NEW', value: '1' });
    const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
    assert.deepEqual(Object.keys(variablesOf(body)), ['NEW', 'OWN']);
  },
  'a strategic merge patch brings variables of one name together, a JSON patch leaves them where they are':
    async (api) => {
      const env = ['URL', 'BASE', 'URL'].map((name, index) => ({ name, value: String(index) }));
      await api.created('deployments', deployment('web', { containers: [{ ...APP, env }] }));
      const added = { name: 'NEW', value: '1' };
      const valuesIn = ({ body }: { readonly body: JsonObject }): readonly unknown[] =>
        objectsOf(pick(body, 'spec', 'template', 'spec', 'containers')).flatMap((each) =>
          objectsOf(each['env']).map(({ value }) => value),
        );
      const operations = [{ op: 'add', path: `${VARIABLES}/0`, value: added }];
      assert.deepEqual(valuesIn(await api.patch('deployments/web', 'json-patch', operations)), [
        '1',
        ...['0', '1', '2'],
      ]);
      const merged = await api.patch('deployments/web', 'strategic-merge-patch', envPatch('app', added));
      assert.deepEqual(valuesIn(merged), ['1', '0', '2', '1']);
    },
  'a JSON patch whose test fails, or that names what is missing, is 422 without causes': async (api) => {
    await api.created('deployments', deployment('web'));
    const one = { op: 'test', path: '/metadata/generation', value: 1 };
    assert.equal((await api.patch('deployments/web', 'json-patch', [one])).status, 200);
    for (const operation of [
      { ...one, value: 7 },
      { op: 'remove', path: '/metadata/labels/gone' },
      { op: 'test', path: `${VARIABLES}/7/name`, value: 'A' },
      { op: 'test', path: '/metadata/labels/gone', value: null },
    ]) {
      const { status, body } = await api.patch('deployments/web', 'json-patch', [operation]);
      assert.deepEqual([status, body['reason'], body['details']], [422, 'Invalid', {}]);
    }
    const { status, body } = await api.patch('deployments/web', 'json-patch', [
      { op: 'remove', path: '/spec/template/spec/containers/0/image' },
    ]);
    assert.deepEqual([status, objectsOf(pick(body, 'details', 'causes')).length], [422, 1]);
  },
  'a JSON patch tests that a key, or a map, is missing': async (api) => {
    await api.created('configmaps', configMap('a', { k: '1' }));
    const missing = (path: string): Json => [{ op: 'test', path, value: null }];
    for (const path of ['/data/other', '/metadata/annotations'])
      assert.equal((await api.patch('configmaps/a', 'json-patch', missing(path))).status, 200);
    assert.equal((await api.patch('configmaps/a', 'json-patch', missing('/data/k'))).status, 422);
  },
  'a strategic merge patch of a container that has gone is 422': async (api) => {
    await api.created('deployments', deployment('web'));
    const patch = envPatch('gone', { name: 'A', value: '1' });
    assert.equal((await api.patch('deployments/web', 'strategic-merge-patch', patch)).status, 422);
  },
  'an unknown kind of patch is 415': async (api) => {
    await api.created('configmaps', configMap('a'));
    const request = { method: 'PATCH', path: api.path('configmaps/a'), body: '{}' } as const;
    const response = await api.send({ ...request, headers: { 'content-type': 'application/json' } });
    for await (const _ of response.body);
    assert.equal(response.status, 415);
  },
  'server-side apply creates what is absent, and needs a field manager': async (api) => {
    const path = 'configmaps/a?fieldManager=alice';
    const created = await api.patch(path, 'apply-patch', configMap('a'));
    assert.equal(created.status, 201);
    const [entry] = objectsOf(metadataOf(created.body, 'managedFields'));
    assert.deepEqual([entry?.['manager'], entry?.['operation']], ['alice', 'Apply']);
    assert.equal((await api.patch(path, 'apply-patch', configMap('a'))).status, 200);
    assert.ok((await api.patch('configmaps/b', 'apply-patch', configMap('b'))).status >= 400);
  },
  'server-side apply of the same configuration is no write': async (api) => {
    const path = 'configmaps/a?fieldManager=alice';
    const first = await api.patch(path, 'apply-patch', configMap('a'));
    assert.equal(
      versionOf((await api.patch(path, 'apply-patch', configMap('a'))).body),
      versionOf(first.body),
    );
  },
  'server-side apply of metadata alone keeps the data that is there': async (api) => {
    await api.create('configmaps?fieldManager=bob', configMap('a', { x: '1' }));
    const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations: { n: '1' } } };
    const { status, body } = await api.patch('configmaps/a?fieldManager=alice', 'apply-patch', bare);
    assert.deepEqual([status, body['data'], metadataOf(body, 'annotations')], [200, { x: '1' }, { n: '1' }]);
  },
};

const VARIABLES = '/spec/template/spec/containers/0/env';
const APP = { name: 'app', image: 'app:1', env: [{ name: 'OWN', value: '1' }] };
