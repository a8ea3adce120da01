import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { KubeConfig, type User } from '@kubernetes/client-node';
import { Credentials } from '../../../lib/kubernetes/credentials.ts';
import { mockTime } from '../../mock-time.ts';

function configWith(user: Partial<User>, cluster: object = {}): KubeConfig {
  const config = new KubeConfig();
  const whole = { name: 'c', server: 'https://[fd00::1]:6443/base/', ...cluster };
  config.loadFromClusterAndUser(whole as never, { name: 'me', ...user });
  return config;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('the server of the settings is the target', async () => {
  const { target, basePath } = await new Credentials(() => configWith({})).access();
  assert.deepEqual(
    [target.protocol, target.hostname, target.port, basePath],
    ['https:', 'fd00::1', 6443, '/base'],
  );
});

test('the agent stays as long as the certificates do', async () => {
  const users = [
    { certData: base64('one'), keyData: base64('key') },
    { certData: base64('one'), keyData: base64('key'), token: 'another' },
    { certData: base64('two'), keyData: base64('key') },
  ];
  const credentials = new Credentials(() => configWith(users.shift() ?? {}));
  const [first, same, second] = [
    await renewed(credentials),
    await renewed(credentials),
    await renewed(credentials),
  ];
  assert.equal(first.target.agent, same.target.agent);
  assert.equal(same.headers['Authorization'], 'Bearer another');
  assert.notEqual(same.target.agent, second.target.agent);
});

test('a changed certificate authority makes a new agent', async () => {
  const clusters = [{ caData: base64('one') }, { caData: base64('two') }];
  const credentials = new Credentials(() => configWith({}, clusters.shift()));
  assert.notEqual((await renewed(credentials)).target.agent, (await renewed(credentials)).target.agent);
});

for (const proxyUrl of ['http://proxy:3128', 'socks5://proxy:1080']) {
  test(`a certificate authority that is renewed in its file holds behind ${proxyUrl}`, async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
    t.after(() => rm(folder, { recursive: true }));
    const caFile = path.join(folder, 'ca.crt');
    const credentials = new Credentials(() => configWith({}, { caFile, proxyUrl }));
    const access = async (authority: string) => {
      await writeFile(caFile, authority);
      return (await credentials.access()).target.agent as Agent;
    };
    const [old, same, renewed] = [await access('OLD'), await access('OLD'), await access('NEW')];
    assert.equal(old, same);
    assert.notEqual(renewed, old);
    assert.equal(String(renewed.options.ca), 'NEW');
    assert.equal(await access('NEW'), renewed);
    assert.equal(String((await access('NEWER')).options.ca), 'NEWER');
  });
}

test('a proxy that is taken away is gone through no more', async () => {
  const clusters = [{ proxyUrl: 'http://proxy:3128' }, {}];
  const credentials = new Credentials(() => configWith({}, clusters.shift()));
  const [proxied, direct] = [await renewed(credentials), await renewed(credentials)];
  assert.notEqual(direct.target.agent, proxied.target.agent);
});

/** What is in force now; the next call reads anew. */
async function renewed(credentials: Credentials): ReturnType<Credentials['access']> {
  const access = await credentials.access();
  credentials.renew(access);
  return access;
}

test('a refusal of credentials that have been replaced changes nothing', async () => {
  let loads = 0;
  const credentials = new Credentials(() => {
    loads += 1;
    return configWith({});
  });
  const old = await renewed(credentials);
  await credentials.access();
  credentials.renew(old);
  await credentials.access();
  assert.equal(loads, 2);
});

test('after a failed connection the files count', async () => {
  let server = 'https://old.example';
  const credentials = new Credentials(() => configWith({}, { server }));
  const first = await credentials.access();
  server = 'https://new.example';
  credentials.renew(first);
  const moved = await credentials.access();
  assert.equal(moved.target.hostname, 'new.example');
  credentials.renew(first);
  assert.equal((await credentials.access()).config, moved.config);
});

test('basic authentication and impersonation are passed on', async () => {
  const user = { username: 'u', password: 'p', impersonateUser: 'other' };
  const { target, headers } = await new Credentials(() => configWith(user)).access();
  assert.equal(target.auth, 'u:p');
  assert.equal(headers['Impersonate-User'], 'other');
});

test('an exec plugin that fails is named, and what it said is not', async () => {
  const exec = { command: 'sh', args: ['-c', 'echo hunter2; echo hunter2 >&2; exit 1'] };
  await assert.rejects(new Credentials(() => configWith({ exec })).access(), {
    name: 'CredentialsError',
    message: 'the exec plugin sh gave no credentials; run it to see why',
  });
});

test('requests that start together share one run of an exec plugin', async () => {
  const answer = JSON.stringify({ status: { token: 'from-plugin' } });
  const exec = { command: 'sh', args: ['-c', `sleep 0.05; echo '${answer}'`] };
  const credentials = new Credentials(() => configWith({ exec }));
  const [one, two] = await Promise.all([credentials.access(), credentials.access()]);
  assert.equal(one, two);
  assert.equal(one?.headers['Authorization'], 'Bearer from-plugin');
});

test('an exec plugin that hangs is not waited for, and run again after ten minutes', async (t) => {
  const { jolt } = mockTime(t);
  const answer = JSON.stringify({ status: { token: 'from-plugin' } });
  const exec = { command: 'sh', args: ['-c', 'exec sleep 1'] };
  const credentials = new Credentials(() => configWith({ exec }));
  jolt();
  const [one, two] = [credentials.access(), credentials.access()];
  t.mock.timers.tick(30_000);
  const late = 'the exec plugin sh gave no credentials within 30 s; run it to see why';
  await assert.rejects(one, { name: 'CredentialsError', message: late });
  await assert.rejects(two, { message: late });
  exec.args = ['-c', `echo '${answer}'`];
  jolt();
  const third = credentials.access();
  t.mock.timers.tick(30_000);
  await assert.rejects(third, { message: late });
  t.mock.timers.tick(540_000);
  assert.equal((await credentials.access()).headers['Authorization'], 'Bearer from-plugin');
});

test('a token file that is gone is named', async () => {
  const authProvider = { name: 'tokenFile', config: { tokenFile: '/nowhere/token' } };
  await assert.rejects(new Credentials(() => configWith({ authProvider })).access(), {
    message: 'credentials cannot be read from /nowhere/token (ENOENT)',
  });
});

test('credentials that failed once are asked for again', async () => {
  let loads = 0;
  const credentials = new Credentials(() => {
    loads += 1;
    if (loads === 1) throw new Error('not yet');
    return configWith({});
  });
  await assert.rejects(credentials.access(), /not yet/);
  assert.equal((await credentials.access()).target.hostname, 'fd00::1');
});
