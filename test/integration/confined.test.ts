/** What the image lets Node do is what the program needs, and no more. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, test } from 'node:test';
import { entrypoint } from '../install/dockerfile.ts';
import { servingPair } from '../unit/serving/certificates.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, put } from './manifests.ts';
import { Receiver } from './receiver.ts';
import type { LogLine } from './reloader-process.ts';

/** The options of Node in the image. */
const NODE = entrypoint().slice(1, -1);

/** The port in the first line of the log that says so. */
function portIn(lines: readonly LogLine[], words: RegExp, field = 'port'): number {
  return Number(lines.find(({ message }) => words.test(message))?.[field]);
}

/** The status of a page over TLS, whose certificate is not verified. */
async function statusOf(port: number, path: string): Promise<number | undefined> {
  const call = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('the program rolls, sends alerts, and serves pages and a webhook with certificates of files', async () => {
  await using cluster = await Cluster.start();
  await using receiver = await Receiver.start();
  const pair = servingPair('localhost');
  await writeFile(cluster.file('tls.crt'), pair.certificate);
  await writeFile(cluster.file('tls.key'), pair.key);
  put(cluster, configMap('web'), '1');
  const web = deploy(cluster, 'web');
  await cluster.podsAreCurrent(web);
  const files = ['--webhook-tls-directory', cluster.folder, '--webhook-client-ca', cluster.file('tls.crt')];
  const flags = ['--health-port', '0', '--webhook-port', '0', ...files];
  const env = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: `http://${receiver.host}/` };
  const reloader = await cluster.reloader({ node: NODE, flags, env });
  put(cluster, configMap('web'), '2');
  await cluster.podsAreCurrent(web);
  await cluster.settled(reloader);
  assert.equal(cluster.rollouts(web), 1);
  await cluster.until('an alert is sent', () => receiver.received.length === 1);
  for (const page of ['/', '/metrics', '/readyz']) assert.equal((await reloader.page(page)).status, 200);
  const port = portIn(reloader.lines, /^the admission webhook preserves/);
  await cluster.until('the webhook has its certificates', () => reloader.says(/CA file .* is in use/));
  assert.equal(await statusOf(port, '/mutate'), 403);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  assert.ok(!reloader.says(/ERR_ACCESS_DENIED|EvalError/), reloader.log);
});

test('the program serves secure pages with a certificate of files', async () => {
  await using cluster = await Cluster.start();
  const pair = servingPair('localhost');
  await writeFile(cluster.file('tls.crt'), pair.certificate);
  await writeFile(cluster.file('tls.key'), pair.key);
  const flags = ['--secure-metrics', '--metrics-tls-directory', cluster.folder, '--health-port', '0'];
  const reloader = cluster.spawn({ node: NODE, flags });
  await reloader.hasSaid(/initial lists are complete/);
  const port = portIn(reloader.lines, /^kubernetes-reloader .* watches/);
  assert.equal(await statusOf(port, '/healthz'), 200);
  assert.equal(await statusOf(port, '/metrics'), 401);
});

describe('Node refuses', () => {
  const DENIED = /ERR_ACCESS_DENIED/;
  const CASES: Readonly<Record<string, readonly [code: string, error: RegExp]>> = {
    'to write a file': ["require('fs').writeFileSync('/tmp/reloader-confined', '')", DENIED],
    'to start a program': ["require('child_process').spawnSync('true')", DENIED],
    'to start a thread': ["new (require('worker_threads').Worker)('0', { eval: true })", DENIED],
    'to make code of a text': ["eval('1')", /EvalError/],
    'to reach a prototype by a key': ["({})['__proto__'].polluted = true", /TypeError/],
  };
  const run = (code: string, env: Readonly<Record<string, string>> = {}): string =>
    spawnSync(process.execPath, [...NODE, '--eval', code], { env, encoding: 'utf8' }).stderr;
  for (const [what, [code, error]] of Object.entries(CASES)) test(what, () => assert.match(run(code), error));

  test('nothing more, and an exec plugin can be allowed', () => {
    assert.equal(run("require('fs').readFileSync(process.execPath); require('net').createServer()"), '');
    const [code] = CASES['to start a program'] ?? [''];
    assert.doesNotMatch(run(code, { NODE_OPTIONS: '--allow-child-process' }), DENIED);
  });
});
