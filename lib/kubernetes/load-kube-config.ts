/** Where the API server is and who we are, from flags, a kubeconfig or the pod. */

import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Cluster, type Context, KubeConfig, type User } from '@kubernetes/client-node';

/** How to reach the API server; what is absent comes from the kubeconfig or from the pod's service account. */
export interface ConnectionSettings {
  /** Path of a kubeconfig. */
  readonly kubeconfig?: string;
  /** Name of a context in it. @default its current-context */
  readonly context?: string;
  /** An http or https URL. Alone it is spoken to without credentials. */
  readonly server?: string;
  /** Path of a PEM file. */
  readonly certificateAuthority?: string;
  /** Path of a PEM file. */
  readonly clientCertificate?: string;
  /** Path of a PEM file. */
  readonly clientKey?: string;
  /** Without it no credentials are sent over http. @default false */
  readonly insecureSkipTlsVerify?: boolean;
  /** A bearer token: secret. */
  readonly token?: string;
  /** Path of a file with a bearer token; read again once a minute, and when the server no longer takes the old one. */
  readonly tokenFile?: string;
}

/** What is read of the environment: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings do not lead to an API server. The message names the flag or file, and quotes nothing of its content. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const NOBODY: User = { name: 'nobody' };

/**
 * The connection that `settings` ask for. The first of these that is there is the base: `--kubeconfig`, KUBECONFIG, the pod's
 * service account (unless `--server` or `--context` is set), `~/.kube/config`, `--server` alone. Flags override its fields.
 *
 * @param root prefix of the pod's own files, for tests.
 * @throws ConnectionError
 */
export function loadKubeConfig(settings: ConnectionSettings, env: Environment, root = ''): KubeConfig {
  const base = baseConfig(settings, env, root);
  const { cluster, user, context } = selected(base, settings);
  const config = new KubeConfig();
  config.loadFromOptions({
    ...withSafeUser(overriddenCluster(cluster, settings), overriddenUser(user, settings)),
    contexts: [{ ...context, cluster: cluster.name, user: user.name }],
    currentContext: context.name,
  });
  return config;
}

/** The namespace of the current context, if it names one. */
export function contextNamespaceOf(config: KubeConfig): string | undefined {
  return config.getContextObject(config.getCurrentContext())?.namespace;
}

/** The namespace that this pod runs in; undefined outside a cluster. */
export function podNamespace(root = ''): string | undefined {
  const text = textOf(`${root}${SERVICE_ACCOUNT}/namespace`)?.trim();
  return text === '' ? undefined : text;
}

interface Parts {
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly contexts: readonly Context[];
  readonly currentContext: string | undefined;
  /** For error messages. */
  readonly origin: string;
}

function baseConfig(settings: ConnectionSettings, env: Environment, root: string): Parts {
  if (settings.kubeconfig !== undefined) return fromFiles([settings.kubeconfig], '--kubeconfig');
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length > 0) return fromFiles(files, 'KUBECONFIG');
  const pod =
    settings.server === undefined && settings.context === undefined ? fromPod(env, root) : undefined;
  if (pod !== undefined) return pod;
  const home = env['HOME'] === undefined ? undefined : join(env['HOME'], '.kube', 'config');
  if (home !== undefined && textOf(home) !== undefined) return fromFiles([home], home);
  if (settings.server !== undefined && settings.context === undefined) {
    return { clusters: [], users: [], contexts: [], currentContext: undefined, origin: '--server' };
  }
  const looked = `neither --kubeconfig, KUBECONFIG, a service account nor ${home ?? '~/.kube/config'}`;
  throw new ConnectionError(
    `no API server: ${looked} is there; say where it is with --kubeconfig or --server`,
  );
}

/** Of several files, as kubectl has it: missing ones are skipped, and what a name first means it means. */
function fromFiles(files: readonly string[], origin: string): Parts {
  const present = files.length === 1 ? files : files.filter((file) => textOf(file) !== undefined);
  if (present.length === 0) throw new ConnectionError(`${origin}: none of its files can be read`);
  const configs = present.map((file) => parsedFile(file, origin));
  return {
    clusters: configs.flatMap((config) => config.getClusters()),
    users: configs.flatMap((config) => config.getUsers()),
    contexts: configs.flatMap((config) => config.getContexts()),
    currentContext: configs.map((config) => config.getCurrentContext()).find(Boolean),
    origin: files.join(delimiter),
  };
}

function parsedFile(file: string, origin: string): KubeConfig {
  requireReadable(file, origin);
  const config = new KubeConfig();
  try {
    config.loadFromFile(file);
  } catch {
    // The parser's message quotes the lines around the fault, and with them tokens and keys.
    throw new ConnectionError(`${origin}: ${file} is not a valid kubeconfig`);
  }
  return config;
}

function fromPod(env: Environment, root: string): Parts | undefined {
  const [host, port = '443'] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']];
  const tokenFile = `${root}${SERVICE_ACCOUNT}/token`;
  if (host === undefined || host === '' || textOf(tokenFile) === undefined) return undefined;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const namespace = podNamespace(root);
  const context: Context = { name: 'pod', cluster: 'pod', user: 'pod' };
  return {
    clusters: [{ name: 'pod', server, skipTLSVerify: false, caFile: `${root}${SERVICE_ACCOUNT}/ca.crt` }],
    users: [{ name: 'pod', ...bearerFile(tokenFile) }],
    contexts: [namespace === undefined ? context : { ...context, namespace }],
    currentContext: 'pod',
    origin: 'the pod',
  };
}

function selected(base: Parts, { context: wanted, server }: ConnectionSettings): Selected {
  const name = wanted ?? base.currentContext;
  const context = base.contexts.find((candidate) => candidate.name === name);
  if (context === undefined && wanted !== undefined) {
    throw new ConnectionError(`--context: there is no context "${wanted}" in ${base.origin}`);
  }
  const cluster = base.clusters.find((candidate) => candidate.name === context?.cluster);
  const user = base.users.find((candidate) => candidate.name === context?.user) ?? NOBODY;
  if (cluster !== undefined && context !== undefined) return { cluster, user, context };
  if (server === undefined) {
    throw new ConnectionError(`${base.origin}: its current context names no cluster that is in it`);
  }
  const named = context ?? { name: 'flags', cluster: 'flags', user: user.name };
  return { cluster: { name: named.cluster, server, skipTLSVerify: false }, user, context: named };
}

interface Selected {
  readonly cluster: Cluster;
  readonly user: User;
  readonly context: Context;
}

function overriddenCluster(cluster: Cluster, settings: ConnectionSettings): Cluster {
  const { server = cluster.server, certificateAuthority, insecureSkipTlsVerify } = settings;
  if (!/^https?:\/\//.test(server) || !URL.canParse(server)) {
    throw new ConnectionError('the API server is not an http or https URL: see --server and the kubeconfig');
  }
  const skipTLSVerify = insecureSkipTlsVerify === true || cluster.skipTLSVerify === true;
  const base: Cluster = { ...cluster, server: server.replace(/\/+$/, ''), skipTLSVerify };
  if (certificateAuthority === undefined) {
    if (base.caFile && !base.caData)
      requireReadable(base.caFile, `certificate-authority of cluster "${base.name}"`);
    return base;
  }
  requireReadable(certificateAuthority, '--certificate-authority');
  const { caData: _replaced, ...rest } = base;
  return { ...rest, caFile: certificateAuthority };
}

function overriddenUser(user: User, settings: ConnectionSettings): User {
  const { token, tokenFile, clientCertificate, clientKey } = settings;
  if (token !== undefined && tokenFile !== undefined) {
    throw new ConnectionError('give either --token or --token-file');
  }
  if (tokenFile !== undefined) requireReadable(tokenFile, '--token-file');
  const certified = certifiedUser(user, clientCertificate, clientKey);
  if (token === undefined && tokenFile === undefined) return certified;
  const {
    exec: _exec,
    authProvider: _provider,
    token: _token,
    username: _u,
    password: _p,
    ...rest
  } = certified;
  return token === undefined ? { ...rest, ...bearerFile(tokenFile ?? '') } : { ...rest, token };
}

function certifiedUser(user: User, certFile: string | undefined, keyFile: string | undefined): User {
  if (certFile !== undefined) requireReadable(certFile, '--client-certificate');
  if (keyFile !== undefined) requireReadable(keyFile, '--client-key');
  const { certData, certFile: oldCert, keyData, keyFile: oldKey, ...rest } = user;
  return {
    ...rest,
    ...(certFile === undefined ? present({ certData, certFile: oldCert }) : { certFile }),
    ...(keyFile === undefined ? present({ keyData, keyFile: oldKey }) : { keyFile }),
  };
}

/** What is set of `fields`. */
function present<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(set) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** The client library refuses http unless told not to verify; like kubectl we speak it, but without saying who we are. */
function withSafeUser(cluster: Cluster, user: User): { clusters: Cluster[]; users: User[] } {
  if (cluster.skipTLSVerify || cluster.server.startsWith('https:'))
    return { clusters: [cluster], users: [user] };
  return { clusters: [{ ...cluster, skipTLSVerify: true }], users: [{ name: user.name }] };
}

function bearerFile(tokenFile: string): Pick<User, 'authProvider'> {
  return { authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

function requireReadable(file: string, origin: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConnectionError(`${origin}: ${file} cannot be read (${code})`);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // not there is an answer here; where a file must be there, requireReadable says why it is not
  }
}
