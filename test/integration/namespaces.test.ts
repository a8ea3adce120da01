/** Several namespaces, or all: each workload follows the objects of its own, and one that is closed does not stop the others. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { Cluster, type ClusterOptions } from './harness.ts';
import { configMap, deployment, pair, put } from './manifests.ts';

const NAMESPACES: ClusterOptions = { namespaces: ['default', 'one', 'two'] };
const OURS = { userAgent: 'kubernetes-reloader' };
const FORBIDDEN = { kind: 'status', code: 403 } as const;
const SCOPES: Record<string, string[]> = {
  'with --namespace one,two': ['--namespace', 'one,two'],
  'with --all-namespaces': ['--all-namespaces'],
};
const ONE = deployment('web', 'one');
const TWO = deployment('web', 'two');

/** The same names in both namespaces. */
async function twins(cluster: Cluster, ...names: readonly string[]): Promise<void> {
  for (const namespace of ['one', 'two']) for (const name of names) await pair(cluster, name, namespace);
}

function entriesOf(cluster: Cluster, prefix: string): string[] {
  return Object.keys(cluster.state())
    .filter((key) => key.startsWith(prefix))
    .sort();
}

/** Nothing of the namespace two may be listed until the answer is called. */
function closeTwo({ sandbox }: Cluster): () => void {
  const match = { ...OURS, verb: 'list', namespace: 'two' } as const;
  return sandbox.addFault({ match, times: 'always', effect: FORBIDDEN });
}

async function change(cluster: Cluster, ref: WorkloadRef, value: string): Promise<void> {
  put(cluster, configMap(ref.name, ref.namespace), value);
  await cluster.podsAreCurrent(ref);
}

for (const [scope, flags] of Object.entries(SCOPES)) {
  describe(scope, { concurrency: 4 }, () => {
    test('a workload follows the objects of its own namespace only, whatever their names', async () => {
      await using cluster = await Cluster.start(NAMESPACES);
      await twins(cluster, 'web', 'marker');
      const reloader = await cluster.reloader({ flags });
      await change(cluster, ONE, 'two');
      await change(cluster, deployment('marker', 'two'), 'two');
      await cluster.settled(reloader);
      assert.deepEqual([cluster.rollouts(ONE), cluster.rollouts(TWO)], [1, 0]);
      assert.deepEqual(
        cluster.patches().map(({ namespace, name }) => `${namespace}/${name}`),
        ['one/web', 'two/marker'],
      );
    });

    test('the keys of the state name the namespace, those of exceptions too', async () => {
      await using cluster = await Cluster.start(NAMESPACES);
      await twins(cluster, 'web');
      await cluster.reloader({ flags });
      const match = { ...OURS, verb: 'patch', resource: 'deployments', namespace: 'two' } as const;
      cluster.sandbox.addFault({ match, times: 'always', effect: FORBIDDEN });
      put(cluster, configMap('web', 'two'), 'two');
      const key = 'two_ran.Deployment_web';
      await cluster.until('the exception is written', () => cluster.state()[key] !== undefined);
      assert.deepEqual(Object.keys(JSON.parse(cluster.state()[key] ?? '')), ['v1.ConfigMap_web']);
      assert.deepEqual(entriesOf(cluster, ''), ['one_v1.ConfigMap_web', key, 'two_v1.ConfigMap_web']);
    });

    test('the state follows the namespace that it is kept in', async () => {
      await using cluster = await Cluster.start(NAMESPACES);
      await twins(cluster, 'web');
      await cluster.reloader({ flags: [...flags, '--state-namespace', 'one'] });
      const state = cluster.sandbox.get('configmaps', 'one', 'reloader-state')?.['data'];
      assert.deepEqual(Object.keys(state ?? {}).sort(), ['two_v1.ConfigMap_web', 'v1.ConfigMap_web']);
    });
  });
}

test('a lost state is told of with the namespaces that it matters to', async () => {
  await using cluster = await Cluster.start(NAMESPACES);
  await twins(cluster, 'web');
  const flags = ['--all-namespaces'];
  const first = await cluster.reloader({ flags });
  await change(cluster, TWO, 'two');
  await cluster.settled(first);
  await first.stop();
  cluster.sandbox.remove('configmaps', 'default', 'reloader-state');
  const next = await cluster.reloader({ flags });
  assert.ok(next.says(/no state was found although Deployment\/web carry stamps.*"namespaces":"two"/));
});

test('two namespaces are one stream for each kind and namespace, and nothing is asked of the whole cluster', async () => {
  await using cluster = await Cluster.start(NAMESPACES);
  await twins(cluster, 'web');
  await cluster.reloader({ flags: ['--namespace', 'one,two'] });
  const watches = (): string[] =>
    cluster.sandbox.openWatches().map(({ resource, namespace = '*' }) => `${namespace}/${resource}`);
  await cluster.until('every stream is open', () => watches().length >= 10);
  const kinds = ['configmaps', 'daemonsets', 'deployments', 'secrets', 'statefulsets'];
  const expected = ['one', 'two'].flatMap((namespace) => kinds.map((kind) => `${namespace}/${kind}`));
  assert.deepEqual(watches().sort(), expected);
  const wide = cluster.audits.filter(
    ({ namespace, resource }) => namespace === undefined && resource !== 'selfsubjectaccessreviews',
  );
  assert.deepEqual(wide, []);
});

test('all namespaces are one stream for each kind, and one that comes later is served too', async () => {
  await using cluster = await Cluster.start(NAMESPACES);
  await twins(cluster, 'web');
  const reloader = await cluster.reloader({ flags: ['--all-namespaces'] });
  await cluster.until('every stream is open', () => cluster.sandbox.openWatches().length >= 5);
  cluster.sandbox.create('namespaces', { metadata: { name: 'late' } });
  const late = await pair(cluster, 'web', 'late');
  await cluster.until('it has a baseline', () => entriesOf(cluster, 'late_').length === 1);
  await change(cluster, late, 'two');
  await cluster.settled(reloader);
  assert.deepEqual(
    [late, ONE, TWO].map((ref) => cluster.rollouts(ref)),
    [1, 0, 0],
  );
  assert.deepEqual(
    cluster.sandbox.openWatches().map(({ namespace }) => namespace),
    [undefined, undefined, undefined, undefined, undefined],
  );
});

describe('a namespace that may not be listed', { concurrency: 4 }, () => {
  const flags = ['--namespace', 'one,two'];

  test('is waited for, while the others roll and their changes are committed', async () => {
    await using cluster = await Cluster.start(NAMESPACES);
    await twins(cluster, 'web');
    const open = closeTwo(cluster);
    const reloader = cluster.spawn({ flags });
    await cluster.until('one has a baseline', () => entriesOf(cluster, 'one_').length === 1);
    const baseline = cluster.state()['one_v1.ConfigMap_web'];
    await change(cluster, ONE, 'two');
    await cluster.until('it is committed', () => cluster.state()['one_v1.ConfigMap_web'] !== baseline);
    assert.deepEqual(entriesOf(cluster, 'two_'), []);
    const { status, text } = await reloader.page('/readyz');
    assert.equal(status, 503);
    assert.match(text, /the list of Secret in two/);
    assert.doesNotMatch(text, /in one/);
    open();
    await cluster.until('it is ready', () => reloader.isReady(), 40_000);
    await cluster.settled(reloader);
    assert.deepEqual(entriesOf(cluster, 'two_'), ['two_v1.ConfigMap_web']);
    await change(cluster, TWO, 'two');
    assert.deepEqual([cluster.rollouts(ONE), cluster.rollouts(TWO)], [1, 1]);
  });

  test('keeps what is known of it, and what changed meanwhile is rolled once it may be', async () => {
    await using cluster = await Cluster.start(NAMESPACES);
    await twins(cluster, 'web');
    await (await cluster.reloader({ flags })).stop();
    const before = cluster.state()['two_v1.ConfigMap_web'];
    assert.ok(before !== undefined);
    const open = closeTwo(cluster);
    put(cluster, configMap('web', 'two'), 'two');
    const reloader = cluster.spawn({ flags });
    await change(cluster, ONE, 'two');
    await cluster.until('one is committed', () =>
      reloader.says(/"message":"Deployment\/web rolled.*"namespace":"one"/),
    );
    assert.equal(cluster.state()['two_v1.ConfigMap_web'], before);
    assert.equal(cluster.rollouts(TWO), 0);
    open();
    await cluster.until('two is rolled', () => cluster.isCurrent(TWO), 40_000);
    await cluster.settled(reloader);
    assert.deepEqual([cluster.rollouts(ONE), cluster.rollouts(TWO)], [1, 1]);
  });

  test('is said with the rule to add, in that namespace, and the program goes on', async () => {
    await using cluster = await Cluster.start(NAMESPACES);
    await twins(cluster, 'web');
    closeTwo(cluster);
    cluster.sandbox.denied.push({ namespace: 'two' });
    const reloader = cluster.spawn({ flags });
    const errors = (): string[] =>
      reloader.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
    await cluster.until('the rights are missed', () => errors().length > 0, 50_000);
    await change(cluster, ONE, 'two');
    assert.equal(errors().length, 6);
    for (const error of errors())
      assert.match(error, / in namespace two\. Add to a Role in namespace two:\n/);
    assert.equal(reloader.exit, undefined);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  });
});
