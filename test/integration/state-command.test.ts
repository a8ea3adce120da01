/** `reloader state` as a process: a namespace moves to another cluster, and an entry is dropped. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import type { ExportedState } from '../../lib/commands/state/export-state.ts';
import { type Ended, openScene, run } from '../tour/tour.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, deployment, mark, put } from './manifests.ts';

let cluster: Cluster;
before(async () => {
  cluster = await openScene();
});
after(() => cluster[Symbol.asyncDispose]());

function ask(line: string, input = '', where = cluster): Promise<Ended> {
  return run(line, where.file('kubeconfig'), input);
}

test('shows, compares and exports, and writes nothing', async () => {
  const writes = cluster.writes().length;
  const { stdout: shown } = await ask('reloader state show');
  assert.match(shown, /ConfigMap\/templates in default: [0-9a-f]{4}…, sequence \d+/);
  assert.equal((await ask('reloader state verify')).code, 0);
  const { code, stdout } = await ask('reloader state diff -o json');
  assert.equal(code, 2);
  assert.deepEqual(JSON.parse(stdout), {
    differences: [
      {
        object: 'ConfigMap/web',
        namespace: 'default',
        is: 'changed',
        outdated: ['Deployment/orders in default', 'Deployment/web in default'],
      },
    ],
    unread: [],
  });
  const text = await ask('reloader state export');
  const json = await ask('reloader state export -o json');
  assert.deepEqual(parse(text.stdout), JSON.parse(json.stdout));
  assert.equal(cluster.writes().length, writes);
});

test('a namespace moves to another cluster: nothing is rolled for nothing, and nothing is lost', async () => {
  await using target = await Cluster.start();
  for (const resource of ['configmaps', 'deployments'])
    for (const { metadata, spec, data } of cluster.sandbox.list(resource)) {
      const { name, annotations } = metadata as { name: string; annotations?: object };
      if (name.startsWith('reloader')) continue;
      target.sandbox.create(resource, {
        metadata: { namespace: 'default', name, annotations },
        ...(spec === undefined ? { data } : { spec }),
      });
    }
  put(target, configMap('marker'), '0');
  deploy(target, 'marker');
  await target.podsAreCurrent(deployment('web'), deployment('orders'), deployment('marker'));
  const { stdout: document } = await ask('reloader state export');
  const edges = (JSON.parse((await ask('reloader state export -o json')).stdout) as ExportedState).edges;
  assert.deepEqual(
    edges.map(({ workload, object, upToDate }) => [workload.slice(8), object.slice(8), upToDate]),
    [
      ['Deployment/orders', 'ConfigMap/web', false],
      ['Deployment/web', 'ConfigMap/templates', true],
      ['Deployment/web', 'ConfigMap/web', false],
    ],
  );
  const flags = '--reloader none -f - --yes -o json';
  const { code, stdout, stderr } = await ask(`reloader state import ${flags}`, document, target);
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { upToDate: 1, doubted: 2, skipped: [] });
  const [web, orders] = [target.rollouts(deployment('web')), target.rollouts(deployment('orders'))];
  const reloader = target.spawn();
  await target.until('it is ready', () => reloader.isReady());
  await target.until('what was out of date is rolled', () => target.rollouts(deployment('web')) > web);
  await mark(target);
  // The other one is held.
  assert.deepEqual(
    [target.rollouts(deployment('web')), target.rollouts(deployment('orders'))],
    [web + 1, orders],
  );
  assert.equal((await ask('reloader state diff --reloader none -o json', '', target)).code, 2);
});

describe('without a terminal', () => {
  test('nothing is written without --yes', async () => {
    const before = cluster.state();
    const { code, stderr } = await ask('reloader state forget cm/web --reloader none');
    assert.equal(code, 1);
    assert.match(stderr, /nothing is written without --yes\. Drop the entry of ConfigMap\/web in default\?/);
    assert.deepEqual(cluster.state(), before);
  });

  const wrong: Readonly<Record<string, { line: string; input?: string; code?: number; says: RegExp }>> = {
    'an action that does not exist': {
      line: 'state shwo',
      code: 64,
      says: /^reloader: state: expected show, verify, diff, export, import, forget\n$/,
    },
    'a workload in place of an object': {
      line: 'state forget deploy/web --yes',
      says: /expected an object, such as configmap\/web/,
    },
    'an object without an entry': {
      line: 'state forget cm/none --yes',
      says: /the state has no entry of ConfigMap\/none in default/,
    },
    'a reloader that runs': {
      line: 'state forget cm/web --yes',
      says: /Deployment\/reloader in default runs, .* scale deployment\/reloader --replicas=0/,
    },
    'a document that is none': {
      line: 'state import -f - --yes',
      input: 'kind: ConfigMap',
      says: /the standard input: expected what reloader state export writes/,
    },
    'an edge that is none': {
      line: 'state import -f - --yes',
      input: 'kind: ReloaderStateExport\nversion: 1\nedges: [{ workload: web }]',
      says: /edges\[0\]: expected workload and object as <namespace>\/<kind>\/<name>/,
    },
    'no document': { line: 'state import --yes', says: /expected one --file/ },
    'a file that does not exist': { line: 'state import -f none.yaml', says: /none\.yaml: ENOENT/ },
    'no state': {
      line: 'state show -- --configmap=none',
      says: /there is no state: ConfigMap\/none in default does not exist/,
    },
  };
  for (const [name, { line, input = '', code = 1, says }] of Object.entries(wrong))
    test(`one line says that there is ${name}`, async () => {
      const ended = await ask(`reloader ${line}`, input);
      assert.match(ended.stderr, says);
      assert.equal(ended.code, code);
    });
});

test('an entry is dropped with --yes, and the present content is the baseline', async () => {
  const { code, stdout } = await ask('reloader state forget cm/web --reloader none --yes');
  assert.equal(code, 0);
  assert.equal(stdout, 'ConfigMap/web in default: dropped\n');
  const { stdout: left } = await ask('reloader state show');
  assert.doesNotMatch(left, /ConfigMap\/web/);
  const rolled = cluster.rollouts(deployment('web'));
  put(cluster, configMap('marker'), '0');
  deploy(cluster, 'marker');
  await cluster.podsAreCurrent(deployment('marker'));
  const reloader = await cluster.reloader({ flags: ['--digests=sha1'] });
  await mark(cluster);
  await cluster.settled(reloader);
  assert.equal(cluster.rollouts(deployment('web')), rolled);
});
