/** What a manifest drops from an object, if `kubectl apply` has not written it. */

import type { Vocabularies } from '../../annotations/vocabularies.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import type { Options } from '../../options/options.ts';
import { appliedTo, lastAppliedTo, lostIn } from './apply.ts';
import type { ServedRow } from './manifest-cluster.ts';
import { readIn } from './shapes.ts';

/** Answers what the object is after the manifest is applied. */
export type Applied = (before: RawObject, manifest: RawObject, row: ServedRow) => RawObject;

/** `isWhole`: all that is there was applied. What may go is added to `mayGo`; without that, it goes. */
export function appliedIn(
  vocabularies: Vocabularies,
  { resourceLabelSelector, namespaceSelector }: Options,
  isWhole: boolean,
  mayGo?: string[],
): Applied {
  const isRead = (key: string): boolean =>
    vocabularies.isPolicyAnnotation(key) ||
    vocabularies.isConfigAnnotation(key) ||
    vocabularies.isPolicyLabel(key) ||
    `${resourceLabelSelector},${namespaceSelector}`.includes(key);
  return (before, manifest, row) => {
    const last = isWhole ? before : lastAppliedTo(before);
    if (last !== undefined) return appliedTo(before, manifest, last);
    const kept = appliedTo(before, manifest);
    const gone = appliedTo(before, manifest, readIn(before, row.stream, isRead));
    if (mayGo === undefined) return gone;
    const lost = lostIn(kept, gone).join(' and ');
    const about = `${row.kind}/${manifest.metadata.name}`;
    if (lost) mayGo.push(`whether ${lost} of ${about} would go: \`kubectl apply\` did not write it`);
    return kept;
  };
}
