/** What the reloader wrote, as it is: the body of a patch, and the state ConfigMap. */

import { stringify } from 'yaml';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { type JsonObject, objectOf } from '../sandbox/json.ts';
import { rowOfKind } from '../sandbox/resource-table.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { NAMESPACE } from './examples.ts';
import type { Stage } from './stage.ts';

/** The name of the state ConfigMap. */
const STATE = 'reloader-state';

/** The data of the state ConfigMap; empty while there is none. */
export function stateOf(sandbox: Sandbox): JsonObject {
  return objectOf(sandbox.get('configmaps', NAMESPACE, STATE)?.['data']);
}

/** Prints the last patch of a workload that was accepted: its request and its body. */
export function printPatch({ screen, sent }: Stage, { kind, namespace, name }: WorkloadRef): void {
  const { apiVersion, resource } = rowOfKind(kind);
  const patch = sent.findLast(
    (each) => each.resource === resource && each.name === name && each.status === 200,
  );
  screen.print(`  PATCH /apis/${apiVersion}/namespaces/${namespace}/${resource}/${name}`);
  screen.print(`  Content-Type: ${patch?.contentType ?? ''}`);
  printIndented(screen, JSON.stringify(patch?.body, undefined, 2));
}

/** Prints the state ConfigMap as `kubectl get -o yaml` does, sorted, but without the fields of the server. */
export function printState({ screen, sandbox }: Stage): void {
  const { name, namespace, annotations } = objectOf(sandbox.get('configmaps', NAMESPACE, STATE)?.metadata);
  const data = stateOf(sandbox);
  const shown = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data };
  printIndented(screen, stringify(shown, { lineWidth: 0, sortMapEntries: true }).trimEnd());
}

function printIndented(screen: Stage['screen'], text: string): void {
  screen.print(...text.split('\n').map((line) => `  ${line}`));
}
