/** The fences of every installation have the names of what its reloader writes, and the chart has those of the manifests. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { permissionsOf } from '../../lib/app/preflight.ts';
import { type Json, type JsonObject, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { jsonPatch } from '../sandbox/json-patch.ts';
import { render, skipWithoutHelm } from './chart.ts';
import { VALUE_SETS } from './chart-values.ts';
import { fenceFiles } from './fences.ts';
import { type Installed, installationIn, installedBy } from './installation.ts';
import { INSTALLATIONS, K8S } from './kustomization.ts';
import { OWN_WRITES } from './own-writes.ts';
import { titleOf } from './replacement.ts';

const skip = skipWithoutHelm();

function policiesIn({ objects }: Installed): readonly JsonObject[] {
  return objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
}

/** The variables that are texts or lists of texts, of all policies together. */
function namesIn(installed: Installed): Readonly<Record<string, unknown>> {
  const variables = policiesIn(installed).flatMap(({ spec }) => objectsOf(pick(spec, 'variables')));
  const entries = variables.flatMap(({ name, expression }): [string, unknown][] => {
    const text = stringOf(expression) ?? '';
    return /^["[]/.test(text) ? [[String(name), JSON.parse(text)]] : [];
  });
  return Object.fromEntries(entries);
}

/** What the program asks for. */
function writtenBy(installed: Installed): Readonly<Record<string, unknown>> {
  const permissions = permissionsOf(installed);
  const named = (kind: string) =>
    permissions.find(({ rule, ...one }) => one.kind === kind && rule.resourceNames !== undefined);
  const [state, lease] = [named('ConfigMap'), named('Lease')];
  return {
    stateNamespace: state?.namespace,
    states: state?.rule.resourceNames,
    leaseNamespace: lease?.namespace,
    lease: lease?.rule.resourceNames?.[0],
    key: named('Secret')?.rule.resourceNames?.[0],
    furtherKinds: [],
  };
}

function accountsIn(installed: Installed): readonly unknown[] {
  return policiesIn(installed).flatMap(({ spec }) =>
    objectsOf(pick(spec, 'matchConditions')).map(({ expression }) => expression),
  );
}

function isAbout(installed: Installed, pausedAt: string = OWN_WRITES.pausedAt): void {
  assert.deepEqual(namesIn(installed), { ...writtenBy(installed), pausedAt });
  const namespace = stringOf(pick(installed.deployment, 'metadata', 'namespace')) ?? '';
  const account = `system:serviceaccount:${namespace}:${stringOf(installed.pod['serviceAccountName'])}`;
  const condition = `request.userInfo.username == "${account}"`;
  assert.deepEqual(accountsIn(installed), Array(3).fill(condition));
}

test('the fences are those that follow from the table of own writes', () => {
  for (const [file, text] of Object.entries(fenceFiles()))
    assert.equal(readFileSync(path.join(K8S, '..', file), 'utf8'), text, `${file}: npm run reference`);
});

for (const folder of INSTALLATIONS)
  test(`the fences of k8s/${folder} are about what its reloader writes`, () => {
    isAbout(installationIn(folder, ['fences']));
  });

test('the patch of the guide names a further kind, and changes no other variable', () => {
  const guide = readFileSync(path.join(K8S, '../docs/guides/tenants.md'), 'utf8');
  const [, yaml = ''] =
    /### Kinds of your own[\s\S]*?```yaml\n([\s\S]*?)```/.exec(guide) ?? assert.fail('there is an example');
  const [{ target, patch } = {}] = objectsOf(pick(parse(yaml) as JsonObject, 'patches'));
  const installed = installationIn('cluster', ['fences']);
  const objects = installed.objects.map((object) =>
    titleOf(object) === `${String(pick(target, 'kind'))}/${String(pick(target, 'name'))}`
      ? jsonPatch(object, parse(String(patch)) as Json)
      : object,
  );
  const patched = namesIn({ ...installed, objects });
  assert.deepEqual(patched, { ...namesIn(installed), furtherKinds: ['apps.kruise.io/clonesets'] });
});

describe('the fences of the chart', { skip }, () => {
  const valuesOf = (set: string): JsonObject =>
    VALUE_SETS.find(({ name }) => name === set)?.values ?? assert.fail();

  test('are about what its reloader writes', () => {
    isAbout(installedBy(render(valuesOf('fences'))));
    isAbout(installedBy(render(valuesOf('fences of another release'))), 'a.example.com/at');
  });

  test('are those of the manifests but for names', () => {
    const checks = (installed: Installed): unknown[] =>
      policiesIn(installed).map(({ spec }) => [
        pick(spec, 'matchConstraints'),
        pick(spec, 'failurePolicy'),
        pick(spec, 'validations'),
      ]);
    const manifests = checks(installationIn('cluster', ['fences']));
    assert.equal(manifests.length, 3);
    assert.deepEqual(checks(installedBy(render(valuesOf('fences')))), manifests);
  });

  test('are not there without their value', () => {
    assert.deepEqual(policiesIn(installedBy(render({ admission: { enabled: true } }))), []);
  });
});
