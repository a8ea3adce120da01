/** Why nothing happens, as people are told it: a line of the log, a notice on the page, an Event on the workload. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import type { Reason } from '../../lib/model/reasons.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import { Cluster, resourceOf, stampsOf } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const CONFIGMAP = `${PREFIX}/configmap`;

/** Something that people get wrong with a Deployment `web`, and what they are told. */
interface Case {
  /** Happens before the reloader starts. */
  readonly arrange: (cluster: Cluster) => void;
  readonly reason: Reason;
  readonly event: string;
  readonly says: RegExp;
  /** Mends it. */
  readonly mend: (cluster: Cluster) => void;
}

/** A Deployment `web` that follows nothing, with these annotations. */
function web(cluster: Cluster, annotations: Record<string, string>, ofTemplate = {}): void {
  put(cluster, configMap('web'), 'one');
  deploy(cluster, 'web', { follows: {} });
  const spec = { template: { metadata: { annotations: ofTemplate } } };
  cluster.sandbox.patch('deployments', 'default', 'web', { metadata: { annotations }, spec });
}

/** The Deployment `web` follows its ConfigMap as it should, and has none of `keys` any more. */
function follow({ sandbox }: Cluster, ...keys: string[]): void {
  const without = Object.fromEntries(keys.map((key) => [key, null]));
  sandbox.patch('deployments', 'default', 'web', {
    metadata: { annotations: { ...without, [CONFIGMAP]: 'web' } },
  });
}

const CASES: Record<string, Case> = {
  'an annotation on the pod template': {
    arrange: (cluster) => web(cluster, {}, { [CONFIGMAP]: 'web' }),
    reason: 'misplaced',
    event: 'MisplacedAnnotation',
    says: /stands on the pod template.*write on the workload itself .*\/configmap: "web"$/,
    mend: (cluster) => follow(cluster),
  },
  'a mistyped key': {
    arrange: (cluster) => web(cluster, { [`${PREFIX}/configmaps`]: 'web' }),
    reason: 'mistyped',
    event: 'MistypedAnnotation',
    says: /the annotation .*\/configmaps has no effect; write .*\/configmap: "web"$/,
    mend: (cluster) => follow(cluster, `${PREFIX}/configmaps`),
  },
  'an item that cannot be a name': {
    arrange: (cluster) => web(cluster, { [CONFIGMAP]: 'web, Web_2' }),
    reason: 'malformed',
    event: 'MalformedAnnotation',
    says: /"Web_2" .*cannot be the name of an object; write .*\/configmap: "web, web-2"$/,
    mend: (cluster) => follow(cluster),
  },
};

const MISSING: Record<string, Case> = {
  'a name that does not exist': {
    arrange: (cluster) => web(cluster, { [CONFIGMAP]: 'wbe' }),
    reason: 'missing',
    event: 'ObjectMissing',
    says: /^ConfigMap\/wbe does not exist.*; if it is ConfigMap\/web, write .*\/configmap: "web"$/,
    mend: (cluster) => follow(cluster),
  },
  'a name that does not exist yet': {
    arrange: (cluster) => {
      web(cluster, { [CONFIGMAP]: 'web' });
      cluster.sandbox.remove('configmaps', 'default', 'web');
    },
    reason: 'missing',
    event: 'ObjectMissing',
    says: /^ConfigMap\/web does not exist.*; create it, or remove .*\/configmap$/,
    mend: (cluster) => put(cluster, configMap('web'), 'one'),
  },
  'a Secret of a type that is not watched': {
    arrange: (cluster) => {
      const release = { kind: 'Secret', namespace: 'default', name: 'release' } as const;
      put(cluster, release, 'x', 'helm.sh/release.v1');
      web(cluster, { [CONFIGMAP]: 'web', [`${PREFIX}/secret`]: 'release' });
    },
    reason: 'secret-not-watched',
    event: 'SecretNotWatched',
    says: /^Secret\/release is of the type helm\.sh\/release\.v1, .*; remove .*\/secret$/,
    mend: (cluster) => follow(cluster, `${PREFIX}/secret`),
  },
};

/** The Events of a reason that the cluster holds. */
function events({ sandbox }: Cluster, reason: string): StoredObject[] {
  return sandbox.list('events').filter((event) => event['reason'] === reason);
}

/** How often the reloaders tried to record an Event of a reason. */
function attempts({ audits }: Cluster, reason: string): number {
  return audits.filter(({ resource, body }) => {
    return resource === 'events' && (body as { reason?: string } | undefined)?.reason === reason;
  }).length;
}

/** The lines of its log that have this reason. */
function lines(reloader: ReloaderProcess, reason: Reason): string[] {
  return reloader.lines.filter((line) => line['reason'] === reason).map(({ message }) => message);
}

/** What stands against the Deployment `web`, or another kind of that name, on the page. */
async function findings(
  reloader: ReloaderProcess,
  kind = 'Deployment',
): Promise<{ reason: Reason; message: string }[]> {
  const { workloads } = await reloader.status();
  const found = workloads.find(({ workload }) => workload === `${kind}/web`);
  return (found?.findings ?? []).map(({ reason, message }) => ({ reason, message }));
}

/** Resolves when all that was to be recorded until now has been tried: a rollout of the marker is recorded too. */
async function allRecorded(cluster: Cluster): Promise<void> {
  const before = attempts(cluster, 'Reloaded');
  await mark(cluster);
  await cluster.until('the marker is recorded', () => attempts(cluster, 'Reloaded') > before);
}

describe('why nothing happens is told, and not repeated:', { concurrency: 4 }, () => {
  for (const [name, { arrange, reason, event, says, mend }] of Object.entries({ ...CASES, ...MISSING })) {
    test(name, async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      arrange(cluster);
      const reloader = await cluster.reloader();
      await cluster.until('an Event tells of it', () => events(cluster, event).length > 0);
      const [told] = events(cluster, event);
      assert.match(String(told?.['message']), says);
      assert.equal(told?.['type'], 'Warning');
      const about = cluster.sandbox.get('deployments', 'default', 'web');
      assert.deepEqual(told?.['involvedObject'], {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'default',
        name: 'web',
        uid: about?.metadata.uid,
      });
      await cluster.until('the log does too', () => lines(reloader, reason).length > 0);
      assert.deepEqual(lines(reloader, reason), [`Deployment/web: ${told?.['message']}`]);
      assert.deepEqual(await findings(reloader), [{ reason, message: told?.['message'] }]);

      cluster.sandbox.restart(deployment('web'));
      await allRecorded(cluster);
      assert.deepEqual([lines(reloader, reason).length, attempts(cluster, event)], [1, 1]);

      await reloader.stop();
      const next = await cluster.reloader();
      await cluster.until('the next one has tried too', () => attempts(cluster, event) === 2);
      await allRecorded(cluster);
      assert.deepEqual([events(cluster, event).length, attempts(cluster, event)], [1, 2]);

      mend(cluster);
      await cluster.until('it is mended', async () => (await findings(next)).length === 0);
      await cluster.settled(next);
      put(cluster, configMap('web'), 'two');
      await cluster.until('it is rolled', () => cluster.rollouts(deployment('web')) === 1);
    });
  }
});

/** A workload `web` that does not replace its pods by itself. */
interface Held {
  readonly kind: string;
  readonly spec: object;
  readonly says: RegExp;
  /** Has its pods replaced. */
  readonly release: (cluster: Cluster, ref: WorkloadRef) => void;
}

function evictAll({ sandbox }: Cluster, ref: WorkloadRef): void {
  for (const pod of sandbox.podsOf(ref)) sandbox.evict(pod);
}

const HELD: Record<string, Held> = {
  'a Deployment is paused': {
    kind: 'Deployment',
    spec: { paused: true },
    says: /it is paused: its pods take it after kubectl rollout resume deployment\/web$/,
    release: ({ sandbox }) => sandbox.patch('deployments', 'default', 'web', { spec: { paused: false } }),
  },
  'a StatefulSet has a partition': {
    kind: 'StatefulSet',
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    says: /a partition of 1: pods of a lower ordinal take it when the partition is lowered$/,
    release: ({ sandbox }) => {
      const updateStrategy = { rollingUpdate: { partition: 0 } };
      sandbox.patch('statefulsets', 'default', 'web', { spec: { updateStrategy } });
    },
  },
  'a StatefulSet has OnDelete': {
    kind: 'StatefulSet',
    spec: { updateStrategy: { type: 'OnDelete' } },
    says: /OnDelete: each pod takes it when it is deleted$/,
    release: evictAll,
  },
  'a DaemonSet has OnDelete': {
    kind: 'DaemonSet',
    spec: { updateStrategy: { type: 'OnDelete' } },
    says: /OnDelete: each pod takes it when it is deleted$/,
    release: evictAll,
  },
};

describe('when pods will take what they were rolled for is told, once, where', { concurrency: 4 }, () => {
  for (const [name, { kind, spec, says, release }] of Object.entries(HELD)) {
    test(name, async () => {
      await using cluster = await Cluster.start();
      put(cluster, configMap('web'), 'one');
      const ref = deploy(cluster, 'web', { kind });
      await cluster.podsAreCurrent(ref);
      cluster.sandbox.patch(resourceOf(kind), 'default', 'web', { spec });
      const reloader = await cluster.reloader();
      assert.deepEqual(await findings(reloader, kind), []);
      for (const [index, value] of ['two', 'three'].entries()) {
        put(cluster, configMap('web'), value);
        await cluster.until('it is recorded', () => events(cluster, 'Reloaded').length === index + 1);
      }
      await cluster.until('an Event tells of it', () => events(cluster, 'PodsNotReplaced').length > 0);
      assert.match(String(events(cluster, 'PodsNotReplaced')[0]?.['message']), says);
      for (const event of events(cluster, 'Reloaded')) assert.match(String(event['message']), says);
      assert.deepEqual(
        (await findings(reloader, kind)).map(({ reason }) => reason),
        ['pods-not-replaced'],
      );
      assert.ok(!cluster.isCurrent(ref));
      await cluster.until('the log tells of it', () => lines(reloader, 'pods-not-replaced').length > 0);
      assert.deepEqual(
        [lines(reloader, 'pods-not-replaced').length, attempts(cluster, 'PodsNotReplaced')],
        [1, 1],
      );
      release(cluster, ref);
      await cluster.podsAreCurrent(ref);
      await cluster.until('nothing stands', async () => (await findings(reloader, kind)).length === 0);
    });
  }
});

test('an undo that takes the opt-in with it is told, with what was there', async () => {
  await using cluster = await Cluster.start();
  const ref = deployment('web');
  web(cluster, {});
  await cluster.podsAreCurrent(ref);
  const spec = { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } };
  cluster.sandbox.patch('deployments', 'default', 'web', { spec }, 'strategic');
  await cluster.podsAreCurrent(ref);
  follow(cluster);
  const reloader = await cluster.reloader();
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is rolled', () => cluster.rollouts(ref) === 1);
  await cluster.podsAreCurrent(ref);
  assert.ok(cluster.sandbox.undo(ref, 1));
  await cluster.until('an Event tells of it', () => events(cluster, 'OptInLost').length === 1);
  const message = String(events(cluster, 'OptInLost')[0]?.['message']);
  assert.match(message, /^it follows ConfigMap\/web no more: .* undo .*; .*, write .*\/configmap: "web"$/);
  assert.deepEqual(await findings(reloader), [{ reason: 'opt-in-lost', message }]);
  follow(cluster);
  await cluster.until('nothing stands', async () => (await findings(reloader)).length === 0);
  await reloader.stop();
  assert.equal(lines(reloader, 'opt-in-lost').length, 1);
});

test('another reloader of the same workload is told, once for as long as both roll it', async () => {
  await using cluster = await Cluster.start();
  await pair(cluster, 'marker');
  put(cluster, configMap('web'), 'one');
  const annotations = { ConfigMap: 'configmap.reloader.stakater.com/reload', Secret: '' };
  const ref = deploy(cluster, 'web', { annotations });
  await cluster.podsAreCurrent(ref);
  const reloader = await cluster.reloader();
  const variable = 'STAKATER_WEB_CONFIGMAP';
  const otherRolls = (digit: string): void => {
    const container = { name: 'app', env: [{ name: variable, value: digit.repeat(40) }] };
    const spec = { template: { spec: { containers: [container] } } };
    cluster.sandbox.patch('deployments', 'default', 'web', { spec }, 'strategic', 'Reloader');
  };
  for (const [index, value] of ['two', 'three'].entries()) {
    put(cluster, configMap('web'), value);
    otherRolls(String(index));
    await cluster.until('we roll it too', () => /\.\d+$/.test(stampsOf(cluster, ref)[variable] ?? ''));
    await cluster.podsAreCurrent(ref);
    await cluster.settled(reloader);
  }
  await cluster.until('an Event tells of it', () => events(cluster, 'SecondReloader').length > 0);
  await allRecorded(cluster);
  const message = String(events(cluster, 'SecondReloader')[0]?.['message']);
  assert.match(message, /^another reloader \(field manager Reloader\) wrote .* STAKATER_WEB_CONFIGMAP;/);
  assert.deepEqual(await findings(reloader), [{ reason: 'second-reloader', message }]);
  assert.deepEqual([lines(reloader, 'second-reloader').length, attempts(cluster, 'SecondReloader')], [1, 1]);
  put(cluster, configMap('web'), 'four');
  await cluster.until('it is gone', async () => (await findings(reloader)).length === 0);
});

describe('Events', { concurrency: 4 }, () => {
  test('tell of a rollout what it was for and how many changes it was made of', async () => {
    await using cluster = await Cluster.start();
    put(cluster, configMap('one'), '1');
    put(cluster, configMap('two'), '1');
    const ref = deploy(cluster, 'web', { follows: { ConfigMap: ['one', 'two'] } });
    await cluster.podsAreCurrent(ref);
    const reloader = await cluster.reloader({ periodMs: 300 });
    for (const value of ['2', '3']) put(cluster, configMap('one'), value);
    put(cluster, configMap('two'), '2');
    await cluster.until('an Event tells of it', () => events(cluster, 'Reloaded').length > 0);
    await cluster.settled(reloader);
    assert.deepEqual(
      events(cluster, 'Reloaded').map(({ type, message }) => [type, message]),
      [['Normal', 'rolled once for 3 changes of ConfigMap/one, ConfigMap/two']],
    );
    assert.equal(cluster.rollouts(ref), 1);
  });

  test('that may not be recorded are complained of once, and nothing else suffers', async () => {
    await using cluster = await Cluster.start();
    const match = { resource: 'events' };
    cluster.sandbox.addFault({ match, times: 'always', effect: { kind: 'status', code: 403 } });
    await pair(cluster, 'marker');
    web(cluster, { [`${PREFIX}/configmaps`]: 'web', [`${PREFIX}/secrets`]: 'web' });
    const reloader = await cluster.reloader();
    await cluster.until('both are tried', () => attempts(cluster, 'MistypedAnnotation') === 2);
    await allRecorded(cluster);
    await cluster.settled(reloader);
    await reloader.stop();
    const complaints = reloader.lines.filter(({ message }) =>
      message.startsWith('Events cannot be recorded'),
    );
    assert.equal(complaints.length, 1);
    assert.equal(lines(reloader, 'mistyped').length, 2);
    assert.equal(cluster.sandbox.list('events').length, 0);
  });

  test('are not recorded in a dry run; the log and the page tell all the same', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    web(cluster, { [`${PREFIX}/configmaps`]: 'web' });
    const reloader = await cluster.reloader({ flags: ['--dry-run'] });
    put(cluster, configMap('marker'), 'two');
    await reloader.hasSaid(/Deployment\/marker would be rolled/);
    assert.equal((await findings(reloader)).length, 1);
    await reloader.stop();
    assert.equal(lines(reloader, 'mistyped').length, 1);
    assert.deepEqual(
      cluster.writes().filter(({ userAgent }) => userAgent.startsWith('kubernetes-reloader')),
      [],
    );
  });

  test('of every kind of workload name it rightly', async () => {
    await using cluster = await Cluster.start();
    const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'];
    put(cluster, configMap('web'), 'one');
    for (const kind of kinds) await cluster.podsAreCurrent(deploy(cluster, 'web', { kind }));
    await cluster.reloader();
    put(cluster, configMap('web'), 'two');
    await cluster.until('all are recorded', () => events(cluster, 'Reloaded').length === kinds.length);
    for (const event of events(cluster, 'Reloaded')) {
      const { kind, uid } = event['involvedObject'] as { kind: string; uid: string };
      assert.equal(uid, cluster.sandbox.get(resourceOf(kind), 'default', 'web')?.metadata.uid);
    }
  });
});
