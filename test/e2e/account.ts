/** A reloader that has the arguments and the rights of an installation, and no others; and what it made of them. */

import type { AuditedRequest } from '../control-plane/audit-log.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { grantedTo, type Installed, installationIn, type Right } from '../install/installation.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

/** A ServiceAccount of one installation. */
export interface Account {
  readonly installation: Installed;
  readonly namespace: string;
  readonly name: string;
}

/** That of a folder below k8s with these components. */
export function accountOf(folder: string, components: readonly string[] = []): Account {
  return accountIn(installationIn(folder, components));
}

/** That of an installation. */
export function accountIn(installation: Installed): Account {
  const namespace = String(pick(installation.deployment, 'metadata', 'namespace'));
  return { installation, namespace, name: String(installation.pod['serviceAccountName']) };
}

/** Starts the bundle as its pod would be; the window and what a test has to know come after its arguments. */
export async function startAs(
  account: Account,
  stage: Stage,
  flags: readonly string[] = [],
): Promise<ReloaderProcess> {
  const reloader = await launchAs(account, stage, flags);
  await stage.ready(reloader);
  return reloader;
}

/** The same; it may not be ready yet. */
export async function launchAs(
  { installation, namespace, name }: Account,
  stage: Stage,
  flags: readonly string[] = [],
): Promise<ReloaderProcess> {
  const token = await stage.cluster.serviceAccountToken(namespace, name);
  const kubeconfig = await stage.cluster.kubeconfig({ token, namespace });
  const own = ['--kubeconfig', kubeconfig, '--health-port', '0', '--coalesce-period', '100ms', ...flags];
  const env = { RELOADER_OPT_LEADER_ELECT: 'true', ...installation.env };
  return stage.start([...installation.args, ...own], env);
}

/** What the account has asked so far. */
export async function requestsOf(
  { namespace, name }: Account,
  cluster: ControlPlane,
): Promise<readonly AuditedRequest[]> {
  const user = `system:serviceaccount:${namespace}:${name}`;
  return (await cluster.audit()).filter((request) => request.user === user);
}

/** Whether a right was missing. A namespace that another test deletes refuses new Events with 403 too. */
export function isDenied({ code, namespaceEnds }: AuditedRequest): boolean {
  return code === 401 || (code === 403 && !namespaceEnds);
}

/** The rights of the account that none of the requests has used. */
export function unusedOf({ installation }: Account, requests: readonly AuditedRequest[]): readonly Right[] {
  const used = new Set(requests.flatMap(rightsUsedBy));
  return grantedTo(installation).filter((right) => !used.has(right));
}

/** Every way to write the right that a request has used. */
function rightsUsedBy({ namespace, verb, apiGroup, resource, name, code }: AuditedRequest): Right[] {
  // Server-side apply is asked as a patch; where it made the object, the right to create was needed too.
  const verbs = verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb];
  return verbs.flatMap((each) =>
    [namespace, '*'].flatMap((where) =>
      ['', ` ${name}`].map((which) => `${where}: ${each} ${apiGroup}/${resource}${which}`),
    ),
  );
}
