/** The certificate that the chart makes for the admission webhook: the API server trusts it, and upgrades keep it. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { freePort } from '../control-plane/free-port.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { CHART, skipWithoutHelm, type Values } from '../install/chart.ts';
import { type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { startAs } from './account.ts';
import { Release } from './release.ts';
import { Stage } from './stage.ts';
import { PROBE, webhookIsAsked } from './webhook.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const ADMISSION: Values = { admission: { enabled: true }, reloader: { watchGlobally: false } };

/** The certificate in the Secret; the API server trusts its authority. */
async function certificateOf({ stage, name }: Release): Promise<JsonObject> {
  const { data } = await stage.expect('GET', `secrets/${name}-reloader-webhook`);
  const configuration = await cluster.expect('GET', `${CONFIGURATIONS}/${name}-reloader`);
  const [webhook] = objectsOf(configuration['webhooks']);
  assert.equal(pick(webhook, 'clientConfig', 'caBundle'), pick(data, 'ca.crt'));
  return objectOf(data);
}

/** Has the API server find the Service at a port of this machine; it still asks for the Service's name. */
async function serveAt({ stage, name }: Release, port: number): Promise<void> {
  await stage.expect('PATCH', `services/${name}-reloader-webhook`, {
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const pathname = `${CONFIGURATIONS}/${name}-reloader`;
  const [webhook] = objectsOf((await cluster.expect('GET', pathname))['webhooks']);
  const clientConfig = objectOf(webhook?.['clientConfig']);
  const service = { ...objectOf(clientConfig['service']), port };
  await cluster.expect('PATCH', pathname, {
    webhooks: [{ ...webhook, clientConfig: { ...clientConfig, service }, timeoutSeconds: 30 }],
  });
}

describe('the certificate of the chart', { concurrency: 1 }, () => {
  for (const version of [3, 4] as const)
    test(`by Helm ${version} is trusted, stays through an upgrade, and is replaced once its Secret is gone`, {
      skip: skipWithoutHelm(version),
    }, async () => {
      await using stage = await Stage.open(cluster);
      const release = new Release(stage, version, `asked-${version}`);
      await release.bring(CHART, ADMISSION);
      const first = await certificateOf(release);
      await release.bring(CHART, { ...ADMISSION, config: { coalescePeriod: '1s' } });
      assert.deepEqual(await certificateOf(release), first);
      await stage.expect('DELETE', `secrets/asked-${version}-reloader-webhook`);
      await release.bring(CHART, ADMISSION);
      const { 'tls.crt': certificate, 'tls.key': key } = await certificateOf(release);
      assert.notEqual(certificate, first['tls.crt']);

      const folder = await mkdtemp(path.join(tmpdir(), 'reloader-chart-'));
      await writeFile(path.join(folder, 'tls.crt'), Buffer.from(String(certificate), 'base64'));
      await writeFile(path.join(folder, 'tls.key'), Buffer.from(String(key), 'base64'));
      await stage.put(PROBE.name, 'A');
      const port = await freePort();
      const flags = [`--webhook-port=${port}`, `--webhook-tls-directory=${folder}`];
      await startAs(await release.account(), stage, flags);
      await serveAt(release, port);
      await webhookIsAsked(stage);
      await release.uninstall();
      await rm(folder, { recursive: true });
    });
});
