/** The connection of a person to the cluster: the kubeconfig that kubectl uses, with that person's rights. */

import { HttpsTransport } from '../kubernetes/https-transport.ts';
import {
  contextNamespaceOf,
  type Environment,
  loadKubeConfig,
  podNamespace,
} from '../kubernetes/kube-config.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { CommandFlags } from '../options/commands.ts';
import { VERSION } from '../options/version.ts';

/** A command cannot answer; the message is one line for the person who has asked. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  /** Why, for programs; undefined: only the message says it. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Where the cluster is, and what the person means by default. */
export interface Connection {
  readonly send: Send;
  /** The namespace of the flag, else of the context. */
  readonly namespace: string;
}

/** The flags by which the cluster is found. */
export type ClusterFlags = Pick<CommandFlags, 'namespace' | 'context' | 'kubeconfig'>;

/** @throws ConnectionError if the flags or the kubeconfig name no usable cluster */
export function connect(flags: ClusterFlags, env: Environment): Connection {
  const load = (): ReturnType<typeof loadKubeConfig> => loadKubeConfig(flags, env);
  const own = contextNamespaceOf(load()) ?? podNamespace() ?? 'default';
  const transport = new HttpsTransport({ load, version: VERSION });
  return { send: transport.send, namespace: flags.namespace ?? own };
}
