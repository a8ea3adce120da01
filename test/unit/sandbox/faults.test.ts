/** Faults on demand: each is seen by a client as the real thing would be, and takes effect only where it says so. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ApiRequest, ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { mockTime } from '../../mock-time.ts';
import type { AuditRecord } from '../../sandbox/api-server.ts';
import type { CallEffect } from '../../sandbox/faults.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PATCH = {
  method: 'PATCH',
  path: `${CONFIG_MAPS}/a`,
  headers: { 'content-type': 'application/merge-patch+json', 'user-agent': 'reloader/1' },
  body: '{"data":{"key":"new"}}',
} as const satisfies ApiRequest;

function sandboxWithA(t: TestContext, options: SandboxOptions = {}): Sandbox {
  mockTime(t);
  const sandbox = createSandbox(options);
  t.after(() => sandbox.close());
  sandbox.create('configmaps', { metadata: { name: 'a', namespace: 'default' }, data: { key: 'old' } });
  return sandbox;
}

function contentIn(sandbox: Sandbox): unknown {
  return sandbox.get('configmaps', 'default', 'a')?.['data'];
}

async function textOf(response: ApiResponse): Promise<string> {
  let text = '';
  for await (const piece of response.body) text += piece;
  return text;
}

/** Lets everything that needs no timer settle. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await undefined;
}

/** What has happened to a promise so far. */
function watched(promise: Promise<unknown>): { state: string } {
  const seen = { state: 'pending' };
  promise.then(
    () => Object.assign(seen, { state: 'resolved' }),
    (error: Error) => Object.assign(seen, { state: error.name === 'AbortError' ? 'aborted' : 'rejected' }),
  );
  return seen;
}

describe('a fault of one call', () => {
  for (const code of [401, 403, 409, 422, 429, 500, 503, 504] as const) {
    test(`answers ${code} as a Status, without effect`, async (t) => {
      const sandbox = sandboxWithA(t);
      sandbox.addFault({ match: {}, effect: { kind: 'status', code, retryAfterSeconds: 7 } });
      const response = await sandbox.handle(PATCH);
      assert.equal(response.status, code);
      assert.equal(response.headers['retry-after'], '7');
      assert.equal(JSON.parse(await textOf(response)).code, code);
      assert.deepEqual(contentIn(sandbox), { key: 'old' });
    });
  }

  const broken: readonly { effect: CallEffect; value: string }[] = [
    { effect: { kind: 'lost' }, value: 'new' },
    { effect: { kind: 'refused' }, value: 'old' },
  ];
  for (const { effect, value } of broken) {
    test(`rejects when it is ${effect.kind}, and the value is then the ${value} one`, async (t) => {
      const sandbox = sandboxWithA(t);
      sandbox.addFault({ match: {}, effect });
      await assert.rejects(sandbox.handle(PATCH));
      assert.deepEqual(contentIn(sandbox), { key: value });
    });
  }

  test('befalls the nth matching call and so many after it, no others', async (t) => {
    const sandbox = sandboxWithA(t);
    const match = { verb: 'patch', resource: 'configmaps', name: 'a', userAgent: 'reloader' } as const;
    sandbox.addFault({ match, nth: 2, times: 2, effect: { kind: 'status', code: 500 } });
    await sandbox.handle({ method: 'GET', path: `${CONFIG_MAPS}/a` });
    await sandbox.handle({ ...PATCH, headers: { ...PATCH.headers, 'user-agent': 'kubectl' } });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await sandbox.handle(PATCH)).status);
    assert.deepEqual(statuses, [200, 500, 500, 200, 200]);
  });

  test('that is always in force ends when it is taken back', async (t) => {
    const sandbox = sandboxWithA(t);
    const remove = sandbox.addFault({
      match: { verb: 'write' },
      times: 'always',
      effect: { kind: 'status', code: 403 },
    });
    for (let i = 0; i < 3; i += 1) assert.equal((await sandbox.handle(PATCH)).status, 403);
    remove();
    assert.equal((await sandbox.handle(PATCH)).status, 200);
  });

  test('of latency delays the call by the mocked clock, effect included', async (t) => {
    const sandbox = sandboxWithA(t);
    sandbox.addFault({ match: {}, effect: { kind: 'latency', ms: 500 } });
    const seen = watched(sandbox.handle(PATCH));
    t.mock.timers.tick(499);
    await settle();
    assert.deepEqual([seen.state, contentIn(sandbox)], ['pending', { key: 'old' }]);
    t.mock.timers.tick(1);
    await settle();
    assert.deepEqual([seen.state, contentIn(sandbox)], ['resolved', { key: 'new' }]);
  });

  for (const effect of [
    { kind: 'latency', ms: 500 },
    { kind: 'hang', effect: false },
  ] as const) {
    test(`of ${effect.kind} is ended at once by the request's signal`, async (t) => {
      const sandbox = sandboxWithA(t);
      sandbox.addFault({ match: {}, effect });
      const abort = new AbortController();
      const seen = watched(sandbox.handle({ ...PATCH, signal: abort.signal }));
      await settle();
      assert.equal(seen.state, 'pending');
      abort.abort();
      await settle();
      assert.deepEqual([seen.state, contentIn(sandbox)], ['aborted', { key: 'old' }]);
    });
  }

  test('of staleness shows a list as it was so many writes ago, with that version', async (t) => {
    const sandbox = sandboxWithA(t);
    const version = sandbox.writes;
    sandbox.patch('configmaps', 'default', 'a', { data: { key: 'new' } });
    sandbox.create('configmaps', { metadata: { name: 'b', namespace: 'default' } });
    sandbox.addFault({ match: { verb: 'list' }, effect: { kind: 'stale', writes: 2 } });
    const list = JSON.parse(await textOf(await sandbox.handle({ method: 'GET', path: CONFIG_MAPS })));
    assert.equal(list.metadata.resourceVersion, String(version));
    assert.deepEqual(
      list.items.map((item: { data: unknown }) => item.data),
      [{ key: 'old' }],
    );
  });

  test('of a cut body breaks off in the middle of the text', async (t) => {
    const sandbox = sandboxWithA(t);
    sandbox.addFault({ match: {}, effect: { kind: 'cutBody' } });
    const response = await sandbox.handle({ method: 'GET', path: CONFIG_MAPS });
    await assert.rejects(textOf(response), { code: 'ECONNRESET' });
  });
});

describe('an audit', () => {
  test('tells of each finished request what it wrote and what was answered', async (t) => {
    const records: AuditRecord[] = [];
    const sandbox = sandboxWithA(t, { audit: (record) => records.push(record) });
    sandbox.addFault({ match: { verb: 'patch' }, nth: 2, effect: { kind: 'status', code: 409 } });
    sandbox.addFault({ match: { verb: 'patch' }, nth: 3, effect: { kind: 'lost' } });
    await sandbox.handle(PATCH);
    await sandbox.handle(PATCH);
    await assert.rejects(sandbox.handle({ ...PATCH, body: '{"data":{"key":"newer"}}' }));
    const told = records.map(({ status, before, after }) => [status, before?.['data'], after?.['data']]);
    assert.deepEqual(told, [
      [200, { key: 'old' }, { key: 'new' }],
      [409, undefined, undefined],
      [0, { key: 'new' }, { key: 'newer' }],
    ]);
    assert.deepEqual([records[0]?.verb, records[0]?.manager, records[0]?.name], ['patch', 'reloader', 'a']);
  });
});

describe('SelfSubjectAccessReview', () => {
  test('allows all but what is denied', async (t) => {
    const sandbox = sandboxWithA(t);
    sandbox.denied.push({ verb: 'patch', resource: 'deployments' });
    const allowed = async (verb: string): Promise<boolean> => {
      const spec = { resourceAttributes: { verb, resource: 'deployments', namespace: 'default' } };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const response = await sandbox.handle({ method: 'POST', path, body: JSON.stringify({ spec }) });
      assert.equal(response.status, 201);
      return JSON.parse(await textOf(response)).status.allowed;
    };
    assert.deepEqual([await allowed('patch'), await allowed('list')], [false, true]);
  });
});
