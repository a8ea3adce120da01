/** `reloader migrate` as a process: what it writes, and what it refuses. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
let folder = '';
before(async () => {
  cluster = await openScene();
  kubeconfig = cluster.file('kubeconfig');
  put(cluster, { kind: 'Secret', namespace: 'billing', name: 'tls' }, SECRET);
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-migrate-'));
});
after(async () => {
  rmSync(folder, { recursive: true });
  await cluster[Symbol.asyncDispose]();
});

test('it says the same in JSON and YAML, and writes nothing to the cluster', async () => {
  const writes = cluster.writes().length;
  const json = await run(`${COMMAND} -o json`, kubeconfig);
  const yaml = await run(`${COMMAND} -o yaml`, kubeconfig);
  assert.equal(json.code, 2, json.stderr);
  assert.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
  assert.deepEqual((JSON.parse(json.stdout) as Migration).takeOver, { rollouts: [], unknown: [] });
  assert.equal(cluster.writes().length, writes);
  assert.ok(!json.stdout.includes(SECRET) && !json.stdout.includes('\u001b['));
});

test('it writes values and an overlay, and overwrites neither without --force', async () => {
  const [values, overlay] = [path.join(folder, 'values.yaml'), path.join(folder, 'overlay')];
  const line = `${COMMAND} --values ${values} --overlay ${overlay}`;
  const first = await run(line, kubeconfig);
  assert.equal(first.code, 2, first.stderr);
  assert.partialDeepStrictEqual(parse(readFileSync(values, 'utf8')), { reloader: { ignoreSecrets: true } });
  const written = parse(readFileSync(path.join(overlay, 'kustomization.yaml'), 'utf8')) as Record<
    string,
    string[]
  >;
  assert.ok(existsSync(path.resolve(overlay, written['resources']?.[0] ?? '')), 'the folder of k8s is there');
  assert.deepEqual(
    written['components']?.map((each) => path.basename(each)),
    ['no-secrets', 'cron-jobs', 'jobs'],
  );
  const again = await run(line, kubeconfig);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /values\.yaml exists: --force overwrites it/);
  assert.equal((await run(`${line} --force`, kubeconfig)).code, 2);
});

test('it writes values to the standard output, from values of the standard input', async () => {
  const theirs = `image: {tag: v1.4.21}\nreloader: {namespaces: [billing], watchGlobally: false, webhookUrl: "https://${SECRET}"}\n`;
  const { code, stdout } = await run(`${COMMAND} -f - --values -`, kubeconfig, theirs);
  assert.equal(code, 2);
  assert.deepEqual(parse(stdout), { reloader: { namespaces: ['billing'], watchGlobally: false } });
  assert.ok(!stdout.includes(SECRET));
});

const WRONG: Readonly<Record<string, readonly [line: string, code: number, says: RegExp, input?: string]>> = {
  'another reloader': ['reloader migrate --from fabric8', 64, /migrate: .*stakater, collaborne, sap, wave/],
  'no reloader': ['reloader migrate', 64, /--from/],
  'a Deployment that does not exist': [`${COMMAND} --deployment a/b`, 1, /Deployment a\/b does not exist/],
  'a file that does not exist': [`${COMMAND} -f none.yaml`, 1, /none\.yaml cannot be read \(ENOENT\)/],
  'no YAML': [`${COMMAND} -f -`, 1, /^reloader migrate: stdin is no YAML with values\n$/, `a: [${SECRET}`],
  'values where there is no chart': ['reloader migrate --from collaborne -f -', 1, /has no chart/, 'a: b'],
};
for (const [name, [line, code, says, input]] of Object.entries(WRONG))
  test(`it says in one line that there is ${name}`, async () => {
    const ended = await run(line, kubeconfig, input);
    assert.equal(ended.code, code);
    assert.equal(ended.stdout, '');
    assert.match(ended.stderr, says);
    assert.ok(!ended.stderr.includes(SECRET));
  });

test('a file that cannot be written is an error', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const { code, stderr } = await run(`${COMMAND} --values ${file}/values.yaml`, kubeconfig);
  assert.equal(code, 1);
  assert.match(stderr, /cannot be written \(E(NOTDIR|EXIST)\)/);
});
