/** The connection of a person, by the kubeconfig of kubectl. */

import { HttpsTransport } from '../kubernetes/https-transport.ts';
import { contextNamespaceOf, loadKubeConfig, podNamespace } from '../kubernetes/kube-config.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { Environment } from '../model/settings.ts';
import type { CommandFlags } from '../options/commands.ts';
import { UNKNOWN_EXIT_CODE, USAGE_EXIT_CODE } from '../options/options.ts';
import { VERSION } from '../options/version.ts';

/** Why a command cannot answer; the guide of the commands says what each means. */
export type ErrorCode =
  | ('usage' | 'unknown' | 'forbidden' | 'not-found' | 'not-a-reloader' | 'not-watched' | 'not-waiting')
  | ('other-content' | 'wrong-settings' | 'not-readable' | 'no-object' | 'refused' | 'unauthorized')
  | ('unanswered' | 'api-error' | 'timed-out');

/** The exit code of an error. */
export function exitCodeOf(code: string): number {
  if (code === 'usage') return USAGE_EXIT_CODE;
  return code === 'unknown' || code === 'forbidden' ? UNKNOWN_EXIT_CODE : 1;
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

/** The cluster of the kubeconfig, and the namespace. @throws ConnectionError */
export function connect(
  flags: Pick<CommandFlags, 'namespace' | 'context' | 'kubeconfig'>,
  env: Environment,
): Readonly<{ send: Send; namespace: string }> {
  const load = (): ReturnType<typeof loadKubeConfig> => loadKubeConfig(flags, env);
  const own = contextNamespaceOf(load()) ?? podNamespace() ?? 'default';
  const transport = new HttpsTransport({ load, version: VERSION });
  return { send: transport.send, namespace: flags.namespace ?? own };
}
