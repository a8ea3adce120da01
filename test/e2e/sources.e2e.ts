/** The ways in which pods come to read an object, and objects at the limits of the API: how often a change rolls a workload. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const WEB = web();
const KEYS = 500;
const MIB = 1024 * 1024;
const SHARED = { mountPath: '/etc/source', name: 'source' };

/** How a container reads, what there is to read, and what is written. */
interface Source {
  /** Of the container and of the pod, beside what all have. */
  readonly container: JsonObject;
  readonly pod?: JsonObject;
  /** Without a pod where nothing serves its volume. @default 1 */
  readonly replicas?: number;
  /** @default auto */
  readonly annotations?: JsonObject;
  /** The names of ConfigMaps that exist before, and their content. @default one key */
  readonly objects: Readonly<Record<string, JsonObject>>;
  readonly act: (stage: Stage) => Promise<unknown>;
  readonly rollouts: 0 | 1;
}

const TEXT = { data: { key: 'A' } };

function configMap(name: string, content: JsonObject): JsonObject {
  return { metadata: { name }, ...content };
}

/** Changes these ConfigMaps within one window. */
function change(...names: readonly string[]): Source['act'] {
  return (stage) =>
    Promise.all(names.map((name) => stage.expect('PATCH', `configmaps/${name}`, { data: { key: 'B' } })));
}

/** Deletes the ConfigMap `web`, which cannot be changed, and creates one of the same name. */
async function replace(stage: Stage, content: JsonObject): Promise<void> {
  await stage.expect('DELETE', 'configmaps/web');
  await stage.expect('POST', 'configmaps', configMap('web', { immutable: true, ...content }));
}

/** A mebibyte, which is as much as an object may have, and ends with this. */
function mebibyte(end: string): JsonObject {
  return { binaryData: { blob: Buffer.from(end.padStart(MIB, '.')).toString('base64') } };
}

const MANY = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`key-${index}`, 'A']));
const PROJECTED = ['one', 'two', 'three'];
const ALL = { envFrom: [{ configMapRef: { name: 'web' } }] };

/** Of a volume that lives as long as its pod. */
const CLAIM = {
  metadata: { annotations: { 'files.example/configMap': 'web' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
};

const SOURCES: Readonly<Record<string, Source>> = {
  'each part of a projection, at once': {
    container: { volumeMounts: [SHARED] },
    pod: {
      volumes: [
        { name: 'source', projected: { sources: PROJECTED.map((name) => ({ configMap: { name } })) } },
      ],
    },
    objects: { one: TEXT, two: TEXT, three: TEXT },
    act: change(...PROJECTED),
    rollouts: 1,
  },
  'variables with a prefix': {
    container: { envFrom: [{ prefix: 'WEB_', configMapRef: { name: 'web' } }] },
    objects: { web: TEXT },
    act: change('web'),
    rollouts: 1,
  },
  'labels of the pod in a volume, beside a ConfigMap that is not read': {
    container: { volumeMounts: [SHARED] },
    pod: {
      volumes: [
        {
          name: 'source',
          downwardAPI: { items: [{ path: 'app', fieldRef: { fieldPath: "metadata.labels['app']" } }] },
        },
      ],
    },
    objects: { web: TEXT },
    act: change('web'),
    rollouts: 0,
  },
  'a name in the attributes of a volume of a driver': {
    container: { volumeMounts: [SHARED] },
    pod: {
      volumes: [{ name: 'source', csi: { driver: 'files.example', volumeAttributes: { configMap: 'web' } } }],
    },
    objects: { web: TEXT },
    act: change('web'),
    rollouts: 0,
  },
  'a name in the annotations of the claim of an ephemeral volume': {
    container: { volumeMounts: [SHARED] },
    pod: { volumes: [{ name: 'source', ephemeral: { volumeClaimTemplate: CLAIM } }] },
    replicas: 0,
    objects: { web: TEXT },
    act: change('web'),
    rollouts: 0,
  },
  'an immutable object that is replaced by one with another content': {
    container: ALL,
    objects: { web: { immutable: true, ...TEXT } },
    act: (stage) => replace(stage, { data: { key: 'B' } }),
    rollouts: 1,
  },
  'an immutable object that is replaced by one with the same content': {
    container: ALL,
    objects: { web: { immutable: true, ...TEXT } },
    act: (stage) => replace(stage, TEXT),
    rollouts: 0,
  },
  'the last byte of a mebibyte': {
    container: { volumeMounts: [SHARED] },
    pod: { volumes: [{ name: 'source', configMap: { name: 'web' } }] },
    objects: { web: mebibyte('A') },
    act: (stage) => stage.expect('PATCH', 'configmaps/web', mebibyte('B')),
    rollouts: 1,
  },
  'one of 500 keys': {
    container: ALL,
    objects: { web: { data: MANY } },
    act: (stage) => stage.expect('PATCH', 'configmaps/web', { data: { 'key-499': 'B' } }),
    rollouts: 1,
  },
  'one of 500 keys that the pods do not read': {
    container: {
      env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'web', key: 'key-0' } } }],
    },
    annotations: { 'reloader.k8s.collaborne.com/key-scoped': 'true' },
    objects: { web: { data: MANY } },
    act: (stage) => stage.expect('PATCH', 'configmaps/web', { data: { 'key-499': 'B' } }),
    rollouts: 0,
  },
};

function manifest({ container, pod = {}, replicas = 1, annotations = {} }: Source): JsonObject {
  const labels = { app: WEB.name };
  const containers = [{ name: 'app', image: 'registry.k8s.io/pause:3.10', ...container }];
  return {
    metadata: { name: WEB.name, annotations: { 'reloader.k8s.collaborne.com/auto': 'true', ...annotations } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers, ...pod },
      },
    },
  };
}

describe('how often a change rolls a workload:', { concurrency: 4 }, () => {
  for (const [name, source] of Object.entries(SOURCES)) {
    test(`${name}: ${source.rollouts}`, async () => {
      await using stage = await Stage.open(cluster);
      await stage.createMarker();
      for (const [object, content] of Object.entries(source.objects))
        await stage.expect('POST', 'configmaps', configMap(object, content));
      await stage.expect('POST', 'deployments', manifest(source));
      await stage.rolledOut(WEB);
      const reloader = await stage.reloader({ periodMs: 2000 });
      await source.act(stage);
      await stage.mark(reloader);
      await stage.rolledOut(WEB);
      assert.equal((await stage.revision(WEB)) - 1, source.rollouts);
      assert.equal(Object.keys(await stage.stamps(WEB)).length > 0, source.rollouts === 1);
    });
  }
});
