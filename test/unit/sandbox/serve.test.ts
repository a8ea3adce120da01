/** The sandbox over HTTP: tokens, faults as broken connections, and kubectl where it is installed. */

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { kubeconfig, serve } from '../../sandbox/serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const run = promisify(execFile);

describe('over HTTP', () => {
  test('a token that is not among the accepted ones is 401; they may be rotated; no token is the administrator', async () => {
    const tokens = new Set(['old']);
    await using served = await serve(createSandbox().handle, { tokens });
    const status = async (token?: string): Promise<number> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(served.url + CONFIG_MAPS, { headers });
      await response.text();
      return response.status;
    };
    assert.deepEqual([await status('old'), await status('new'), await status()], [200, 401, 200]);
    tokens.clear();
    tokens.add('new');
    assert.deepEqual([await status('old'), await status('new')], [401, 200]);
  });

  test('a request that is refused or lost is a connection that breaks', async () => {
    const sandbox = createSandbox();
    await using served = await serve(sandbox.handle);
    for (const kind of ['refused', 'lost'] as const) {
      sandbox.addFault({ match: { verb: 'list' }, effect: { kind } });
      await assert.rejects(fetch(served.url + CONFIG_MAPS));
    }
    assert.equal((await fetch(served.url + CONFIG_MAPS)).status, 200);
  });

  test('closing ends the watches that are open', async () => {
    const sandbox = createSandbox();
    const served = await serve(sandbox.handle);
    const response = await fetch(`${served.url}${CONFIG_MAPS}?watch=1`);
    const read = assert.rejects(response.text());
    assert.equal(sandbox.openWatches().length, 1);
    await served.close();
    await read;
    sandbox.close();
  });
});

const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0;

describe('kubectl', { skip: !HAS_KUBECTL && 'kubectl is not on PATH' }, () => {
  test('creates, gets, patches and deletes ConfigMaps and Deployments', async () => {
    await withKubectl(async (kubectl, sandbox, folder) => {
      const file = path.join(folder, 'web.json');
      await writeFile(file, JSON.stringify(DEPLOYMENT));
      assert.match(await kubectl('create', 'configmap', 'web', '--from-literal=key=value'), /created/);
      assert.match(await kubectl('create', '-f', file), /created/);
      assert.equal(await kubectl('get', 'configmap', 'web', '-o', 'jsonpath={.data.key}'), 'value');
      assert.match(await kubectl('get', 'deployments'), /^NAME +READY .*\nweb +[01]\/1 /);
      assert.match(await kubectl('patch', 'configmap', 'web', '-p', '{"data":{"key":"new"}}'), /patched/);
      assert.deepEqual(sandbox.get('configmaps', 'default', 'web')?.['data'], { key: 'new' });
      const env = {
        spec: { template: { spec: { containers: [{ name: 'app', env: [{ name: 'A', value: '1' }] }] } } },
      };
      assert.match(await kubectl('patch', 'deployment', 'web', '-p', JSON.stringify(env)), /patched/);
      assert.match(await kubectl('delete', 'deployment/web', 'configmap/web'), /deleted/);
      assert.deepEqual([sandbox.list('deployments'), sandbox.list('configmaps')], [[], []]);
    });
  });

  test('says what the server says when it refuses', async () => {
    await withKubectl(async (kubectl) => {
      const refused = kubectl('get', 'configmap', 'none');
      await assert.rejects(refused, /Error from server \(NotFound\): configmaps "none" not found/);
    });
  });
});

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    },
  },
};

type Kubectl = (...words: readonly string[]) => Promise<string>;

async function withKubectl(
  use: (kubectl: Kubectl, sandbox: Sandbox, folder: string) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox();
  const served = await serve(sandbox.handle);
  const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig(served.url));
  const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: file };
  try {
    await use(
      async (...words) => (await run('kubectl', words, { env, timeout: 60_000 })).stdout,
      sandbox,
      folder,
    );
  } finally {
    sandbox.close();
    await served.close();
    await rm(folder, { recursive: true });
  }
}
