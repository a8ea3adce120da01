/** What of a cluster is watched: namespaces left out, objects and namespaces chosen by their labels, live, and what namespaces say. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const WEB = web();

/** A namespace with a workload whose pods run, and what it follows. */
async function stageWithPair(): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await stage.put(WEB.name, 'A');
  await stage.create(WEB);
  return stage;
}

/** Starts a reloader for all namespaces with its state in `home`; it decides when this resolves. */
async function startEverywhere(home: Stage, flags: readonly string[]): Promise<ReloaderProcess> {
  const kubeconfig = await cluster.kubeconfig({ namespace: home.namespace });
  const place = ['--kubeconfig', kubeconfig, '--all-namespaces', '--state-namespace', home.namespace];
  const reloader = home.start([...place, '--coalesce-period', '100ms', ...flags]);
  await home.until('the reloader is ready', () => reloader.isReady());
  await home.until('home has a baseline', async () => 'v1.ConfigMap_web' in (await stateOf(home)));
  return reloader;
}

async function stateOf(home: Stage): Promise<Readonly<Record<string, string>>> {
  const { status } = await cluster.ask('GET', home.path('configmaps/reloader-state'));
  return status === 404 ? {} : await home.state();
}

async function labelNamespace({ namespace }: Stage, labels: Record<string, string | null>): Promise<void> {
  await cluster.expect('PATCH', `/api/v1/namespaces/${namespace}`, { metadata: { labels } });
}

/** Gives a ConfigMap labels; null takes one away. */
async function label(stage: Stage, name: string, team: string | null): Promise<void> {
  await stage.expect('PATCH', `configmaps/${name}`, { metadata: { labels: { team } } });
}

/** Changes a ConfigMap and leaves its labels. */
async function write(stage: Stage, name: string, key: string): Promise<void> {
  await stage.expect('PATCH', `configmaps/${name}`, { data: { key } });
}

test('a namespace that is ignored is not rolled, and is once it is not ignored', async () => {
  await using home = await stageWithPair();
  await using ignored = await stageWithPair();
  const reloader = await startEverywhere(home, [`--namespaces-to-ignore=${ignored.namespace}`]);
  assert.equal(await ignored.revision(WEB), 1);
  await ignored.put(WEB.name, 'B');
  await home.changeAndRoll(WEB, 'B');
  assert.equal(await ignored.revision(WEB), 1);
  assert.deepEqual(Object.keys(await home.entries()), ['v1.ConfigMap_web']);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  await startEverywhere(home, []);
  const entry = `${ignored.namespace}_v1.ConfigMap_web`;
  await home.until('it has a baseline', async () => entry in (await home.state()));
  await ignored.changeAndRoll(WEB, 'C');
  assert.equal(await ignored.revision(WEB), 2);
});

test('an object is followed while it has the labels, and compared when they are back', async () => {
  await using stage = await stageWithPair();
  const marker = web('mark', { replicas: 0 });
  await stage.put(marker.name, '0');
  await stage.create(marker);
  for (const { name } of [WEB, marker]) await label(stage, name, 'a');
  const reloader = await stage.reloader({ flags: ['--resource-label-selector=team:a,team'] });
  let marks = 0;
  const mark = async (): Promise<void> => {
    const before = await stage.stamps(marker);
    marks += 1;
    await write(stage, marker.name, String(marks));
    await stage.stampedAfter(marker, before);
  };
  const rolledBy = async (act: () => Promise<void>): Promise<void> => {
    const before = await stage.stamps(WEB);
    await act();
    await stage.stampedAfter(WEB, before);
    await stage.rolledOut(WEB);
  };
  await rolledBy(() => write(stage, WEB.name, 'B'));
  assert.equal(await stage.revision(WEB), 2);

  await label(stage, WEB.name, null);
  await reloader.hasSaid(/ConfigMap\/web is gone, or its labels are not those that are watched/);
  await write(stage, WEB.name, 'C');
  await mark();
  assert.equal(await stage.revision(WEB), 2);
  await reloader.hasSaid(/ConfigMap\/web not found, or without the labels that are watched \(team=a,team\)/);

  await rolledBy(() => label(stage, WEB.name, 'a'));
  assert.equal(await stage.revision(WEB), 3);
  await mark();
  await label(stage, WEB.name, 'b');
  await label(stage, WEB.name, 'a');
  await mark();
  assert.equal(await stage.revision(WEB), 3);
});

test('a namespace is served while it has the labels, and what it is owed waits for them', async () => {
  await using home = await stageWithPair();
  await using other = await stageWithPair();
  const team = home.namespace;
  await labelNamespace(home, { team });
  const flags = [`--namespace-selector=team:${team},!frozen`];
  const first = await startEverywhere(home, flags);
  const entry = `${other.namespace}_v1.ConfigMap_web`;

  await other.put(WEB.name, 'B');
  await home.changeAndRoll(WEB, 'B');
  assert.deepEqual([await other.revision(WEB), entry in (await home.state())], [1, false]);

  await labelNamespace(other, { team });
  await home.until('it has a baseline', async () => entry in (await home.state()));
  await home.changeAndRoll(WEB, 'C');
  assert.equal(await other.revision(WEB), 1, 'to select it rolls nothing');
  await other.changeAndRoll(WEB, 'C');
  assert.equal(await other.revision(WEB), 2);

  await labelNamespace(other, { frozen: '' });
  await first.hasSaid(new RegExp(`namespace ${other.namespace} is not selected any more`));
  await other.put(WEB.name, 'D');
  await home.changeAndRoll(WEB, 'D');
  assert.equal(await other.revision(WEB), 2);
  await first.stop();
  await startEverywhere(home, flags);
  await home.changeAndRoll(WEB, 'E');
  assert.equal(await other.revision(WEB), 2);

  const before = await other.stamps(WEB);
  await labelNamespace(other, { frozen: null });
  await other.stampedAfter(WEB, before);
  await other.rolledOut(WEB);
  assert.equal(await other.revision(WEB), 3);
});

test('annotations of a namespace count for its workloads, also without a selector and after a death', async () => {
  await using home = await stageWithPair();
  await using other = await stageWithPair();
  const flags = ['--namespace-annotations'];
  const hold = (value: string): Promise<unknown> =>
    home.kubectl(['annotate', 'namespace', other.namespace, `reloader.k8s.collaborne.com/hold${value}`]);
  const first = await startEverywhere(home, flags);
  const entry = `${other.namespace}_v1.ConfigMap_web`;
  await home.until('it has a baseline', async () => entry in (await home.state()));
  await hold('=true');
  await other.put(WEB.name, 'B');
  await first.hasSaid(new RegExp(`: namespace ${other.namespace} is held until its annotation hold`));
  await home.changeAndRoll(WEB, 'B');
  await home.until('it is committed', async () => (await home.marked([WEB])).size === 0);
  await first.kill();
  const second = await startEverywhere(home, flags);
  await second.hasSaid(new RegExp(`: namespace ${other.namespace} is held until its annotation hold`));
  await home.changeAndRoll(WEB, 'C');
  assert.deepEqual([await home.revision(WEB), await other.revision(WEB)], [3, 1]);
  const before = await other.stamps(WEB);
  await hold('-');
  await other.stampedAfter(WEB, before);
  await other.rolledOut(WEB);
  assert.equal(await other.revision(WEB), 2);
});
