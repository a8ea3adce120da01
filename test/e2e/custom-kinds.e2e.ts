/** Kinds that only the settings name, served by definitions of a real API server: each path, each schema. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { KEYED } from '../digests.ts';
import { digestIn } from '../integration/reloader-process.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const FIELD = 'reloader.k8s.collaborne.com';
const ANY = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Kind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly path: readonly string[];
  /** The schema of the pod template. */
  readonly template: JsonObject;
  readonly strategy?: string;
}

const APPS: Kind = {
  group: 'apps-e2e.example',
  plural: 'apps',
  kind: 'App',
  path: ['pods', 'podTemplate'],
  template: ANY,
};
/** Its schema knows no metadata of the template. */
const SITES: Kind = {
  group: 'sites-e2e.example',
  plural: 'sites',
  kind: 'Site',
  path: ['template'],
  template: { type: 'object', properties: { spec: ANY } },
  strategy: 'annotations',
};
const SERVICES: Kind = {
  group: 'serving-e2e.example',
  plural: 'services',
  kind: 'Service',
  path: ['template'],
  template: ANY,
  strategy: 'annotations',
};
const KINDS = [APPS, SITES, SERVICES];

/** Puts `inner` at the end of a path. */
function at(
  path: readonly string[],
  inner: JsonObject,
  wrap = (value: JsonObject): JsonObject => value,
): JsonObject {
  return path.reduceRight((below, field) => wrap({ [field]: below }), inner);
}

async function define({ group, plural, kind, path, template }: Kind): Promise<void> {
  const spec = at(path, template, (properties) => ({ type: 'object', properties }));
  await cluster.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: ANY } } },
        },
      ],
    },
  });
}

function pathOf({ namespace }: Stage, { group, plural }: Kind): string {
  return `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
}

async function create(stage: Stage, kind: Kind): Promise<void> {
  const { group, path, strategy } = kind;
  const env = [{ name: 'A', value: 'b' }];
  const template = { spec: { containers: [{ name: 'app', image: 'app:1', env }] } };
  const annotations = {
    [`${FIELD}/configmap`]: 'web',
    ...(strategy === undefined ? {} : { [`${FIELD}/reload-strategy`]: strategy }),
  };
  const body = {
    apiVersion: `${group}/v1`,
    kind: kind.kind,
    metadata: { name: 'web', annotations },
    spec: at(path, template),
  };
  await stage.until(`a ${kind.kind} may be created`, async () => {
    const { status } = await cluster.ask('POST', pathOf(stage, kind), body);
    return status === 201 || status === 409;
  });
}

async function templateOf(stage: Stage, kind: Kind): Promise<JsonObject> {
  const live = await cluster.expect('GET', `${pathOf(stage, kind)}/web`);
  return pick(live, 'spec', ...kind.path) as JsonObject;
}

async function variablesOf(stage: Stage, kind: Kind): Promise<readonly unknown[]> {
  const [app] = objectsOf(pick(await templateOf(stage, kind), 'spec', 'containers'));
  return objectsOf(app?.['env']).map(({ value }) => value);
}

async function hasEvent(stage: Stage, kind: string, pattern: RegExp): Promise<boolean> {
  const events = await cluster.expect('GET', `/apis/events.k8s.io/v1/namespaces/${stage.namespace}/events`);
  return objectsOf(events['items']).some(
    (event) => pick(event, 'regarding', 'kind') === kind && pattern.test(String(event['note'])),
  );
}

test('three kinds are rolled, each at its path; a schema without metadata of the template is told', async () => {
  await using stage = await Stage.open(cluster);
  await Promise.all(KINDS.map(define));
  await stage.put('web', 'A');
  for (const kind of KINDS) await create(stage, kind);
  const entries = KINDS.map(({ group, plural, path }) => `${group}/v1/${plural}:spec.${path.join('.')}`);
  const flags = [`--workload-kinds=${entries.join(',')}`];
  const reloader = await stage.reloader({ flags });
  await stage.put('web', 'B');
  const stamp = new RegExp(`^${KEYED}\\.\\d{16}$`);
  await stage.until('the App is stamped', async () => (await variablesOf(stage, APPS)).length === 2);
  const [first, second] = await variablesOf(stage, APPS);
  assert.ok(stamp.test(String(first)) && second === 'b', String([first, second]));
  await stage.until('the Service is stamped', async () => 'metadata' in (await templateOf(stage, SERVICES)));
  for (const kind of ['App', 'Service'])
    await stage.until(`the Event names the ${kind}`, () => hasEvent(stage, kind, /rolled/));
  const remedy = /without its stamp; .*reload-strategy: env-vars/;
  await stage.until('the Event names the remedy', () => hasEvent(stage, 'Site', remedy));
  await cluster.expect('PATCH', `${pathOf(stage, SITES)}/web`, {
    metadata: { annotations: { [`${FIELD}/reload-strategy`]: 'env-vars' } },
  });
  await stage.until('the Site is stamped', async () => (await variablesOf(stage, SITES)).length === 2);
  await stage.settled(reloader);
  assert.equal(await stage.entryOf('web'), digestIn(String(first)));
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
});
