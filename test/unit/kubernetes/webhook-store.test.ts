/** The Secret of the webhook's certificate and its configuration: which requests are sent, and what is made of the answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebhookStore } from '../../../lib/kubernetes/webhook-store.ts';
import { type Answer, ok, refused, scripted } from './scripted-send.ts';

const PLACE = { namespace: 'reloader', secret: 'webhook', configuration: 'kubernetes-reloader' };
const SECRET = '/api/v1/namespaces/reloader/secrets/webhook';
const CONFIGURATION =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kubernetes-reloader';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function storeWith(...answers: Answer[]) {
  const script = scripted(...answers);
  return { store: new WebhookStore(script.send, PLACE), requests: script.requests };
}

test('a Secret that is there is read as text, one that is not is none', async () => {
  const secret = { metadata: { resourceVersion: '7' }, data: { 'tls.crt': encoded('certificate') } };
  const { store, requests } = storeWith(ok(secret), refused(404));
  assert.deepEqual(await store.read(), { resourceVersion: '7', data: { 'tls.crt': 'certificate' } });
  assert.equal(await store.read(), undefined);
  assert.deepEqual(
    requests.map(({ method, path }) => [method, path]),
    [
      ['GET', SECRET],
      ['GET', SECRET],
    ],
  );
});

test('a right that is missing is no Secret that is missing', async () => {
  const { store } = storeWith(refused(403), refused(403));
  await assert.rejects(store.read(), /message of 403/);
  await assert.rejects(store.trust(), /message of 403/);
});

test('a write carries the version that it is fenced by', async () => {
  const { store, requests } = storeWith(refused(409));
  assert.deepEqual(await store.write('7', { 'tls.key': 'key' }), { kind: 'conflict' });
  const [request] = requests;
  assert.equal(request?.path, `${SECRET}?fieldManager=kubernetes-reloader`);
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    metadata: { resourceVersion: '7' },
    data: { 'tls.key': encoded('key') },
  });
});

test('where it is asked is the name of a Service, or the host of an address', async () => {
  const service = { name: 'reloader-webhook', namespace: 'reloader' };
  const webhooks = [
    { clientConfig: { service, caBundle: encoded('authority') } },
    { clientConfig: { url: 'https://localhost:9443/mutate' } },
  ];
  const { store } = storeWith(ok({ metadata: { resourceVersion: '3' }, webhooks }));
  assert.deepEqual(await store.trust(), {
    resourceVersion: '3',
    webhooks: [
      { host: 'reloader-webhook.reloader.svc', authorities: 'authority' },
      { host: 'localhost', authorities: '' },
    ],
  });
});

test('trust is given for every webhook, unless somebody else was faster', async () => {
  const webhooks = [
    { host: 'a', authorities: '' },
    { host: 'b', authorities: 'former' },
  ];
  const { store, requests } = storeWith(ok({}), refused(409), new Error('the connection is gone'));
  const set = () => store.setTrust({ resourceVersion: '3', webhooks }, 'authority');
  assert.deepEqual([(await set()).kind, (await set()).kind], ['accepted', 'conflict']);
  assert.deepEqual(await set(), { kind: 'unanswered', message: 'the connection is gone' });
  const [request] = requests;
  assert.equal(request?.path, `${CONFIGURATION}?fieldManager=kubernetes-reloader`);
  assert.deepEqual(JSON.parse(request?.body ?? ''), [
    { op: 'replace', path: '/metadata/resourceVersion', value: '3' },
    { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: encoded('authority') },
    { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: encoded('authority') },
  ]);
});
