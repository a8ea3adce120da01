/** The image, built from the Dockerfile, holds what it should and does its job as a pod: read-only, as a user with no name. */

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RealCluster } from '../control-plane/cluster.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { installRights } from '../faults/rights.ts';
import { installationIn } from '../install/installation.ts';
import { BUNDLE } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { BuiltImage, cannotBuild } from './image.ts';
import { Stage } from './stage.ts';

const skip = cannotBuild();
/** Beside the program: Node, its libraries, their licences and what tells a scanner their versions. */
const EXPECTED =
  /^(etc\/os-release|lib(64)?\/[\w/-]*(ld-linux|lib(c|dl|gcc_s|m|pthread|stdc\+\+))[\w.-]*\.so\.\d|usr\/local\/(bin\/node|LICENSE)|usr\/share\/doc\/[\w+-]+\/copyright|var\/lib\/dpkg\/status\.d\/[\w+-]+)$/;
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The files below a folder, with their digests. */
function digestsIn(folder: string): Record<string, string> {
  const names = globSync('*', { cwd: folder }).sort();
  return Object.fromEntries(names.map((name) => [name, digestOf(path.join(folder, name))]));
}

describe('the image', { skip, concurrency: 1 }, () => {
  let image: BuiltImage | undefined;
  let cluster: RealCluster | undefined;
  // One after the other: the builder leaves no turn to what is connected.
  before(async () => {
    image = new BuiltImage();
    cluster = await startCluster();
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    image?.[Symbol.dispose]();
  });

  test('holds the Node that the tests run on, its libraries and the program; no shell, npm or apt', () => {
    assert.ok(image);
    const root = image.mount();
    const files = globSync('**/*', { cwd: root, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith('app/'));
    assert.ok(files.includes('usr/local/bin/node'));
    assert.deepEqual(
      files.filter((file) => !EXPECTED.test(file)),
      [],
    );
    assert.equal(digestOf(path.join(root, 'usr/local/bin/node')), digestOf(process.execPath));
  });

  test('holds byte for byte the bundle that is built outside', () => {
    assert.ok(image);
    assert.deepEqual(digestsIn(path.join(image.mount(), 'app/dist')), digestsIn(path.dirname(BUNDLE)));
  });

  test('says what it is', () => {
    assert.ok(image);
    const labels = pick(image.inspect(), 'Labels') as Record<string, string>;
    const own = Object.keys(labels).filter((name) => name.startsWith('org.opencontainers.image.'));
    assert.deepEqual(own.map((name) => name.replace(/.*\./, '')).sort(), [
      'description',
      'licenses',
      'title',
    ]);
  });

  test('becomes ready, read-only and as user 65532, and rolls a workload', async () => {
    assert.ok(image && cluster);
    await using stage = await Stage.open(cluster);
    const { namespace } = stage;
    await installRights(cluster, namespace);
    const workload = await stage.createPair();
    const name = `reloader-${randomBytes(4).toString('hex')}`;
    const { url, ca, folder } = cluster.access;
    const account = path.join(folder, name);
    mkdirSync(account);
    const token = await cluster.serviceAccountToken(namespace, 'reloader');
    const files = { token, namespace, 'ca.crt': ca };
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(account, file), text);
    const { hostname, port } = new URL(url);
    const env = {
      ...installationIn('base').env,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      KUBERNETES_NAMESPACE: namespace,
    };
    const options = [
      ...Object.entries(env).map(([variable, value]) => `--env=${variable}=${value}`),
      `--volume=${account}:${ACCOUNT}:ro`,
    ];
    const flags = ['--namespace', namespace, '--health-port', '0', '--coalesce-period', '100ms'];
    const reloader = stage.start(flags, {}, image.command(name, options));
    await stage.ready(reloader);

    const proc = `/proc/${image.pidOf(name)}`;
    const status = readFileSync(`${proc}/status`, 'utf8');
    assert.match(status, /^Uid:\t65532\t65532\t65532\t65532$/m);
    assert.match(status, /^CapEff:\t0+$/m);
    const [root = ''] = /^\S+ \/ .*$/m.exec(readFileSync(`${proc}/mounts`, 'utf8')) ?? [];
    assert.match(root, / \/ \w+ ro,/);

    await stage.changeAndRoll(workload, 'B');
    await stage.settled(reloader);
    assert.equal(await stage.revision(workload), 2);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  });
});
