/** What tests may rely on of a control plane of their own. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { until } from '../integration/reloader-process.ts';
import { ControlPlane } from './control-plane.ts';

const plane = await ControlPlane.start({ withPods: false });
after(() => plane[Symbol.asyncDispose]());

test('a ServiceAccount may do what RBAC grants it, and the audit log tells what it asked', async () => {
  const core = '/api/v1/namespaces/default';
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const metadata = { name: 'reader' };
  await plane.expect('POST', `${core}/serviceaccounts`, { metadata });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  await plane.expect('POST', `${rbac}/roles`, { metadata, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
  const subjects = [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }];
  await plane.expect('POST', `${rbac}/rolebindings`, { metadata, roleRef, subjects });
  const send = plane.sendAs(await plane.serviceAccountToken('default', 'reader'));
  const status = async (path: string): Promise<number> => {
    const response = await send({ method: 'GET', path });
    for await (const _ of response.body);
    return response.status;
  };
  await until('the grant is known', async () => (await status(`${core}/configmaps`)) === 200);
  assert.equal(await status(`${core}/secrets/x`), 403);
  const asked = (await plane.audit()).filter(({ user }) => user.endsWith(':reader'));
  const { verb, resource, namespace, name, code, namespaceEnds } = asked.at(-1) ?? assert.fail();
  assert.deepEqual(
    { verb, resource, namespace, name, code, namespaceEnds },
    { verb: 'get', resource: 'secrets', namespace: 'default', name: 'x', code: 403, namespaceEnds: false },
  );
});

test('the audit log tells a namespace that ends from a missing right', async () => {
  const metadata = { name: 'ending' };
  await plane.expect('POST', '/api/v1/namespaces', { metadata, spec: { finalizers: ['kubernetes'] } });
  const path = '/api/v1/namespaces/ending/configmaps';
  await plane.expect('POST', path, { metadata: { name: 'held', finalizers: ['example.com/held'] } });
  await plane.expect('DELETE', '/api/v1/namespaces/ending');
  await assert.rejects(plane.expect('POST', path, { metadata: { name: 'late' } }), /403/);
  const [, late] = (await plane.audit()).filter(({ uri, verb }) => uri.startsWith(path) && verb === 'create');
  assert.deepEqual([late?.code, late?.namespaceEnds], [403, true]);
});

test('nothing outlives the test that started it, however that ends', async () => {
  const module = JSON.stringify(new URL('./control-plane.ts', import.meta.url).href);
  const code = `
    const { ControlPlane } = await import(${module});
    const plane = await ControlPlane.start({ withPods: false });
    console.log(JSON.stringify(plane.pids()));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code]);
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const pids: number[] = JSON.parse(String(line));
  assert.equal(pids.length, 2);
  const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);
  assert.ok(pids.every(isRunning));
  child.kill('SIGKILL');
  await until('its processes are gone', () => !pids.some(isRunning));
});
