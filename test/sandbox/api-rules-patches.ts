/** Rules of the four kinds of patch. */

import assert from 'node:assert/strict';
import {
  type ApiRule,
  configMap,
  deployment,
  envPatch,
  metadataOf,
  variablesOf,
  versionOf,
} from './api-rules.ts';
import { type Json, type JsonObject, objectsOf, pick } from './json.ts';

/** Each a case for `runRule`. */
export const PATCH_RULES: readonly ApiRule[] = [
  {
    name: 'a merge patch sets and removes keys and leaves the others',
    run: async (api) => {
      await api.created('configmaps', configMap('a', { keep: '1', drop: '2' }));
      const { status, body } = await api.patch('configmaps/a', 'merge-patch', {
        data: { drop: null, add: '3' },
      });
      assert.equal(status, 200);
      assert.deepEqual(body['data'], { keep: '1', add: '3' });
    },
  },
  {
    name: 'a patch of the same value is no write, of whatever kind',
    run: async (api) => {
      const created = await api.created('deployments', deployment('web'));
      const own = { name: 'OWN', value: '1' };
      const answers = [
        await api.patch('deployments/web?fieldManager=other', 'strategic-merge-patch', envPatch('app', own)),
        await api.patch('deployments/web', 'merge-patch', { spec: { replicas: 0 } }),
        await api.patch('deployments/web', 'json-patch', [
          { op: 'replace', path: '/spec/replicas', value: 0 },
        ]),
      ];
      for (const { status, body } of answers) {
        assert.deepEqual([status, versionOf(body)], [200, versionOf(created)]);
      }
    },
  },
  {
    name: 'a patch that carries an old version is 409, one that carries the live version is accepted',
    run: async (api) => {
      const created = await api.created('deployments', deployment('web'));
      const fenced = (value: string): Json => ({
        metadata: { resourceVersion: versionOf(created) },
        ...envPatch('app', { name: 'A', value }),
      });
      assert.equal((await api.patch('deployments/web', 'strategic-merge-patch', fenced('1'))).status, 200);
      const { status, body } = await api.patch('deployments/web', 'strategic-merge-patch', fenced('2'));
      assert.deepEqual([status, body['reason']], [409, 'Conflict']);
    },
  },
  {
    name: 'a patch that carries an old version is 409 also where it would change nothing',
    run: async (api) => {
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
  },
  {
    name: 'a strategic merge patch merges containers and their variables by name',
    run: async (api) => {
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
  },
  {
    name: 'a strategic merge patch removes a variable with $patch: delete',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const patch = envPatch('app', { name: 'OWN', $patch: 'delete' }, { name: 'NONE', $patch: 'delete' });
      const { status, body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.equal(status, 200);
      assert.deepEqual(variablesOf(body), {});
    },
  },
  {
    name: 'a strategic merge patch keeps the order that $setElementOrder asks for',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const env = [
        { name: 'Z', value: '2' },
        { name: 'A', value: '1' },
      ];
      const order = [{ name: 'Z' }, { name: 'OWN' }, { name: 'A' }];
      const container = { name: 'app', env, '$setElementOrder/env': order };
      const patch = { spec: { template: { spec: { containers: [container] } } } };
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.deepEqual(Object.keys(variablesOf(body)), ['Z', 'OWN', 'A']);
    },
  },
  {
    name: 'a strategic merge patch whose lists are not in the order of $setElementOrder, or lack a key, is 500',
    run: async (api) => {
      const created = await api.created('deployments', deployment('web'));
      const [a, z] = [
        { name: 'A', value: '1' },
        { name: 'Z', value: '2' },
      ];
      const patchOf = (env: readonly Json[], order: readonly Json[]): JsonObject => {
        const container = { name: 'app', env, '$setElementOrder/env': order };
        return { spec: { template: { spec: { containers: [container] } } } };
      };
      const patches = [
        patchOf([a, z], [{ name: 'Z' }, { name: 'A' }]),
        patchOf([a], [{ name: 'OWN' }]),
        envPatch('app', { value: '1' }),
      ];
      for (const patch of patches)
        assert.equal((await api.patch('deployments/web', 'strategic-merge-patch', patch)).status, 500);
      assert.equal(versionOf((await api.get('deployments/web')).body), versionOf(created));
    },
  },
  {
    name: 'a new variable of a strategic merge patch stands before those that were there',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const patch = envPatch('app', { name: 'NEW', value: '1' });
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.deepEqual(Object.keys(variablesOf(body)), ['NEW', 'OWN']);
    },
  },
  {
    name: 'a strategic merge patch of a container that has gone is 422',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const patch = envPatch('gone', { name: 'A', value: '1' });
      assert.equal((await api.patch('deployments/web', 'strategic-merge-patch', patch)).status, 422);
    },
  },
  {
    name: 'a strategic merge patch merges volumes by name',
    run: async (api) => {
      const volumes = [{ name: 'v', emptyDir: {} }];
      await api.created('deployments', deployment('web', { volumes }));
      const patch = { spec: { template: { spec: { volumes: [{ name: 'w', emptyDir: {} }] } } } };
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      const names = objectsOf(pick(body, 'spec', 'template', 'spec', 'volumes')).map((each) => each['name']);
      assert.deepEqual(names.sort(), ['v', 'w']);
    },
  },
  {
    name: 'a strategic merge patch replaces what $patch: replace says',
    run: async (api) => {
      await api.created('deployments', deployment('web'));
      const patch = envPatch('app', { name: 'ONLY', value: '1' }, { $patch: 'replace' });
      const { body } = await api.patch('deployments/web', 'strategic-merge-patch', patch);
      assert.deepEqual(variablesOf(body), { ONLY: '1' });
    },
  },
  {
    name: 'a JSON patch adds, replaces and removes; a path may hold escaped slashes',
    run: async (api) => {
      await api.created('configmaps', configMap('a', { x: '1', y: '2' }, { annotations: { 'a/b': 'c' } }));
      const { status, body } = await api.patch('configmaps/a', 'json-patch', [
        { op: 'add', path: '/data/z', value: '3' },
        { op: 'replace', path: '/data/x', value: '4' },
        { op: 'remove', path: '/data/y' },
        { op: 'replace', path: '/metadata/annotations/a~1b', value: 'd' },
      ]);
      assert.equal(status, 200);
      assert.deepEqual(body['data'], { x: '4', z: '3' });
      assert.deepEqual(metadataOf(body, 'annotations'), { 'a/b': 'd' });
    },
  },
  {
    name: 'a JSON patch whose test fails, or whose path is stale, is 422 and changes nothing',
    run: async (api) => {
      const created = await api.created('configmaps', configMap('a'));
      const add = { op: 'add', path: '/data/new', value: '1' };
      const test = { op: 'test', path: '/metadata/resourceVersion', value: '0' };
      assert.equal((await api.patch('configmaps/a', 'json-patch', [add, test])).status, 422);
      assert.equal(
        (await api.patch('configmaps/a', 'json-patch', [add, { op: 'remove', path: '/data/none' }])).status,
        422,
      );
      assert.equal(versionOf((await api.get('configmaps/a')).body), versionOf(created));
    },
  },
  {
    name: 'a JSON patch is fenced by a test of the version, 422 where it is not the live one',
    run: async (api) => {
      const created = await api.created('deployments', deployment('web'));
      const fenced = [
        { op: 'test', path: '/metadata/resourceVersion', value: versionOf(created) },
        { op: 'add', path: '/spec/template/metadata/annotations', value: { stamp: '1' } },
      ];
      assert.equal((await api.patch('deployments/web', 'json-patch', fenced)).status, 200);
      assert.equal((await api.patch('deployments/web', 'json-patch', fenced)).status, 422);
    },
  },
  {
    name: 'an unknown kind of patch is 415',
    run: async (api) => {
      await api.created('configmaps', configMap('a'));
      const request = { method: 'PATCH', path: api.path('configmaps/a'), body: '{}' } as const;
      const response = await api.send({ ...request, headers: { 'content-type': 'application/json' } });
      for await (const _ of response.body);
      assert.equal(response.status, 415);
    },
  },
  {
    name: 'server-side apply creates what is absent, and needs a field manager',
    run: async (api) => {
      const path = 'configmaps/a?fieldManager=alice';
      const created = await api.patch(path, 'apply-patch', configMap('a'));
      assert.equal(created.status, 201);
      const [entry] = objectsOf(metadataOf(created.body, 'managedFields'));
      assert.deepEqual([entry?.['manager'], entry?.['operation']], ['alice', 'Apply']);
      assert.equal((await api.patch(path, 'apply-patch', configMap('a'))).status, 200);
      assert.ok((await api.patch('configmaps/b', 'apply-patch', configMap('b'))).status >= 400);
    },
  },
  {
    name: 'server-side apply removes the keys that its manager no longer applies, and only those',
    run: async (api) => {
      await api.patch('configmaps/a?fieldManager=alice', 'apply-patch', configMap('a', { x: '1', y: '2' }));
      await api.patch('configmaps/a?fieldManager=bob', 'merge-patch', { data: { z: '3' } });
      const { body } = await api.patch(
        'configmaps/a?fieldManager=alice',
        'apply-patch',
        configMap('a', { x: '1' }),
      );
      assert.deepEqual(body['data'], { x: '1', z: '3' });
    },
  },
  {
    name: 'server-side apply of the same configuration is no write',
    run: async (api) => {
      const path = 'configmaps/a?fieldManager=alice';
      const first = await api.patch(path, 'apply-patch', configMap('a'));
      assert.equal(
        versionOf((await api.patch(path, 'apply-patch', configMap('a'))).body),
        versionOf(first.body),
      );
    },
  },
  {
    name: 'server-side apply of metadata alone keeps the data that is there',
    run: async (api) => {
      await api.create('configmaps?fieldManager=bob', configMap('a', { x: '1' }));
      const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations: { n: '1' } } };
      const { status, body } = await api.patch('configmaps/a?fieldManager=alice', 'apply-patch', bare);
      assert.deepEqual(
        [status, body['data'], metadataOf(body, 'annotations')],
        [200, { x: '1' }, { n: '1' }],
      );
    },
  },
  {
    name: 'server-side apply of a value that another manager set is 409, and is forced by force=true',
    run: async (api) => {
      await api.create('configmaps?fieldManager=alice', configMap('a', { key: 'theirs' }));
      const path = 'configmaps/a?fieldManager=bob';
      const { status, body } = await api.patch(path, 'apply-patch', configMap('a', { key: 'ours' }));
      assert.deepEqual([status, body['reason']], [409, 'Conflict']);
      const forced = await api.patch(`${path}&force=true`, 'apply-patch', configMap('a', { key: 'ours' }));
      assert.deepEqual([forced.status, forced.body['data']], [200, { key: 'ours' }]);
    },
  },
];

const APP = { name: 'app', image: 'app:1', env: [{ name: 'OWN', value: '1' }] };
