/** Several manifests of one object, as of a base and its patch, or of two environments. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { stringify } from 'yaml';
import { check } from '../../../lib/commands/manifests/check.ts';
import { planAgainst } from '../../../lib/commands/manifests/plan.ts';
import { configMap, deployment, manifestsOf } from './plans.ts';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-twins-'));
});
after(() => rmSync(folder, { recursive: true }));

function fileWith(name: string, objects: readonly object[]): string {
  const file = path.join(folder, name);
  writeFileSync(file, objects.map((each) => stringify(each)).join('---\n'));
  return file;
}

test('check judges each at its own line, and reports those that differ', async () => {
  const words = (word: string): object =>
    deployment('app:1', { [`reloader.k8s.collaborne.com/${word}`]: 'true' });
  const metadata = { name: 'web', namespace: 'default' };
  const patch = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 5 } };
  const mistyped = fileWith('mistyped.yaml', [words('atuo')]);
  const others = fileWith('others.yaml', [configMap(), configMap()]);
  for (const last of [fileWith('right.yaml', [words('auto')]), fileWith('patch.yaml', [patch])])
    for (const files of [
      [mistyped, last, others],
      [last, mistyped, others],
    ] as const) {
      const { problems } = await check(files, { namespace: 'default', settings: [], isStrict: false });
      const twins = problems.filter(({ rule }) => rule === 'duplicate');
      const found = problems.filter((each) => !twins.includes(each));
      assert.deepEqual(
        found.map(({ rule, file, line }) => [rule, file, line]),
        [['mistyped', mistyped, 6]],
      );
      assert.deepEqual(
        twins.map(({ file, about }) => [file, about]),
        [[files[1], `${files[0]}:1`]],
      );
    }
});

test('a plan refuses those that differ, on either side', async () => {
  const tree = [configMap(), deployment('app:1')];
  const metadata = { name: 'web', namespace: 'default' };
  const twin = { ...configMap({ value: 'B' }), metadata };
  for (const [to, from] of [
    [[...tree, twin], tree],
    [tree, [...tree, twin]],
  ] as const)
    await assert.rejects(
      planAgainst(manifestsOf(to), manifestsOf(from), 'default', []),
      /^CommandError: -:1: ConfigMap\/web: is also in -:1, with other fields: give what is rendered/,
    );
  const { unknown } = await planAgainst(manifestsOf([...tree, ...tree]), manifestsOf(tree), 'default', []);
  assert.deepEqual(unknown, []);
});
