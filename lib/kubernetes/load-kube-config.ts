/** Where the API server is and who we are, from flags, a kubeconfig or the pod. */

import { type Cluster, type Context, KubeConfig, type User } from '@kubernetes/client-node';
import type { ConnectionOptions } from '../model/settings.ts';
import {
  baseConfig,
  bearerFile,
  ConnectionError,
  type Environment,
  type KubeConfigParts,
  requireReadable,
} from './kube-config-base.ts';
import { requireCertificate, requireKey } from './pem-file.ts';

const NOBODY: User = { name: 'nobody' };

/**
 * The connection that `settings` ask for. The first of these that is there is the base: `--kubeconfig`, KUBECONFIG, the pod's
 * service account (unless `--server` or `--context` is set), `~/.kube/config`, `--server` alone. Flags override its fields.
 *
 * @param root prefix of the pod's own files, for tests.
 * @throws ConnectionError
 */
export function loadKubeConfig(settings: ConnectionOptions, env: Environment, root = ''): KubeConfig {
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

function selected(base: KubeConfigParts, { context: wanted, server }: ConnectionOptions): Selected {
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

function overriddenCluster(cluster: Cluster, settings: ConnectionOptions): Cluster {
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
  requireCertificate(certificateAuthority, '--certificate-authority');
  const { caData: _replaced, ...rest } = base;
  return { ...rest, caFile: certificateAuthority };
}

function overriddenUser(user: User, settings: ConnectionOptions): User {
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
  if (certFile !== undefined) requireCertificate(certFile, '--client-certificate');
  if (keyFile !== undefined) requireKey(keyFile, '--client-key');
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
