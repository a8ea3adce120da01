/** What `helm test` starts, as a process: it rolls a canary where a reloader runs, and leaves nothing behind either way. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type { PolicyRule } from '../../lib/kubernetes/permissions.ts';
import { render, skipWithoutHelm } from '../install/chart.ts';
import { rightsOf } from '../install/installation.ts';
import { type JsonObject, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { Cluster } from './harness.ts';

const skip = skipWithoutHelm();
const NAME = 'web-reloader-canary';

function canary(): Readonly<Record<string, JsonObject>> {
  const objects = render({}, { release: 'web', namespace: 'default' });
  const its = objects.filter((object) => pick(object, 'metadata', 'name') === NAME);
  return Object.fromEntries(its.map((object) => [String(object['kind']), object]));
}

/** Runs what the container does, at the sandbox; answers its exit code and what it wrote. */
async function run(cluster: Cluster, seconds: string): Promise<{ code: unknown; said: string }> {
  const [container] = objectsOf(pick(canary()['Pod'], 'spec', 'containers'));
  const [program, ...words] = [container?.['command'], container?.['args']].flat() as string[];
  const given = objectsOf(container?.['env']).map(({ name, value }) => [name, value]);
  assert.equal(program, '/usr/local/bin/node');
  const config = JSON.parse(readFileSync(cluster.file('kubeconfig'), 'utf8')) as {
    clusters: { cluster: { server: string } }[];
  };
  writeFileSync(cluster.file('token'), 'token\n');
  const env = {
    ...(Object.fromEntries(given) as Record<string, string>),
    API_SERVER: config.clusters[0]?.cluster.server,
    TOKEN_FILE: cluster.file('token'),
    NODE_EXTRA_CA_CERTS: '',
    SECONDS: seconds,
  };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, said: (await texts).join('') };
}

function leftIn({ sandbox }: Cluster): unknown[] {
  return ['configmaps', 'deployments'].flatMap((resource) => sandbox.get(resource, 'default', NAME) ?? []);
}

describe('the canary of helm test', { skip }, () => {
  test('is rolled, and deleted, with the rights that it has and no others', async () => {
    await using cluster = await Cluster.start();
    await cluster.reloader();
    const { code, said } = await run(cluster, '60');
    assert.match(said, new RegExp(`^Deployment ${NAME} was rolled$`, 'm'));
    assert.equal(code, 0);
    assert.deepEqual(leftIn(cluster), []);
    const rules = objectsOf(canary()['Role']?.['rules']) as unknown as readonly PolicyRule[];
    const granted = rules.flatMap((rule) => rightsOf('default', rule));
    const asked = cluster.audits
      .filter(({ userAgent }) => !userAgent.includes('reloader'))
      .map(({ verb, resource, name }) => {
        const group = resource === 'configmaps' ? '' : 'apps';
        return `default: ${verb} ${group}/${resource}${verb === 'create' ? '' : ` ${name}`}`;
      });
    assert.deepEqual([...new Set(asked)].sort(), granted.sort());
  });

  test('is deleted where no reloader runs, and the test fails', async () => {
    await using cluster = await Cluster.start();
    const { code, said } = await run(cluster, '2');
    assert.match(said, /was not rolled within 2 s: the log of the reloader says why/);
    assert.equal(code, 1);
    assert.deepEqual(leftIn(cluster), []);
  });

  test('is a program in which the kubelet replaces nothing', () => {
    const [container] = objectsOf(pick(canary()['Pod'], 'spec', 'containers'));
    assert.doesNotMatch(JSON.stringify(container?.['args']), /\$\(|\$\$/);
    const image = stringOf(container?.['image']);
    const deployment = render().find(({ kind }) => kind === 'Deployment');
    const [reloader] = objectsOf(pick(deployment, 'spec', 'template', 'spec', 'containers'));
    assert.equal(image, reloader?.['image']);
  });

  test('is not there where nothing would roll it', () => {
    const hidden = [
      { config: { dryRun: true } },
      { config: { dialects: ['stakater'] } },
      { config: { ignoredWorkloadTypes: ['deployments'] } },
      { reloader: { webhookUrl: 'http://a.example.com' } },
      { reloader: { ignoreConfigMaps: true } },
      { reloader: { namespaceSelector: 'a=b' } },
      { reloader: { resourceLabelSelector: 'a=b' } },
      { reloader: { ignoreNamespaces: 'ci, tools' } },
    ];
    for (const values of hidden) {
      const names = render(values).map((object) => pick(object, 'metadata', 'name'));
      assert.ok(!names.includes(NAME), JSON.stringify(values));
    }
    assert.ok(render({ reloader: { ignoreSecrets: true } }).some(({ kind }) => kind === 'Pod'));
  });
});
