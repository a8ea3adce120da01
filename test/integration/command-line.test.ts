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

describe('a command line that is not understood ends with 64 and one line', { concurrency: 3 }, () => {
  const cases: Record<string, { argv: string[]; env?: Record<string, string>; says: RegExp }> = {
    'an unknown flag, with a suggestion': {
      argv: ['--namspace', 'web'],
      says: /unknown flag "--namspace": expected --namespace/,
    },
    'an unknown flag that resembles none': { argv: ['--frobnicate=secret'], says: /--help lists/ },
    'an argument': { argv: ['run'], says: /expected only flags, but argument 1 belongs to none/ },
    'a flag without its value': { argv: ['--token'], says: /--token: expected a value/ },
    'a bad duration': {
      argv: ['--coalesce-period', 'soon'],
      says: /--coalesce-period: expected a duration.*"soon"/,
    },
    'a maximum wait below the period': {
      argv: ['--coalesce-period', '10s', '--coalesce-max-wait', '5s'],
      says: /--coalesce-max-wait: expected at least the period of 10000 ms/,
    },
    'a bad namespace': {
      argv: ['--namespace', 'Web'],
      says: /--namespace: expected the name of a namespace.*"Web"/,
    },
    'a bad annotation key': {
      argv: ['--alternative-secret-annotation', 'a/b/c'],
      says: /--alternative-secret-annotation: expected an annotation key/,
    },
    'a bad port in a variable': {
      argv: [],
      env: { RELOADER_OPT_PORT: '70000' },
      says: /RELOADER_OPT_PORT: expected a whole number from 0 to 65535, got "70000"/,
    },
    'a bad boolean': { argv: ['--dry-run=maybe'], says: /--dry-run: expected true or false/ },
    'both kinds ignored': {
      argv: ['--ignored-config-resource-types', 'v1.ConfigMap,v1.Secret'],
      says: /not both: nothing would be watched/,
    },
    'a token and a token file': {
      argv: ['--token', 'hush-hush', '--token-file', 'x'],
      says: /--token or --token-file, not both/,
    },
    'a certificate without its key': {
      argv: ['--cert', 'x'],
      says: /--client-certificate and --client-key together/,
    },
    'a server with a password': {
      argv: ['-s', 'https://me:hush-hush@x'],
      says: /--server: expected an http/,
    },
  };
  for (const [name, { argv, env, says }] of Object.entries(cases)) {
    test(name, async () => {
      const { code, stdout, stderr } = await run(argv, env);
      assert.equal(code, 64);
      assert.equal(stdout, '');
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.ok(!/hush-hush|=secret/.test(stderr));
    });
  }
});

describe('a kubeconfig that cannot be used ends with 64, is named, and is not quoted', {
  concurrency: 3,
}, () => {
  const contents: Record<string, string> = {
    'that is no YAML': 'users: [hush-hush\n  : token: "hush-hush',
    'that is something else': '- hush-hush\n- token: hush-hush\n',
    'that is a text': 'hush-hush',
    'that is empty': '',
    'whose context names no cluster': JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'hush-hush', user: 'hush-hush' } }],
      users: [{ name: 'hush-hush', user: { token: 'hush-hush' } }],
      clusters: [],
    }),
  };
  for (const [name, content] of Object.entries(contents)) {
    for (const place of ['--kubeconfig', 'KUBECONFIG']) {
      test(`${name} (${place})`, async () => {
        const file = path.join(folder, `${name.replaceAll(' ', '-')}-${place.length}`);
        await writeFile(file, content);
        const isFlag = place === '--kubeconfig';
        const { code, stderr } = await run(
          ['--port', '0', ...(isFlag ? [place, file] : [])],
          isFlag ? {} : { [place]: file },
        );
        assert.equal(code, 64, stderr);
        assert.ok(stderr.includes(file), stderr);
        assert.ok(!/hush-hush/.test(stderr), stderr);
        assert.equal(stderr.trimEnd().split('\n').length, 1);
      });
    }
  }

  test('that does not exist', async () => {
    const file = path.join(folder, 'nowhere');
    const { code, stderr } = await run(['--port', '0', '--kubeconfig', file]);
    assert.equal(code, 64);
    assert.match(stderr, /--kubeconfig: .*nowhere cannot be read \(ENOENT\)/);
  });

  test('that is not there at all', async () => {
    const { code, stderr } = await run(['--port', '0']);
    assert.equal(code, 64);
    assert.match(stderr, /no API server: .*say where it is with --kubeconfig or --server/);
  });

  test('whose token file does not exist', async () => {
    const { code, stderr } = await run([
      '-s',
      'http://127.0.0.1:1',
      '--token-file',
      path.join(folder, 'none'),
    ]);
    assert.equal(code, 64);
    assert.match(stderr, /--token-file: .*none cannot be read \(ENOENT\)/);
  });
});

test('a proxy that cannot be used ends with 64, is named, and is not quoted', async () => {
  const argv = ['-s', 'http://127.0.0.1:1', '--port', '0', '--webhook-url', 'https://hooks.invalid'];
  const { code, stderr } = await run(argv, { HTTPS_PROXY: 'http://me:hush-hush@proxy:99999' });
  assert.equal(code, 64, stderr);
  assert.match(stderr, /HTTPS_PROXY: expected the URL of a proxy$/m);
  assert.ok(!/hush-hush/.test(stderr), stderr);
});

describe('the command', { concurrency: 3 }, () => {
  test('shows its help, whatever else is asked', async () => {
    const { code, stdout, stderr } = await run(['--help', '--namespace', 'Web']);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.match(stdout, /Examples:\n/);
    assert.match(stdout, /--coalesce-period <duration>/);
    assert.ok(stdout.split('\n').every((line) => line.length <= 120));
  });

  test('shows its version', async () => {
    assert.deepEqual(await run(['--version']), {
      code: 0,
      signal: null,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test('does not mind the variables that Services bring', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const env = {
      RELOADER_PORT: 'tcp://10.0.0.1:8080',
      RELOADER_PORT_8080_TCP_ADDR: '10.0.0.1',
      RELOADER_SERVICE_HOST: '10.0.0.1',
    };
    const reloader = await cluster.reloader({ env });
    put(cluster, configMap('web'), 'two');
    await cluster.podsAreCurrent(web);
    assert.ok(reloader.says(/watches namespace default \(its own\)/));
    assert.ok(!reloader.lines.some(({ level }) => level === 'warn'), reloader.stderr);
  });

  test('takes the place of Stakater Reloader with its arguments and variables, in every namespace', async () => {
    await using cluster = await Cluster.start({ namespaces: ['default', 'one'] });
    const webs = [await pair(cluster, 'web'), await pair(cluster, 'web', 'one')];
    const flags = ['--enable-ha=true', '--is-Argo-Rollouts=true', '--pprof-addr', ':6060'];
    const env = { RELOADER_NAMESPACE: 'default', RELOADER_DEPLOYMENT_NAME: 'reloader-reloader' };
    const reloader = await cluster.reloader({ flags, env });
    for (const { namespace } of webs) put(cluster, configMap('web', namespace), 'two');
    await cluster.podsAreCurrent(...webs);
    await cluster.settled(reloader);
    assert.ok(reloader.says(/watches all namespaces \(the default of Stakater Reloader, whose --enable-ha/));
    assert.deepEqual(Object.keys(cluster.state()).sort(), ['one_v1.ConfigMap_web', 'v1.ConfigMap_web']);
    const warnings = reloader.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    assert.deepEqual(
      warnings.map((message) => message.slice(0, message.indexOf(':'))),
      ['--pprof-addr has no effect', '--is-Argo-Rollouts has no effect'],
    );
  });

  test('takes its settings from variables, and says which are none', async () => {
    await using cluster = await Cluster.start({ namespaces: ['default', 'one'] });
    const web = await pair(cluster, 'web', 'one');
    const env = {
      RELOADER_OPT_NAMESPACE: 'one',
      RELOADER_OPT_STATE_NAMESPACE: 'default',
      RELOADER_OPT_LOG_LEVLE: 'debug',
      KUBERNETES_NAMESPACE: 'default',
    };
    const reloader = await cluster.reloader({ env });
    put(cluster, configMap('web', 'one'), 'two');
    await cluster.podsAreCurrent(web);
    assert.ok(reloader.says(/watches namespace one \(RELOADER_OPT_NAMESPACE\)/));
    assert.ok(reloader.says(/RELOADER_OPT_LOG_LEVLE is ignored.*did you mean RELOADER_OPT_LOG_LEVEL/));
  });

  test('accepts the flags that the original never read, with a line for each', async () => {
    await using cluster = await Cluster.start();
    const flags = ['--resource-type', 'deployments', '--username', 'me', '--password=hush-hush'];
    const reloader = await cluster.reloader({ flags });
    for (const flag of ['--resource-type', '--username', '--password'])
      assert.ok(
        reloader.lines.some(
          ({ level, message }) => level === 'warn' && message.startsWith(`${flag} has no effect`),
        ),
      );
    assert.ok(!/hush-hush/.test(reloader.stderr));
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

  test('writes a text log unless told otherwise', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'web');
    const flags = ['--log-format', 'text', '--log-level', 'info'];
    const reloader = cluster.spawn({ flags });
    await cluster.until('it is ready', () => /everything is listed/.test(reloader.stderr));
    await reloader.stop();
    const form = /^\d{4}-\d\d-\d\dT[\d:.]+Z (INFO |WARN ) \S/;
    const lines = reloader.stderr.trimEnd().split('\n');
    assert.deepEqual(
      lines.filter((line) => !form.test(line)),
      [],
    );
    assert.match(reloader.stderr, /Deployment\/web follows ConfigMap\/web \(baseline/);
  });
});
