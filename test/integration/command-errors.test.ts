/** Why a command cannot answer, for programs: an error with a code; and why the effect of a hold is unknown. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { answerOf } from '../../lib/commands/reads.ts';
import type { ApiResponse } from '../../lib/kubernetes/transport.ts';
import { pick } from '../sandbox/json.ts';
import { openScene, run } from '../tour/tour.ts';
import { Cluster } from './harness.ts';
import { deploy, put } from './manifests.ts';
import { until } from './reloader-process.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const forbidden = (): ApiResponse =>
  answerOf(403, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 });
let cluster: Cluster;
let kubeconfig = '';
before(async () => {
  cluster = await openScene();
  kubeconfig = cluster.file('kubeconfig');
  deploy(cluster, 'gated', { follows: { ConfigMap: ['web'] } });
  const annotations = { [`${NATIVE}/approval`]: 'required' };
  cluster.sandbox.patch('deployments', 'default', 'gated', { metadata: { annotations } });
});
after(() => cluster[Symbol.asyncDispose]());

describe('with -o json and yaml the standard error has nothing but an error in that format, which says', () => {
  const wrong: Readonly<Record<string, readonly [line: string, code: number, error: object]>> = {
    'what cannot be answered': [
      'reloader explain deploy/wbe',
      1,
      { code: 'not-found', message: 'Deployment/wbe in namespace default does not exist' },
    ],
    'that the context is wrong': ['reloader graph --context none', 64, { code: 'usage' }],
    'that a flag is wrong': ['reloader graph --outdatd', 64, { code: 'usage' }],
    'that a namespace is named beside all': ['reloader graph -A -n shop', 64, { code: 'usage' }],
    'that there is no object': [
      'reloader plan -f /dev/null',
      1,
      { code: 'no-object', message: 'there is no object in /dev/null' },
    ],
    'that a file is missing': [
      'reloader plan -f none',
      1,
      { code: 'not-readable', message: 'none cannot be read (ENOENT)' },
    ],
    'that a workload to approve does not exist': ['reloader approve deploy/wbe', 1, { code: 'not-found' }],
    'that an object to resume does not exist': ['reloader resume cm/wbe', 1, { code: 'not-found' }],
    'that a workload to hold does not exist': ['reloader hold deploy/wbe', 1, { code: 'not-found' }],
    'that no approval is waited for': [
      'reloader approve deploy/web',
      1,
      { code: 'not-waiting', message: 'Deployment/web waits for no approval' },
    ],
    'that nothing is halted': [
      'reloader resume cm/web --content 0a1b',
      1,
      { code: 'not-waiting', message: 'ConfigMap/web has no halt to resume' },
    ],
    'that there is no other reloader of that name': [
      'reloader migrate --from stakater --deployment a/b',
      1,
      { message: '--deployment: Deployment a/b does not exist' },
    ],
    'that the other reloader is unknown': ['reloader migrate --from fabric8', 64, { code: 'usage' }],
    'that another content waits': [
      'reloader approve deploy/gated --content 0a1b',
      1,
      { code: 'other-content' },
    ],
  };
  for (const [name, [line, code, error]] of Object.entries(wrong))
    test(name, async () => {
      for (const [format, parseText] of [
        ['json', (text: string): unknown => JSON.parse(text)],
        ['yaml', parse],
      ] as const) {
        const ended = await run(`${line} -o ${format}`, kubeconfig);
        assert.deepEqual([ended.code, ended.stdout], [code, '']);
        assert.partialDeepStrictEqual(parseText(ended.stderr) as object, {
          apiVersion: 'kubernetes-reloader/v1',
          error,
        });
      }
    });

  test('why the API server gave no answer', async () => {
    await using nowhere = await Cluster.unreachable();
    const { code, stderr } = await run('reloader graph -o json', nowhere.file('kubeconfig'));
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    assert.deepEqual([code, error.code], [1, 'unanswered']);
    assert.match(error.message, /^the API server does not answer: /);
  });
});

test('hold of a kind that is not served says so', async () => {
  const metadata = { namespace: 'default', name: 'nightly', annotations: { [`${NATIVE}/configmap`]: 'web' } };
  const containers = [{ name: 'app', image: 'app:1' }];
  const spec = { schedule: '@yearly', jobTemplate: { spec: { template: { spec: { containers } } } } };
  cluster.sandbox.create('cronjobs', { metadata, spec });
  const { code, stderr } = await run('reloader hold cj/nightly', kubeconfig);
  const says =
    'CronJob/nightly: it is rolled for no object now, so that this has no effect yet\nCronJob/nightly: the reloader does not roll CronJobs by its present flags\n';
  assert.deepEqual([code, stderr], [0, says]);
});

test('approve says what else keeps the workload', async () => {
  const annotations = { [`${NATIVE}/approval`]: 'required', [`${NATIVE}/approved`]: 'ef52619f63' };
  const patch = (name: string, own: object): unknown =>
    cluster.sandbox.patch('deployments', 'default', name, { metadata: { annotations: own } });
  patch('orders', { ...annotations, [`${NATIVE}/hold`]: null });
  cluster.intercept = ({ path, body }) => {
    const { spec } = /accessreviews$/.test(path) ? JSON.parse(body ?? '') : {};
    const isAsked = spec?.user && spec.resourceAttributes.verb === 'patch';
    return isAsked ? answerOf(201, { status: { allowed: false } }) : undefined;
  };
  const refused = await run('reloader approve deploy/orders', kubeconfig);
  const held = await run('reloader hold cm/web', kubeconfig);
  assert.match(held.stderr, /^ConfigMap\/web: the reloader may not patch deployments, and rolls none /m);
  await run('reloader release cm/web', kubeconfig);
  cluster.intercept = () => undefined;
  assert.deepEqual(
    [refused.code, refused.stderr],
    [
      0,
      'Deployment/orders: it is rolled for no object now, so that this has no effect yet\nDeployment/orders: the reloader may not patch deployments, and rolls none but by eviction\n',
    ],
  );
  const { code, stdout, stderr } = await run('reloader approve deploy/orders', kubeconfig);
  assert.deepEqual([code, /approved=\w+\n$/.test(stdout), stderr], [0, true, '']);
  const none = await run('reloader approve deploy/web', kubeconfig);
  assert.match(none.stderr, /web waits for no approval\n$/);
});

test('hold says that a pause which has begun ends all the same', async () => {
  const metadata = {
    annotations: {
      'deployment.reloader.stakater.com/pause-period': '24h',
      'deployment.reloader.stakater.com/paused-at': new Date().toISOString(),
    },
  };
  put(cluster, { kind: 'ConfigMap', namespace: 'default', name: 'paced' }, 'A');
  deploy(cluster, 'paced', { follows: { ConfigMap: ['paced'] } });
  const updated = (): unknown =>
    pick(cluster.sandbox.get('deployments', 'default', 'paced'), 'status', 'updatedReplicas');
  await until('its pods are there', () => updated() === 1);
  const template = { metadata: { annotations: { a: 'b' } } };
  cluster.sandbox.patch('deployments', 'default', 'paced', { metadata, spec: { paused: true, template } });
  const ends = 'paused since \\S+, until \\S+: older pods are replaced then, even if it is held\n$';
  for (const [name, says] of [
    ['deploy/paced', '^Deployment/paced: '],
    ['cm/paced', '^ConfigMap/paced: Deployment/paced is '],
  ]) {
    const { code, stderr } = await run(`reloader hold ${name}`, kubeconfig);
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`${says}${ends}`));
  }
});

test('hold and release say that the reloader has no replicas', async () => {
  const scale = (replicas: number): void => {
    const own = { spec: { replicas }, status: { replicas, readyReplicas: replicas } };
    cluster.sandbox.patch('deployments', 'default', 'reloader', own);
  };
  scale(0);
  for (const line of ['hold deploy/web', 'release deploy/web', 'hold cm/web', 'release cm/web']) {
    const { code, stderr } = await run(`reloader ${line}`, kubeconfig);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the reloader, has no replicas: it rolls nothing before it runs/, line);
  }
  scale(1);
});

test('in a namespace that the reloader ignores a hold is written, and has no effect', async () => {
  const line = 'reloader hold deploy/web --reloader none -- -A --namespaces-to-ignore=default';
  const { code, stdout, stderr } = await run(line, kubeconfig);
  assert.deepEqual([code, /annotate/.test(stdout)], [0, true]);
  assert.match(stderr, /^Deployment\/web: it is rolled for no object now, so that this has no effect yet\n/);
  assert.match(stderr, /the reloader leaves default out \(--namespaces-to-ignore\)/);
});

test('without the right to list Deployments and Leases the effect of a hold is unknown', async () => {
  cluster.intercept = ({ path }) => (/\/(?:deployments|leases)([?]|$)/.test(path) ? forbidden() : undefined);
  for (const name of ['deploy/web', 'cm/web']) {
    const { code, stderr } = await run(`reloader hold ${name}`, kubeconfig);
    assert.equal(code, 0);
    assert.match(stderr, /^unknown whether this has an effect: you may not list the Deployments and Leases/);
  }
});

test('plan refuses manifests of another namespace than that of -n', async () => {
  const metadata = { namespace: 'shop', name: 'a' };
  const other = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const { code, stderr } = await run('reloader plan -f - -n default', kubeconfig, other);
  assert.deepEqual([code, stderr], [64, 'reloader plan: -n is default, but ConfigMap/a is in shop\n']);
});
