/** No installation binds a right that leads out of a namespace to an account in it, if it is watched as that of a tenant. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isList, type JsonObject, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { render as renderChart, skipWithoutHelm } from './chart.ts';
import { VALUE_SETS } from './chart-values.ts';
import { grantedTo, type Installed, installationIn, installedBy, type Right } from './installation.ts';
import { COMPONENTS, INSTALLATIONS } from './kustomization.ts';

const CONFIGURATIONS = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';
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
  const isFenced = isWebhookFenced(installed, home);
  return grantedTo(installed).filter(
    (right) =>
      !right.startsWith(`${home}: `) &&
      !REVIEWS.includes(right) &&
      !(isFenced && right.includes(` ${CONFIGURATIONS} `)),
  );
}

/** Whether a policy leaves the account only the caBundle of a webhook that is asked for its own namespace alone. */
function isWebhookFenced({ objects, pod }: Installed, home: string): boolean {
  const account = `"system:serviceaccount:${home}:${stringOf(pod['serviceAccountName'])}"`;
  const ofKind = (kind: string): readonly JsonObject[] => objects.filter((object) => object['kind'] === kind);
  const bound = ofKind('ValidatingAdmissionPolicyBinding')
    .filter(({ spec }) => JSON.stringify(pick(spec, 'validationActions')) === '["Deny"]')
    .map(({ spec }) => pick(spec, 'policyName'));
  const isFence = ({ metadata, spec }: JsonObject): boolean =>
    bound.includes(pick(metadata, 'name')) &&
    stringOf(pick(metadata, 'name'))?.endsWith('-webhook') === true &&
    objectsOf(pick(spec, 'matchConditions')).every(({ expression }) => String(expression).endsWith(account));
  const selects = ({ webhooks }: JsonObject): boolean =>
    objectsOf(webhooks).every((webhook) =>
      objectsOf(pick(webhook, 'namespaceSelector', 'matchExpressions')).some(
        ({ operator, values }) => operator === 'In' && isList(values) && values.join() === home,
      ),
    );
  return (
    ofKind('ValidatingAdmissionPolicy').some(isFence) && ofKind('MutatingWebhookConfiguration').every(selects)
  );
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

describe('a right is found that leads out of the namespace of a tenant', () => {
  const { objects } = installationIn('base', ['webhook']);
  const outOf = (changed: readonly JsonObject[]): number => leadingOut(installedBy(changed)).length;
  const edited = (from: string, to: string): readonly JsonObject[] =>
    JSON.parse(JSON.stringify(objects).replaceAll(from, to)) as JsonObject[];
  const without = (kind: string): readonly JsonObject[] =>
    objects.filter((object) => object['kind'] !== kind);

  test('to the webhook configuration without its policy, its binding, or with a wider selector', () => {
    assert.equal(outOf(objects), 0);
    assert.equal(outOf(without('ValidatingAdmissionPolicy')), 2);
    assert.equal(outOf(without('ValidatingAdmissionPolicyBinding')), 2);
    assert.equal(outOf(edited('"In"', '"NotIn"')), 2);
    assert.equal(
      outOf(edited('== \\"system:serviceaccount:default', '== \\"system:serviceaccount:other')),
      2,
    );
  });

  test('to another namespace', () => {
    const home = installationIn('namespaces').objects;
    const text = JSON.stringify(home).replaceAll('--namespace=web,api', '--namespace=web,api,reloader');
    assert.ok(outOf(JSON.parse(text) as JsonObject[]) > 20);
  });
});
