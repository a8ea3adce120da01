/** No installation binds a right that leads out of a namespace to an account in it, if it is watched as that of a tenant. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, pick, stringOf } from '../sandbox/json.ts';
import { render as renderChart, skipWithoutHelm } from './chart.ts';
import { VALUE_SETS } from './chart-values.ts';
import { grantedTo, type Installed, installationIn, installedBy, type Right } from './installation.ts';
import { COMPONENTS, INSTALLATIONS } from './kustomization.ts';

/** They change nothing and tell who an account is, and what it may do: with secure pages every account of a reloader may ask. */
const REVIEWS: readonly Right[] = [
  '*: create authentication.k8s.io/tokenreviews',
  '*: create authorization.k8s.io/subjectaccessreviews',
];

/** The rights that lead out of the account's namespace, if that is one of those that are watched by name. */
function leadingOut(installed: Installed): readonly Right[] {
  const { deployment, place } = installed;
  const home = stringOf(pick(deployment, 'metadata', 'namespace')) ?? '';
  if (place.namespaces?.includes(home) !== true) return [];
  return grantedTo(installed).filter((right) => !right.startsWith(`${home}: `) && !REVIEWS.includes(right));
}

describe('no right leads out of the namespace of a tenant', () => {
  for (const folder of INSTALLATIONS)
    for (const component of [[], ...COMPONENTS.map((name) => [name])])
      test([`k8s/${folder}`, ...component].join(' with '), () => {
        assert.deepEqual(leadingOut(installationIn(folder, component)), []);
      });
});

describe('no right leads out of the namespace of a tenant, by the chart with', {
  skip: skipWithoutHelm(),
}, () => {
  for (const { name, values, ...rendering } of VALUE_SETS)
    test(name, () => {
      const objects = renderChart(values, { release: 'web', namespace: 'tools', ...rendering });
      assert.deepEqual(leadingOut(installedBy(objects)), []);
    });
});

test('a right is found that leads out of the namespace of a tenant', () => {
  const home = installationIn('namespaces').objects;
  const text = JSON.stringify(home).replaceAll('--namespace=web,api', '--namespace=web,api,reloader');
  assert.ok(leadingOut(installedBy(JSON.parse(text) as JsonObject[])).length > 20);
});
