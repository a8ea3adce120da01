/** Pages that only some may get, on a real API server: with the rights of the component, and the account of the guide. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { prometheusOf } from '../control-plane/assets.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { installationIn } from '../install/installation.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { Prometheus } from '../monitoring/prometheus.ts';
import { servingPair } from '../unit/serving/certificates.ts';
import { accountIn, isDenied, requestsOf, unusedOf } from './account.ts';
import { blocksOf } from './guide.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the audit log of a control plane of its own is needed';
const GUIDE = path.resolve(import.meta.dirname, '../../docs/guides/monitoring.md');

/** The ports that the log names. */
function portsOf(reloader: ReloaderProcess): { readonly port: unknown; readonly healthPort: unknown } {
  const line = reloader.lines.find((each) => each['healthPort'] !== undefined);
  return { port: line?.['port'], healthPort: line?.['healthPort'] };
}

/** Status and body. */
async function ask(reloader: ReloaderProcess, pathname: string, token?: string): Promise<[number, string]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const to = { host: '127.0.0.1', port: Number(portsOf(reloader).port), path: pathname, headers };
  const call = request({ ...to, rejectUnauthorized: false, agent: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

/** Resolves when a Prometheus has scraped with the token, as the PodMonitor says; at once where none is built. */
async function isScraped(stage: Stage, port: number, token: string): Promise<void> {
  if (prometheusOf('prometheus') === undefined) return;
  const labels = { namespace: stage.namespace, job: 'reloader', pod: 'reloader-0' };
  const access = {
    scheme: 'https',
    tls_config: { insecure_skip_verify: true },
    authorization: { credentials: token },
  };
  await using prometheus = await Prometheus.start([{ port, labels }], 'groups: []', access);
  await stage.until('Prometheus has scraped', async () => {
    const [series] = await prometheus.query('reloader_leader');
    return series !== undefined;
  });
}

test('the account of the guide scrapes, and nobody else does', { skip }, async () => {
  assert.ok(cluster instanceof ControlPlane);
  const account = accountIn(installationIn('base', ['secure-metrics']));
  const { installation, namespace, name } = account;
  await using stage = await Stage.open(cluster, namespace);
  const list = { apiVersion: 'v1', kind: 'List', items: installation.objects };
  const { stderr } = await stage.kubectl(['apply', '--validate=strict', '-f', '-'], {
    input: JSON.stringify(list),
  });
  assert.equal(stderr, '');
  const [scrape] = blocksOf(readFileSync(GUIDE, 'utf8')).filter(({ file }) => file === 'scrape.yaml');
  await stage.kubectl(['apply', '--validate=strict', '-f', '-'], { input: scrape?.text ?? '' });
  const secret = `/api/v1/namespaces/${namespace}/secrets/kubernetes-reloader-scrape`;
  let token = '';
  await stage.until('the Secret of the account has a token', async () => {
    const { data } = await cluster.expect('GET', secret);
    token = Buffer.from(String(Object(data)['token'] ?? ''), 'base64').toString();
    return token !== '';
  });

  const kubeconfig = await cluster.kubeconfig({
    token: await cluster.serviceAccountToken(namespace, name),
    namespace,
  });
  const folder = path.dirname(kubeconfig);
  const pair = servingPair('localhost');
  await writeFile(path.join(folder, 'tls.crt'), pair.certificate);
  await writeFile(path.join(folder, 'tls.key'), pair.key);
  const own = ['--kubeconfig', kubeconfig, '--metrics-tls-directory', folder, '--health-port', '0'];
  const reloader = stage.start([...installation.args, ...own], installation.env);
  await reloader.hasSaid(/initial lists are complete/);

  const [status, metrics] = await ask(reloader, '/metrics', token);
  assert.equal(status, 200);
  assert.match(metrics, /^reloader_leader /m);
  assert.equal((await ask(reloader, '/status.json', token))[0], 403);
  const other = await cluster.serviceAccountToken(namespace, 'default');
  assert.equal((await ask(reloader, '/metrics', other))[0], 403);
  assert.equal((await ask(reloader, '/metrics', 'made.up.token'))[0], 401);
  for (const pathname of ['/metrics', '/', '/status.json'])
    assert.equal((await ask(reloader, pathname))[0], 401);

  await isScraped(stage, Number(portsOf(reloader).port), token);

  const { healthPort } = portsOf(reloader);
  for (const probe of ['/healthz', '/live', '/readyz']) {
    assert.deepEqual(await ask(reloader, probe), [200, 'ok\n']);
    assert.equal((await fetch(`http://127.0.0.1:${String(healthPort)}${probe}`)).status, 200);
  }
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  assert.ok(!reloader.log.includes(token));

  const requests = await requestsOf(account, cluster);
  assert.deepEqual(requests.filter(isDenied), []);
  assert.deepEqual(
    unusedOf(account, requests).filter((right) => right.includes('reviews')),
    [],
  );
});
