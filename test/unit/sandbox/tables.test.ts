/** What kubectl prints comes as a table, and nothing else does. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';
import { mockTime } from '../../mock-time.ts';
import { type JsonObject, objectOf, objectsOf, pick } from '../../sandbox/json.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { tabled } from '../../sandbox/tables.ts';

const WANTED = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const ROOT = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';

function furnished(t: TestContext): Sandbox {
  mockTime(t);
  const sandbox = createSandbox();
  const metadata = { namespace: 'default', name: 'web' };
  sandbox.create('configmaps', { metadata, data: { a: '1', b: '2' }, binaryData: { c: '' } });
  sandbox.create('secrets', { metadata, stringData: { a: '1' } });
  for (const resource of ['deployments', 'statefulsets', 'daemonsets'])
    sandbox.create(resource, {
      metadata,
      spec: {
        replicas: 2,
        template: {
          metadata: { labels: { of: resource } },
          spec: { containers: [{ name: 'app', image: 'app:1' }] },
        },
      },
    });
  const about = { kind: 'Deployment', namespace: 'default', name: 'web' };
  const event = { type: 'Normal', reason: 'Tested', message: 'well', lastTimestamp: '1970-01-01T00:00:00Z' };
  sandbox.create('events', { metadata, involvedObject: about, ...event });
  for (let ms = 0; ms < 5000; ms += 10) t.mock.timers.tick(10);
  return sandbox;
}

async function asked(sandbox: Sandbox, path: string, headers: ApiRequest['headers'] = { accept: WANTED }) {
  const request: ApiRequest = { method: 'GET', path, ...(headers && { headers }) };
  const { status, body } = await tabled(request, await sandbox.handle(request));
  let text = '';
  for await (const piece of body) text += piece;
  return { status, body: JSON.parse(text) as JsonObject };
}

function rowsOf(table: JsonObject): readonly unknown[] {
  return objectsOf(table['rows']).map(({ cells }) => cells);
}

describe('a table', () => {
  const lists: Record<string, [path: string, row: readonly unknown[]]> = {
    Deployments: [`${APPS}/deployments`, ['web', '2/2', 2, 2, '5s']],
    StatefulSets: [`${APPS}/statefulsets`, ['web', '2/2', '5s']],
    DaemonSets: [`${APPS}/daemonsets`, ['web', 2, 2, 2, 2, '5s']],
    ConfigMaps: [`${ROOT}/configmaps`, ['web', 3, '5s']],
    Secrets: [`${ROOT}/secrets`, ['web', 'Opaque', 1, '5s']],
    Events: [`${ROOT}/events`, ['5s', 'Normal', 'Tested', 'deployment/web', 'well']],
    'one object': [`${ROOT}/configmaps/web`, ['web', 3, '5s']],
  };
  for (const [name, [path, row]] of Object.entries(lists)) {
    test(`of ${name}`, async (t) => {
      const { body } = await asked(furnished(t), path);
      assert.equal(body['kind'], 'Table');
      assert.deepEqual(rowsOf(body), [row]);
      assert.equal(objectsOf(body['columnDefinitions']).length, row.length);
      assert.equal(pick(objectsOf(body['rows'])[0], 'object', 'metadata', 'name'), 'web');
    });
  }

  test('of pods says which are ready', async (t) => {
    const sandbox = furnished(t);
    const { body } = await asked(sandbox, `${ROOT}/pods`);
    assert.equal(rowsOf(body).length, 6);
    for (const row of rowsOf(body)) assert.deepEqual((row as unknown[]).slice(1, 3), ['1/1', 'Running']);
  });

  const ages: Record<string, number> = {
    '119s': 119,
    '2m': 120,
    '179m': 10_799,
    '3h': 10_800,
    '2d': 172_800,
  };
  for (const [age, seconds] of Object.entries(ages)) {
    test(`gives the age of ${seconds} seconds as ${age}`, async (t) => {
      mockTime(t);
      const sandbox = createSandbox();
      sandbox.create('configmaps', { metadata: { name: 'web' } });
      t.mock.timers.setTime(seconds * 1000);
      const { body } = await asked(sandbox, `${ROOT}/configmaps`);
      assert.deepEqual(rowsOf(body), [['web', 0, age]]);
    });
  }

  test('comes in each event of a watch, however the stream is cut into pieces', async () => {
    const event = { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'ä' }, data: { a: '1' } } };
    const text = `${JSON.stringify(event)}\n`.repeat(2);
    async function* body(): AsyncGenerator<string> {
      yield text.slice(0, 30);
      yield text.slice(30, -20);
      yield text.slice(-20);
    }
    const request: ApiRequest = {
      method: 'GET',
      path: `${ROOT}/configmaps?watch=true`,
      headers: { accept: WANTED },
    };
    const response = await tabled(request, { status: 200, headers: {}, body: body() });
    const lines: JsonObject[] = [];
    for await (const line of response.body) lines.push(JSON.parse(String(line)));
    assert.deepEqual(
      lines.map(({ type, object }) => [type, objectOf(object)['kind'], rowsOf(objectOf(object))]),
      lines.map(() => ['ADDED', 'Table', [['ä', 1, '<unknown>']]]),
    );
    assert.equal(lines.length, 2);
  });
});

describe('no table', () => {
  test('is given to those who do not ask for one', async (t) => {
    const { body } = await asked(furnished(t), `${ROOT}/configmaps`, { accept: 'application/json' });
    assert.equal(body['kind'], 'ConfigMapList');
  });

  test('is made of a kind without columns, which kubectl prints with name and age', async (t) => {
    const { body } = await asked(furnished(t), '/api/v1/namespaces');
    assert.equal(body['kind'], 'NamespaceList');
  });

  test('is made of an error', async (t) => {
    const { status, body } = await asked(furnished(t), `${ROOT}/configmaps/none`);
    assert.deepEqual([status, body['kind']], [404, 'Status']);
  });
});
