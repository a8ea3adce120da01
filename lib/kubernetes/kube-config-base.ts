/** Where a connection begins: a kubeconfig, the pod's service account, or nothing but a server. */

import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Cluster, type Context, KubeConfig, type User } from '@kubernetes/client-node';

/** What is read of the environment: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings do not lead to an API server. The message names the flag or file, and quotes nothing of its content. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What decides about the base; see ConnectionOptions. */
interface BaseSettings {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly server?: string;
}

/** The namespace that this pod runs in; undefined outside a cluster. */
export function podNamespace(root = ''): string | undefined {
  const text = textOf(`${root}${SERVICE_ACCOUNT}/namespace`)?.trim();
  return text === '' ? undefined : text;
}

/** What a kubeconfig says, before any flag has its say. */
export interface KubeConfigParts {
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
  readonly contexts: readonly Context[];
  readonly currentContext: string | undefined;
  /** For error messages. */
  readonly origin: string;
}

/**
 * The first that is there of `--kubeconfig`, KUBECONFIG, the pod's service account, `~/.kube/config`, `--server` alone.
 *
 * @throws ConnectionError
 */
export function baseConfig(settings: BaseSettings, env: Environment, root: string): KubeConfigParts {
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
    // The parser's message quotes the lines around the fault, and with them tokens and keys.
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

/** The part of a user that has its token from a file. */
export function bearerFile(tokenFile: string): Pick<User, 'authProvider'> {
  return { authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

/** What is in `file`. @throws ConnectionError naming `origin`, the flag or field that the file comes from. */
export function requireReadable(file: string, origin: string): Buffer {
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
    return undefined; // not there is an answer here; where a file must be there, requireReadable says why it is not
  }
}
