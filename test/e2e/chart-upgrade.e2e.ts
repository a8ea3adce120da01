/** A release of Stakater Reloader's chart is upgraded to ours in place, and rolled back, beside workloads that change all the while. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import type { AuditedRequest } from '../control-plane/audit-log.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import type { HelmVersion } from '../control-plane/recipe.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { CHART, skipWithoutHelm, type Values } from '../install/chart.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, pick } from '../sandbox/json.ts';
import { isDenied, launchAs, requestsOf, startAs } from './account.ts';
import { Release } from './release.ts';
import { Stage } from './stage.ts';
import { AUTO } from './stakater-rules.ts';
import { type Stamped, StandIn } from './stakater-stand-in.ts';
import { KINDS, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const isOurs = cluster instanceof ControlPlane;

const THEIRS = path.join(import.meta.dirname, 'stakater-chart');
/** For changes that belong together: some come while Helm writes. */
const WINDOW = ['--coalesce-period=1s'];
const OBJECTS = ['shop', 'shop.db', 'web-cache', 'queue', 'mail'];

const WORKLOADS: readonly (WorkloadParts & Stamped)[] = Array.from({ length: 50 }, (_, index) => {
  const object = OBJECTS[index % OBJECTS.length] ?? '';
  return {
    object,
    kind: KINDS[index % KINDS.length] ?? 'Deployment',
    name: `app-${index}`,
    follows: { ConfigMap: [object] },
    replicas: 1,
    annotations: AUTO,
  };
});

const EACH_ITS_OWN: readonly (WorkloadParts & Stamped)[] = Array.from({ length: 50 }, (_, index) => {
  const object = `busy-${index}`;
  return { ...web(object, { replicas: 1, annotations: AUTO }), object };
});

/** Values of theirs, the name that their objects then have, and the labels by which their Deployment selects. */
const SETS: Readonly<Record<string, { values: Values; name: string; selector: JsonObject }>> = {
  'all namespaces': {
    values: { replicaCount: 1, reloader: { namespaceSelector: 'team in (web)', ignoreSecrets: true } },
    name: 'set-reloader',
    selector: { app: 'set-reloader', release: 'set' },
  },
  'its own namespace, with other names': {
    values: {
      fullnameOverride: 'restarter',
      reloader: {
        watchGlobally: false,
        matchLabels: { team: 'web' },
        serviceAccount: { name: 'restarts' },
        service: { port: 80 },
      },
    },
    name: 'restarter',
    selector: { app: 'restarter', release: 'set', team: 'web' },
  },
  'its own namespace and another one': {
    values: { reloader: { watchGlobally: false, namespaces: ['default'] } },
    name: 'set-reloader',
    selector: { app: 'set-reloader', release: 'set' },
  },
  'its own namespace, by another annotation': {
    values: {
      nameOverride: 'rl',
      reloader: { watchGlobally: false, custom_annotations: { auto: 'a.io/auto' } },
    },
    name: 'set-rl',
    selector: { app: 'set-rl', release: 'set' },
  },
  'two replicas': {
    values: {
      reloader: {
        enableHA: true,
        deployment: { replicas: 2 },
        podDisruptionBudget: { enabled: true, minAvailable: 1 },
      },
    },
    name: 'set-reloader',
    selector: { app: 'set-reloader', release: 'set' },
  },
};

/** Changes of what the workloads follow, and how many templates each of them is to have after these. */
class Changes {
  readonly #stage: Stage;
  readonly #least = new Map(WORKLOADS.map(({ name }) => [name, 1]));
  readonly #most = new Map(this.#least);
  #count = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Changes what every fifth of them follows, each time another one; that is one rollout, or up to `most`. */
  async change(most = 1): Promise<readonly (WorkloadParts & Stamped)[]> {
    const object = OBJECTS[this.#count % OBJECTS.length] ?? '';
    this.#count += 1;
    const followers = WORKLOADS.filter((each) => each.object === object);
    for (const { name } of followers) {
      this.#least.set(name, (this.#least.get(name) ?? 0) + 1);
      this.#most.set(name, (this.#most.get(name) ?? 0) + most);
    }
    await this.#stage.put(object, `content ${this.#count}`);
    return followers;
  }

  /** Resolves when a change has reached all its followers. */
  async roll(most?: number): Promise<void> {
    const entries = WORKLOADS.map(async (each) => [each.name, await this.#stage.stamps(each)] as const);
    const before = new Map(await Promise.all(entries));
    for (const each of await this.change(most))
      await this.#stage.stampedAfter(each, before.get(each.name) ?? {});
  }

  /** Every change has been a rollout, and nothing else has been one. */
  async areRolled(): Promise<void> {
    const revisions = await this.#stage.revisions(WORKLOADS);
    const wrong = WORKLOADS.flatMap(({ name }, index) => {
      const found = revisions[index] ?? 0;
      const [least = 0, most = 0] = [this.#least.get(name), this.#most.get(name)];
      return found >= least && found <= most ? [] : [`${name}: ${found}, not ${least} to ${most}`];
    });
    assert.deepEqual(wrong, []);
  }
}

/** Everything that follows is rolled once, and nothing else. */
async function areRolledBy(reloader: ReloaderProcess, stage: Stage, changes: Changes): Promise<void> {
  await stage.mark(reloader);
  await changes.areRolled();
}

/** Changes all their objects once a second; answers when each of these was written last, in ms. */
async function changeForAMinute(stage: Stage): Promise<readonly number[]> {
  let changedAt: readonly number[] = [];
  for (let round = 1; round <= 60; round += 1) {
    const second = new Promise((resolve) => setTimeout(resolve, 1000));
    const changes = EACH_ITS_OWN.map(async (each) => {
      await stage.putAll(each, `content ${round}`);
      return Date.now();
    });
    changedAt = await Promise.all(changes);
    await second;
  }
  return changedAt;
}

/** The pods that were created before the second after `ms`: our quiet period lasts a second. */
async function podsBefore(stage: Stage, workload: WorkloadParts, ms: number): Promise<readonly string[]> {
  await stage.rolledOut(workload);
  const pods = await stage.list(`pods?labelSelector=app%3D${workload.name}`);
  assert.ok(pods.length > 0);
  const createdAt = ({ metadata }: JsonObject): number =>
    Date.parse(String(pick(metadata, 'creationTimestamp')));
  return pods
    .filter((pod) => pick(pod, 'metadata', 'deletionTimestamp') === undefined)
    .filter((pod) => createdAt(pod) < Math.floor(ms / 1000) * 1000 + 1000)
    .map(({ metadata }) => String(pick(metadata, 'creationTimestamp')));
}

/** The image that runs under a name. */
function imageOf({ spec }: JsonObject): string {
  const containers = pick(spec, 'template', 'spec', 'containers') as readonly { image: string }[];
  return containers.map(({ image }) => image).join();
}

/** What was denied and never allowed: Helm writes the roles anew while the program runs. */
function deniedForGood(requests: readonly AuditedRequest[]): readonly string[] {
  const rightOf = ({ verb, apiGroup, resource, namespace }: AuditedRequest): string =>
    `${verb} ${apiGroup}/${resource} in ${namespace ?? 'the cluster'}`;
  const allowed = new Set(requests.filter((request) => !isDenied(request)).map(rightOf));
  return requests
    .filter(isDenied)
    .map(rightOf)
    .filter((right) => !allowed.has(right));
}

async function openShop(): Promise<Stage> {
  const stage = await Stage.open(cluster);
  await stage.createMarker();
  for (const name of OBJECTS) await stage.put(name, 'A');
  await Promise.all(WORKLOADS.map((each) => stage.create(each)));
  return stage;
}

/** From theirs to ours, a version of ours further, and back. */
async function upgradeAndBack(version: HelmVersion): Promise<void> {
  assert.ok(isOurs);
  await using stage = await openShop();
  await using ops = await Stage.open(cluster, `ops-${version}`);
  const changes = new Changes(stage);
  const release = new Release(ops, version, `helm-${version}`);
  const pathname = `deployments/helm-${version}-reloader`;
  const values: Values = { reloader: { reloadOnCreate: true, logFormat: 'json' } };
  await release.bring(THEIRS, values);
  await using theirs = await StandIn.start(stage, WORKLOADS);
  await changes.roll();

  await Promise.all([release.bring(CHART, values), changes.roll()]);
  assert.match(imageOf(await ops.expect('GET', pathname)), /^kubernetes-reloader:/);
  const account = await release.account();
  // Their pod ends when ours is ready: what both see, both roll.
  const [first] = await Promise.all([startAs(account, stage, WINDOW), changes.roll(2)]);
  await changes.roll(2);
  await theirs.stop();
  await areRolledBy(first, stage, changes);
  await changes.roll();
  await areRolledBy(first, stage, changes);

  // A change while none of ours runs is rolled by the next one.
  const further: Values = { reloader: { reloadOnCreate: true, logFormat: 'json', reloadOnDelete: true } };
  await Promise.all([release.bring(CHART, further), changes.roll()]);
  assert.deepEqual(await first.stop(), { code: 0, signal: null });
  await changes.change();
  const next = await startAs(await release.account({ POD_NAME: 'next', POD_UID: 'next' }), stage, WINDOW);
  await areRolledBy(next, stage, changes);

  // The rollback takes its rights to the state before its pod ends: what is denied until then was asked too late.
  assert.deepEqual(deniedForGood(await requestsOf(account, cluster)), []);
  await release.rollBack(1);
  assert.match(imageOf(await ops.expect('GET', pathname)), /\/stakater\/reloader:/);
  // Ours ends when their pod is ready, and rolls nothing that it cannot mark.
  await using again = await StandIn.start(stage, WORKLOADS);
  await changes.roll();
  assert.deepEqual(await next.stop(), { code: 0, signal: null });
  await changes.roll();
  await again.stop();
  await changes.areRolled();
  await release.uninstall();
}

/** The same Deployment, with the same selector, runs ours, and then theirs again. */
async function isTakenOver(version: HelmVersion, set: string): Promise<void> {
  const { values, name, selector } = SETS[set] ?? assert.fail();
  await using stage = await Stage.open(cluster);
  const release = new Release(stage, version, 'set');
  const uids = new Set();
  const is = async (image: RegExp): Promise<void> => {
    const live = await stage.expect('GET', `deployments/${name}`);
    assert.match(imageOf(live), image);
    assert.deepEqual(pick(live, 'spec', 'selector', 'matchLabels'), selector);
    uids.add(pick(live, 'metadata', 'uid'));
  };
  await release.bring(THEIRS, values);
  await is(/\/stakater\/reloader:/);
  const notes = await release.bring(CHART, values);
  assert.equal(/^- replicaCount: set ha\.enabled and ha\.replicas$/m.test(notes), 'replicaCount' in values);
  await is(/^kubernetes-reloader:/);
  await release.rollBack(1);
  await is(/\/stakater\/reloader:/);
  assert.equal(uids.size, 1);
  await release.uninstall();
}

describe('a release of theirs', {
  skip: !isOurs && 'a control plane of its own is needed',
  concurrency: 1,
}, () => {
  for (const version of [3, 4] as const) {
    describe(`with Helm ${version}`, { skip: skipWithoutHelm(version), concurrency: 1 }, () => {
      for (const set of Object.keys(SETS))
        test(`that has values for ${set} is upgraded and rolled back in place`, () =>
          isTakenOver(version, set));

      test('is not upgraded to another selector', async () => {
        await using stage = await Stage.open(cluster);
        const release = new Release(stage, version, 'set');
        await release.bring(THEIRS, {});
        await assert.rejects(
          release.bring(CHART, { reloader: { matchLabels: { team: 'web' } } }),
          /spec\.selector: .*field is immutable/s,
        );
        await release.uninstall();
      });

      test('is upgraded and rolled back beside 50 workloads: each change is one rollout, and nothing else is one', () =>
        upgradeAndBack(version));
    });
  }

  test('is upgraded while 50 objects change once a second for a minute; then every pod runs the current content', async () => {
    await using stage = await Stage.open(cluster);
    await using ops = await Stage.open(cluster);
    await stage.createMarker();
    await Promise.all(EACH_ITS_OWN.map((each) => stage.putAll(each, 'content 0')));
    await Promise.all(EACH_ITS_OWN.map((each) => stage.create(each)));
    const release = new Release(ops, 4, 'busy');
    await release.bring(THEIRS, {});
    await using theirs = await StandIn.start(stage, EACH_ITS_OWN);
    const changing = changeForAMinute(stage);
    await release.bring(CHART, {});
    const ours = await launchAs(await release.account(), stage, WINDOW);
    // The strategy of the Deployment: the old pod ends once the new one is ready.
    await stage.until('ours is ready', () => ours.isReady());
    await theirs.stop();
    const changedAt = await changing;
    await stage.mark(ours);
    for (const [index, each] of EACH_ITS_OWN.entries())
      assert.deepEqual(await podsBefore(stage, each, changedAt[index] ?? 0), [], each.name);
    await release.uninstall();
  });
});
