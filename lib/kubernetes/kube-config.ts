/**
 * Finds the API server and the credentials, as kubectl does: from flags, a kubeconfig, the pod's service account, or a server
 * alone. It checks each file at the start, so that a wrong one is an error message and not a failing connection.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Cluster, type Context, KubeConfig, type User } from '@kubernetes/client-node';
import { ConnectionError, type ConnectionOptions, type Environment } from '../model/settings.ts';
import { proxyFor } from './proxy.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const ANONYMOUS: User = { name: 'nobody' };

/**
 * The connection that `settings` ask for. The first of these that is there is the base: `--kubeconfig`, KUBECONFIG, the pod's
 * service account (unless `--server` or `--context` is set), `~/.kube/config`, `--server` alone. Flags override its fields.
 *
 * @param root prefix of the pod's own files, for tests.
 * @throws ConnectionError
 */
export function loadKubeConfig(settings: ConnectionOptions, env: Environment, root = ''): KubeConfig {
  const found = selected(baseConfig(settings, env, root), settings);
  const cluster = overriddenCluster(found.cluster, settings);
  const user = overriddenUser(found.user, settings);
  // The client library refuses http unless verification is off. Like kubectl we allow http, but send no credentials over it.
  const isSafe = cluster.skipTLSVerify || cluster.server.startsWith('https:');
  const proxyUrl = cluster.proxyUrl || proxyFor(cluster.server, env);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [
      { ...cluster, skipTLSVerify: cluster.skipTLSVerify || !isSafe, ...(proxyUrl && { proxyUrl }) },
    ],
    users: [isSafe ? user : { name: user.name }],
    contexts: [{ ...found.context, cluster: cluster.name, user: user.name }],
    currentContext: found.context.name,
  });
  return config;
}

/** The namespace of the current context, if it names one. */
export function contextNamespaceOf(config: KubeConfig): string | undefined {
  return config.getContextObject(config.getCurrentContext())?.namespace;
}

/** The namespace that this pod runs in; undefined outside a cluster. */
export function podNamespace(root = ''): string | undefined {
  return textOf(`${root}${SERVICE_ACCOUNT}/namespace`)?.trim() || undefined;
}

/** The content of a kubeconfig, before flags override its fields. */
interface KubeConfigParts {
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly contexts: readonly Context[];
  readonly currentContext: string | undefined;
  /** For error messages. */
  readonly origin: string;
}

function baseConfig(settings: ConnectionOptions, env: Environment, root: string): KubeConfigParts {
  const { kubeconfig, server, context } = settings;
  if (kubeconfig !== undefined) return fromFiles([kubeconfig], '--kubeconfig');
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (files.length > 0) return fromFiles(files, 'KUBECONFIG');
  const pod = server === undefined && context === undefined ? fromPod(env, root) : undefined;
  if (pod !== undefined) return pod;
  const home = env['HOME'] === undefined ? undefined : join(env['HOME'], '.kube', 'config');
  if (home !== undefined && textOf(home) !== undefined) return fromFiles([home], home);
  if (server !== undefined && context === undefined)
    return { clusters: [], users: [], contexts: [], currentContext: undefined, origin: '--server' };
  const looked = `neither --kubeconfig, KUBECONFIG, a service account nor ${home ?? '~/.kube/config'}`;
  throw new ConnectionError(
    `no API server: ${looked} is there; say where it is with --kubeconfig or --server`,
  );
}

/** Merges several files as kubectl does: missing files are skipped, and of two entries with one name the first counts. */
function fromFiles(files: readonly string[], origin: string): KubeConfigParts {
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
    // The message of the parser is dropped: it quotes the lines around the error, and with them tokens and keys.
    throw new ConnectionError(`${origin}: ${file} is not a valid kubeconfig`);
  }
  return config;
}

function fromPod(env: Environment, root: string): KubeConfigParts | undefined {
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

function selected(base: KubeConfigParts, { context: wanted, server }: ConnectionOptions) {
  const name = wanted ?? base.currentContext;
  const context = base.contexts.find((candidate) => candidate.name === name);
  if (context === undefined && wanted !== undefined)
    throw new ConnectionError(`--context: there is no context "${wanted}" in ${base.origin}`);
  const cluster = base.clusters.find((candidate) => candidate.name === context?.cluster);
  const user = base.users.find((candidate) => candidate.name === context?.user) ?? ANONYMOUS;
  if (cluster !== undefined && context !== undefined) return { cluster, user, context };
  if (server === undefined)
    throw new ConnectionError(`${base.origin}: its current context names no cluster that is in it`);
  const named = context ?? { name: 'flags', cluster: 'flags', user: user.name };
  return { cluster: { name: named.cluster, server, skipTLSVerify: false }, user, context: named };
}

function overriddenCluster(cluster: Cluster, settings: ConnectionOptions): Cluster {
  const { server = cluster.server, certificateAuthority, insecureSkipTlsVerify } = settings;
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    throw new ConnectionError('the API server is not an http or https URL: see --server and the kubeconfig');
  const skipTLSVerify = insecureSkipTlsVerify === true || cluster.skipTLSVerify === true;
  const { caData, ...base }: Cluster = { ...cluster, server: server.replace(/\/+$/, ''), skipTLSVerify };
  if (certificateAuthority !== undefined) {
    requireCertificate(certificateAuthority, '--certificate-authority');
    return { ...base, caFile: certificateAuthority };
  }
  if (caData) return { ...base, caData };
  if (base.caFile) requireReadable(base.caFile, `certificate-authority of cluster "${base.name}"`);
  return base;
}

function overriddenUser(user: User, settings: ConnectionOptions): User {
  const { token, tokenFile } = settings;
  if (tokenFile !== undefined) requireReadable(tokenFile, '--token-file');
  const certified = certifiedUser(user, settings);
  if (token === undefined && tokenFile === undefined) return certified;
  const own = token === undefined ? bearerFile(tokenFile ?? '') : { token };
  return { ...without(certified, ['exec', 'authProvider', 'token', 'username', 'password']), ...own };
}

/** The two flags are given together. */
function certifiedUser(user: User, { clientCertificate, clientKey }: ConnectionOptions): User {
  if (clientCertificate === undefined || clientKey === undefined) return user;
  requireCertificate(clientCertificate, '--client-certificate');
  requireKey(clientKey, '--client-key');
  return {
    ...without(user, ['certData', 'keyData']),
    certFile: clientCertificate,
    keyFile: clientKey,
  };
}

function without(user: User, fields: readonly (keyof User)[]): User {
  const others = Object.entries(user).filter(([field]) => !fields.some((one) => one === field));
  return { name: user.name, ...Object.fromEntries(others) };
}

/** The fields of a user whose token is in a file, which is read again when it changes. */
function bearerFile(tokenFile: string): Pick<User, 'authProvider'> {
  return { authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

/**
 * Checks a certificate at the start: TLS would fail at each connection with it, or silently ignore it.
 *
 * @throws ConnectionError that names `flag` if `file` is not a PEM certificate.
 */
function requireCertificate(file: string, flag: string): void {
  const content = requireReadable(file, flag);
  // X509Certificate parses DER as well, but TLS connections take only PEM.
  const isPem = content.includes('-----BEGIN ');
  if (!isPem || !succeeds(() => new X509Certificate(content)))
    throw new ConnectionError(`${flag}: ${file} holds no PEM certificate`);
}

/** Checks a private key; one with a passphrase cannot be parsed and is accepted. @throws ConnectionError that names `flag` */
function requireKey(file: string, flag: string): void {
  const content = requireReadable(file, flag);
  const isEncrypted = /^(-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m.test(content.toString('latin1'));
  if (!isEncrypted && !succeeds(() => createPrivateKey(content)))
    throw new ConnectionError(`${flag}: ${file} holds no PEM private key`);
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false; // the error's text, such as `no start line`, does not help a user
  }
}

/** The content of `file`. @throws ConnectionError that names `origin`, the flag or field with the path. */
function requireReadable(file: string, origin: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConnectionError(`${origin}: ${file} cannot be read (${code})`);
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // a missing file is a normal result here; requireReadable reports those that have to exist
  }
}
