/** The bundle in the place of SAP's pod-reloader and of wave: what they left is taken over, and what waits for wave is released. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { pick } from '../sandbox/json.ts';
import { Cluster, resourceOf } from './harness.ts';
import { configMap, deploy, mark, pair, put } from './manifests.ts';

const FLAGS = ['--dialects', 'collaborne,stakater,sap,wave'];
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'shop' };
const WAVE = { 'wave.pusher.com/update-on-config-change': 'true' };
const HASH = { sap: 'pod-reloader.cs.sap.com/config-hash', wave: 'wave.pusher.com/config-hash' } as const;
const FORMER = 'wave.pusher.com/scheduling-disabled';
const THEIRS = 'f'.repeat(64);
const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** A workload whose pods read `shop` and that asks in no other words than these. */
function create(cluster: Cluster, name: string, kind: string, words: object, template = {}): WorkloadRef {
  const ref = deploy(cluster, name, { kind, follows: { ConfigMap: ['shop'] } });
  const native = { 'reloader.k8s.collaborne.com/configmap': null };
  const body = { metadata: { annotations: { ...native, ...words } }, spec: { template } };
  cluster.sandbox.patch(resourceOf(kind), 'default', name, body);
  return ref;
}

function annotationsOf(cluster: Cluster, { kind, name }: WorkloadRef, ...path: string[]): unknown {
  return pick(cluster.sandbox.get(resourceOf(kind), 'default', name), ...path, 'metadata', 'annotations');
}

function schedulerOf({ sandbox }: Cluster, { kind, name }: WorkloadRef): unknown {
  return pick(sandbox.get(resourceOf(kind), 'default', name), 'spec', 'template', 'spec', 'schedulerName');
}

/** One that wave has parked. */
function park(cluster: Cluster, kind = 'Deployment'): WorkloadRef {
  const template = { spec: { schedulerName: 'wave.pusher.com/invalid' } };
  return create(cluster, 'parked', kind, { ...WAVE, [FORMER]: 'mine' }, template);
}

async function begun(): Promise<Cluster> {
  const cluster = await Cluster.start();
  put(cluster, configMap('shop'), 'one');
  await pair(cluster, 'marker');
  return cluster;
}

async function released(cluster: Cluster, ref: WorkloadRef): Promise<void> {
  await cluster.until('it has its scheduler back', () => schedulerOf(cluster, ref) === 'mine');
}

describe('in the place of SAP’s pod-reloader and of wave', { concurrency: 2 }, () => {
  test('50 workloads with their hashes are not rolled, and the next change rolls each once', async () => {
    await using cluster = await begun();
    const all = Array.from({ length: 50 }, (_, index) => {
      const words = index % 2 === 0 ? 'sap' : 'wave';
      const asks = words === 'sap' ? { ...SAP, [HASH.sap]: THEIRS } : WAVE;
      const template = { metadata: { annotations: { [HASH[words]]: THEIRS } } };
      return create(cluster, `app-${index}`, KINDS[index % KINDS.length] ?? '', asks, template);
    });
    await cluster.podsAreCurrent(...all);
    const reloader = await cluster.reloader({ flags: FLAGS });
    await mark(cluster);
    const before = all.map((ref) => cluster.rollouts(ref));
    assert.deepEqual(new Set(before), new Set([0]));
    put(cluster, configMap('shop'), 'two');
    await cluster.until('all are rolled', () => all.every((ref) => cluster.rollouts(ref) > 0));
    await mark(cluster);
    await cluster.settled(reloader);
    assert.deepEqual(new Set(all.map((ref) => cluster.rollouts(ref))), new Set([1]));
    assert.ok(!reloader.says(/second-reloader|carry stamps/));
    for (const ref of all) assert.equal(pick(annotationsOf(cluster, ref) as never, HASH.sap), undefined);
  });

  test('what it finds parked is released, though it is refused at first and killed meanwhile', async () => {
    await using cluster = await begun();
    const parked = park(cluster);
    cluster.sandbox.addFault({
      match: { verb: 'patch', resource: 'deployments' },
      times: 1,
      effect: { kind: 'status', code: 403 },
    });
    const first = cluster.spawn({ flags: FLAGS });
    await first.hasSaid(/left waiting by wave, and tried again until it is not/);
    await first.kill();
    const reloader = cluster.spawn({ flags: FLAGS });
    await released(cluster, parked);
    await cluster.settled(reloader);
    assert.equal(pick(annotationsOf(cluster, parked) as never, FORMER), undefined);
    await mark(cluster);
    assert.equal(cluster.rollouts(parked), 1, 'it is written once, for its release');
    put(cluster, configMap('shop'), 'two');
    await cluster.until('it is rolled', () => cluster.rollouts(parked) === 2);
  });

  test('a dry run says what it would release, and without its words nothing is', async () => {
    await using cluster = await begun();
    const parked = park(cluster, 'DaemonSet');
    const dry = await cluster.reloader({ flags: [...FLAGS, '--dry-run'] });
    await dry.hasSaid(/DaemonSet\/parked: wave had left it waiting/);
    await dry.stop();
    const plain = await cluster.reloader();
    await mark(cluster);
    await cluster.settled(plain);
    assert.equal(schedulerOf(cluster, parked), 'wave.pusher.com/invalid');
    assert.equal(cluster.rollouts(parked), 0);
  });
});
