/** Many new objects are few writes of the state, and what a crash would lose waits for none of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitterStage } from './committer-stage.ts';

const NAMES = Array.from({ length: 500 }, (_, index) => `new-application-config-${index}`);

/** The entries of so many objects, in short form. */
function entries(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`v1.ConfigMap_some-application-config-${index}`, 'a.1']),
  );
}

/** An object comes to be, and a workload that follows it. */
function appear(stage: CommitterStage, name: string): void {
  stage.world.config(name, 'a');
  stage.world.workload(`of-${name}`, { follows: [name] });
  stage.request(name);
}

test('500 new workloads in five seconds, each with its own object, beside 1,000 objects, are at most 20 writes', async (t) => {
  const stage = new CommitterStage(t, entries(1000));
  for (const name of NAMES) {
    appear(stage, name);
    await stage.pass(10);
  }
  await stage.pass(1000);
  assert.equal(Object.keys(stage.data ?? {}).length, 1500);
  assert.ok(stage.store.patches.length <= 20, `${stage.store.patches.length} writes`);
});

test('the first baseline is written at once, and each of the following within a second', async (t) => {
  const stage = new CommitterStage(t, {});
  for (const name of NAMES.slice(0, 30)) {
    appear(stage, name);
    await stage.pass(0);
    assert.equal(Object.keys(stage.data ?? {}).length, 1);
    await stage.pass(10);
  }
  assert.ok(stage.store.patches.length < 10, `${stage.store.patches.length} writes`);
  await stage.pass(1000);
  assert.equal(Object.keys(stage.data ?? {}).length, 30);
});

test('what a start would believe otherwise is written at once, however much was stored', async (t) => {
  const stage = new CommitterStage(t, { ...entries(1000), 'v1.ConfigMap_cfg': 'a.1' }).listed(
    'cfg',
    'a',
    'web',
  );
  for (const name of NAMES.slice(0, 100)) appear(stage, name);
  await stage.pass(0);
  for (const content of ['b', 'c', 'd', 'e']) {
    stage.world.config('cfg', content);
    appear(stage, `beside-${content}`);
    // It follows what is open.
    stage.world.workload(`late-${content}`, { follows: ['cfg'] });
    stage.request('cfg');
    await stage.pass(100);
    assert.equal(stage.data?.['v1.ConfigMap_cfg']?.[0], content);
  }
});

test('a baseline that waits for the next batch is written before the process ends', async (t) => {
  const stage = new CommitterStage(t, entries(1000));
  for (const name of NAMES.slice(0, 5)) {
    appear(stage, name);
    await stage.pass(0);
  }
  await stage.committer.close(async () => false);
  assert.equal(Object.keys(stage.data ?? {}).length, 1005);
});
