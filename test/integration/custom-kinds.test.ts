/** Kinds that only the settings name: custom resources with a pod template at a path of their own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { customResource } from '../sandbox/resource-table.ts';
import { run } from '../tour/tour.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import { digestIn, hasDoubt } from './reloader-process.ts';

/** An operator's kind: its template is two fields deep. */
const APPS = customResource('acme.example/v1', 'apps', 'App');
const FLAGS = [
  '--is-openshift=false',
  '--is-Argo-Rollouts=false',
  '--workload-kinds=acme.example/v1/apps:spec.pods.template',
];
const ENTRY = 'v1.ConfigMap_web';
const FOLLOWS = { 'reloader.k8s.collaborne.com/configmap': 'web' };

const RESOURCE = 'apps.acme.example';

/** Creates the App `web` with this spec, the ConfigMap that it follows, and the marker. */
async function create(cluster: Cluster, spec: JsonObject): Promise<void> {
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  const metadata = { name: 'web', namespace: 'default', annotations: FOLLOWS };
  cluster.sandbox.create(RESOURCE, { metadata, spec });
}

function stampOf({ sandbox }: Cluster): unknown {
  const path = ['spec', 'pods', 'template', 'spec', 'containers'] as const;
  const [app] = objectsOf(pick(sandbox.get(RESOURCE, 'default', 'web'), ...path));
  return objectsOf(app?.['env']).find(({ name }) => name !== 'A')?.['value'];
}

const patchesIn = ({ audits }: Cluster) =>
  audits.filter((audit) => audit.verb === 'patch' && audit.resource === APPS.resource);

/** The messages of the Events about `web`, under its kind as its objects name it. */
const eventsIn = ({ sandbox }: Cluster): string[] =>
  sandbox
    .list('events')
    .filter((event) => ['regarding', 'involvedObject'].some((field) => pick(event, field, 'kind') === 'App'))
    .map((event) => String(event['note'] ?? event['message']));

async function start(cluster: Cluster) {
  const containers = [{ name: 'app', image: 'app:1', env: [{ name: 'A', value: 'b' }] }];
  await create(cluster, { pods: { template: { spec: { containers } } } });
  return await cluster.reloader({ flags: FLAGS });
}

test('without a template at the path an Event names path and flag, and nothing else waits', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  await create(cluster, { template: { spec: { containers: [] } } });
  await cluster.reloader({ flags: FLAGS });
  put(cluster, configMap('web'), 'two');
  await mark(cluster);
  await cluster.until('the Event names the path', () =>
    eventsIn(cluster).some((note) => /no pod template at spec\.pods\.template, so nothing/.test(note)),
  );
  assert.deepEqual(patchesIn(cluster), []);
  const line = `reloader explain ${RESOURCE}/web --reloader none -- ${FLAGS.join(' ')}`;
  const { stdout } = await run(line, cluster.file('kubeconfig'));
  assert.match(stdout, /^Events\n {2}\S+ \w+: .*no pod template at spec\.pods\.template/m);
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
    await start(cluster);
    const match = { verb: 'patch', resource: 'apps' } as const;
    const repair = cluster.sandbox.addFault({
      match,
      times: 'always',
      effect: { kind: 'status', code, message },
    });
    put(cluster, configMap('web'), 'two');
    await cluster.until('the Event has the message', () =>
      eventsIn(cluster).some((note) => note.includes(message)),
    );
    await mark(cluster);
    assert.equal(stampOf(cluster), undefined);
    repair();
    await cluster.until('it is stamped', () => stampOf(cluster) !== undefined);
  });

test('a reloader that is killed between its patch and the commit: the state has the mark, and the next one rolls once more', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  const first = await start(cluster);
  const match = { verb: 'write', resource: 'configmaps', name: 'reloader-state' } as const;
  // The first write is that of the mark.
  const repair = cluster.sandbox.addFault({
    match,
    nth: 2,
    times: 'always',
    effect: { kind: 'status', code: 503 },
  });
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is stamped', () => stampOf(cluster) !== undefined);
  await first.kill();
  repair();
  assert.ok(hasDoubt(cluster.state()));
  const second = await cluster.reloader({ flags: FLAGS });
  await mark(cluster);
  await cluster.settled(second);
  assert.equal(digestIn(cluster.state()[ENTRY]), digestIn(stampOf(cluster)));
  const rollouts = (): number => patchesIn(cluster).filter((each) => each.before !== each.after).length;
  // Only the stamp knows of the first patch, and proves nothing by itself.
  assert.equal(rollouts(), 2);
});

test('what changes while nothing runs, and the kind is away at the next start, is rolled once it is back', async () => {
  await using cluster = await Cluster.start({ extensions: [APPS] });
  const first = await start(cluster);
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
  await cluster.until('it is stamped', () => stampOf(cluster) !== undefined);
  await cluster.settled(third);
  assert.equal(digestIn(cluster.state()[ENTRY]), digestIn(stampOf(cluster)));
});
