/** Kinds that only the settings name: custom resources with a pod template at a path of their own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { customResource } from '../sandbox/resource-table.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';

/** An operator's kind: its template is two fields deep. */
const APPS = customResource('acme.example/v1', 'apps', 'App');
/** A kind whose schema knows no metadata of the pod template. */
const SITES = customResource('sites.example/v1beta1', 'sites', 'Site', {
  pruned: ['spec', 'template', 'metadata'],
});
/** A kind of the plural and kind of another one. */
const SERVICES = customResource('serving.acme.example/v1', 'services', 'Service');

const FLAGS = [
  '--is-openshift=false',
  '--is-Argo-Rollouts=false',
  '--workload-kinds=acme.example/v1/apps:spec.pods.template,sites.example/v1beta1/sites:spec.template',
  '--workload-kinds=serving.acme.example/v1/services:spec.template',
];
const ENTRY = 'v1.ConfigMap_web';
const FOLLOWS = { 'reloader.k8s.collaborne.com/configmap': 'web' };
const BY_ANNOTATIONS = { ...FOLLOWS, 'reloader.k8s.collaborne.com/reload-strategy': 'annotations' };

type Row = typeof APPS;
const nameOf = ({ resource, group }: Row): string => `${resource}.${group}`;
const pathOf = (row: Row): string[] => (row === APPS ? ['spec', 'pods', 'template'] : ['spec', 'template']);

function create({ sandbox }: Cluster, row: Row, annotations: JsonObject = FOLLOWS): void {
  const template = {
    spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'A', value: 'b' }] }] },
  };
  const spec = row === APPS ? { pods: { template } } : { template };
  sandbox.create(nameOf(row), { metadata: { name: 'web', namespace: 'default', annotations }, spec });
}

function templateOf({ sandbox }: Cluster, row: Row): JsonObject | undefined {
  return pick(sandbox.get(nameOf(row), 'default', 'web'), ...pathOf(row)) as JsonObject | undefined;
}

function stampOf(cluster: Cluster, row: Row): unknown {
  const [app] = objectsOf(pick(templateOf(cluster, row), 'spec', 'containers'));
  return objectsOf(app?.['env']).find(({ name }) => name !== 'A')?.['value'];
}

const patchesOf = ({ audits }: Cluster, { resource }: Row) =>
  audits.filter((audit) => audit.verb === 'patch' && audit.resource === resource);

/** The messages of the Events about `web` of a kind, as its objects name it. */
const eventsOf = ({ sandbox }: Cluster, kind: string): string[] =>
  sandbox
    .list('events')
    .filter((event) => ['regarding', 'involvedObject'].some((field) => pick(event, field, 'kind') === kind))
    .map((event) => String(event['note'] ?? event['message']));

async function start(cluster: Cluster, rows: readonly Row[]) {
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  for (const row of rows) create(cluster, row);
  return await cluster.reloader({ flags: FLAGS });
}

test('each of three kinds is rolled once by a JSON patch at its own path, and its Events name its kind', async () => {
  const rows = [APPS, SITES, SERVICES];
  await using cluster = await Cluster.start({ extensions: rows });
  const reloader = await start(cluster, rows);
  put(cluster, configMap('web'), 'two');
  for (const row of rows)
    await cluster.until(`${nameOf(row)} is stamped`, () => stampOf(cluster, row) !== undefined);
  await cluster.until('it is committed', () => cluster.state()[ENTRY] === stampOf(cluster, APPS));
  await mark(cluster);
  await cluster.settled(reloader);
  for (const row of rows) {
    const [patch, ...more] = patchesOf(cluster, row);
    assert.deepEqual([patch?.contentType, patch?.status], ['application/json-patch+json', 200], row.resource);
    assert.deepEqual(more, []);
    await cluster.until(`an Event is on the ${row.kind}`, () =>
      eventsOf(cluster, row.kind).some((note) => /rolled/.test(note)),
    );
  }
});

test('annotations are stamped by a merge patch; where the schema drops them the Event names the remedy', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS, SITES] });
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  for (const row of [APPS, SITES]) create(cluster, row, BY_ANNOTATIONS);
  await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await cluster.until('the App is stamped', () =>
    JSON.stringify(templateOf(cluster, APPS)?.['metadata'] ?? '').includes('stamps'),
  );
  assert.deepEqual(
    patchesOf(cluster, APPS).map(({ contentType, status }) => [contentType, status]),
    [['application/merge-patch+json', 200]],
  );
  const remedy = /accepted the patch without its stamp; .*sites\.sites\.example .*reload-strategy: env-vars/;
  await cluster.until('the Event names the remedy', () =>
    eventsOf(cluster, 'Site').some((note) => remedy.test(note)),
  );
  const live = cluster.sandbox.get('sites.sites.example', 'default', 'web');
  cluster.sandbox.patch('sites.sites.example', 'default', 'web', {
    metadata: {
      annotations: {
        ...live?.metadata.annotations,
        'reloader.k8s.collaborne.com/reload-strategy': 'env-vars',
      },
    },
  });
  await cluster.until('with the remedy it is stamped', () => stampOf(cluster, SITES) !== undefined);
});

test('without a template at the path an Event names path and flag, and nothing else waits', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  const metadata = { name: 'web', namespace: 'default', annotations: FOLLOWS };
  cluster.sandbox.create(nameOf(APPS), { metadata, spec: { template: { spec: { containers: [] } } } });
  await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await mark(cluster);
  await cluster.until('the Event names the path', () =>
    eventsOf(cluster, 'App').some((note) =>
      /no pod template at spec\.pods\.template, .*--workload-kinds/.test(note),
    ),
  );
  assert.deepEqual(patchesOf(cluster, APPS), []);
});

/** What operators refuse, and the code of the answer. */
const REFUSALS: Readonly<Record<string, readonly [code: 400 | 403, message: string]>> = {
  'a webhook of the kind': [
    403,
    'admission webhook "apps.acme.example" denied the request: env is managed by the operator',
  ],
  // Of a Service whose spec.template.metadata has a name.
  'Knative, of a named revision': [
    400,
    'admission webhook "validation.webhook.serving.knative.dev" denied the request: validation failed: Saw the following changes without a name change (-old +new): spec.template.metadata.name',
  ],
};

for (const [who, [code, message]] of Object.entries(REFUSALS))
  test(`what is refused by ${who} ends in an Event with its message`, async () => {
    await using cluster = await Cluster.start({ extensions: [APPS] });
    await start(cluster, [APPS]);
    const match = { verb: 'patch', resource: 'apps' } as const;
    const repair = cluster.sandbox.addFault({
      match,
      times: 'always',
      effect: { kind: 'status', code, message },
    });
    put(cluster, configMap('web'), 'two');
    await cluster.until('the Event has the message', () =>
      eventsOf(cluster, 'App').some((note) => note.includes(message)),
    );
    await mark(cluster);
    assert.equal(stampOf(cluster, APPS), undefined);
    repair();
    await cluster.until('it is stamped', () => stampOf(cluster, APPS) !== undefined);
  });

test('a reloader that is killed between its patch and the commit finds the stamp, and patches no second time', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  const first = await start(cluster, [APPS]);
  const match = { verb: 'write', resource: 'configmaps', name: 'reloader-state' } as const;
  const repair = cluster.sandbox.addFault({ match, effect: { kind: 'status', code: 503 } });
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is stamped', () => stampOf(cluster, APPS) !== undefined);
  await first.kill();
  repair();
  assert.notEqual(cluster.state()[ENTRY], stampOf(cluster, APPS));
  const second = await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  await cluster.settled(second);
  assert.equal(cluster.state()[ENTRY], stampOf(cluster, APPS));
  assert.equal(patchesOf(cluster, APPS).filter(({ before, after }) => before !== after).length, 1);
});

test('what changes while nothing runs, and the kind is away at the next start, is rolled once it is back', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  const first = await start(cluster, [APPS]);
  await first.stop();
  const before = cluster.state()[ENTRY];
  put(cluster, configMap('web'), 'two');
  cluster.sandbox.setAvailable('acme.example', false);
  const second = await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  assert.equal(cluster.state()[ENTRY], before);
  cluster.sandbox.setAvailable('acme.example', true);
  await second.kill();
  const third = await cluster.reloader({ flags: FLAGS });
  await cluster.until('it is stamped', () => stampOf(cluster, APPS) !== undefined);
  await cluster.settled(third);
  assert.equal(cluster.state()[ENTRY], stampOf(cluster, APPS));
});
