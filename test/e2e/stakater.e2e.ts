/** Workloads that are annotated for Stakater Reloader, on a real control plane with the rights of `k8s/base`. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { KEYED } from '../digests.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { isAt, restsAt } from './endings.ts';
import { type ReloaderOptions, Stage } from './stage.ts';
import { AUTO, createObjects, editObjects, named, type Rule, workloadsOfRules } from './stakater-rules.ts';
import { manifestOf, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const TELLS = 'reloader.stakater.com/last-reloaded-from';
const TELLS_NATIVE = 'reloader.k8s.collaborne.com/last-reloaded-from';

/** A namespace, and a reloader with its rights; ready, with the marker. */
async function begin(stage: Stage, options: ReloaderOptions = {}): Promise<ReloaderProcess> {
  await stage.createMarker();
  return await stage.reloaderWithRights(options);
}

/** The containers in which the variables of stamps stand. */
function containersOf(workload: JsonObject): Record<string, string> {
  const containers = objectsOf(pick(workload, 'spec', 'template', 'spec', 'containers'));
  const pairs = containers.flatMap(({ name, env }) =>
    objectsOf(env).map(({ name: variable }): [string, string] => [String(variable), String(name)]),
  );
  return Object.fromEntries(pairs.filter(([variable]) => /^(?:_RELOADER|STAKATER)_/.test(variable)));
}

/** The stamps stand in variables, in the containers that the rule says, and nothing is written beside them. */
function isStampedInVariables(workload: JsonObject, { variables, ofTemplate }: Rule): void {
  assert.deepEqual(containersOf(workload), variables);
  const annotations = pick(workload, 'spec', 'template', 'metadata', 'annotations');
  assert.deepEqual(objectOf(annotations), ofTemplate ?? {});
}

/** The stamps stand in one annotation, which tells what was changed last. */
function isStampedInAnnotations(workload: JsonObject, { objects, own = {} }: Rule, namespace: string): void {
  assert.deepEqual(containersOf(workload), {});
  const annotations = objectOf(pick(workload, 'spec', 'template', 'metadata', 'annotations'));
  const isNative = Object.keys(own).some((key) => key.startsWith('reloader.k8s.collaborne.com/'));
  assert.deepEqual([TELLS in annotations, TELLS_NATIVE in annotations], [objects.length > 0, isNative]);
  if (objects.length === 0) return;
  const told = JSON.parse(String(annotations[TELLS])) as Record<string, unknown>;
  const last = objects.find((object) => {
    const [kind = '', name] = object.split('/');
    return kind.toUpperCase() === told['type'] && name === told['name'];
  });
  assert.ok(last !== undefined, `told of ${JSON.stringify(told)}`);
  assert.deepEqual(
    [told['namespace'], told['containerRefs']],
    [namespace, [last.endsWith('/other') ? 'first' : 'app']],
  );
  assert.match(String(told['hash']), new RegExp(`^${KEYED}$`));
  assert.equal(typeof told['observedAt'], 'number');
}

/** What a strategy leaves in a workload, and the names of the stamps. */
const STRATEGIES = {
  'env-vars': {
    isStamped: isStampedInVariables,
    stampsOf: ({ variables }: Rule): readonly string[] => Object.keys(variables),
  },
  annotations: { isStamped: isStampedInAnnotations, stampsOf: ({ objects }: Rule) => objects },
};

describe('who is rolled when everything changes at once, and how it is stamped', () => {
  for (const [strategy, { isStamped, stampsOf }] of Object.entries(STRATEGIES)) {
    test(`with --reload-strategy=${strategy}`, async (t) => {
      await using stage = await Stage.open(cluster);
      const workloads = workloadsOfRules();
      await createObjects(stage, 'A');
      await Promise.all(workloads.map((each) => stage.create(each)));
      const flags = ['--reload-strategy', strategy];
      const reloader = await begin(stage, { flags, periodMs: 3000 });
      await stage.mark(reloader);
      const before = await stage.revisions(workloads);
      assert.deepEqual(new Set(before), new Set([1]), 'nothing is rolled before the change');

      await editObjects(stage, 'B');
      for (const each of workloads) if (each.rule.objects.length > 0) await stage.stampedAfter(each, {});
      await stage.mark(reloader);
      for (const { rule, ...workload } of workloads)
        await t.test(workload.name, async () => {
          const expected = stampsOf(rule);
          const stamps = await isAt(stage, workload, expected.length > 0 ? 2 : 1);
          assert.deepEqual(Object.keys(stamps).sort(), [...expected].sort());
          for (const stamp of Object.values(stamps)) assert.match(stamp, new RegExp(`^${KEYED}\\.\\d{16}$`));
          isStamped(await stage.live(workload), rule, stage.namespace);
        });
      assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    });
  }
});

/** The manifest, where pods wait for what they read. */
function withoutOptional(manifest: JsonObject): JsonObject {
  const text = JSON.stringify(manifest, (key, value: unknown) => (key === 'optional' ? undefined : value));
  return JSON.parse(text) as JsonObject;
}

test('--reload-on-create and --reload-on-delete: coming and going count for those who can start without the object', async () => {
  await using stage = await Stage.open(cluster);
  const comes = web('comes', { annotations: AUTO });
  const goes = web('goes', { kind: 'StatefulSet', annotations: named('configmap', 'goes') });
  const needs = web('needs', { annotations: AUTO });
  for (const name of ['goes', 'needs']) await stage.put(name, 'A');
  for (const each of [comes, goes]) await stage.create(each);
  await stage.expect('POST', 'deployments', withoutOptional(manifestOf(needs)));
  const reloader = await begin(stage, { flags: ['--reload-on-create', '--reload-on-delete'] });
  for (const each of [comes, goes, needs]) await restsAt(stage, reloader, each, 1);

  await stage.put('comes', 'A');
  await stage.stampedAfter(comes, {});
  const came = await restsAt(stage, reloader, comes, 2);
  assert.match(came['STAKATER_COMES_CONFIGMAP'] ?? '', new RegExp(`^${KEYED}\\.\\d+$`));

  for (const name of ['needs', 'goes']) await stage.expect('DELETE', `configmaps/${name}`);
  await stage.stampedAfter(goes, {});
  const gone = await restsAt(stage, reloader, goes, 2);
  assert.match(gone['STAKATER_GOES_CONFIGMAP'] ?? '', /^-\.\d+$/);
  await restsAt(stage, reloader, needs, 1);
});
