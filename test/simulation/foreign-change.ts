/** What a write changed that is not the reloader's to change. */

import { isDeepStrictEqual } from 'node:util';
import type { WriteFact } from './trace.ts';

/** What is different between two versions beside our own marks; undefined: nothing. */
export function foreignChange(to: WriteFact['to'], before: unknown, after: unknown): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const strip = to === 'state' || to === 'mark' ? withoutEntries : withoutStamps;
  const [old, now] = [strip(before), strip(after)];
  if (to.startsWith('Rollout/')) for (const each of [old, now]) withoutRestart(each as Loose);
  return firstDifference(old, now, '');
}

const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';
/** What SAP's controller leaves on a workload goes with a rollout. */
const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
/** It is used up by a rollout; that none is given by one is another law. */
const APPROVED = 'reloader.k8s.collaborne.com/approved';
const STAMPS = 'reloader.k8s.collaborne.com/stamps';
const RESTARTED_AT = 'reloader.k8s.collaborne.com/restarted-at';
const SOURCE = 'reloader.k8s.collaborne.com/last-reloaded-from';
const OF_TEMPLATES = [STAMPS, SOURCE, SAP_HASH, 'wave.pusher.com/config-hash'];
const OWN_KEY = /^([a-z0-9-]+_)?v1\.(ConfigMap|Secret|SecretProviderClass)_/;
const OF_THE_SERVER = [
  'resourceVersion',
  'generation',
  'managedFields',
  'deprecated.daemonset.template.generation',
];

function withoutEntries(state: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(state), (key, value) =>
    OF_THE_SERVER.includes(key) ? undefined : value,
  );
  for (const key of Object.keys(copy.data ?? {})) if (OWN_KEY.test(key)) delete copy.data[key];
  for (const key of Object.keys(copy.metadata.annotations ?? {})) {
    if (key.startsWith('reloader.k8s.collaborne.com/')) delete copy.metadata.annotations[key];
  }
  if (Object.keys(copy.data ?? {}).length === 0) delete copy.data;
  if (Object.keys(copy.metadata.annotations ?? {}).length === 0) delete copy.metadata.annotations;
  return copy;
}

interface Loose {
  metadata: { annotations?: Record<string, string> };
  spec: { restartAt?: string };
}

/** A restart, and its record. */
function withoutRestart({ metadata, spec }: Loose): void {
  withoutAnnotations(metadata, [STAMPS, RESTARTED_AT]);
  delete spec.restartAt;
}

function withoutStamps(workload: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(workload), (key, value) =>
    OF_THE_SERVER.includes(key) ? undefined : value,
  );
  delete copy.status;
  // The API server says nothing of one that is not paused.
  if (copy.spec?.paused === false) delete copy.spec.paused;
  // A pause without it is a person's.
  if (copy.metadata?.annotations?.[PAUSED_AT] !== undefined) {
    delete copy.metadata.annotations[PAUSED_AT];
    delete copy.spec.paused;
  }
  withoutAnnotations(copy.metadata, [SAP_HASH, APPROVED]);
  withoutAnnotations(copy.spec?.template?.metadata, OF_TEMPLATES);
  for (const container of copy.spec?.template?.spec?.containers ?? []) {
    const own = (container.env ?? []).filter(
      ({ name }: { name: string }) => !/^(?:_RELOADER|STAKATER)_/.test(name),
    );
    if (own.length === 0) delete container.env;
    else container.env = own;
  }
  return copy;
}

function withoutAnnotations(
  metadata: { annotations?: Record<string, string> } | undefined,
  keys: readonly string[],
): void {
  if (metadata?.annotations === undefined) return;
  for (const key of keys) delete metadata.annotations[key];
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
}

function firstDifference(before: unknown, after: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  if (!isObject(before) || !isObject(after)) return path;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const found = firstDifference(before[key], after[key], `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return path;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
