/** The connection of a person to the cluster: the kubeconfig that kubectl uses, with that person's rights. */

import { HttpsTransport } from '../kubernetes/https-transport.ts';
import { contextNamespaceOf, loadKubeConfig, podNamespace } from '../kubernetes/kube-config.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { Environment } from '../model/settings.ts';
import type { CommandFlags } from '../options/commands.ts';
import { UNKNOWN_EXIT_CODE, USAGE_EXIT_CODE } from '../options/options.ts';
import { VERSION } from '../options/version.ts';

const FAILED = 1;
/** Why a command cannot answer, and what that means. */
export const ERROR_CODES = {
  usage: 'the command line, or the kubeconfig, is not understood',
  unknown: 'what the command needs is not known',
  forbidden: 'you may not read what the command is about',
  'not-found': 'the namespace, the object, or the named Deployment does not exist',
  'not-a-reloader': 'the named Deployment does not look like a reloader',
  'not-watched': 'the reloader does not watch the namespace',
  'not-waiting': 'nothing waits for an approval, or is halted',
  'other-content': 'the token is not that of the content that waits',
  'wrong-settings': 'the flags of the reloader’s Deployment are not understood',
  'not-readable': 'a manifest cannot be read, is not valid, or contradicts another one',
  'no-object': 'there is no object in the manifests',
  refused: 'the API server refuses the write',
  unauthorized: 'the API server does not accept the credentials',
  unanswered: 'the API server does not answer',
  'api-error': 'the API server answers with another error',
  'timed-out': 'the state, or a change, could not be observed in time',
} as const;

/** One of ERROR_CODES. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The exit code of an error. */
export function exitCodeOf(code: string): number {
  if (code === 'usage') return USAGE_EXIT_CODE;
  return code === 'unknown' || code === 'forbidden' ? UNKNOWN_EXIT_CODE : FAILED;
}

/** A command cannot answer; the message is one line for the person who has asked. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  /** Why, for programs. */
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode) {
    super(message);
    this.code = code;
  }
}

/** The cluster of the kubeconfig, and the namespace of the flag, else of the context. @throws ConnectionError if there is no usable one */
export function connect(
  flags: Pick<CommandFlags, 'namespace' | 'context' | 'kubeconfig'>,
  env: Environment,
): { readonly send: Send; readonly namespace: string } {
  const load = (): ReturnType<typeof loadKubeConfig> => loadKubeConfig(flags, env);
  const own = contextNamespaceOf(load()) ?? podNamespace() ?? 'default';
  const transport = new HttpsTransport({ load, version: VERSION });
  return { send: transport.send, namespace: flags.namespace ?? own };
}
