/** What the state ConfigMap says, in terms of contents. */

import { entryKeyOf, exceptionsKeyOf } from '../../lib/model/state-entry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, STATE_NAME, split } from './api.ts';
import { contentOfDigest } from './contents.ts';
import type { ConfigName, Content, WorkloadName } from './history.ts';
import { CONFIGS } from './manifests.ts';
import type { StateFact } from './trace.ts';

/** What it says now; nothing if it is not there. */
export function stateFactOf(sandbox: Sandbox, workloads: readonly WorkloadName[]): StateFact {
  const object = sandbox.get('configmaps', NAMESPACE, STATE_NAME) as LooseObject | undefined;
  const data = object?.data ?? {};
  const entries: Record<ConfigName, Content | 'other'> = {};
  for (const config of CONFIGS) {
    const value = data[entryKey(config)];
    if (value !== undefined) entries[config] = contentOfDigest(config, value.replace(/\.\d+$/, ''));
  }
  const exceptions: Record<WorkloadName, Record<ConfigName, Content | '?' | 'other'>> = {};
  for (const workload of workloads) {
    const value = data[exceptionsKey(workload)];
    if (value !== undefined) exceptions[workload] = exceptionsOf(value);
  }
  return { entries, exceptions };
}

/** The key of an object's entry. */
export function entryKey(config: ConfigName): string {
  const { kind, name } = split(config);
  return entryKeyOf(
    { kind: kind === 'Secret' ? 'Secret' : 'ConfigMap', namespace: NAMESPACE, name },
    NAMESPACE,
  );
}

/** The key of a workload's exceptions. */
export function exceptionsKey(workload: WorkloadName): string {
  return exceptionsKeyOf({ ...split(workload), namespace: NAMESPACE }, NAMESPACE);
}

function exceptionsOf(text: string): Record<ConfigName, Content | '?' | 'other'> {
  const ran = JSON.parse(text) as Record<string, string>;
  const ofConfig = (config: ConfigName) => {
    const value = ran[entryKey(config)];
    if (value === undefined) return [];
    return [[config, value === '?' ? '?' : contentOfDigest(config, value)] as const];
  };
  return Object.fromEntries(CONFIGS.flatMap(ofConfig));
}
