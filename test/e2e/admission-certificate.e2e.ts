/** The certificate that the reloader makes for its webhook, with the rights of the component and no others. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WebhookStore } from '../../lib/kubernetes/webhook-store.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { freePort } from '../control-plane/free-port.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { pick } from '../sandbox/json.ts';
import { accountOf, isDenied, requestsOf, startAs, unusedOf } from './account.ts';
import { Stage } from './stage.ts';
import { askingAt, PROBE, webhookIsAsked } from './webhook.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the audit log of a control plane of its own is needed';
const NAME = 'kubernetes-reloader-webhook';
const CONFIGURATION =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kubernetes-reloader';

test('k8s/components/webhook suffices for the certificate, and is all used', { skip }, async () => {
  assert.ok(cluster instanceof ControlPlane);
  const account = accountOf('base', ['webhook']);
  await using stage = await Stage.open(cluster, account.namespace);
  const port = await freePort();
  const items = account.installation.objects.map((object) =>
    object['kind'] === 'MutatingWebhookConfiguration' ? askingAt(object, port, stage.namespace) : object,
  );
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { stderr } = await stage.kubectl(['apply', '--validate=strict', '-f', '-'], { input });
  assert.equal(stderr, '');
  await stage.put(PROBE.name, 'A');
  const reloader = await startAs(account, stage, [`--webhook-port=${port}`]);
  await webhookIsAsked(stage);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });

  const requests = await requestsOf(account, cluster);
  assert.deepEqual(requests.filter(isDenied), []);
  const ofWebhook = [`secrets ${NAME}`, 'mutatingwebhookconfigurations kubernetes-reloader'];
  const unused = unusedOf(account, requests).filter((right) => ofWebhook.some((end) => right.endsWith(end)));
  assert.deepEqual(unused, []);
});

test('who was slower is told of a conflict, by the Secret and by the configuration', { skip }, async () => {
  const place = { namespace: 'default', secret: NAME, configuration: 'kubernetes-reloader' };
  const store = new WebhookStore(cluster.send, place);
  const [held, trusted] = [await store.read(), await store.trust()];
  assert.ok(held);
  const [authorities = ''] = trusted.webhooks.map((webhook) => webhook.authorities);
  assert.equal(authorities, held.data['ca.crt']);
  const metadata = { annotations: { 'example.com/edited': 'yes' } };
  await cluster.expect('PATCH', `/api/v1/namespaces/default/secrets/${NAME}`, { metadata });
  const edited = await cluster.expect('PATCH', CONFIGURATION, { metadata });
  assert.deepEqual(await store.write(held.resourceVersion, held.data), { kind: 'conflict' });
  assert.deepEqual(await store.setTrust(trusted, ''), { kind: 'conflict' });
  const fresh = await store.trust();
  assert.equal(fresh.resourceVersion, pick(edited, 'metadata', 'resourceVersion'));
  assert.equal((await store.setTrust(fresh, `${authorities}${authorities}`)).kind, 'accepted');
});
