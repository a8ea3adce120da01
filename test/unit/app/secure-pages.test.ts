/** With --secure-metrics the pages are for those whose token the API server knows, and who may get the path. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get as getPlainly, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { type ServedPages, servePages } from '../../../lib/app/pages.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { Metrics } from '../../../lib/telemetry/metrics.ts';
import { until } from '../../integration/reloader-process.ts';
import { ok, refused } from '../kubernetes/scripted-send.ts';
import { servingPair } from '../serving/certificates.ts';
import { report } from '../telemetry/reports.ts';

const ABOUT = { version: '1.2.3', namespaces: undefined, state: 'default/reloader-state', isDryRun: false };
const PROMETHEUS = {
  username: 'system:serviceaccount:monitoring:prometheus',
  uid: 'u',
  groups: ['system:serviceaccounts'],
};
/** By token, what TokenReview tells of it. */
const USERS: Readonly<Record<string, object>> = {
  'of-prometheus': PROMETHEUS,
  'of-a-pod': { username: 'system:serviceaccount:web:default' },
};

const pair = servingPair('reloader.test');
let pages: ServedPages | undefined;
let folder = '';
/** The specs of the reviews. */
let reviews: object[] = [];
let warnings: string[] = [];
let isDown = false;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reloader-pages-'));
  await writeFile(path.join(folder, 'tls.crt'), pair.certificate);
  await writeFile(path.join(folder, 'tls.key'), pair.key);
  [reviews, warnings, isDown] = [[], [], false];
});
afterEach(async () => {
  await pages?.stop();
  await rm(folder, { recursive: true });
});

/** An API server that knows two accounts, of which one may get /metrics. */
const api: Send = async ({ method, path: at, body = '' }) => {
  if (isDown) throw new Error('connect ECONNREFUSED');
  const { spec } = JSON.parse(body);
  reviews.push(spec);
  switch (`${method} ${at}`) {
    case 'POST /apis/authentication.k8s.io/v1/tokenreviews': {
      const user = USERS[spec.token];
      const status = user === undefined ? { error: 'invalid bearer token' } : { authenticated: true, user };
      return ok({ status });
    }
    case 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews':
      return ok({
        status: {
          allowed: spec.user === PROMETHEUS.username && spec.nonResourceAttributes.path === '/metrics',
        },
      });
    default:
      return refused(404);
  }
};

async function serve(): Promise<void> {
  const secure = ['--secure-metrics', `--metrics-tls-directory=${folder}`];
  const command = parseOptions(['--port=0', '--health-port=0', ...secure], {});
  assert.ok(command.type === 'run');
  const assembly = {
    status: () => report({ workloads: [] }),
    stuck: () => [],
    waitingFor: () => [],
  };
  const log = { ...NO_LOG, warn: (message: string) => warnings.push(message) };
  const served = { about: ABOUT, metrics: new Metrics('1.2.3'), log, send: api };
  pages = await servePages(assembly, command.options, served);
  await until('there is a certificate', () =>
    ask('/healthz').then(
      () => true,
      () => false,
    ),
  );
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly certificate: DetailedPeerCertificate;
}

async function ask(at: string, token?: string, method = 'GET'): Promise<Answer> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const to = { host: '127.0.0.1', port: pages?.port, path: at, method, agent: false } as const;
  const call = request({ ...to, headers, rejectUnauthorized: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const certificate = (response.socket as TLSSocket).getPeerCertificate(true);
  return { status: response.statusCode, body: await text(response), headers: response.headers, certificate };
}

describe('a page is answered', () => {
  const CASES: Record<string, { at?: string; token?: string; status: number; body: RegExp }> = {
    'to an account that may get it': { token: 'of-prometheus', status: 200, body: /^# HELP/ },
    'to none that may get another one': {
      at: '/status.json',
      token: 'of-prometheus',
      status: 403,
      body: /nonResourceURLs/,
    },
    'to no other account': { token: 'of-a-pod', status: 403, body: /lacks the right/ },
    'to no unknown token': { token: 'made-up', status: 401, body: /bearer token/ },
    'to none without a token': { status: 401, body: /bearer token/ },
    'not even to browsers': { at: '/?find=web', status: 401, body: /bearer token/ },
    'if it is there': { at: '/nowhere', status: 404, body: /not found/ },
  };
  for (const [name, { at = '/metrics', token, status, body }] of Object.entries(CASES))
    test(name, async () => {
      await serve();
      const answer = await ask(at, token);
      assert.equal(answer.status, status);
      assert.match(answer.body, body);
      if (status === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer');
      const head = await ask(at, token, 'HEAD');
      assert.equal(head.status, status);
    });
});

test('the reviews are about the token, and about the account and the path without a query', async () => {
  await serve();
  await ask('/metrics?name[]=x', 'of-prometheus');
  const { username: user, uid, groups } = PROMETHEUS;
  const nonResourceAttributes = { path: '/metrics', verb: 'get' };
  assert.deepEqual(reviews, [{ token: 'of-prometheus' }, { user, uid, groups, nonResourceAttributes }]);
});

test('probes need no token at either port, and cost no review', async () => {
  await serve();
  for (const probe of ['/healthz', '/live', '/readyz']) {
    assert.equal((await ask(probe)).status, 200);
    const response = await fetch(`http://127.0.0.1:${pages?.healthPort}${probe}`);
    assert.equal(response.status, 200);
  }
  assert.deepEqual(reviews, []);
});

test('an API server that does not answer opens nothing; the log says so once', async () => {
  await serve();
  isDown = true;
  for (const token of ['of-prometheus', 'of-prometheus', 'made-up']) {
    const { status, body } = await ask('/metrics', token);
    assert.equal(status, 503);
    assert.match(body, /did not review/);
  }
  assert.deepEqual(warnings, ['cannot review the token of a page request; logged once a minute']);
  isDown = false;
  assert.equal((await ask('/metrics', 'of-prometheus')).status, 200);
});

test('nothing is answered without TLS', async () => {
  await serve();
  const call = getPlainly({ host: '127.0.0.1', port: pages?.port, path: '/healthz' });
  await assert.rejects(once(call, 'response'));
});

test('the certificate is that of the files', async () => {
  await serve();
  assert.equal((await ask('/healthz')).certificate.subjectaltname, 'DNS:reloader.test');
});
