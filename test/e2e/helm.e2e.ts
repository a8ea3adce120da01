/** What Helm does to our stamp, and what follows. Version 3 merges what it knows, version 4 applies on the server. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import type { HelmVersion } from '../control-plane/recipe.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { skipWithoutHelm } from '../install/chart.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { compare, driftIn, HELM_DRIFT } from './drift.ts';
import { restsAt } from './endings.ts';
import { fieldsByManager } from './managed-fields.ts';
import { helm } from './release.ts';
import { Stage } from './stage.ts';
import { Webhook } from './webhook.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const CHART = path.join(import.meta.dirname, 'chart');
const WEB = web();
/** So long that Helm has written all of a release before it ends. */
const PERIOD_MS = 2000;
const CONFIG_MAP = 'ConfigMap/web';
const SECRET = 'Secret/web';
/** By strategy: the names under which stamps stand, where they are not those of the objects. */
const STRATEGIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'env-vars': { [CONFIG_MAP]: '_RELOADER_CONFIGMAP_WEB', [SECRET]: '_RELOADER_SECRET_WEB' },
  annotations: {},
};

/** One command of Helm. */
interface Step {
  readonly what: string;
  /** What an upgrade sets; everything else stays as it is in the release before. */
  readonly sets?: Readonly<Record<string, string | number>>;
  /** @default none */
  readonly flags?: Readonly<Record<HelmVersion, readonly string[]>>;
  /** The release that a rollback goes to; 0 is the one before. */
  readonly rollsBackTo?: number;
  /** How many templates the Deployment gets: Helm's and ours. */
  readonly templates: number;
  /** The objects whose stamps are others afterwards. */
  readonly stamps: readonly string[] | Readonly<Record<HelmVersion, readonly string[]>>;
}

const CHANGE: Step = {
  what: 'an upgrade of the ConfigMap is one rollout',
  sets: { content: 'B' },
  templates: 1,
  stamps: [CONFIG_MAP],
};
const FORCED = { 3: ['--force'], 4: ['--force-replace', '--server-side=false'] };

/** In this order, after the installation, which is release 1. */
const STEPS: readonly Step[] = [
  { what: 'an upgrade that changes nothing rolls nothing', sets: {}, templates: 0, stamps: [] },
  CHANGE,
  {
    what: 'an upgrade of the Secret is one rollout',
    sets: { password: 'B' },
    templates: 1,
    stamps: [SECRET],
  },
  { what: 'a rollback of the Secret is one rollout', rollsBackTo: 0, templates: 1, stamps: [SECRET] },
  {
    what: 'an upgrade of the ConfigMap and the Secret is one rollout',
    sets: { content: 'C', password: 'C' },
    templates: 1,
    stamps: [CONFIG_MAP, SECRET],
  },
  {
    what: "an upgrade of the Deployment is Helm's rollout, and keeps the stamps",
    sets: { mode: 'two' },
    templates: 1,
    stamps: [],
  },
  { what: 'an upgrade of the scale rolls nothing', sets: { replicas: 3 }, templates: 0, stamps: [] },
  {
    what: "an upgrade of the ConfigMap and the Deployment is one rollout, Helm's: its pods have read what came before them",
    sets: { content: 'D', mode: 'three' },
    templates: 1,
    stamps: [],
  },
  { what: 'and so is a rollback of both', rollsBackTo: 0, templates: 1, stamps: [] },
  { what: 'and one to the installation', rollsBackTo: 1, templates: 1, stamps: [] },
  {
    what: 'an upgrade that takes the last variable and annotation away: Helm 3 drops the stamps too; nothing is rolled for that',
    sets: { mode: '' },
    templates: 1,
    stamps: { 3: [CONFIG_MAP, SECRET], 4: [] },
  },
  {
    what: 'an upgrade of the ConfigMap and the Secret after that is one rollout',
    sets: { content: 'E', password: 'E' },
    templates: 1,
    stamps: [CONFIG_MAP, SECRET],
  },
  {
    what: 'an upgrade that is forced replaces the Deployment and drops the stamps; nothing is rolled for that',
    sets: {},
    flags: FORCED,
    templates: 1,
    stamps: [CONFIG_MAP, SECRET],
  },
  {
    what: 'an upgrade of the Secret after that is one rollout',
    sets: { password: 'F' },
    templates: 1,
    stamps: [SECRET],
  },
];

/** Where the admission webhook is asked. */
const STEPS_WITH_WEBHOOK: readonly Step[] = [
  CHANGE,
  {
    what: 'an upgrade that is forced starts nothing',
    sets: {},
    flags: FORCED,
    templates: 0,
    stamps: [],
  },
  {
    what: 'one that is forced and changes the Deployment keeps the stamps',
    sets: { mode: 'two' },
    flags: FORCED,
    templates: 1,
    stamps: [],
  },
  {
    what: 'an upgrade of the ConfigMap after that is one rollout',
    sets: { content: 'C' },
    templates: 1,
    stamps: [CONFIG_MAP],
  },
];

function argsOf({ sets = {}, flags, rollsBackTo }: Step, version: HelmVersion): string[] {
  if (rollsBackTo !== undefined) return ['rollback', 'web', `${rollsBackTo}`];
  const values = Object.entries(sets).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  return ['upgrade', 'web', CHART, '--reuse-values', ...values, ...(flags?.[version] ?? [])];
}

/** The stamps that are not in both, or not the same. */
function changesOf(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  const variables = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...variables].filter((variable) => before[variable] !== now[variable]).sort();
}

/** A release of one version of Helm, beside a reloader with one strategy. */
interface Scene {
  readonly stage: Stage;
  readonly reloader: ReloaderProcess;
  readonly version: HelmVersion;
  readonly strategy: string;
}

async function take({ stage, reloader, version, strategy }: Scene, step: Step): Promise<void> {
  const { templates, stamps } = step;
  const before = await stage.stamps(WEB);
  const revision = await stage.revision(WEB);
  await helm(stage, version, argsOf(step, version));
  const objects = 'length' in stamps ? stamps : stamps[version];
  const expected = objects.map((object) => STRATEGIES[strategy]?.[object] ?? object);
  if (expected.length > 0) await stage.stampedAfter(WEB, before);
  const now = await restsAt(stage, reloader, WEB, revision + templates);
  assert.deepEqual(changesOf(before, now), expected);
  await hasNoDrift(stage, version);
}

/** Flux' helm-controller compares the manifest of the release with what is there. */
async function hasNoDrift(stage: Stage, version: HelmVersion): Promise<void> {
  const { stdout } = await helm(stage, version, ['get', 'manifest', 'web']);
  const manifest = stdout.split('---').find((each) => each.includes('kind: Deployment')) ?? '';
  assert.deepEqual(driftIn(await compare(stage, WEB, manifest, HELM_DRIFT)), []);
}

/** The fields of ours are stamps, and no stamp is Helm's. */
async function fieldsAreApart(stage: Stage): Promise<void> {
  const { helm: theirs = [], 'kubernetes-reloader': ours = [] } = fieldsByManager(await stage.live(WEB));
  const isStamp = (field: string): boolean =>
    /^spec\.template\..*(?:_RELOADER_|\.reloader\.k8s\.collaborne\.com\/)/.test(field);
  // A list or map that was not there before is of whoever made it.
  const made = ['spec.template.spec.containers.app.env', 'spec.template.metadata.annotations'];
  assert.ok(
    ours.length > 0 && ours.every((field) => made.includes(field) || isStamp(field)),
    `only the stamps are ours: ${ours.join(', ')}`,
  );
  assert.ok(theirs.length > 0 && !theirs.some(isStamp), `no stamp is Helm's: ${theirs.join(', ')}`);
}

/** A release, and a reloader that knows it. */
async function begin(
  stage: Stage,
  version: HelmVersion,
  strategy: string,
  flags: readonly string[] = [],
): Promise<Scene> {
  await stage.createMarker();
  await helm(stage, version, ['install', 'web', CHART]);
  await stage.rolledOut(WEB);
  const all = ['--reload-strategy', strategy, ...flags];
  return { stage, version, strategy, reloader: await stage.reloader({ flags: all, periodMs: PERIOD_MS }) };
}

for (const version of [3, 4] as const) {
  describe(`with Helm ${version}`, { skip: skipWithoutHelm(version), concurrency: 2 }, () => {
    for (const strategy of Object.keys(STRATEGIES)) {
      test(`and stamps in ${strategy}`, async (t) => {
        await using stage = await Stage.open(cluster);
        const scene = await begin(stage, version, strategy);
        for (const step of STEPS) await t.test(step.what, () => take(scene, step));
        await fieldsAreApart(stage);
      });
    }

    test('and the admission webhook', async (t) => {
      await using stage = await Stage.open(cluster);
      await using webhook = await Webhook.open(stage);
      const scene = await begin(stage, version, 'env-vars', webhook.flags);
      await webhook.isAsked();
      for (const step of STEPS_WITH_WEBHOOK) await t.test(step.what, () => take(scene, step));
    });
  });
}
