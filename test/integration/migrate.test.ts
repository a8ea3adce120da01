/** `reloader migrate` as a process: what it says, and what it refuses. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import type { Migration } from '../../lib/commands/migrate/migration.ts';
import { openScene, run } from '../tour/tour.ts';
import type { Cluster } from './harness.ts';
import { put } from './manifests.ts';

const SECRET = 'hush-hush';
const COMMAND = 'reloader migrate --from stakater -n billing';
let cluster: Cluster;
let kubeconfig = '';
before(async () => {
  cluster = await openScene();
  kubeconfig = cluster.file('kubeconfig');
  put(cluster, { kind: 'Secret', namespace: 'billing', name: 'tls' }, SECRET);
});
after(async () => {
  await cluster[Symbol.asyncDispose]();
});

test('it says the same in JSON and YAML, and writes nothing to the cluster', async () => {
  const writes = cluster.writes().length;
  const json = await run(`${COMMAND} -o json`, kubeconfig);
  const yaml = await run(`${COMMAND} -o yaml`, kubeconfig);
  assert.equal(json.code, 2, json.stderr);
  assert.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
  assert.deepEqual((JSON.parse(json.stdout) as Migration).unknown, []);
  assert.equal(cluster.writes().length, writes);
  assert.ok(!json.stdout.includes(SECRET) && !json.stdout.includes('\u001b['));
});

test('what may not be read makes the answer unknown', async () => {
  cluster.sandbox.denied.push({ resource: 'statefulsets' });
  cluster.intercept = ({ path }) =>
    path.includes('/statefulsets') ? { status: 403, headers: {}, body: textOf('Forbidden') } : undefined;
  const { code, stdout } = await run(`${COMMAND} -o json`, kubeconfig);
  cluster.sandbox.denied.length = 0;
  cluster.intercept = () => undefined;
  assert.equal(code, 3);
  assert.deepEqual((JSON.parse(stdout) as Migration).unknown, [
    'StatefulSet in billing: you may not list it',
  ]);
});

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}

const WRONG: Readonly<Record<string, readonly [line: string, code: number, says: RegExp]>> = {
  'another reloader': ['reloader migrate --from fabric8', 64, /migrate: .*stakater, collaborne/],
  'no reloader': ['reloader migrate', 64, /--from/],
  'a Deployment that does not exist': [`${COMMAND} --deployment a/b`, 1, /Deployment a\/b does not exist/],
};
for (const [name, [line, code, says]] of Object.entries(WRONG))
  test(`it says in one line that there is ${name}`, async () => {
    const ended = await run(line, kubeconfig);
    assert.equal(ended.code, code);
    assert.equal(ended.stdout, '');
    assert.match(ended.stderr, says);
    assert.ok(!ended.stderr.includes(SECRET));
  });
