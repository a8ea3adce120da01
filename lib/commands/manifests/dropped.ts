/** What a manifest drops from an object, if `kubectl apply` has not written it. */

import { isDeepStrictEqual } from 'node:util';
import { configKindOf, keyOf } from '../../model/object-ref.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import type { Store } from '../../store/store.ts';
import { type InstalledReloader, watches } from '../installed-reloader.ts';
import { appliedTo, lastAppliedTo } from './apply.ts';
import type { ServedRow } from './manifest-cluster.ts';
import { readIn } from './shapes.ts';

/** Answers what the object is after the manifest is applied. */
export type Applied = (before: RawObject, manifest: RawObject, row: ServedRow) => RawObject;

/** `isWhole`: all that is there was applied. What may go stays, and becomes one of `mayGo`. */
export function appliedIn(
  { settings: { vocabularies }, dependents }: Store,
  reloader: InstalledReloader,
  isWhole: boolean,
): Readonly<{ applied: Applied; mayGo: readonly string[] }> {
  const { resourceLabelSelector, namespaceSelector } = reloader.options;
  const mayGo: string[] = [];
  const isRead = (key: string): boolean =>
    vocabularies.isPolicyAnnotation(key) ||
    vocabularies.isConfigAnnotation(key) ||
    vocabularies.isPolicyLabel(key) ||
    `${resourceLabelSelector},${namespaceSelector}`.includes(key);
  const applied: Applied = (before, manifest, row) => {
    const last = isWhole ? before : lastAppliedTo(before);
    if (last !== undefined) return appliedTo(before, manifest, last);
    const kept = appliedTo(before, manifest);
    const gone = appliedTo(before, manifest, readIn(before, row.stream, isRead));
    const { name, namespace = name } = before.metadata;
    const kind = configKindOf(row.stream);
    const isFollowed = !kind || dependents.of(keyOf({ kind, namespace, name })).size > 0;
    if (isFollowed && watches(reloader, namespace) && !isDeepStrictEqual(kept, gone))
      mayGo.push(
        `whether what the manifest of ${row.kind}/${name} lacks goes: \`kubectl apply\` did not write it`,
      );
    return kept;
  };
  return { applied, mayGo };
}
