/** The command as a process: what it prints, what it refuses, what it must not be misled by. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { Cluster } from './harness.ts';
import { configMap, pair, put } from './manifests.ts';
import { type Exit, ReloaderProcess } from './reloader-process.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reloader-usage-'));
});
after(() => rm(folder, { recursive: true }));

interface Result extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command to its end. */
async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  const process = new ReloaderProcess(argv, { HOME: folder, ...env });
  const exit = await process.ended;
  return { ...exit, stdout: process.stdout, stderr: process.stderr };
}

/** What is refused before anything begins: without a kubeconfig of its own each of them names what was expected. */
const REFUSED: Record<string, { argv: string[]; env?: Record<string, string>; says: RegExp }> = {
  'an unknown flag, with a suggestion': {
    argv: ['--namspace', 'web'],
    says: /unknown flag "--namspace": expected --namespace/,
  },
  'an unknown flag that resembles none': { argv: ['--frobnicate=secret'], says: /--help lists/ },
  'a bad port in a variable': {
    argv: [],
    env: { RELOADER_OPT_PORT: '70000' },
    says: /RELOADER_OPT_PORT: expected a whole number from 0 to 65535, got "70000"/,
  },
  'a server with a password': {
    argv: ['-s', 'https://me:hush-hush@x'],
    says: /--server: expected an http/,
  },
  'a proxy that cannot be used': {
    argv: ['-s', 'http://127.0.0.1:1', '--webhook-url', 'https://hooks.invalid'],
    env: { HTTPS_PROXY: 'http://me:hush-hush@proxy:99999' },
    says: /HTTPS_PROXY: expected the URL of a proxy$/m,
  },
  'no API server': { argv: [], says: /no API server: .*say where it is with --kubeconfig or --server/ },
  'a kubeconfig that does not exist': {
    argv: ['--kubeconfig', '/nowhere'],
    says: /--kubeconfig: \/nowhere cannot be read \(ENOENT\)/,
  },
  'a token file that does not exist': {
    argv: ['-s', 'http://127.0.0.1:1', '--token-file', '/nowhere'],
    says: /--token-file: \/nowhere cannot be read \(ENOENT\)/,
  },
};

describe('the command ends with 64 and one line that quotes no secret for', { concurrency: 3 }, () => {
  for (const [name, { argv, env, says }] of Object.entries(REFUSED)) {
    test(name, async () => {
      const { code, stdout, stderr } = await run(argv, env);
      assert.equal(code, 64);
      assert.equal(stdout, '');
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.ok(!/hush-hush|=secret/.test(stderr));
    });
  }

  test('a kubeconfig that cannot be parsed', async () => {
    const file = path.join(folder, 'kubeconfig');
    await writeFile(file, 'users: [hush-hush\n  : token: "hush-hush');
    for (const [argv, env] of [
      [['--kubeconfig', file], {}],
      [[], { KUBECONFIG: file }],
    ] as const) {
      const { code, stderr } = await run(argv, env);
      assert.equal(code, 64, stderr);
      assert.ok(stderr.includes(file), stderr);
      assert.ok(!/hush-hush/.test(stderr), stderr);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
  });
});

describe('the command', { concurrency: 3 }, () => {
  test('shows its help, whatever else is asked', async () => {
    const { code, stdout, stderr } = await run(['run', '--help', '--namespace', 'Web']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.match(stdout, /Examples:\n/);
    assert.match(stdout, /--coalesce-period <duration>/);
  });

  test('shows its version', async () => {
    assert.deepEqual(await run(['--version']), {
      code: 0,
      signal: null,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test('takes the place of Stakater Reloader with its arguments and variables, in every namespace', async () => {
    await using cluster = await Cluster.start({ namespaces: ['default', 'one'] });
    const webs = [await pair(cluster, 'web'), await pair(cluster, 'web', 'one')];
    const flags = ['--enable-ha=true', '--is-Argo-Rollouts=false', '--pprof-addr', ':6060'];
    const env = { RELOADER_NAMESPACE: 'default', RELOADER_DEPLOYMENT_NAME: 'reloader-reloader' };
    const reloader = await cluster.reloader({ flags, env });
    for (const { namespace } of webs) put(cluster, configMap('web', namespace), 'two');
    await cluster.podsAreCurrent(...webs);
    await cluster.settled(reloader);
    assert.ok(
      reloader.says(/watches all namespaces \(the default of Stakater Reloader, whose --is-Argo-Rollouts/),
    );
    assert.deepEqual(cluster.entries(), ['one_v1.ConfigMap_web', 'v1.ConfigMap_web']);
    const warnings = reloader.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    assert.deepEqual(
      warnings.map((message) => message.slice(0, message.indexOf(':'))),
      ['--pprof-addr has no effect'],
    );
  });

  test('ends with 1 and says so when its port is taken', async () => {
    await using cluster = await Cluster.start();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, () => resolve()));
    const { port } = other.address() as AddressInfo;
    const reloader = cluster.spawn({ flags: ['--port', `${port}`] });
    assert.deepEqual(await reloader.ended, { code: 1, signal: null });
    assert.equal(reloader.lines.at(-1)?.message, `port ${port} is taken: choose another with --port`);
    assert.equal(cluster.audits.length, 0);
    await new Promise((resolve) => other.close(resolve));
  });
});
