/** What is read to compare the stamps of another reloader: no more than is needed, and each thing once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stakaterDigestOf, WaveHash } from '../../../lib/annotations/inherited-digests.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { InheritedStamps, type InheritedStampsOptions } from '../../../lib/repair/inherited-comparison.ts';
import { settle } from '../state/committer-stage.ts';
import { World } from '../tracking/world.ts';

const WRITTEN = 1_000_000_000;
const RAW = { metadata: { name: 'cfg', resourceVersion: '1' }, data: { key: 'value' } };
const SAME = stakaterDigestOf('ConfigMap', RAW);
const OTHER = 'f'.repeat(40);

interface Import {
  readonly stamp: string;
  readonly names?: readonly string[];
  /** By how much the pods are younger than the object. */
  readonly youngerS?: number;
  /** Of the template. */
  readonly hash?: Readonly<Record<string, string>>;
  readonly asks?: Readonly<Record<string, string>>;
  readonly readConfig?: InheritedStampsOptions['readConfig'];
  readonly isSynced?: InheritedStampsOptions['isSynced'];
  readonly isWatched?: InheritedStampsOptions['isWatched'];
  readonly log?: InheritedStampsOptions['log'];
  readonly client?: InheritedStampsOptions['client'];
}

/** Workloads that follow `cfg`, with a stamp of it; what is asked is noted. */
function imported({ stamp, names = ['web'], youngerS = 0, hash = {}, asks = {}, ...given }: Import) {
  const world = new World({}, 'home', { dialects: VOCABULARY_NAMES });
  world.config('cfg', 'b', { initial: true });
  const config = world.store.configs.get(world.configKey('cfg'));
  assert.ok(config !== undefined);
  config.lastWrite = WRITTEN;
  const env = [{ name: 'STAKATER_CFG_CONFIGMAP', value: stamp }];
  const template = { metadata: { annotations: hash }, spec: { containers: [{ name: 'main', env }] } };
  for (const name of names)
    world.workload(name, { follows: ['cfg'], asks, template, uid: `uid-${name}` }, { initial: true });
  assert.deepEqual(world.plans(), [], 'nothing is written before');
  const asked: string[] = [];
  const birth = { revision: '1', createdAt: WRITTEN + youngerS };
  const inherited = new InheritedStamps({
    store: world.store,
    client: { get: () => assert.fail('no workload is read') },
    readConfig: ({ name }) => {
      asked.push(name);
      return Promise.resolve({ kind: 'found', object: RAW });
    },
    readBirths: (namespace, kind) => {
      asked.push(`${kind}s of ${namespace}`);
      const births = new Map(names.map((name) => [`uid-${name}`, birth]));
      return Promise.resolve({ kind: 'listed', births });
    },
    isSynced: () => true,
    isWatched: () => true,
    apply: () => undefined,
    random: () => 0,
    log: NO_LOG,
    ...given,
  });
  const compare = async () => {
    inherited.review();
    await settle();
    return names.filter((name) => world.needsRollout(name));
  };
  return { world, asked, compare, close: () => inherited.close() };
}

async function compared(names: readonly string[], stamp: string, youngerS: number) {
  const { world, asked, compare } = imported({ stamp, names, youngerS });
  const outdated = await compare();
  assert.notDeepEqual(world.plans(), [], 'the baseline is written then');
  return { asked, outdated };
}

test('templates are listed once for a namespace, and an object that many follow is read once', async () => {
  const asked = ['Deployments of home', 'cfg'];
  assert.deepEqual(await compared(['web', 'api'], OTHER, 0), { asked, outdated: ['web', 'api'] });
  assert.deepEqual(await compared(['web', 'api'], SAME, 0), { asked, outdated: [] });
});

test('beside younger pods no object is read', async () => {
  assert.deepEqual(await compared(['web'], OTHER, 2), { asked: ['Deployments of home'], outdated: [] });
});

test('a version that the stream has not shown proves nothing of the baseline', async () => {
  const object = { ...RAW, metadata: { name: 'cfg', resourceVersion: '9' } };
  const { world, compare, close } = imported({
    stamp: SAME,
    readConfig: () => Promise.resolve({ kind: 'found', object }),
  });
  await compare();
  assert.deepEqual(world.plans(), [], 'it is compared again later');
  await close();
});

test('pods that run a content which came after the baseline are rolled, also if the baseline returns', async () => {
  const object = { ...RAW, metadata: { name: 'cfg', resourceVersion: '3' } };
  const { world, compare } = imported({
    stamp: SAME,
    readConfig: () => Promise.resolve({ kind: 'found', object }),
  });
  world.config('cfg', 'c');
  const config = world.store.configs.get(world.configKey('cfg'));
  assert.ok(config !== undefined);
  config.lastWrite = WRITTEN;
  await compare();
  world.config('cfg', 'b');
  assert.ok(world.needsRollout('web'));
});

test('keys that have to be read again are not compared before', async () => {
  const { world, compare, close } = imported({ stamp: OTHER });
  const config = world.store.configs.get(world.configKey('cfg'));
  assert.ok(config !== undefined);
  config.isUnread = true;
  await compare();
  const [record] = world.store.workloads.values();
  assert.equal(record?.uncompared?.size, 1);
  await close();
});

test('an object whose kind is not listed waits, and holds up no other one', async () => {
  const isConfigMap = (_namespace: string, kind: string): boolean => kind === 'ConfigMap';
  const { world, compare } = imported({ stamp: SAME, isSynced: isConfigMap });
  const [record] = world.store.workloads.values();
  record?.uncompared?.add('home/Secret/s');
  await compare();
  assert.notDeepEqual(world.plans(), []);
  assert.deepEqual([...(record?.uncompared ?? [])], ['home/Secret/s']);
});

test('what no stream shows is not read for a hash of several objects, so neither a right nor a long list holds it up', async () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `no-${index}`);
  const asks = {
    'pod-reloader.cs.sap.com/configmaps': ['cfg', ...names].join(),
    'pod-reloader.cs.sap.com/secrets': 'may-not-be-listed',
  };
  const isWatched = (_namespace: string, kind: string): boolean => kind === 'ConfigMap';
  const hash = { 'pod-reloader.cs.sap.com/config-hash': 'f'.repeat(64) };
  const { world, asked, compare } = imported({ stamp: 'none', hash, asks, isWatched });
  world.listed();
  assert.deepEqual(await compare(), ['web']);
  assert.deepEqual(asked, ['Deployments of home', 'cfg']);
});

test('an end waits for the reads under way alone', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
  const { asked, compare, close } = imported({
    stamp: 'none',
    names,
    asks: { 'pod-reloader.cs.sap.com/configmaps': 'cfg,cfg' },
    hash: { 'pod-reloader.cs.sap.com/config-hash': 'f'.repeat(64) },
    readConfig: async ({ name }) => {
      asked.push(name);
      await promise;
      return { kind: 'found', object: RAW };
    },
  });
  await compare();
  const atOnce = asked.length;
  const closed = close();
  resolve();
  await closed;
  assert.equal(asked.length, atOnce);
});

test('a comparison that has to wait is logged, with the reason, and nothing is recorded meanwhile', async () => {
  const warnings: string[] = [];
  const log = { ...NO_LOG, warn: (message: string) => void warnings.push(message) };
  const readConfig = () => Promise.resolve({ kind: 'failed', message: 'etcd is away' } as const);
  const { world, compare, close } = imported({ stamp: OTHER, log, readConfig });
  assert.deepEqual(await compare(), []);
  assert.deepEqual(world.plans(), []);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /namespace home .*: etcd is away$/);
  await close();
});

test('an object of another namespace is read for a hash of wave only if it allows that; else the hash proves nothing', async () => {
  const asks = {
    'wave.pusher.com/update-on-config-change': 'true',
    'wave.pusher.com/extra-configmaps': 'cfg,shop/cfg',
  };
  const wave = new WaveHash();
  wave.add({ ref: { kind: 'ConfigMap', namespace: 'home', name: 'cfg' }, keys: undefined }, RAW);
  const hash = { 'wave.pusher.com/config-hash': wave.digest() };
  const object = { metadata: { name: 'web', namespace: 'home' }, spec: { template: {} } };
  const client = { get: () => Promise.resolve({ kind: 'found', object } as const) };
  const comparedWith = async (own: Readonly<Record<string, string>>) => {
    const { asked, compare } = imported({ stamp: 'none', hash, asks: own, client });
    return { outdated: await compare(), asked };
  };
  const alone = { ...asks, 'wave.pusher.com/extra-configmaps': 'cfg' };
  assert.deepEqual(await comparedWith(alone), { outdated: [], asked: ['Deployments of home', 'cfg'] });
  assert.deepEqual(await comparedWith(asks), { outdated: ['web'], asked: ['Deployments of home'] });
});
