/** The commands as processes, with the rights of a person and without. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import type { ObjectExplanation } from '../../lib/commands/explain/explain-object.ts';
import type { WorkloadExplanation } from '../../lib/commands/explain/explanation.ts';
import manifest from '../../package.json' with { type: 'json' };
import { openScene, run } from '../tour/tour.ts';
import type { Cluster } from './harness.ts';
import { deploy, put } from './manifests.ts';
import { BUNDLE, ReloaderProcess } from './reloader-process.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const SECRET = 'hush-hush';
let cluster: Cluster;
let kubeconfig = '';
before(async () => {
  cluster = await openScene();
  kubeconfig = cluster.file('kubeconfig');
  put(cluster, { kind: 'Secret', namespace: 'default', name: 'tls' }, SECRET);
  deploy(cluster, 'paid', { follows: { Secret: ['tls'] } });
  deploy(cluster, 'gated', { follows: { ConfigMap: ['web'] } });
  const annotations = { 'reloader.k8s.collaborne.com/approval': 'required' };
  cluster.sandbox.patch('deployments', 'default', 'gated', { metadata: { annotations } });
  const words = {
    held: { ...annotations, [`${NATIVE}/hold`]: 'true' },
    notified: { [`${NATIVE}/notify-only`]: 'true' },
  };
  for (const [name, own] of Object.entries(words)) {
    deploy(cluster, name, { follows: { ConfigMap: ['web'] } });
    cluster.sandbox.patch('deployments', 'default', name, { metadata: { annotations: own } });
  }
  deploy(cluster, 'refused', { follows: { ConfigMap: ['idle'] } });
  const involvedObject = { uid: cluster.sandbox.get('deployments', 'default', 'refused')?.metadata.uid };
  const parts = { reason: 'ReloadRefused', lastTimestamp: '2026-01-31T12:00:00Z', involvedObject };
  const metadata = { namespace: 'default', name: 'refused.1' };
  cluster.sandbox.create('events', { metadata, ...parts, source: { component: 'kubernetes-reloader' } });
  deploy(cluster, 'idle', { follows: {} });
  for (const name of ['idle', 'alone']) put(cluster, { kind: 'ConfigMap', namespace: 'default', name }, 'A');
});
after(() => cluster[Symbol.asyncDispose]());

/** The answer of a command in the format JSON. */
async function answer<T>(line: string, expected = 0): Promise<T> {
  const { code, stdout, stderr } = await run(`${line} -o json`, kubeconfig);
  assert.equal(code, expected, stderr);
  return JSON.parse(stdout) as T;
}

describe('explain', () => {
  test('says the same in JSON and YAML, without colours and without progress', async () => {
    const json = await run('reloader explain deploy/web -o json', kubeconfig);
    const yaml = await run('reloader explain deploy/web -o yaml', kubeconfig);
    assert.deepEqual(parse(yaml.stdout), JSON.parse(json.stdout));
    const text = await run('reloader explain deploy/web', kubeconfig);
    assert.ok(!text.stdout.includes('\u001b['));
    assert.equal(text.stderr, '');
  });

  test('takes kind and name as kubectl does, as one word or two', async () => {
    const one = await answer<WorkloadExplanation>('reloader explain deployment/orders');
    assert.deepEqual(await answer('reloader explain deployment orders'), one);
    assert.deepEqual(one.workload, { kind: 'Deployment', namespace: 'default', name: 'orders' });
  });

  test('says of an object that it does not exist', async () => {
    const { isMissing } = await answer<ObjectExplanation>('reloader explain secret/nope', 1);
    assert.equal(isMissing, true);
  });

  test('writes nothing', async () => {
    const before = cluster.writes().length;
    await run('reloader explain deploy/web', kubeconfig);
    await run('reloader explain cm/web', kubeconfig);
    await run('reloader migrate --from stakater', kubeconfig);
    assert.equal(cluster.writes().length, before);
  });

  test('never shows what is in a Secret', async () => {
    for (const line of ['explain deploy/paid', 'explain secret/tls', 'migrate --from stakater'])
      for (const format of ['text', 'json', 'yaml']) {
        const { stdout, stderr } = await run(`reloader ${line} -o ${format}`, kubeconfig);
        assert.ok(!`${stdout}${stderr}`.includes(SECRET));
        assert.ok(!`${stdout}${stderr}`.includes(Buffer.from(SECRET).toString('base64')));
      }
  });

  const wrong: Readonly<Record<string, { line: string; code: number; says: RegExp }>> = {
    'no name': {
      line: 'reloader explain deploy',
      code: 64,
      says: /^reloader explain: expected <kind\/name>, such as deployment\/web or configmap\/web\n$/,
    },
    'more than one name': {
      line: 'reloader explain deploy web api',
      code: 64,
      says: /expected <kind\/name>/,
    },
    'a kind that nobody knows': {
      line: 'reloader explain deploymnt/web',
      code: 64,
      says: /^reloader explain: "deploymnt" is not a kind that a reloader knows\n$/,
    },
    'a reloader that does not exist': {
      line: 'reloader explain deploy/web --reloader reloader/none',
      code: 1,
      says: /--reloader: Deployment reloader\/none does not exist/,
    },
  };
  for (const [name, { line, code, says }] of Object.entries(wrong))
    test(`says in one line that there is ${name}`, async () => {
      const ended = await run(line, kubeconfig);
      assert.equal(ended.code, code);
      assert.equal(ended.stdout, '');
      assert.match(ended.stderr, says);
    });
});

/** Each command that asks about a namespace, without it. */
const ASKING: readonly string[] = [
  'explain configmap/web',
  'explain deploy/web',
  'graph',
  'plan -f manifests',
  'migrate --from stakater',
  'hold deploy/web',
];

test('a namespace that does not exist is an error, but not if the manifests create it', async () => {
  for (const line of ASKING) {
    const { code, stdout, stderr } = await run(`reloader ${line} -n nowhere`, kubeconfig);
    assert.deepEqual([code, stdout], [1, ''], line);
    assert.match(stderr, /^reloader \w+: namespace nowhere does not exist\n$/);
  }
  const created = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'nowhere' } });
  assert.equal((await run('reloader plan -f - -n nowhere', kubeconfig, created)).code, 0);
});

test('plan exits with 1 where the API server refuses a change', async () => {
  put(cluster, { kind: 'ConfigMap', namespace: 'default', name: 'fixed' }, 'A');
  cluster.sandbox.patch('configmaps', 'default', 'fixed', { immutable: true });
  const metadata = { name: 'fixed' };
  const changed = { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data: { key: 'B' } };
  const { code, stdout } = await run('reloader plan -f -', kubeconfig, JSON.stringify(changed));
  assert.equal(code, 1, stdout);
  assert.match(stdout, /ConfigMap\/fixed is immutable: the API server refuses the change/);
});

/** By the flags of a reloader that does not watch the namespace, what says so. */
const UNWATCHED: Readonly<Record<string, RegExp>> = {
  '--namespace=shop': /the reloader watches shop \(--namespace\), and not default \[namespace-not-watched\]/,
  '-A --namespaces-to-ignore=default':
    /the reloader leaves default out \(--namespaces-to-ignore\) \[namespace-/,
};

test('of a namespace that the reloader of the flags does not watch, nothing else is said', async () => {
  for (const [flags, says] of Object.entries(UNWATCHED))
    for (const line of [
      'explain deploy/web',
      'explain cm/web',
      'graph',
      'graph deploy/web',
      'plan -f change',
    ]) {
      const { code, stdout } = await run(`reloader ${line} --reloader none -- ${flags}`, kubeconfig);
      assert.equal(code, 0, stdout);
      assert.match(stdout.split('\n', 3).join('\n'), says);
      assert.doesNotMatch(stdout, /baseline|out of date|Rollouts|Rolled when|ollows|nknown/);
    }
  const { code, stdout } = await run(
    'reloader graph -A --reloader none -- --namespace=shop,kube-system',
    kubeconfig,
  );
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /^ {2}- the reloader watches shop, kube-system alone: no other namespace is shown \[.*\]\n$/,
  );
});

describe('-f - waits for a producer that is slow', () => {
  const MANIFEST = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'slow' },
    data: {},
  });
  /** Makes the standard input one that answers at once that it has nothing, as a parent may, and says so. */
  const EMPTY = "data:text/javascript,process.stdin.isTTY;process.stderr.write('it%20is%20empty');";

  for (const command of ['check -f -', 'plan -f -'])
    test(`for reloader ${command}`, async () => {
      const child = spawn(
        process.execPath,
        ['--import', EMPTY, BUNDLE, ...command.split(' '), '-o', 'json'],
        {
          env: { KUBECONFIG: kubeconfig },
        },
      );
      const ended = once(child, 'close');
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (words: string) => {
          said[name] += words;
        });
      await once(child.stderr, 'data');
      const middle = MANIFEST.length / 2;
      child.stdin.write(MANIFEST.slice(0, middle), () => child.stdin.end(MANIFEST.slice(middle)));
      assert.deepEqual(await ended, [0, null], said.stderr);
      assert.match(said.stdout, /"objects": (1|\[)/);
    });
});

test('release says that there was no hold, and that one on the namespace goes on', async () => {
  const hold = (value: string | null): unknown =>
    cluster.sandbox.patch('namespaces', undefined, 'default', {
      metadata: { annotations: { 'reloader.k8s.collaborne.com/hold': value } },
    });
  hold('true');
  const line = 'reloader release deploy/web --reloader none -- -A --namespace-annotations';
  assert.equal((await run('reloader hold deploy/web', kubeconfig)).code, 0);
  const { code, stderr } = await run(line, kubeconfig);
  hold(null);
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^Deployment\/web: namespace default is held until its annotation hold is taken away$/m,
  );
  const again = await run(line, kubeconfig);
  assert.deepEqual([again.code, again.stderr], [0, 'Deployment/web was not held\n']);
});

/** By what is written, what has no effect, or goes on. */
const WITHOUT_EFFECT: Readonly<Record<string, RegExp>> = {
  'hold deploy/held': /^Deployment\/held: it needs an approval: kubectl annotate .*\n$/,
  'hold deploy/idle': /^Deployment\/idle: it is rolled for no object now, so that this has no effect yet\n$/,
  'hold deploy/notified': /^Deployment\/notified: it is notify-only: a change is notified/,
  'hold deploy/held --reloader none -- -A --namespace-selector=a': /^Deployment\/held: the namespace /,
  'hold cm/alone': /^ConfigMap\/alone: no workload is rolled for it now, so that this has no effect yet\n$/,
  'release deploy/refused':
    /^Deployment\/refused was not held\nthe last attempt to roll Deployment\/refused in default was refused at 2026-01-31T12:00:00Z\n$/,
  'approve deploy/held': /^Deployment\/held: it is held until its annotation hold is taken away\n$/,
};
for (const [line, says] of Object.entries(WITHOUT_EFFECT))
  test(`${line} says what it does not change`, async () => {
    const { code, stderr } = await run(`reloader ${line}`, kubeconfig);
    assert.equal(code, 0, stderr);
    assert.match(stderr, says);
  });

describe('without rights', () => {
  /** What the API server answers to the person who has no right to it. */
  function refuse(pattern: RegExp, resource: string): void {
    cluster.sandbox.denied.push({ resource });
    const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 };
    cluster.intercept = ({ path: asked }) =>
      pattern.test(asked)
        ? {
            status: 403,
            headers: { 'content-type': 'application/json' },
            body: textOf(JSON.stringify(status)),
          }
        : undefined;
  }
  after(() => {
    cluster.intercept = () => undefined;
    cluster.sandbox.denied.length = 0;
  });

  test('to Secrets, as with the ClusterRole view, all else is answered', async () => {
    refuse(/\/secrets/, 'secrets');
    const explained = await answer<WorkloadExplanation>('reloader explain deploy/paid', 3);
    assert.deepEqual(
      explained.follows.map(({ object, pods }) => [object.name, pods]),
      [['tls', 'unknown']],
    );
    assert.match(explained.unknown.join(), /not read: Secret in default: you may not list it/);
  });

  test('to Secrets, what follows none can be approved, and the rest is unknown', async () => {
    refuse(/\/secrets/, 'secrets');
    const refused = await run('reloader approve deploy/gated --content 0a1b', kubeconfig);
    const [, token = ''] = /Deployment\/gated: (\w{10}) waits, not "0a1b"/.exec(refused.stderr) ?? [];
    const { value, warnings } = await answer<{ value: string; warnings: string[] }>(
      'reloader approve deploy/gated',
    );
    assert.deepEqual([value, warnings], [token, []]);
    const unseen = await run('reloader approve deploy/paid', kubeconfig);
    assert.match(
      unseen.stderr,
      /^reloader approve: unknown, because not read: Secret .*: --content <token>\n$/,
    );
    const given = await run('reloader approve deploy/paid --content 0a1b', kubeconfig);
    assert.match(given.stderr, /^unknown whether this content waits: not read: Secret/);
    assert.match(given.stdout, /approved=0a1b\n$/);
    assert.deepEqual([refused.code, unseen.code, given.code], [1, 3, 0]);
  });

  test('to the state, what is followed is answered', async () => {
    refuse(/\/configmaps\/reloader-state/, 'none');
    const explained = await answer<WorkloadExplanation>('reloader explain deploy/web', 3);
    assert.equal(explained.state, 'unknown');
    assert.match(explained.unknown.join(), /you may not read ConfigMap\/reloader-state in default/);
    assert.deepEqual(
      explained.follows.map(({ asks, pods }) => [asks, pods]),
      [
        [true, 'unknown'],
        [true, 'unknown'],
      ],
    );
  });

  test('to a namespace, it is unknown whether one without workloads exists', async () => {
    refuse(/\/namespaces\/[^/]+$/, 'none');
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' } });
    for (const command of ['graph', 'plan -f -', 'migrate --from stakater']) {
      const line = `reloader ${command} -n kube-system`;
      const { code, stdout } = await run(line, kubeconfig, manifest);
      assert.equal(code, 3, line);
      assert.match(
        stdout,
        /you may not read namespace kube-system, and nothing was found in it: it may not exist/,
      );
    }
    assert.doesNotMatch((await run('reloader graph -A', kubeconfig)).stdout, /exists/);
  });

  test('to anything, that is said', async () => {
    refuse(/./, 'none');
    const { code, stderr } = await run('reloader explain deploy/web', kubeconfig);
    assert.equal(code, 3);
    assert.match(stderr, /Deployment\/web in namespace default may not be read with your rights/);
  });
});

describe('the bundle', () => {
  const dist = path.dirname(BUNDLE);

  /** A file and all that it imports before it runs. */
  function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(file)) return seen;
    seen.add(file);
    const text = readFileSync(path.join(dist, file), 'utf8');
    for (const [, next = ''] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.mjs)"/g)) loadedBy(next, seen);
    return seen;
  }

  function fileOf(name: string): string {
    return readdirSync(dist).find((file) => file.startsWith(`${name}-`)) ?? '';
  }

  test('of the controller loads nothing of the commands', () => {
    const files = loadedBy(fileOf('main'));
    assert.ok(files.size > 1 && !files.has(fileOf('run-command')));
    for (const file of files)
      assert.ok(!readFileSync(path.join(dist, file), 'utf8').includes('YAMLParseError'));
  });

  test('shows the help without loading the client library', () => {
    const bytes = [...loadedBy(path.basename(BUNDLE))].map(
      (file) => readFileSync(path.join(dist, file)).length,
    );
    assert.ok(bytes.reduce((sum, each) => sum + each, 0) < 300_000);
  });

  test('is a plugin of kubectl by its file name', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'reloader-plugin-'));
    const said: Readonly<Record<string, RegExp>> = {
      'kubectl-reloader': /^Usage: reloader \[run\] \[flags\]/,
      'kubectl-reloader -n x graph --help': /^Usage: reloader graph /,
      'kubectl_complete-reloader -n x graph --out': /^--outdated$/m,
    };
    for (const [line, says] of Object.entries(said)) {
      const [name = '', ...words] = line.split(' ');
      const plugin = path.join(folder, name);
      await rm(plugin, { force: true });
      await symlink(BUNDLE, plugin);
      const asked = new ReloaderProcess(words, {}, undefined, [process.execPath, plugin]);
      assert.deepEqual(await asked.ended, { code: 0, signal: null });
      assert.match(asked.stdout, says);
    }
    assert.deepEqual(Object.keys(manifest.bin), [
      'reloader',
      'kubectl-reloader',
      'kubectl_complete-reloader',
    ]);
    await rm(folder, { recursive: true });
  });
});

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}
