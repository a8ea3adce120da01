/** What holds for the chart with every set of values: arguments, rights, names, labels and ports fit the program. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ADMISSION_PATH } from '../../lib/admission/admission-server.ts';
import { CHART_FLAGS } from '../docs/chart-flags.ts';
import { canonicalText, type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { CHART, helm, render, skipWithoutHelm } from './chart.ts';
import { VALUE_SETS, type ValueSet } from './chart-values.ts';
import { askedBy, BINDINGS, grantedTo, type Installed, installedBy, roleOf } from './installation.ts';
import { titleOf } from './replacement.ts';

const skip = skipWithoutHelm();
const CLUSTER_SCOPED = [
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];
const RELEASE = { release: 'web', namespace: 'tools' };

/** The flags that the sets give, by arguments and variables. */
const GIVEN = new Set<string>();

function flagOf(given: string): string {
  if (given.startsWith('--')) return given.replace(/^--|=.*$/gs, '');
  return given.replace('RELOADER_OPT_', '').toLowerCase().replaceAll('_', '-');
}

function isHook(object: JsonObject): boolean {
  return pick(object, 'metadata', 'annotations', 'helm.sh/hook') !== undefined;
}

/** The name of most objects. */
function fullNameIn({ deployment }: Installed): string {
  return stringOf(pick(deployment, 'metadata', 'name')) ?? '';
}

function lawsFor({ values, ...cluster }: ValueSet): void {
  let installed: Installed;
  let objects: readonly JsonObject[] = [];
  before(() => {
    const all = render(values, { ...RELEASE, ...cluster });
    installed = installedBy(all);
    objects = all.filter((object) => !isHook(object));
    for (const given of [...installed.args, ...Object.keys(installed.env)]) GIVEN.add(flagOf(given));
  });

  test('has arguments that the program understands without a word', () => {
    assert.deepEqual(installed.notices, []);
    assert.equal(new Set(installed.args).size, installed.args.length);
  });

  test('gives every right that the program asks for, no other one, and none twice', () => {
    const { dryRun, webhookUrl } = installed.options;
    const mayEvict = pick(values, 'evictions', 'enabled') === true && !dryRun && webhookUrl === undefined;
    const asked = askedBy(installed, mayEvict);
    assert.ok(asked.length > 10);
    assert.deepEqual(grantedTo(installed).sort(), asked.toSorted());
  });

  test('has no role that is not bound', () => {
    const bindings = installed.objects.filter(({ kind }) => BINDINGS.includes(String(kind)));
    const bound = bindings.map((binding) => roleOf(installed.objects, binding));
    const roles = installed.objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
    assert.deepEqual(roles.filter((role) => !bound.includes(role)).map(titleOf), []);
  });

  test('selects its pods, by labels that no version changes', () => {
    const { deployment } = installed;
    const selector = objectOf(pick(deployment, 'spec', 'selector', 'matchLabels'));
    const { app, release, ...more } = selector;
    assert.deepEqual({ app, release }, { app: fullNameIn(installed), release: 'web' });
    assert.deepEqual(Object.keys(more), Object.keys(objectOf(pick(values, 'reloader', 'matchLabels'))));
    const labels = objectOf(pick(deployment, 'spec', 'template', 'metadata', 'labels'));
    for (const [key, value] of Object.entries(selector)) assert.equal(labels[key], value);
    const selectors = objects.flatMap(({ kind, spec }) => {
      const at = kind === 'NetworkPolicy' ? 'podSelector' : 'selector';
      const found = objectOf(pick(spec, at));
      return kind === 'Service'
        ? [found]
        : found['matchLabels'] === undefined
          ? []
          : [objectOf(found['matchLabels'])];
    });
    for (const one of selectors) assert.deepEqual(one, selector);
  });

  test('has each object once, under the names that other manifests know', () => {
    const places = installed.objects.map(
      (object) => `${titleOf(object)} in ${stringOf(pick(object, 'metadata', 'namespace')) ?? 'the cluster'}`,
    );
    assert.deepEqual(
      places.filter((place, index) => places.indexOf(place) !== index),
      [],
    );
    const name = fullNameIn(installed);
    assert.equal(installed.container['name'], name);
    const [account] = objects.filter(({ kind }) => kind === 'ServiceAccount');
    const given = stringOf(pick(values, 'reloader', 'serviceAccount', 'name'));
    const expected = given ?? (account === undefined ? 'default' : name);
    assert.equal(installed.pod['serviceAccountName'], expected);
    if (account !== undefined) assert.equal(pick(account, 'metadata', 'name'), expected);
    for (const role of objects.filter(({ kind }) => kind === 'Role'))
      assert.match(titleOf(role), new RegExp(`^Role/${name}-(metadata-)?role$`));
  });

  test('has every object in a namespace, or in none where there is none', () => {
    const isPlaced = (object: JsonObject): boolean =>
      (pick(object, 'metadata', 'namespace') === undefined) ===
      CLUSTER_SCOPED.includes(String(object['kind']));
    assert.deepEqual(installed.objects.filter((object) => !isPlaced(object)).map(titleOf), []);
  });

  test('has the ports that the program listens on, and probes at that for probes alone', () => {
    const { options, container } = installed;
    const { webhookPort: containerPort } = options;
    assert.deepEqual(objectsOf(container['ports']), [
      { name: 'http', containerPort: options.port },
      { name: 'health', containerPort: options.healthPort },
      ...(containerPort === undefined ? [] : [{ name: 'webhook', containerPort }]),
    ]);
    const probes = ['livenessProbe', 'readinessProbe'].map((probe) => pick(container[probe], 'httpGet'));
    assert.deepEqual(probes, [
      { path: '/live', port: 'health' },
      { path: '/readyz', port: 'health' },
    ]);
  });

  test('is asked by the API server where the program serves the webhook', () => {
    const configuration = objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration');
    const { webhookPort } = installed.options;
    assert.equal(configuration === undefined, webhookPort === undefined);
    if (configuration === undefined || webhookPort === undefined) return;
    const [webhook] = objectsOf(configuration['webhooks']);
    const service = objects.find(
      (one) => titleOf(one) === `Service/${fullNameIn(installed).slice(0, 55)}-webhook`,
    );
    assert.deepEqual(pick(webhook, 'clientConfig', 'service'), {
      name: pick(service, 'metadata', 'name'),
      namespace: pick(service, 'metadata', 'namespace'),
      path: ADMISSION_PATH,
      port: 443,
    });
    assert.deepEqual(objectsOf(installed.container['volumeMounts']).at(-1), {
      name: 'tls',
      mountPath: installed.options.webhookTlsDirectory,
      readOnly: true,
    });
  });
}

for (const set of VALUE_SETS) describe(`the chart with ${set.name}`, { skip }, () => lawsFor(set));

describe('the sets together', { skip }, () => {
  test('give every flag that a value beside config sets', () => {
    const flags = CHART_FLAGS.filter(({ value }) => !value.startsWith('config.')).map(
      ({ flag }) => flag.name,
    );
    assert.deepEqual(
      flags.filter((flag) => !GIVEN.has(flag)),
      [],
    );
  });
});

for (const version of [3, 4] as const) {
  describe(`Helm ${version}`, { skip: skipWithoutHelm(version) }, () => {
    test('has no objection to the chart', () => {
      const said = helm(version, ['lint', '--strict', CHART, '--kube-version', '1.37.2']);
      assert.match(said, /1 chart\(s\) linted, 0 chart\(s\) failed/);
    });

    test('renders the same objects as the other one', () => {
      for (const { values, apiVersions } of VALUE_SETS.filter((_, index) => index % 20 === 0)) {
        if ('admission' in values) continue; // Each rendering makes another certificate.
        const rendering = { ...RELEASE, apiVersions: apiVersions ?? [] };
        // They put kinds that they do not know in different places.
        const rendered = (helm: 3 | 4): unknown =>
          render(values, { ...rendering, helm })
            .map(canonicalText)
            .sort();
        assert.deepEqual(rendered(version), rendered(version === 3 ? 4 : 3));
      }
    });
  });
}

test('there are at least eighty sets, each with a name of its own', () => {
  assert.ok(new Set(VALUE_SETS.map(({ name }) => name)).size >= 80);
});
