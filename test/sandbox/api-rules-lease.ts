/** Rules of Leases, as the client of the election leans on them. */

import assert from 'node:assert/strict';
import { KubernetesLease } from '../../lib/kubernetes/lease-client.ts';
import { type LeaseRecord, ObservedLease } from '../../lib/leader/lease.ts';
import type { ApiRules } from './api-rules.ts';

/** As it is written at first, with times that the API server has to understand. */
const OBSERVED = new ObservedLease();
const RECORD: LeaseRecord = OBSERVED.recordFor('one', 15_000);
const RENEWED: LeaseRecord = { ...RECORD, renewTime: OBSERVED.recordFor('one', 15_000).renewTime };

/** By name: cases for `runRule`. */
export const LEASE_RULES: ApiRules = {
  'a Lease is created once, fenced, released, and gone when it is deleted': async (api) => {
    const { send, namespace } = api;
    const place = { namespace, name: 'lock' };
    const [one, two] = [new KubernetesLease(send, place), new KubernetesLease(send, place)];
    const end = new AbortController();
    const { signal } = end;
    assert.deepEqual(await one.read(signal), { kind: 'absent' });
    const created = await one.create(RECORD, signal);
    assert.ok(created.kind === 'accepted', JSON.stringify(created));
    assert.deepEqual(created.object.record, RECORD);
    assert.deepEqual(await two.create(RECORD, signal), { kind: 'conflict' });
    const found = await two.read(signal);
    assert.deepEqual(found, { kind: 'found', object: created.object });
    const { resourceVersion } = created.object;
    const renewed = await one.update(RENEWED, resourceVersion, signal);
    assert.ok(renewed.kind === 'accepted', JSON.stringify(renewed));
    assert.deepEqual(await two.update(RECORD, resourceVersion, signal), { kind: 'conflict' });
    const free = { ...RECORD, holderIdentity: '', leaseDurationSeconds: 1 };
    const released = await one.update(free, renewed.object.resourceVersion, signal);
    assert.ok(released.kind === 'accepted', JSON.stringify(released));
    assert.equal(released.object.record?.holderIdentity ?? '', '');
    await api.delete(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lock`);
    const { resourceVersion: last } = released.object;
    // An API server would create a Lease by an update too, but for the version: what it says is that this is not its version.
    assert.match((await one.update(RECORD, last, signal)).kind, /^(gone|conflict)$/);
    assert.deepEqual(await one.read(signal), { kind: 'absent' });
    const nowhere = new KubernetesLease(send, { namespace: 'not-there', name: 'lock' });
    assert.deepEqual(await nowhere.create(RECORD, signal), { kind: 'gone' });
    end.abort();
  },
};
