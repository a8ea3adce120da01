/** `reloader plan`: which files it reads, and what values mean there, as for `kubectl apply -f`. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { manifestsIn } from '../../../lib/commands/manifests/documents.ts';
import { readManifests } from '../../../lib/commands/manifests/manifests.ts';
import { onCluster } from './plans.ts';
import { World } from './world.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-plan-'));
});
after(() => rmSync(folder, { recursive: true }));

/** Files of a folder, by their paths. */
function tree(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(folder, name, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  return path.join(folder, name);
}

function configMap(name: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
}

test('of a folder its own files are planned, and all below it are checked', async () => {
  const files = ['a.yaml', 'b.yml', 'c.json', 'd.txt', 'below/e.yaml', '.hidden/f.yaml'];
  const place = tree('flat', Object.fromEntries(files.map((file, index) => [file, configMap(`m${index}`)])));
  const [planned, checked] = await Promise.all([
    readManifests([place]),
    readManifests([place], [], () => undefined),
  ]);
  const names = [planned, checked].map((all) => all.map(({ object }) => object.metadata.name).sort());
  assert.deepEqual(names, [
    ['m0', 'm1', 'm2'],
    ['m0', 'm1', 'm2', 'm4', 'm5'],
  ]);
});

test('what kustomize reads is not planned, and the error has the command that is', async () => {
  const group = 'apiVersion: kustomize.config.k8s.io/';
  for (const [file, text] of [
    ['kustomization.yaml', 'resources: [a.yaml]'],
    ['kustomization.yml', `${group}v1beta1\nkind: Kustomization`],
    ['other.yaml', `${configMap('b')}\n---\n${group}v1alpha1\nkind: Component`],
  ] as const) {
    const place = tree(`of-${file}`, { 'a.yaml': configMap('a'), [file]: text });
    for (const given of [place, path.join(place, file)])
      await assert.rejects(readManifests([given]), {
        code: 'not-readable',
        message: `${path.join(place, file)} is for kustomize: kubectl kustomize ${place} | reloader plan -f -`,
      });
  }
});

test('a value in another form is no change', async () => {
  const world = new World().install().configMap();
  world.sandbox.create('secrets', { metadata: { name: 'tls' }, data: { a: 'MQ==' } });
  world.sandbox.patch('configmaps', 'default', 'web', { data: { value: '1' } });
  const text = `apiVersion: v1
kind: Secret
metadata: {name: tls}
data: {a: MR==}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {value: !!binary MQ==}`;
  const manifests = manifestsIn({ file: '-', text, isNamed: true, report: () => assert.fail() });
  const objects = manifests.map(({ object }) => object);
  assert.deepEqual((await onCluster(world, objects)).objects, []);
});

test('a directive that is the only field of an item makes the plan unknown', async () => {
  const spec = { containers: [{ name: 'a', image: 'a', env: [{ $patch: 'replace' }] }] };
  const metadata = { name: 'web', annotations: { 'reloader.k8s.collaborne.com/auto': 'true' } };
  const text = JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { template: { spec } },
  });
  const read = await readManifests([tree('directive', { 'web.json': text })]);
  const world = new World().install().configMap().deployment();
  const { unknown } = await onCluster(
    world,
    read.map(({ object }) => object),
  );
  assert.deepEqual(unknown, ['Deployment/web: it has the directive $patch']);
});
