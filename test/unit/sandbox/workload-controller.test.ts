/** The small workload controller: pods in small steps, and what they read when they start. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { isRolledOut, workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { mockTime } from '../../mock-time.ts';
import { ABSENT, type Pod } from '../../sandbox/pod.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';

const NAMESPACE = 'default';
const RESOURCES = { Deployment: 'deployments', StatefulSet: 'statefulsets', DaemonSet: 'daemonsets' };
type Kind = keyof typeof RESOURCES;
const KINDS: readonly Kind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

function newSandbox(t: TestContext, options: SandboxOptions = {}): Sandbox {
  mockTime(t);
  const sandbox = createSandbox(options);
  t.after(() => sandbox.close());
  return sandbox;
}

function refOf(kind: Kind): { kind: Kind; namespace: string; name: string } {
  return { kind, namespace: NAMESPACE, name: 'web' };
}

function createWorkload(sandbox: Sandbox, kind: Kind, spec: object = {}, podSpec: object = {}): void {
  const containers = [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'config' } }] }];
  const size = kind === 'DaemonSet' ? {} : { replicas: 2 };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers, ...podSpec } };
  sandbox.create(RESOURCES[kind], {
    metadata: { name: 'web', namespace: NAMESPACE },
    spec: { ...size, template, ...spec },
  });
}

/** One workload whose pods run and have read A. */
function running(t: TestContext, kind: Kind, spec: object = {}): Sandbox {
  const sandbox = newSandbox(t);
  setConfig(sandbox, 'A');
  createWorkload(sandbox, kind, spec);
  run(t);
  return sandbox;
}

function setImage(sandbox: Sandbox, kind: Kind, image: string): void {
  const patch = { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
  sandbox.patch(RESOURCES[kind], NAMESPACE, 'web', patch, 'strategic');
}

function setConfig(sandbox: Sandbox, value: string): void {
  sandbox.replace('configmaps', { metadata: { name: 'config', namespace: NAMESPACE }, data: { key: value } });
}

function run(t: TestContext, ms = 2000): void {
  for (let passed = 0; passed < ms; passed += 10) t.mock.timers.tick(10);
}

function rolledOut(sandbox: Sandbox, kind: Kind): boolean {
  const live = sandbox.get(RESOURCES[kind], NAMESPACE, 'web');
  const pods = sandbox.podsOf(refOf(kind));
  return (
    live !== undefined &&
    isRolledOut(workloadKindOf(kind), live as unknown as RawWorkload) &&
    pods.every((pod) => pod.phase === 'Running')
  );
}

function valuesRead(pods: readonly Pod[]): readonly unknown[] {
  return pods.map((pod) => JSON.parse(pod.reads.get(`${NAMESPACE}/ConfigMap/config`) ?? '{}').data?.key);
}

for (const kind of KINDS) {
  describe(kind, () => {
    test('gets its pods, which read the current content when they start', (t) => {
      const sandbox = newSandbox(t);
      setConfig(sandbox, 'A');
      createWorkload(sandbox, kind);
      assert.equal(rolledOut(sandbox, kind), false);
      run(t);
      setConfig(sandbox, 'B');
      run(t);
      assert.equal(rolledOut(sandbox, kind), true);
      assert.deepEqual(valuesRead(sandbox.podsOf(refOf(kind))), ['A', 'A']);
      assert.equal(sandbox.list('pods').length, 2);
    });

    test('replaces its pods one by one when the template changes', (t) => {
      const sandbox = running(t, kind);
      setConfig(sandbox, 'B');
      setImage(sandbox, kind, 'app:2');
      assert.equal(rolledOut(sandbox, kind), false, 'generation is ahead at once');
      const mixed = new Set<string>();
      while (!rolledOut(sandbox, kind)) {
        run(t, 10);
        mixed.add(
          valuesRead(sandbox.podsOf(refOf(kind)))
            .filter(Boolean)
            .toSorted()
            .join(),
        );
      }
      assert.ok(mixed.has('A,B'), `both at once: ${[...mixed].join(' ')}`);
      assert.deepEqual(valuesRead(sandbox.podsOf(refOf(kind))), ['B', 'B']);
    });

    test('does nothing while it is frozen, and goes on when it thaws', (t) => {
      const sandbox = running(t, kind);
      setImage(sandbox, kind, 'app:2');
      run(t, 30);
      sandbox.setRolloutDelay(refOf(kind), 'frozen');
      const before = sandbox.writes;
      run(t, 10_000);
      assert.equal(sandbox.writes, before);
      sandbox.setRolloutDelay(refOf(kind), undefined);
      run(t);
      assert.equal(rolledOut(sandbox, kind), true);
    });

    test('starts no pod whose required object is absent, until it appears', (t) => {
      const sandbox = newSandbox(t);
      createWorkload(sandbox, kind);
      run(t);
      assert.ok(sandbox.podsOf(refOf(kind)).every((pod) => pod.phase === 'Pending' && pod.reads.size === 0));
      setConfig(sandbox, 'A');
      run(t);
      assert.deepEqual(valuesRead(sandbox.podsOf(refOf(kind))), ['A', 'A']);
      assert.equal(rolledOut(sandbox, kind), true);
    });

    test('has no pods once it is deleted, and new ones when it is created again', (t) => {
      const sandbox = running(t, kind);
      const before = sandbox.podsOf(refOf(kind));
      sandbox.remove(RESOURCES[kind], NAMESPACE, 'web');
      setConfig(sandbox, 'B');
      createWorkload(sandbox, kind);
      run(t);
      const after = sandbox.podsOf(refOf(kind));
      assert.ok(after.every((pod) => !before.includes(pod)));
      assert.deepEqual(valuesRead(after), ['B', 'B']);
      sandbox.remove(RESOURCES[kind], NAMESPACE, 'web');
      run(t);
      assert.deepEqual([sandbox.pods(), sandbox.list('pods'), sandbox.list('replicasets')], [[], [], []]);
    });

    test('is restarted by a restart and goes back by an undo', (t) => {
      const sandbox = running(t, kind);
      const [first] = sandbox.podsOf(refOf(kind));
      sandbox.restart(refOf(kind));
      run(t);
      const [second] = sandbox.podsOf(refOf(kind));
      assert.notEqual(first?.templateHash, second?.templateHash);
      assert.equal(sandbox.undo(refOf(kind)), true);
      run(t);
      assert.equal(sandbox.podsOf(refOf(kind))[0]?.templateHash, first?.templateHash);
      assert.equal(rolledOut(sandbox, kind), true);
    });
  });
}

describe('a Deployment', () => {
  test('that is undone gets back its annotations of that time, opt-in included', (t) => {
    const sandbox = running(t, 'Deployment');
    const annotations = { 'reloader.k8s.collaborne.com/configmap': 'config' };
    const template = { metadata: { annotations: { changed: 'yes' } } };
    sandbox.patch('deployments', NAMESPACE, 'web', { metadata: { annotations }, spec: { template } });
    run(t);
    sandbox.undo(refOf('Deployment'));
    run(t);
    const live = sandbox.get('deployments', NAMESPACE, 'web');
    assert.deepEqual(live?.metadata.annotations, { 'deployment.kubernetes.io/revision': '3' });
  });

  test('that is paused does not roll, but scales', (t) => {
    const sandbox = running(t, 'Deployment');
    const hash = sandbox.podsOf(refOf('Deployment'))[0]?.templateHash;
    sandbox.patch('deployments', NAMESPACE, 'web', { spec: { paused: true, replicas: 3 } });
    setImage(sandbox, 'Deployment', 'app:2');
    run(t);
    const pods = sandbox.podsOf(refOf('Deployment'));
    assert.deepEqual([pods.length, new Set(pods.map((pod) => pod.templateHash))], [3, new Set([hash])]);
    assert.equal(rolledOut(sandbox, 'Deployment'), false);
    assert.equal(sandbox.undo(refOf('Deployment')), false);
  });
});

test('a StatefulSet with a partition keeps the pods below it', (t) => {
  const sandbox = running(t, 'StatefulSet', { updateStrategy: { rollingUpdate: { partition: 1 } } });
  const [old] = sandbox.podsOf(refOf('StatefulSet'));
  setImage(sandbox, 'StatefulSet', 'app:2');
  run(t);
  const pods = sandbox.podsOf(refOf('StatefulSet')).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepEqual(
    pods.map((pod) => pod.templateHash === old?.templateHash),
    [true, false],
  );
  const status = sandbox.get('statefulsets', NAMESPACE, 'web')?.['status'] as Record<string, unknown>;
  assert.deepEqual([status['updatedReplicas'], status['currentReplicas']], [1, 1]);
  assert.notEqual(status['currentRevision'], status['updateRevision']);
});

describe('a pod', () => {
  test('reads by environment, envFrom, volumes and projections, of init containers too', (t) => {
    const sandbox = newSandbox(t);
    for (const name of ['a', 'b', 'c'])
      sandbox.create('configmaps', { metadata: { name, namespace: NAMESPACE } });
    for (const name of ['d', 'e', 'f'])
      sandbox.create('secrets', { metadata: { name, namespace: NAMESPACE } });
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } }];
    const projected = { sources: [{ configMap: { name: 'c' } }, { secret: { name: 'f' } }] };
    createWorkload(
      sandbox,
      'Deployment',
      {},
      {
        containers: [{ name: 'app', image: 'i', env, envFrom: [{ secretRef: { name: 'd' } }] }],
        initContainers: [{ name: 'init', image: 'i', envFrom: [{ configMapRef: { name: 'b' } }] }],
        volumes: [
          { name: 'v', secret: { secretName: 'e' } },
          { name: 'w', projected },
        ],
      },
    );
    run(t);
    const [pod] = sandbox.podsOf(refOf('Deployment'));
    const names = [...(pod?.reads.keys() ?? [])].map((key) => key.slice(NAMESPACE.length + 1)).sort();
    const expected = ['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c', 'Secret/d', 'Secret/e', 'Secret/f'];
    assert.deepEqual(names, expected);
  });

  test('starts without an optional object', (t) => {
    const sandbox = newSandbox(t);
    const envFrom = [{ configMapRef: { name: 'config', optional: true } }];
    createWorkload(sandbox, 'Deployment', {}, { containers: [{ name: 'app', image: 'i', envFrom }] });
    run(t);
    const [pod] = sandbox.podsOf(refOf('Deployment'));
    assert.equal(pod?.phase, 'Running');
    assert.deepEqual([...(pod?.reads.values() ?? [])], [ABSENT]);
  });
});

test('two sandboxes with the same history hold the same objects', (t) => {
  mockTime(t);
  const history = (): unknown => {
    t.mock.timers.setTime(0);
    const sandbox = createSandbox();
    setConfig(sandbox, 'A');
    for (const kind of KINDS) createWorkload(sandbox, kind);
    run(t);
    for (const kind of KINDS) setImage(sandbox, kind, 'app:2');
    run(t);
    sandbox.close();
    return ['pods', 'deployments', 'statefulsets', 'daemonsets', 'replicasets'].map(sandbox.list, sandbox);
  };
  assert.deepEqual(history(), history());
});
