/** A state that the program from which this one comes has left, beside the workloads that it has stamped. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { base64, olderDigest } from '../integration/older-state.ts';
import { pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** Keys that look like numbers come first and by their size; the others as the API server answers them: sorted. */
const KEYS = { '10': 'ten', '9': 'nine', a: '', b: 'x=y' };

/** Leaves what that program would: bare digests in the state, and as stamps. */
async function leaveState(stage: Stage, digests: Readonly<Record<string, string>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(digests).map(([key, digest]) => [`v1.${key}`, digest]));
  await stage.expect('POST', 'configmaps', { metadata: { name: 'reloader-state' }, data });
}

test('an older state is taken over without a rollout, and what changed meanwhile is rolled', async () => {
  await using stage = await Stage.open(cluster);
  await stage.createMarker();
  await stage.expect('POST', 'configmaps', { metadata: { name: 'same' }, data: KEYS });
  await stage.expect('POST', 'secrets', { metadata: { name: 'same' }, data: { key: base64('one') } });
  for (const name of ['changed', 'renewed']) await stage.put(name, 'now');
  const same = web('same', {
    follows: { ConfigMap: ['same'], Secret: ['same'] },
    variables: { _RELOADER_CONFIGMAP_SAME: olderDigest(KEYS) },
  });
  const changed = web('changed', {
    variables: { _RELOADER_CONFIGMAP_CHANGED: olderDigest({ key: 'then' }) },
  });
  const renewed = web('renewed');
  for (const each of [same, changed, renewed]) await stage.create(each);
  const marker = await stage.expect('GET', 'configmaps/marker');
  await leaveState(stage, {
    ConfigMap_marker: olderDigest(pick(marker, 'data') as Record<string, string>),
    ConfigMap_same: olderDigest(KEYS),
    Secret_same: olderDigest({ key: base64('one') }),
    ConfigMap_changed: olderDigest({ key: 'then' }),
    ConfigMap_renewed: olderDigest({ key: 'then' }),
    ConfigMap_orphan: olderDigest({ key: 'of nobody' }),
  });

  const reloader = await stage.startReloader();
  const before = await stage.stamps(changed);
  await stage.stampedAfter(changed, before);
  await stage.stampedAfter(renewed, {});
  await stage.ready(reloader);
  await stage.mark(reloader);
  assert.deepEqual(await stage.revisions([same, changed, renewed]), [1, 2, 2]);
  for (const each of [changed, renewed]) assert.equal(Object.keys(await stage.stamps(each)).length, 1);

  const { metadata } = await stage.expect('GET', 'configmaps/reloader-state');
  assert.equal(pick(metadata, 'annotations', 'reloader.k8s.collaborne.com/state-version'), '1');
  const state = await stage.state();
  for (const key of ['ConfigMap_same', 'Secret_same', 'ConfigMap_changed'])
    assert.match(state[`v1.${key}`] ?? '', /^[0-9a-f]{40}\.\d+$/, key);
  assert.equal(state['v1.ConfigMap_orphan'], `collaborne:${olderDigest({ key: 'of nobody' })}.0`);

  await reloader.stop();
  const next = await stage.reloader();
  await stage.mark(next);
  assert.deepEqual(await stage.revisions([same, changed, renewed]), [1, 2, 2]);
  const stamps = await stage.stamps(same);
  await stage.put('same', 'new', 'Secret');
  await stage.stampedAfter(same, stamps);
  await stage.mark(next);
  assert.deepEqual(await stage.revisions([same, changed, renewed]), [2, 2, 2]);
});
