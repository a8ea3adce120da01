/**
 * What tools that apply manifests from Git see of our stamps, by strategy, and what their next write does to them. The
 * table of docs/guides/gitops.md is what these tests find.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { type Comparison, compare, driftIn, REPLACING, TOOLS, type Tool, withoutFieldsOf } from './drift.ts';
import { isAt } from './endings.ts';
import { withoutNames } from './ignore-rules.ts';
import { Stage } from './stage.ts';
import { Webhook } from './webhook.ts';
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
async function driftOf(scene: Scene, parts: WorkloadParts): Promise<readonly string[]> {
  const [first = [], ...others] = (await comparisonsOf(scene, parts)).map(driftIn);
  for (const each of others) assert.deepEqual(each, first);
  return first;
}

async function comparisonsOf({ stage, tool }: Scene, parts: WorkloadParts): Promise<readonly Comparison[]> {
  const manifest = JSON.stringify(manifestOf(parts));
  return await Promise.all(
    Object.values(tool.compares).map((command) => compare(stage, parts, manifest, command)),
  );
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

/** The stamps are no drift, and a sync leaves them, in the template of that number. */
async function isQuiet(scene: Scene, revision: number): Promise<void> {
  const stamps = await restAt(scene, () => revision);
  for (const each of stamps) assert.notDeepEqual(each, {});
  for (const { parts } of APPS) {
    assert.deepEqual(await driftOf(scene, parts), [], parts.name);
    await sync(scene, parts);
  }
  assert.deepEqual(await restAt(scene, () => revision), stamps);
}

/** What people change by hand is the only drift; healing it is the owner's rollout and leaves the stamps. */
async function healsTheRest(scene: Scene): Promise<void> {
  const { stage } = scene;
  const own = APPS.filter(({ hasOwn }) => hasOwn);
  const stamps = await restAt(scene, () => 2);
  for (const { parts } of own) {
    await stage.kubectl(['set', 'env', `deployment/${parts.name}`, 'MODE=by-hand']);
    assert.deepEqual(await driftOf(scene, parts), ['spec.template.spec.containers.app.env.MODE.value']);
    // A template that its controller has not seen is none.
    await stage.revision(parts);
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

/** The field that holds the stamp of an app. */
function stampField({ parts, strategy }: App): string {
  const variable = `_RELOADER_CONFIGMAP_${parts.name.toUpperCase().replaceAll('-', '_')}`;
  return strategy === 'env-vars'
    ? `spec.template.spec.containers.app.env.${variable}.value`
    : 'spec.template.metadata.annotations.reloader.k8s.collaborne.com/last-reloaded-from';
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
    for (const comparison of await comparisonsOf(scene, parts)) {
      const drift = driftIn(comparison);
      assert.deepEqual(drift, [stampField(app)], parts.name);
      assert.deepEqual(withoutFieldsOf(US, comparison, drift), []);
      assert.deepEqual(driftIn(await withoutNames(comparison)), []);
    }
    await sync(scene, parts);
  }
  assert.deepEqual(await restAt(scene, plus(2)), old);
}

/** All apps as the tool has made them, and rolled once by a reloader. */
async function begin(stage: Stage, tool: Tool): Promise<Scene> {
  await putAll(stage);
  await create({ stage, tool });
  const scene = { stage, tool, reloader: await stage.reloader() };
  await change(scene, 'B');
  return scene;
}

async function putAll(stage: Stage): Promise<void> {
  await stage.createMarker();
  for (const { parts } of APPS) await stage.put(parts.name, 'A');
}

async function create({ stage, tool }: Pick<Scene, 'stage' | 'tool'>): Promise<void> {
  for (const { parts } of APPS) {
    await sync({ stage, tool: { ...tool, writes: tool.creates ?? tool.writes } }, parts);
  }
  for (const { parts } of APPS) await stage.rolledOut(parts);
}

/** All apps as the tool has made them, with the stamps that the admission webhook gives them at their birth. */
async function beginWithWebhook(stage: Stage, webhook: Webhook, tool: Tool): Promise<Scene> {
  await putAll(stage);
  const reloader = await stage.reloader({ flags: webhook.flags });
  await webhook.isAsked();
  await create({ stage, tool });
  return { stage, tool, reloader };
}

/**
 * A stamp that stands in Git comes back with every write of the template, and the webhook puts the newer one in its place:
 * the field is the tool's, the value is not.
 */
async function keepsTheNewer(scene: Scene): Promise<readonly WorkloadParts[]> {
  const inGit = await Promise.all(APPS.map((app) => exported(scene.stage, app)));
  for (const parts of inGit) await sync(scene, parts);
  await restAt(scene, () => 1);
  await change(scene, 'B');
  const stamps = await restAt(scene, () => 2);
  const next = inGit.map((parts) => ({ ...parts, variables: { ...parts.variables, NEXT: 'yes' } }));
  for (const parts of next) await sync(scene, parts);
  assert.deepEqual(await restAt(scene, () => 3), stamps);
  return next;
}

/** Whoever compares without asking the webhook sees those stamps: the rule by manager leaves them, the rule by name does not. */
async function isIgnoredByName(scene: Scene, inGit: readonly WorkloadParts[]): Promise<void> {
  for (const [index, app] of APPS.entries()) {
    for (const comparison of await comparisonsOf(scene, inGit[index] ?? app.parts)) {
      const drift = driftIn(comparison);
      assert.deepEqual(drift, [stampField(app)], app.parts.name);
      assert.deepEqual(withoutFieldsOf(US, comparison, drift), drift);
      assert.deepEqual(driftIn(await withoutNames(comparison)), []);
    }
  }
}

describe('of stamps of either strategy', { concurrency: 1 }, () => {
  for (const [name, tool] of Object.entries(TOOLS)) {
    test(`${name} sees nothing, and writes over none, unless they stand in Git`, async (t) => {
      await using stage = await Stage.open(cluster);
      const scene = await begin(stage, tool);
      await t.test('they are no drift', () => isQuiet(scene, 2));
      await t.test('self-healing of something else leaves them', () => healsTheRest(scene));
      await t.test('those in Git are drift, and are brought back', () => showsWhatStandsInGit(scene));
    });
  }

  test('Argo CD with Replace=true sees nothing; its next sync takes them away, and nothing is rolled for that', async () => {
    await using stage = await Stage.open(cluster);
    const scene = await begin(stage, REPLACING);
    await restAt(scene, () => 2);
    for (const { parts } of APPS) {
      assert.deepEqual(await driftOf(scene, parts), [], parts.name);
      await sync(scene, parts);
    }
    assert.deepEqual(
      await restAt(scene, () => 3),
      APPS.map(() => ({})),
    );
  });
});

describe('of stamps that the admission webhook wrote', { concurrency: 1 }, () => {
  for (const [name, tool] of Object.entries(TOOLS)) {
    test(`${name} sees nothing that the rule by name does not ignore`, async (t) => {
      await using stage = await Stage.open(cluster);
      await using webhook = await Webhook.open(stage);
      const scene = await beginWithWebhook(stage, webhook, tool);
      await t.test('those of a birth are no drift', () => isQuiet(scene, 1));
      let inGit: readonly WorkloadParts[] = [];
      await t.test('newer ones than in Git are kept', async () => {
        inGit = await keepsTheNewer(scene);
      });
      await t.test('a dry run asks the webhook, and finds no drift', async () => {
        for (const parts of inGit) assert.deepEqual(await driftOf(scene, parts), [], parts.name);
      });
      await webhook.withdraw();
      await t.test('who compares by himself is told by name', () => isIgnoredByName(scene, inGit));
    });
  }

  test('Argo CD with Replace=true sees nothing, and takes none away', async () => {
    await using stage = await Stage.open(cluster);
    await using webhook = await Webhook.open(stage);
    const scene = await beginWithWebhook(stage, webhook, REPLACING);
    await change(scene, 'B');
    await isQuiet(scene, 2);
  });
});
