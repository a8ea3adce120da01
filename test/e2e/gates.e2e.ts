/** Holds, reload windows and approvals on a real API server: what a person types, what the Events say, and a death in between. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { type JsonObject, pick } from '../sandbox/json.ts';
import { run } from '../tour/tour.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

const PREFIX = 'reloader.k8s.collaborne.com';
const APP = web('app', { follows: { ConfigMap: ['web'] } });
/** Never open while these tests run, whenever that is: it opens twelve hours from now. */
const CLOSED = `0 ${(new Date().getUTCHours() + 12) % 24} * * * 1m`;

/** The messages of all Events of a reason. */
async function told(stage: Stage, of = 'RolloutHeld'): Promise<readonly string[]> {
  const events = await stage.list('events');
  return events
    .filter(({ reason }) => reason === of)
    .map((event: JsonObject) => String(pick(event, 'message')));
}

/** The object gets another content, and keeps its annotations. */
async function change(stage: Stage, content: string): Promise<void> {
  await stage.expect('PATCH', 'configmaps/web', { data: { version: content } });
}

describe('a change waits, over a death of the reloader, and is one rollout once a person lets it go:', () => {
  const HOLDS: Readonly<Record<string, readonly [object: string, annotation: string, says: RegExp]>> = {
    'a hold on the workload': [
      'deployment/app',
      `${PREFIX}/hold=true`,
      /: it is held until its annotation hold/,
    ],
    'a hold on the object': ['configmap/web', `${PREFIX}/hold=true`, /: ConfigMap\/web is held until/],
    'a reload window': [
      'deployment/app',
      `${PREFIX}/reload-window=${CLOSED}`,
      /: its reload window is closed, at least until/,
    ],
  };
  for (const [what, [object, annotation, says]] of Object.entries(HOLDS))
    test(what, async () => {
      await using stage = await Stage.open(cluster);
      await stage.put('web', 'A');
      await stage.create(APP);
      await stage.createMarker();
      const first = await stage.reloader();
      if (annotation.endsWith('hold=true')) await stage.command(`hold ${object}`);
      else await stage.kubectl(['annotate', object, annotation]);
      await stage.mark(first);
      await change(stage, 'B');
      await stage.until('an Event says so', async () => (await told(stage)).length === 1);
      await first.kill();
      const second = await stage.startReloader();
      await second.hasSaid(/"reason":"held"/);
      await change(stage, 'C');
      await stage.markBeside();
      const metric = `reloader_workloads_waiting{reason="${annotation.includes('window') ? 'window' : 'hold'}"}`;
      assert.equal(await second.metric(metric), 1);
      assert.equal(await stage.revision(APP), 1);
      for (const message of await told(stage)) assert.match(message, says);
      if (annotation.endsWith('hold=true')) await stage.command(`release ${object}`);
      else await stage.kubectl(['annotate', object, `${annotation.split('=')[0]}-`]);
      await stage.until('it is rolled', async () => (await stage.revision(APP)) === 2);
      await stage.settled(second);
      assert.equal(await second.metric(metric), 0);
      assert.equal(await stage.revision(APP), 2);
    });
});

test('plan does not know by the state what a held workload runs, nor does the reloader after its death', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  const applied = 'kubectl.kubernetes.io/last-applied-configuration={"data":{"version":"A"}}';
  await stage.kubectl(['annotate', 'configmap/web', applied]);
  await stage.create(APP);
  await stage.createMarker();
  const first = await stage.reloader();
  await stage.command('hold deployment/app');
  const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };
  const former = JSON.stringify({ ...web, data: { key: 'A' } });
  const planned = async (): Promise<readonly [code: number | null, isUnknown: boolean]> => {
    const line = 'reloader plan -f - --reloader none';
    const { code, stdout } = await run(line, await stage.kubeconfig(), former);
    return [code, /alone knows whether pods of Deployment\/app in \S+ run the new content/.test(stdout)];
  };
  const recorded = async (): Promise<string | undefined> => (await stage.state())['v1.ConfigMap_web'];

  await stage.beYounger();
  await change(stage, 'B');
  await stage.until(
    'the state has its mark',
    async () => (await recorded())?.endsWith('?Deployment/app') === true,
  );
  assert.deepEqual(await planned(), [3, true]);
  // The process that lives still knows it.
  await stage.expect('PATCH', 'configmaps/web', { data: { version: null } });
  await first.hasSaid(/changed back: nothing left to roll/);
  await stage.until('the state has no more of it', async () => (await recorded())?.includes('?') === false);

  await change(stage, 'C');
  await stage.until(
    'the state has its mark',
    async () => (await recorded())?.endsWith('?Deployment/app') === true,
  );
  await first.kill();
  const second = await stage.startReloader();
  await second.hasSaid(/"reason":"held"/);
  assert.deepEqual(await planned(), [3, true]);
  await stage.expect('PATCH', 'configmaps/web', { data: { version: null } });
  await stage.command('release deployment/app');
  await stage.until('it is rolled', async () => (await stage.revision(APP)) === 2);
  await stage.settled(second);
});

/** What people are asked to type, the last one that is new being what `before` lacks. */
async function asked(stage: Stage, before: readonly string[] = []): Promise<string> {
  let news: readonly string[] = [];
  await stage.until('an approval is asked for', async () => {
    news = (await told(stage, 'ApprovalRequired')).filter((message) => !before.includes(message));
    return news.length > 0;
  });
  assert.equal(news.length, 1);
  return news[0] ?? '';
}

/** Types the command in a message. */
async function obey(stage: Stage, message: string): Promise<void> {
  const [, words = ''] = /kubectl (annotate .*=\w+) lets/.exec(message) ?? [];
  await stage.kubectl(words.split(' '));
}

async function approvalOf(stage: Stage): Promise<unknown> {
  return pick(await stage.live(APP), 'metadata', 'annotations', `${PREFIX}/approved`);
}

test('an approval is asked for, lets exactly that go, is removed by the patch, and is asked for again, over deaths', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  await stage.create(APP);
  await stage.createMarker();
  const first = await stage.reloaderWithRights();
  await stage.kubectl(['annotate', 'deployment/app', `${PREFIX}/approval=required`]);
  await stage.mark(first);
  await change(stage, 'B');
  const ofB = await asked(stage);
  await first.kill();
  await obey(stage, ofB);
  const second = await stage.reloaderWithRights();
  await stage.until('it is rolled', async () => (await stage.revision(APP)) === 2);
  assert.equal(await approvalOf(stage), undefined);
  await stage.settled(second);

  await change(stage, 'C');
  const ofC = await asked(stage, [ofB]);
  assert.equal(await second.metric('reloader_workloads_waiting{reason="approval"}'), 1);
  await obey(stage, ofB);
  const other = await asked(stage, [ofB, ofC]);
  assert.match(other, /: its approval is for another content: /);
  await stage.markBeside();
  assert.equal(await stage.revision(APP), 2);
  const { workloads } = await second.status();
  const shown = workloads.find(({ workload }) => workload === 'Deployment/app');
  assert.equal(shown?.waiting?.reason, 'approval');
  assert.ok(ofC.includes(`=${shown.waiting.token} lets`));
  await obey(stage, ofC);
  await stage.until('it is rolled', async () => (await stage.revision(APP)) === 3);
  await stage.settled(second);
  assert.equal(await approvalOf(stage), undefined);
  assert.equal(await second.metric('reloader_workloads_waiting{reason="approval"}'), 0);
});

/** A kubeconfig of a person who has the role `view`, and may change Deployments. */
async function viewer(stage: Stage): Promise<string> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}`;
  const metadata = { name: 'person' };
  await stage.expect('POST', 'serviceaccounts', { metadata });
  const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] }];
  await cluster.expect('POST', `${rbac}/roles`, { metadata, rules });
  for (const [kind, name] of [
    ['Role', 'person'],
    ['ClusterRole', 'view'],
  ])
    await cluster.expect('POST', `${rbac}/rolebindings`, {
      metadata: { name: `person-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', name: 'person', namespace: stage.namespace }],
    });
  const token = await cluster.serviceAccountToken(stage.namespace, 'person');
  return await cluster.kubeconfig({ token, namespace: stage.namespace });
}

test('reloader approve allows what waits, and says what is unknown', { skip }, async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  await stage.create(APP);
  await stage.createMarker();
  const reloader = await stage.reloaderWithRights();
  await stage.kubectl(['annotate', 'deployment/app', `${PREFIX}/approval=required`]);
  await stage.mark(reloader);
  await assert.rejects(stage.command('approve deployment/app'), /Deployment\/app waits for no approval/);
  await change(stage, 'B');
  const ofB = await asked(stage);
  const { stdout } = await stage.command('approve deployment/app');
  assert.ok(ofB.includes(stdout.split('\n')[0] ?? assert.fail()), stdout);
  await stage.until('it is rolled', async () => (await stage.revision(APP)) === 2);

  await change(stage, 'C');
  const ofC = await asked(stage, [ofB]);
  const [, token = ''] = /approved=(\w+)/.exec(ofC) ?? [];
  const person = await viewer(stage);
  const unseen = /^reloader approve: unknown, because you may not list the Deployments and Leases/m;
  await assert.rejects(stage.command('approve deployment/app', person), unseen);
  const unknown = /^reloader approve: unknown, because you may not read Secret/m;
  await assert.rejects(stage.command('approve deployment/app --reloader none', person), unknown);
  assert.equal(await approvalOf(stage), undefined);
  const given = /^unknown whether this content waits: you may not list the Deployments and Leases/m;
  assert.match((await stage.command(`approve deployment app --content ${token}`, person)).stderr, given);
  await stage.until('it is rolled', async () => (await stage.revision(APP)) === 3);
  await assert.rejects(
    stage.command('hold configmap/web', person),
    /ConfigMap\/web in namespace \S+: .*forbidden/,
  );
});

test('what is notify-only is told of, also after a death, and a person rolls it', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', 'A');
  await stage.create(APP);
  await stage.createMarker();
  const first = await stage.reloaderWithRights();
  await stage.kubectl(['annotate', 'deployment/app', `${PREFIX}/notify-only=true`]);
  await stage.mark(first);
  await change(stage, 'B');
  await stage.until('an Event says so', async () => (await told(stage, 'RolloutNeeded')).length === 1);
  await first.kill();
  const second = await stage.startReloader();
  await second.hasSaid(/"reason":"notify-only"/);
  await stage.markBeside();
  assert.equal(await stage.revision(APP), 1);
  await stage.kubectl(['rollout', 'restart', 'deployment/app']);
  await stage.settled(second);
  assert.equal(await stage.revision(APP), 2);
  assert.equal(await second.metric('reloader_workloads_waiting{reason="approval"}'), 0);
});
