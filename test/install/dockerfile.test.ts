/** The Dockerfile, read, linted and followed: what is in the image starts, and ends when it is told to. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { objectOf } from '../sandbox/json.ts';
import {
  CONTEXT,
  copiedFromContext,
  dockerfile,
  entrypoint,
  follow,
  lastOf,
  stagesIn,
} from './dockerfile.ts';
import { installationIn } from './installation.ts';
import { INSTALLATIONS } from './kustomization.ts';
import { isRequired, outputOf, programOnPath, skipWithout } from './tools.ts';

const STAGES = stagesIn(dockerfile());
const NOTICES = 'app/dist/THIRD-PARTY-NOTICES.txt';
const FINAL = STAGES.at(-1) ?? { image: '', name: undefined, steps: [] };
const hadolint = programOnPath('hadolint');

test('hadolint has nothing to say', { skip: skipWithout(hadolint, 'hadolint') }, () => {
  assert.equal(outputOf(hadolint, path.join(CONTEXT, 'Dockerfile')), '');
});

test('Node is the one that the tests run on, to the digit and pinned by a digest; nothing else is in the last stage', () => {
  assert.equal(process.versions.node, manifest.devDependencies.node);
  const images = STAGES.map(({ image }) => image);
  const [, digest = ''] = /^node:[^@]*(@sha256:[0-9a-f]{64})$/.exec(images[0] ?? '') ?? [];
  const node = `node:${manifest.devDependencies.node}-trixie-slim${digest}`;
  assert.deepEqual(images, [node, node, 'scratch']);
  assert.notEqual(digest, '');
});

test('the context is what is copied from it, and nothing else', () => {
  const lines = readFileSync(path.join(CONTEXT, '.dockerignore'), 'utf8').trim().split('\n');
  const [everything, ...overrides] = lines.filter((line) => !line.startsWith('#'));
  assert.equal(everything, '*');
  const copied = [...new Set(copiedFromContext(STAGES))];
  assert.deepEqual(overrides.sort(), copied.map((name) => `!${name}`).sort());
});

test('the user is a number, not root, and no manifest names another: OpenShift chooses one', () => {
  assert.match(lastOf(FINAL, 'USER') ?? '', /^[1-9]\d*:[1-9]\d*$/);
  for (const folder of INSTALLATIONS) {
    const security = objectOf(installationIn(folder).pod['securityContext']);
    assert.deepEqual(security, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  }
});

test('the ports are those that the manifests name', () => {
  const { port, healthPort } = installationIn('base').options;
  assert.equal(lastOf(FINAL, 'EXPOSE'), `${port} ${healthPort}`);
});

describe('its steps, followed in a folder,', () => {
  let folder = '';
  let root = '';
  let command: readonly [string, ...string[]] = [''];
  const started: ChildProcess[] = [];

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'reloader-image-'));
    root = follow(STAGES, folder, isRequired());
    const [program, ...words] = entrypoint();
    assert.equal(program, '/usr/local/bin/node');
    command = [
      process.execPath,
      ...words.map((word) => (word.startsWith('/') ? path.join(root, word) : word)),
    ];
  });
  after(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('leave the bundle, the licences and the package file', () => {
    // Pieces of the bundle, whose names end in a hash: what several need, and what is loaded on demand.
    const pieces = ['**/dist/{chunk,main,run-command}-*.mjs'];
    const files = globSync('**/*', { cwd: root, exclude: pieces }).sort();
    assert.deepEqual(files, [
      'app',
      'app/LICENSE',
      'app/dist',
      NOTICES,
      'app/dist/reloader.mjs',
      'app/dist/sbom.cdx.json',
      'app/package.json',
    ]);
  });

  test('leave the licence of every package of which something is in the bundle', () => {
    const notices = readFileSync(path.join(root, NOTICES), 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
    const named = new Set(notices.map((notice) => notice.slice(0, notice.indexOf(' '))));
    assert.deepEqual(new Set([...named, ...Object.keys(manifest.dependencies)]), named);
    for (const notice of notices) assert.match(notice, /copyright|licen[cs]ed? (?:under|text)|permission/i);
  });

  test('leave a program that runs with nothing around it', () => {
    const [program, ...words] = command;
    const options = { cwd: root, env: {}, encoding: 'utf8' } as const;
    assert.equal(execFileSync(program, [...words, '--version'], options), `${manifest.version}\n`);
    assert.match(execFileSync(program, [...words, '--help'], options), /^Usage: reloader /);
  });

  /** The program, which watches one namespace of an API server that is away, once it has said so. */
  async function start(): Promise<ReturnType<typeof spawn>> {
    const [program, ...words] = command;
    const flags = ['--server', 'http://127.0.0.1:9', '--port', '0', '--namespace', 'default'];
    const child = spawn(program, [...words, ...flags], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    assert.match(text.toString(), /watches namespace default/);
    return child;
  }

  test('leave a program that ends when it is told to', async () => {
    const child = await start();
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('leave a program that SIGUSR1 does not open to a debugger', async () => {
    const child = await start();
    const [, caught = ''] =
      /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    const isCaught = (signal: number): boolean => ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
    assert.deepEqual(
      [isCaught(constants.signals.SIGUSR1), isCaught(constants.signals.SIGTERM)],
      [false, true],
    );
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
