/** A cluster with one ConfigMap and one Deployment that follows it, for plays in which a whole cluster is restored. */

import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { NAMESPACE } from './api.ts';
import { C, following, WEB } from './cases.ts';
import { manifestOf } from './contents.ts';
import type { Content } from './history.ts';
import { newWorkload } from './manifests.ts';
import { SETTINGS } from './trace-by-hand.ts';

/** C is A, and WEB follows it. */
export function newCluster(): Sandbox {
  const sandbox = createSandbox({ podStartMs: SETTINGS.rolloutMs });
  put(sandbox, 'A');
  for (const workload of following(WEB)) {
    sandbox.create('deployments', inNamespace(newWorkload(workload, { image: 'app:1' })));
  }
  return sandbox;
}

/** The object, in the namespace of the plays. */
export function inNamespace(object: object): object {
  const { metadata } = object as { readonly metadata: object };
  return { ...object, metadata: { ...metadata, namespace: NAMESPACE } };
}

/** Gives C a content. */
export function put(sandbox: Sandbox, content: Content): void {
  sandbox.replace('configmaps', inNamespace(manifestOf(C, content)));
}

/** Others write until the versions are at `version`. */
export function raise(sandbox: Sandbox, version: number): void {
  const metadata = { namespace: 'kube-system', name: 'noise' };
  for (let at = sandbox.writes; at < version; at += 1) {
    sandbox.replace('configmaps', { metadata, data: { at: String(at) } });
  }
}

/** How often the template of WEB was written anew. */
export function rolloutsIn(sandbox: Sandbox): number {
  return sandbox.revisions({ kind: 'Deployment', namespace: NAMESPACE, name: 'web' }).length - 1;
}
