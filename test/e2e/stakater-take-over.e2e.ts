/** Workloads that Stakater Reloader has stamped: they are taken over as they are, and if it is still there, that is told. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { KEYED } from '../digests.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { isAt, restsAt } from './endings.ts';
import { Stage } from './stage.ts';
import { AUTO } from './stakater-rules.ts';
import { theirDigest, theirVariable } from './stakater-stand-in.ts';
import { KINDS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const OBJECTS = ['shop', 'shop.db', 'web-cache', 'queue', 'mail'];

/** Of every other workload its stamp is of the content that is there, of the rest of another one: neither is compared. */
const WORKLOADS: readonly (WorkloadParts & { readonly object: string })[] = Array.from(
  { length: 50 },
  (_, index) => {
    const object = OBJECTS[index % OBJECTS.length] ?? '';
    return {
      object,
      kind: KINDS[index % KINDS.length] ?? 'Deployment',
      name: `app-${index}`,
      follows: { ConfigMap: [object] },
      replicas: 1,
      // What carries the stamp is not the first container: ours would go there if none was there yet.
      hasFirst: true,
      annotations: AUTO,
      variables: { [theirVariable(object)]: theirDigest(index % 2 === 0 ? 'A' : 'before A') },
    };
  },
);

async function startReloader(stage: Stage): Promise<ReloaderProcess> {
  await stage.createMarker();
  return await stage.reloaderWithRights({ periodMs: 1000 });
}

/** The environment of the container `app`, as it stands in the template. */
async function variablesOf(stage: Stage, workload: WorkloadParts): Promise<readonly string[]> {
  const containers = pick(await stage.live(workload), 'spec', 'template', 'spec', 'containers');
  return (containers as readonly { name: string; env?: readonly { name: string }[] }[]).flatMap(
    ({ name, env = [] }) => env.map((variable) => `${name}/${variable.name}`),
  );
}

/** Each has so many templates, and one stamp, which stands where the other program's stood. */
async function areAllAt(stage: Stage, revision: number, value: RegExp): Promise<void> {
  for (const workload of WORKLOADS) {
    const stamps = await isAt(stage, workload, revision);
    const variable = theirVariable(workload.object);
    assert.deepEqual(await variablesOf(stage, workload), [`app/${variable}`]);
    assert.match(stamps[variable] ?? '', value, workload.name);
  }
}

test('50 workloads with its stamps are taken over without a rollout; then each change reaches them, in the variable that was there', async () => {
  await using stage = await Stage.open(cluster);
  for (const name of OBJECTS) await stage.put(name, 'A');
  await Promise.all(WORKLOADS.map((each) => stage.create(each)));
  const before = await Promise.all(WORKLOADS.map((each) => stage.stamps(each)));
  const reloader = await startReloader(stage);
  await stage.mark(reloader);
  await areAllAt(stage, 1, /^[0-9a-f]{40}$/);
  assert.deepEqual(await Promise.all(WORKLOADS.map((each) => stage.stamps(each))), before);

  for (const [index, content] of ['B', 'C'].entries()) {
    const stamps = await Promise.all(WORKLOADS.map((each) => stage.stamps(each)));
    for (const name of OBJECTS) await stage.put(name, content);
    for (const [which, each] of WORKLOADS.entries()) await stage.stampedAfter(each, stamps[which] ?? {});
    await stage.mark(reloader);
    await areAllAt(stage, index + 2, new RegExp(`^${KEYED}\\.\\d{16}$`));
  }
  assert.ok(!reloader.says(/second-reloader/));
});

test('another program that writes such a variable beside us is told of, in a Warning on the workload', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  await stage.create(web('web', { annotations: AUTO }));
  const reloader = await startReloader(stage);
  const write = (manager: string, content: string): Promise<unknown> => {
    const env = [{ name: theirVariable('web'), value: theirDigest(content) }];
    const patch = { spec: { template: { spec: { containers: [{ name: 'app', env }] } } } };
    const args = ['patch', 'deployment/web', `--field-manager=${manager}`, '-p', JSON.stringify(patch)];
    return stage.kubectl(args);
  };
  // The API server tells to the second who wrote last.
  const second = Math.ceil((Date.now() + 1) / 1000);
  await stage.until('the second of its creation is over', async () => Date.now() / 1000 > second);
  // By hand it is no other program.
  await write('kubectl-patch', 'by hand');
  await restsAt(stage, reloader, web(), 2);
  assert.ok(!reloader.says(/second-reloader/));
  await write('Reloader', 'by the other');
  await stage.until('the Warning is there', async () => {
    const events = await stage.list('events');
    return events.some(
      ({ reason, type, message, involvedObject }) =>
        reason === 'SecondReloader' &&
        type === 'Warning' &&
        pick(involvedObject, 'name') === 'web' &&
        String(message).includes('field manager Reloader') &&
        String(message).includes(theirVariable('web')),
    );
  });
  await restsAt(stage, reloader, web(), 3);
});
