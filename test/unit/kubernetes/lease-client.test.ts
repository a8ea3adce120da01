/** The Lease: which requests are sent, and what is made of the answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubernetesLease } from '../../../lib/kubernetes/lease-client.ts';
import type { LeaseRecord, LeaseVersion } from '../../../lib/leader/lease.ts';
import { type Answer, ok, refused, scripted } from './scripted-send.ts';

const PLACE = { namespace: 'reloader', name: 'lock' };
const ALL = '/apis/coordination.k8s.io/v1/namespaces/reloader/leases';
const { signal } = new AbortController();
const RECORD: LeaseRecord = {
  holderIdentity: 'one',
  leaseDurationSeconds: 15,
  acquireTime: '2025-01-01T00:00:00.000000Z',
  renewTime: '2025-01-01T00:00:02.000000Z',
  leaseTransitions: 2,
};

function leaseWith(...answers: Answer[]) {
  const script = scripted(...answers);
  return { lease: new KubernetesLease(script.send, PLACE), requests: script.requests };
}

const raw = (resourceVersion: string, spec?: object, metadata = {}): object => ({
  metadata: { name: 'lock', resourceVersion, ...metadata },
  ...(spec && { spec }),
});

const SPECS: Record<string, readonly [spec: object | undefined, record: LeaseVersion['record']]> = {
  'a whole record': [RECORD, RECORD],
  'no spec': [undefined, undefined],
  'an empty spec': [{}, undefined],
  'a holder that is no text': [{ holderIdentity: 7 }, undefined],
  'a holder alone': [
    { holderIdentity: 'one' },
    { ...RECORD, leaseDurationSeconds: 0, acquireTime: '', renewTime: '', leaseTransitions: 0 },
  ],
};
for (const [name, [spec, record]] of Object.entries(SPECS)) {
  test(`a Lease is read: ${name}`, async () => {
    const { lease, requests } = leaseWith(ok(raw('7', spec)));
    assert.deepEqual(await lease.read(signal), { kind: 'found', object: { resourceVersion: '7', record } });
    assert.deepEqual([requests[0]?.method, requests[0]?.path], ['GET', `${ALL}/lock`]);
  });
}

test('a Lease that is not there is absent, a right that is missing is said, and all else is no answer', async () => {
  const { lease } = leaseWith(refused(404), refused(403), refused(500), new Error('cut'), ok({}));
  assert.deepEqual(await lease.read(signal), { kind: 'absent' });
  assert.deepEqual(await lease.read(signal), {
    kind: 'failed',
    code: 'forbidden',
    message: 'message of 403',
    isForbidden: true,
  });
  for (let turn = 0; turn < 3; turn += 1) {
    const { kind, isForbidden } = { isForbidden: undefined, ...(await lease.read(signal)) };
    assert.deepEqual([kind, isForbidden], ['failed', undefined]);
  }
});

test('a change carries its version, and all that others put there', async () => {
  const others = { labels: { team: 'web' }, uid: 'u' };
  const { lease, requests } = leaseWith(
    ok(raw('7', { ...RECORD, strategy: 'Other' }, others)),
    refused(409),
    refused(409),
  );
  await lease.read(signal);
  assert.deepEqual(await lease.update(RECORD, '7', signal), { kind: 'conflict' });
  await lease.update(RECORD, '6', signal);
  const [, first, second] = requests.map(({ method, path, body }) => ({
    method,
    path,
    body: JSON.parse(body ?? '{}'),
  }));
  const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  assert.deepEqual(first, {
    method: 'PUT',
    path: `${ALL}/lock?fieldManager=kubernetes-reloader`,
    body: {
      ...head,
      metadata: { ...others, name: 'lock', namespace: 'reloader', resourceVersion: '7' },
      spec: { ...RECORD, strategy: 'Other' },
    },
  });
  // Of another version nothing is known: only the fence is sent.
  assert.deepEqual(second?.body.metadata, { name: 'lock', namespace: 'reloader', resourceVersion: '6' });
});
