import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed, type RequestReport } from '../../../lib/kubernetes/observed-send.ts';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';
import { mockTime } from '../../mock-time.ts';
import { ok, refused, scripted } from './scripted-send.ts';

const NAMES: Record<string, { method: ApiRequest['method']; path: string; told: string }> = {
  'a list of a namespace': {
    method: 'GET',
    path: '/api/v1/namespaces/ns/secrets?limit=100',
    told: 'list secrets',
  },
  'a list of everything': { method: 'GET', path: '/apis/apps/v1/deployments', told: 'list deployments' },
  'a watch': { method: 'GET', path: '/api/v1/configmaps?watch=1&timeoutSeconds=3', told: 'watch configmaps' },
  'a get': { method: 'GET', path: '/api/v1/namespaces/ns/configmaps/a', told: 'get configmaps' },
  'a patch': {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/ns/daemonsets/a?x=1',
    told: 'patch daemonsets',
  },
  'a create': { method: 'POST', path: '/api/v1/namespaces/ns/events', told: 'create events' },
  'a path of no resource': { method: 'GET', path: '/version', told: 'list other' },
};

for (const [what, { method, path, told }] of Object.entries(NAMES)) {
  test(`${what} is told as "${told}"`, async () => {
    const reports: RequestReport[] = [];
    await observed(scripted(ok({})).send, (report) => reports.push(report))({ method, path });
    assert.deepEqual(
      reports.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`),
      [`${told} 200`],
    );
  });
}

test('refusals and failures are told, and passed on as they are', async () => {
  const codes: string[] = [];
  const send = observed(scripted(refused(429), new Error('cut')).send, ({ code }) => codes.push(code));
  assert.equal((await send({ method: 'GET', path: '/api/v1/configmaps' })).status, 429);
  await assert.rejects(send({ method: 'GET', path: '/api/v1/configmaps' }), /cut/);
  assert.deepEqual(codes, ['429', 'none']);
});

test('the duration ends with the head', async (t) => {
  const { jolt } = mockTime(t);
  const durations: number[] = [];
  const slow = observed(
    async (request) => {
      jolt();
      t.mock.timers.tick(25);
      return await scripted(ok({})).send(request);
    },
    ({ durationMs }) => durations.push(durationMs),
  );
  await slow({ method: 'GET', path: '/api/v1/configmaps' });
  assert.deepEqual(durations, [25]);
});
