/** The admission webhook that answers only the API server, which has a client certificate for it; as in the guide. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { isExternal } from '../control-plane/availability.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { Authority } from '../unit/serving/certificates.ts';
import { isAt } from './endings.ts';
import { Stage } from './stage.ts';
import { Webhook } from './webhook.ts';
import { manifestOf, web } from './workloads.ts';

const skip = isExternal() && 'the API server needs a flag of its own';
const folder = await mkdtemp(path.join(tmpdir(), 'reloader-clients-'));
after(() => rm(folder, { recursive: true }));
const WEB = web();
const STAMP = '_RELOADER_CONFIGMAP_WEB';

/** Writes the files of the API server; the flag that names the first one. */
async function admissionConfiguration(authority: Authority): Promise<string> {
  const put = async (name: string, content: string | object): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const { certificate, key } = authority.issue();
  const user = {
    'client-certificate': await put('client.crt', certificate),
    'client-key': await put('client.key', key),
  };
  const kubeConfigFile = await put('webhooks.kubeconfig', {
    apiVersion: 'v1',
    kind: 'Config',
    users: [{ name: '*', user }],
  });
  const apiVersion = 'apiserver.config.k8s.io/v1';
  const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
  const plugins = [{ name: 'MutatingAdmissionWebhook', configuration }];
  const file = await put('admission.yaml', { apiVersion, kind: 'AdmissionConfiguration', plugins });
  return `--admission-control-config-file=${file}`;
}

/** Status and body of the answer to a client without a certificate. */
function askAsAnyPod(port: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const to = { host: '127.0.0.1', port, method: 'POST', path: '/mutate', rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const call = request({ ...to, headers }, (response) => {
      let text = `${response.statusCode} `;
      response.on('data', (piece) => (text += String(piece)));
      response.on('end', () => resolve(text));
    });
    call.on('error', reject);
    call.end('{}');
  });
}

test('the API server is answered by its certificate, and any other pod is refused', { skip }, async () => {
  const authority = new Authority();
  await using cluster = await ControlPlane.start({ flags: [await admissionConfiguration(authority)] });
  await using stage = await Stage.open(cluster);
  await using webhook = await Webhook.open(stage);
  await stage.put('web', 'A');
  const file = path.join(folder, 'ca.pem');
  await writeFile(file, authority.certificate);
  const flags = [...webhook.flags, `--webhook-client-ca=${file}`];
  const reloader = await stage.reloader({ flags });
  await webhook.isAsked();
  await stage.kubectl(['create', '-f', '-'], { input: JSON.stringify(manifestOf(WEB)) });
  assert.match((await isAt(stage, WEB, 1))[STAMP] ?? '', /\.1$/);

  const port = /=(\d+)$/.exec(webhook.flags[0] ?? '')?.[1] ?? '';
  const needed = '403 a client certificate of a trusted authority is needed: it has no client certificate\n';
  assert.equal(await askAsAnyPod(port), needed);
  assert.equal(await askAsAnyPod(port), needed);
  await reloader.hasSaid(/refused a client/);
  const lines = reloader.lines.filter(({ message }) => /refused a client/.test(message));
  assert.equal(lines.length, 1);

  // Another authority: the API server is a stranger, and its write goes through as it is.
  await writeFile(file, new Authority().certificate);
  await stage.until('the API server is refused', async () => {
    const created = await stage.expect('POST', 'deployments?dryRun=All', manifestOf(web('other')));
    return !JSON.stringify(created).includes(STAMP);
  });
});
