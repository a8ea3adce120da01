/** The connection of a person to the cluster: the kubeconfig that kubectl uses, with that person's rights. */

import { HttpsTransport } from '../kubernetes/https-transport.ts';
import { contextNamespaceOf, loadKubeConfig, podNamespace } from '../kubernetes/kube-config.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { Environment } from '../model/settings.ts';
import type { CommandFlags } from '../options/commands.ts';
import { UNKNOWN_EXIT_CODE, USAGE_EXIT_CODE } from '../options/options.ts';
import { VERSION } from '../options/version.ts';

const FAILED = 1;
/** Why a command cannot answer. */
export type ErrorCode =
  | 'usage'
  | 'unknown'
  | 'forbidden'
  | 'not-found'
  | 'not-a-reloader'
  | 'not-watched'
  | 'not-waiting'
  | 'other-content'
  | 'wrong-settings'
  | 'not-readable'
  | 'no-object'
  | 'refused'
  | 'unauthorized'
  | 'unanswered'
  | 'api-error'
  | 'timed-out';

/** By code, the exit code and what it means. */
export const ERROR_CODES: Readonly<Record<ErrorCode, readonly [exit: number, meaning: string]>> = {
  usage: [USAGE_EXIT_CODE, 'the command line, or the kubeconfig, is not understood'],
  unknown: [UNKNOWN_EXIT_CODE, 'what the command needs is not known'],
  forbidden: [UNKNOWN_EXIT_CODE, 'you may not read what the command is about'],
  'not-found': [FAILED, 'the namespace, the object, or the named Deployment does not exist'],
  'not-a-reloader': [FAILED, 'the named Deployment does not look like a reloader'],
  'not-watched': [FAILED, 'the reloader does not watch the namespace'],
  'not-waiting': [FAILED, 'nothing waits for an approval, or is halted'],
  'other-content': [FAILED, 'the token is not that of the content that waits'],
  'wrong-settings': [FAILED, 'the flags of the reloader’s Deployment are not understood'],
  'not-readable': [FAILED, 'a manifest cannot be read, or is not valid'],
  'no-object': [FAILED, 'there is no object in the manifests'],
  refused: [FAILED, 'the API server refuses the write'],
  unauthorized: [FAILED, 'the API server does not accept the credentials'],
  unanswered: [FAILED, 'the API server does not answer'],
  'api-error': [FAILED, 'the API server answers with another error'],
  'timed-out': [FAILED, 'the state, or a change, could not be observed in time'],
};

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
