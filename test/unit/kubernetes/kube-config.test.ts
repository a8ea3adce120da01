import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { KubeConfig } from '@kubernetes/client-node';
import { contextNamespaceOf, loadKubeConfig, podNamespace } from '../../../lib/kubernetes/kube-config.ts';
import type { ConnectionOptions } from '../../../lib/model/settings.ts';
import { servingPair } from '../serving/certificates.ts';

const root = mkdtempSync(join(tmpdir(), 'kube-config-'));
after(() => rmSync(root, { recursive: true }));

/** Writes a file below the test's folder and answers its path. */
function file(path: string, content: string | Buffer): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  return whole;
}

/** A kubeconfig in JSON, which is YAML, with contexts `one` and `two`. */
function kubeconfig(path: string, host: string, user: object = { token: `token-of-${host}` }): string {
  const content = {
    clusters: ['one', 'two'].map((name) => ({ name, cluster: { server: `https://${host}.${name}/` } })),
    users: [{ name: 'me', user }],
    contexts: ['one', 'two'].map((name) => ({
      name,
      context: { cluster: name, user: 'me', namespace: `ns-${name}` },
    })),
    'current-context': 'one',
  };
  return file(path, JSON.stringify(content));
}

const flag = kubeconfig('flag', 'flag');
const variable = kubeconfig('variable', 'variable');
const other = kubeconfig('other', 'other');
kubeconfig('home/.kube/config', 'home');
const HOME = { HOME: join(root, 'home') };
const EMPTY_HOME = { HOME: join(root, 'nowhere') };
const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const podRoot = join(root, 'pod');
const account = 'pod/var/run/secrets/kubernetes.io/serviceaccount';
const podToken = file(`${account}/token`, 'pod-token');
file(`${account}/namespace`, 'pod-ns\n');
file(`${account}/ca.crt`, 'CA');
const pair = servingPair('reloader');
const certificate = file('tls.crt', pair.certificate);
const key = file('tls.key', pair.key);
const binary = file('tls.der', new X509Certificate(pair.certificate).raw);
const garbage = file('garbage.pem', 'hunter2');
const tokenFile = file('token-file', 'filed-token\n');

function serverOf(config: KubeConfig): string | undefined {
  return config.getCurrentCluster()?.server;
}

const BASES: Record<
  string,
  readonly [server: string, env: Record<string, string>, settings?: ConnectionOptions]
> = {
  'the flag goes before everything': [
    'https://flag.one',
    { ...HOME, ...POD, KUBECONFIG: variable },
    { kubeconfig: flag },
  ],
  'KUBECONFIG goes before the pod': ['https://variable.one', { ...HOME, ...POD, KUBECONFIG: variable }],
  'of several files the first decides, and missing ones are skipped': [
    'https://variable.one',
    { KUBECONFIG: ['/nowhere', variable, other].join(delimiter) },
  ],
  'the pod goes before the home': ['https://10.0.0.1:443', { ...HOME, ...POD }],
  'a pod may have an IPv6 address': ['https://[fd00::1]:443', { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' }],
  'the home is the last file': ['https://home.one', HOME],
  'a context may be chosen, also in a pod': ['https://home.two', { ...HOME, ...POD }, { context: 'two' }],
  'a server alone is enough': ['https://alone:6443', EMPTY_HOME, { server: 'https://alone:6443' }],
  'a server overrides that of the kubeconfig': ['https://alone:6443', HOME, { server: 'https://alone:6443' }],
};

for (const [sentence, [server, env, settings = {}]] of Object.entries(BASES)) {
  test(sentence, () => assert.equal(serverOf(loadKubeConfig(settings, env, podRoot)), server));
}

test('the namespace is that of the chosen context, or of the pod', () => {
  assert.equal(contextNamespaceOf(loadKubeConfig({ context: 'two' }, HOME)), 'ns-two');
  assert.equal(contextNamespaceOf(loadKubeConfig({}, POD, podRoot)), 'pod-ns');
  assert.equal(contextNamespaceOf(loadKubeConfig({ server: 'https://alone' }, EMPTY_HOME)), undefined);
  assert.equal(podNamespace(podRoot), 'pod-ns');
  assert.equal(podNamespace(join(root, 'nowhere')), undefined);
});

test('the headers of a pod carry its token', async () => {
  assert.equal(await authorizationOf(loadKubeConfig({}, POD, podRoot)), 'Bearer pod-token');
});

test("the pod's token goes to no other server", async () => {
  const config = loadKubeConfig({ server: 'https://elsewhere' }, { ...EMPTY_HOME, ...POD }, podRoot);
  assert.equal(await authorizationOf(config), undefined);
});

test('a token from the flags replaces every other credential', async () => {
  const exec = kubeconfig('exec', 'exec', { exec: { command: '/nowhere' }, username: 'u', password: 'p' });
  assert.equal(await authorizationOf(loadKubeConfig({ kubeconfig: exec, token: 'mine' }, {})), 'Bearer mine');
  const filed = loadKubeConfig({ kubeconfig: exec, tokenFile }, {});
  assert.equal((await authorizationOf(filed))?.trim(), 'Bearer filed-token');
  assert.equal(filed.getCurrentUser()?.username, undefined);
});

test('certificates from the flags replace those of the kubeconfig', () => {
  const data = { 'client-certificate-data': 'b2xk', 'client-key-data': 'b2xk' };
  const settings = { kubeconfig: kubeconfig('certificates', 'c', data), certificateAuthority: certificate };
  const config = loadKubeConfig({ ...settings, clientCertificate: certificate, clientKey: key }, {});
  const { certData, certFile, keyData, keyFile } = config.getCurrentUser() ?? {};
  assert.deepEqual(
    { certData, certFile, keyData, keyFile },
    {
      certData: undefined,
      certFile: certificate,
      keyData: undefined,
      keyFile: key,
    },
  );
  assert.equal(config.getCurrentCluster()?.caFile, certificate);
  const kept = loadKubeConfig(settings, {}).getCurrentUser();
  assert.deepEqual([kept?.certData, kept?.keyData], ['b2xk', 'b2xk']);
});

test('a bundle of certificates with words between them, and a key with a passphrase, are taken', () => {
  const bundle = file('bundle.crt', `# ours\n${pair.authority}\n# theirs\n${pair.certificate}`);
  const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter2' } as const;
  const locked = file('locked.key', createPrivateKey(pair.key).export(cipher));
  const files = { certificateAuthority: bundle, clientCertificate: bundle, clientKey: locked };
  assert.equal(loadKubeConfig({ kubeconfig: flag, ...files }, {}).getCurrentUser()?.keyFile, locked);
});

test('over http nobody is told who we are, unless that is asked for', async () => {
  const settings = { kubeconfig: flag, server: 'http://localhost:8001' };
  assert.equal(await authorizationOf(loadKubeConfig(settings, {})), undefined);
  const told = loadKubeConfig({ ...settings, insecureSkipTlsVerify: true }, {});
  assert.equal(await authorizationOf(told), 'Bearer token-of-flag');
});

async function authorizationOf(config: KubeConfig): Promise<string | undefined> {
  const options: { headers?: Record<string, string> } = {};
  await config.applyToHTTPSOptions(options);
  return options.headers?.['Authorization'];
}

const broken = file('broken', 'users:\n- token: hunter2\n  : [');
const nothing = file('nothing', '');
const dangling = file('dangling', '{"contexts": [], "current-context": "hunter2"}');
const missing = join(root, 'missing');

const clientPair = { clientCertificate: certificate, clientKey: key };
const ERRORS: Record<
  string,
  readonly [message: string, settings: ConnectionOptions, env?: Record<string, string>]
> = {
  'nothing says where the API server is': [
    `no API server: neither --kubeconfig, KUBECONFIG, a service account nor ${EMPTY_HOME.HOME}/.kube/config is there; say where it is with --kubeconfig or --server`,
    {},
    EMPTY_HOME,
  ],
  'the kubeconfig is not there': [
    `--kubeconfig: ${missing} cannot be read (ENOENT)`,
    { kubeconfig: missing },
  ],
  'none of several files is there': [
    'KUBECONFIG: none of its files can be read',
    {},
    { KUBECONFIG: `${missing}${delimiter}${missing}` },
  ],
  'the kubeconfig is not YAML': [`--kubeconfig: ${broken} is not a valid kubeconfig`, { kubeconfig: broken }],
  'the kubeconfig is empty': [`--kubeconfig: ${nothing} is not a valid kubeconfig`, { kubeconfig: nothing }],
  'there is no such context': [
    `--context: there is no context "three" in ${flag}`,
    { kubeconfig: flag, context: 'three' },
  ],
  'the current context leads nowhere': [
    `${dangling}: its current context names no cluster that is in it`,
    { kubeconfig: dangling },
  ],
  ...ofFlag('certificate authority', 'certificate-authority', (file) => ({ certificateAuthority: file })),
  ...ofFlag('client certificate', 'client-certificate', (file) => ({
    ...clientPair,
    clientCertificate: file,
  })),
  ...ofFlag('client key', 'client-key', (file) => ({ ...clientPair, clientKey: file })),
  'a client certificate is in binary': [
    `--client-certificate: ${binary} holds no PEM certificate`,
    { kubeconfig: flag, ...clientPair, clientCertificate: binary },
  ],
  'a client certificate is a key': [
    `--client-certificate: ${key} holds no PEM certificate`,
    { kubeconfig: flag, ...clientPair, clientCertificate: key },
  ],
  'a token file is not there': [
    `--token-file: ${missing} cannot be read (ENOENT)`,
    { kubeconfig: flag, tokenFile: missing },
  ],
  'the server is no URL': [
    'the API server is not an http or https URL: see --server and the kubeconfig',
    { kubeconfig: flag, server: 'hunter2:hunter2@x' },
  ],
};

/** What may be wrong with the PEM file of a flag. */
function ofFlag(what: string, name: string, settingsOf: (file: string) => ConnectionOptions) {
  const holds = `holds no PEM ${name === 'client-key' ? 'private key' : 'certificate'}`;
  const row = (file: string, message: string) =>
    [`--${name}: ${file} ${message}`, { kubeconfig: flag, ...settingsOf(file) }] as const;
  return {
    [`a ${what} is not there`]: row(missing, 'cannot be read (ENOENT)'),
    [`a ${what} is none`]: row(garbage, holds),
    [`a ${what} is empty`]: row(nothing, holds),
  };
}

for (const [what, [message, settings, env = {}]] of Object.entries(ERRORS)) {
  test(`${what}: the error says so and quotes nothing`, () => {
    assert.throws(() => loadKubeConfig(settings, env), { name: 'ConnectionError', message });
  });
}

describe('the proxy of the environment is that of kubectl:', () => {
  const PROXY = 'http://proxy:3128';
  const rows: readonly [server: string, env: Record<string, string>, expected: string | undefined][] = [
    ['https://api.example:6443', {}, undefined],
    ['https://api.example:6443', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example:6443', { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, PROXY],
    ['https://api.example:6443', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['https://api.example:6443', { HTTPS_PROXY: 'socks5://proxy:1080' }, 'socks5://proxy:1080'],
    ['https://api.example:6443', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example', { HTTP_PROXY: PROXY }, PROXY],
    ['https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://127.0.0.2:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://10.96.0.1', { HTTPS_PROXY: PROXY, NO_PROXY: '192.168.0.0/16, 10.0.0.0/8' }, undefined],
    ['https://11.96.0.1', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8,10.0.0.0/99,x/8' }, PROXY],
    ['https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: 'fd00::/8' }, undefined],
    ['https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: 'fd00::1' }, undefined],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: '*' }, undefined],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'Example' }, undefined],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'ample' }, PROXY],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: '.api.example' }, PROXY],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: '*.example' }, undefined],
    ['https://api.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example:443' }, undefined],
    ['https://api.example:6443', { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example:443' }, PROXY],
    ['https://[fd00::1]:6443', { HTTPS_PROXY: PROXY, NO_PROXY: '[fd00::1]:6443' }, undefined],
  ];
  for (const [server, env, expected] of rows) {
    test(`${server} with ${JSON.stringify(env)}`, () => {
      const config = loadKubeConfig({ server }, env);
      assert.equal(config.getCurrentCluster()?.proxyUrl, expected);
    });
  }
  for (const HTTPS_PROXY of ['http://me:hunter2@proxy:99999', 'ftp://hunter2']) {
    test(`a value that is no proxy is refused, and not quoted: ${HTTPS_PROXY}`, () => {
      const message = 'HTTPS_PROXY: expected the URL of a proxy';
      assert.throws(() => loadKubeConfig({ server: 'https://api.example' }, { HTTPS_PROXY }), { message });
    });
  }
  test('the kubeconfig has precedence', () => {
    const cluster = { server: 'https://api.example', 'proxy-url': 'http://own:3128' };
    const content = {
      clusters: [{ name: 'c', cluster }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const config = loadKubeConfig(
      { kubeconfig: file('proxied', JSON.stringify(content)) },
      { HTTPS_PROXY: PROXY },
    );
    assert.equal(config.getCurrentCluster()?.proxyUrl, 'http://own:3128');
  });
});

test('the token file of the pod is read, not copied', async () => {
  const config = loadKubeConfig({}, POD, podRoot);
  writeFileSync(podToken, 'rotated');
  assert.equal(await authorizationOf(config), 'Bearer rotated');
  writeFileSync(podToken, 'pod-token');
});
