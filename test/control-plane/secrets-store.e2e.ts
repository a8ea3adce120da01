/** What a reloader relies on of the kinds of the Secrets Store CSI driver, and that its imitation keeps the driver's rules. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Stage } from '../e2e/stage.ts';
import { type WorkloadParts, web } from '../e2e/workloads.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { ControlPlane } from './control-plane.ts';
import {
  installSecretsStoreKinds,
  SecretsStoreDriver,
  skipWithoutSecretsStore,
  statusesPath,
} from './secrets-store.ts';

const plane = await ControlPlane.start();
after(() => plane[Symbol.asyncDispose]());
const skip = skipWithoutSecretsStore(plane);

const CLASS = 'db';
const MOUNTS: Partial<WorkloadParts> = { follows: { SecretProviderClass: [CLASS] }, reads: 'volume' };

/** A namespace with the driver and the class; its disposal ends the driver first. */
async function open(): Promise<
  AsyncDisposable & { readonly stage: Stage; readonly driver: SecretsStoreDriver }
> {
  const stage = await Stage.open(plane);
  const driver = SecretsStoreDriver.start(plane, stage.namespace);
  driver.put(CLASS, { user: '1', password: '1' });
  await driver.createClass(CLASS);
  const dispose = async (): Promise<void> => {
    await driver[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  };
  return { stage, driver, [Symbol.asyncDispose]: dispose };
}

function generationsOf(statuses: readonly JsonObject[]): readonly unknown[] {
  return statuses.map((each) => pick(each, 'metadata', 'generation'));
}

function uidsOf(objects: readonly JsonObject[]): readonly string[] {
  return objects.map((each) => String(pick(each, 'metadata', 'uid'))).toSorted();
}

describe('the driver', { skip, concurrency: 2 }, () => {
  before(() => installSecretsStoreKinds(plane));

  test('writes one status for each pod and class, and rewrites it where a version is another', async () => {
    await using scene = await open();
    const { stage, driver } = scene;
    await stage.create(web('web', MOUNTS));
    await driver.hasMounted();
    const pods = await stage.list('pods?labelSelector=app%3Dweb');
    const mounted = await driver.statuses();
    const names = pods.map((pod) => `${String(pick(pod, 'metadata', 'name'))}-${stage.namespace}-${CLASS}`);
    assert.deepEqual(mounted.map((each) => pick(each, 'metadata', 'name')).toSorted(), names.toSorted());
    const owners = mounted.flatMap((each) => objectsOf(pick(each, 'metadata', 'ownerReferences')));
    assert.deepEqual(owners.map(({ uid }) => String(uid)).toSorted(), uidsOf(pods));
    assert.deepEqual(pick(mounted[0], 'status', 'objects'), [
      { id: 'password', version: '1' },
      { id: 'user', version: '1' },
    ]);
    assert.equal(await driver.poll(), 0);
    driver.put(CLASS, { user: '1', password: '2' });
    assert.equal(await driver.poll({ most: 1 }), 1);
    assert.deepEqual(generationsOf(await driver.statuses()).toSorted(), [1, 2]);
    assert.equal(await driver.poll(), 1);
    assert.deepEqual(generationsOf(await driver.statuses()), [2, 2]);
  });

  test('has no status for a pod that is gone; a pod that comes later starts with what is in the store', async () => {
    await using scene = await open();
    const { stage, driver } = scene;
    await stage.create(web('web', { ...MOUNTS, kind: 'StatefulSet', replicas: 1 }));
    await driver.hasMounted();
    driver.put(CLASS, { user: '2', password: '2' });
    await stage.expect('DELETE', 'pods/web-0');
    await stage.until('the only status is that of the new pod', async () => {
      const statuses = await driver.statuses();
      const isNew = statuses.every(({ status }) => JSON.stringify(status).includes('"version":"2"'));
      return isNew && generationsOf(statuses).join() === '1';
    });
    await stage.expect('DELETE', 'statefulsets/web');
    await stage.until('no status is left', async () => (await driver.statuses()).length === 0);
  });

  test('writes a status as it writes any field: its generation counts contents, not labels', async () => {
    await using scene = await open();
    const { stage, driver } = scene;
    await stage.create(web('web', { ...MOUNTS, replicas: 1 }));
    await driver.hasMounted();
    const [status] = await driver.statuses();
    const path = statusesPath(stage.namespace, String(pick(status, 'metadata', 'name')));
    const labelled = await plane.expect('PATCH', path, { metadata: { labels: { node: 'other' } } });
    assert.deepEqual(generationsOf([labelled]), [1]);
    const moved = await plane.expect('PATCH', path, { status: { targetPath: '/elsewhere' } });
    assert.deepEqual(generationsOf([moved]), [2]);
    assert.equal((await plane.ask('PATCH', `${path}/status`, {})).status, 404);
  });
});
