/**
 * What tools that apply manifests from Git see of our stamps, by strategy, and what their next write does to them. The
 * table of docs/gitops.md is what these tests find.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { STAMPS_ANNOTATION } from '../../lib/model/workload.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { driftOf, REPLACING, TOOLS, type Tool, withoutFieldsOf } from './drift.ts';
import { isAt } from './endings.ts';
import { Stage } from './stage.ts';
import { annotationsFor, manifestOf, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const STRATEGIES = ['env-vars', 'annotations'] as const;
const US = 'kubernetes-reloader';

/** A Deployment as it stands in Git. */
interface App {
  readonly parts: WorkloadParts;
  readonly strategy: (typeof STRATEGIES)[number];
  /** Whether its template has a variable and an annotation of its own. */
  readonly hasOwn: boolean;
}

/** By name: what a template in Git has of its own: some, nothing, or an empty list and an empty map, as charts make them. */
const SHAPES = {
  own: { variables: { MODE: 'one' }, templateAnnotations: { mode: 'one' } },
  bare: {},
  empty: { variables: {}, templateAnnotations: {} },
};

const APPS: readonly App[] = STRATEGIES.flatMap((strategy) =>
  Object.entries(SHAPES).map(([shape, own]) => {
    const name = `${shape}-${strategy}`;
    const annotations = {
      ...annotationsFor({ ConfigMap: [name] }),
      'reloader.k8s.collaborne.com/reload-strategy': strategy,
    };
    return { strategy, hasOwn: shape === 'own', parts: web(name, { annotations, replicas: 1, ...own }) };
  }),
);

/** One tool at work beside a reloader. */
interface Scene {
  readonly stage: Stage;
  readonly reloader: ReloaderProcess;
  readonly tool: Tool;
}

async function sync({ stage, tool }: Pick<Scene, 'stage' | 'tool'>, parts: WorkloadParts): Promise<void> {
  await stage.kubectl([...tool.writes, '-f', '-'], { input: JSON.stringify(manifestOf(parts)) });
}

/** What each way to compare finds; the same for all of them. */
async function driftIn({ stage, tool }: Scene, parts: WorkloadParts): Promise<readonly string[]> {
  const manifest = JSON.stringify(manifestOf(parts));
  const found = await Promise.all(
    Object.values(tool.compares).map((command) => driftOf(stage, parts, manifest, command)),
  );
  const [first = []] = found;
  for (const each of found) assert.deepEqual(each, first);
  return first;
}

/** Changes the content that the apps follow; resolves when all is rolled. */
async function change({ stage, reloader }: Scene, content: string): Promise<void> {
  const before = await Promise.all(APPS.map(({ parts }) => stage.stamps(parts)));
  for (const { parts } of APPS) await stage.put(parts.name, content);
  for (const [index, { parts }] of APPS.entries()) await stage.stampedAfter(parts, before[index] ?? {});
  await stage.settled(reloader);
}

/** All apps rest at these templates; answers their stamps. */
async function restAt(
  { stage, reloader }: Scene,
  revisions: (app: App) => number,
): Promise<readonly Record<string, string>[]> {
  await stage.mark(reloader);
  return await Promise.all(APPS.map((app) => isAt(stage, app.parts, revisions(app))));
}

/** The stamps are no drift, and a sync leaves them. */
async function isQuiet(scene: Scene): Promise<void> {
  const stamps = await restAt(scene, () => 2);
  for (const { parts } of APPS) {
    assert.deepEqual(await driftIn(scene, parts), [], parts.name);
    await sync(scene, parts);
  }
  assert.deepEqual(await restAt(scene, () => 2), stamps);
}

/** What people change by hand is the only drift; healing it is the owner's rollout and leaves the stamps. */
async function healsTheRest(scene: Scene): Promise<void> {
  const { stage } = scene;
  const own = APPS.filter(({ hasOwn }) => hasOwn);
  const stamps = await restAt(scene, () => 2);
  for (const { parts } of own) {
    await stage.kubectl(['set', 'env', `deployment/${parts.name}`, 'MODE=by-hand']);
    assert.deepEqual(await driftIn(scene, parts), ['spec.template.spec.containers.app.env.MODE.value']);
    await sync(scene, parts);
  }
  assert.deepEqual(await restAt(scene, ({ hasOwn }) => (hasOwn ? 4 : 2)), stamps);
}

/** The app as somebody exports it from the cluster and puts it into Git, the stamp of that day included. */
async function exported(stage: Stage, { parts }: App): Promise<WorkloadParts> {
  const template = pick(await stage.live(parts), 'spec', 'template');
  const annotations = objectOf(pick(template, 'metadata', 'annotations')) as Record<string, string>;
  const [container] = objectsOf(pick(template, 'spec', 'containers'));
  // In the order in which they stand there: another one would be another template.
  const variables = objectsOf(container?.['env']).map(({ name, value }) => [String(name), String(value)]);
  return {
    ...parts,
    variables: Object.fromEntries(variables) as Record<string, string>,
    templateAnnotations: annotations,
  };
}

/** The fields that hold the stamp of an app. */
function stampFields({ parts, strategy }: App): readonly string[] {
  const variable = `_RELOADER_CONFIGMAP_${parts.name.toUpperCase().replaceAll('-', '_')}`;
  return strategy === 'env-vars'
    ? [`spec.template.spec.containers.app.env.${variable}.value`]
    : ['reloader.k8s.collaborne.com/last-reloaded-from', STAMPS_ANNOTATION].map(
        (key) => `spec.template.metadata.annotations.${key}`,
      );
}

/** A stamp that stands in Git is drift after the next rollout; a sync brings it back, and that rolls nothing more. */
async function showsWhatStandsInGit(scene: Scene): Promise<void> {
  const { stage } = scene;
  const inGit = await Promise.all(APPS.map((app) => exported(stage, app)));
  const old = await Promise.all(APPS.map(({ parts }) => stage.stamps(parts)));
  const before = await stage.revisions(APPS.map(({ parts }) => parts));
  const plus = (more: number) => (app: App) => (before[APPS.indexOf(app)] ?? 0) + more;
  for (const parts of inGit) await sync(scene, parts);
  await restAt(scene, plus(0));
  await change(scene, 'C');
  await restAt(scene, plus(1));
  for (const [index, app] of APPS.entries()) {
    const parts = inGit[index] ?? app.parts;
    const drift = await driftIn(scene, parts);
    assert.deepEqual(drift, stampFields(app), parts.name);
    // As with ignoreDifferences.
    assert.deepEqual(await withoutFieldsOf(stage, parts, US, drift), []);
    await sync(scene, parts);
  }
  assert.deepEqual(await restAt(scene, plus(2)), old);
}

/** All apps as the tool has made them, and rolled once by a reloader. */
async function begin(stage: Stage, tool: Tool): Promise<Scene> {
  await stage.createMarker();
  for (const { parts } of APPS) {
    await stage.put(parts.name, 'A');
    await sync({ stage, tool: { ...tool, writes: tool.creates ?? tool.writes } }, parts);
  }
  for (const { parts } of APPS) await stage.rolledOut(parts);
  const scene = { stage, tool, reloader: await stage.reloader() };
  await change(scene, 'B');
  return scene;
}

describe('of stamps of either strategy', { concurrency: 1 }, () => {
  for (const [name, tool] of Object.entries(TOOLS)) {
    test(`${name} sees nothing, and writes over none, unless they stand in Git`, async (t) => {
      await using stage = await Stage.open(cluster);
      const scene = await begin(stage, tool);
      await t.test('they are no drift', () => isQuiet(scene));
      await t.test('self-healing of something else leaves them', () => healsTheRest(scene));
      await t.test('those in Git are drift, and are brought back', () => showsWhatStandsInGit(scene));
    });
  }

  test('Argo CD with Replace=true sees nothing; its next sync takes them away, and nothing is rolled for that', async () => {
    await using stage = await Stage.open(cluster);
    const scene = await begin(stage, REPLACING);
    await restAt(scene, () => 2);
    for (const { parts } of APPS) {
      assert.deepEqual(await driftIn(scene, parts), [], parts.name);
      await sync(scene, parts);
    }
    assert.deepEqual(
      await restAt(scene, () => 3),
      APPS.map(() => ({})),
    );
  });
});
