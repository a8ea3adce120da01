/** What is said of an object that a workload names and that is not there, or not watched. */

import type { Absence } from '../model/absence.ts';
import type { Notice } from '../model/notice.ts';
import { type ConfigRef, describe, keyOf } from '../model/object-ref.ts';
import { annotationText, itemsOf } from './name-list.ts';
import type { PolicyKeys } from './policy-keys.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * The notice of `absence`, against a workload that names the object under some of `keys` of these annotations, and by them
 * follows these objects.
 */
export function absenceNotice(
  { ref, leftOutType, isUnselected, selector, similar }: Absence,
  annotations: Annotations,
  follows: readonly ConfigRef[],
  keys: PolicyKeys,
): Notice {
  const about = describe(ref);
  const followed = new Set(follows.map(keyOf));
  const meant = similar.find((other) => !followed.has(keyOf(other)));
  const mended = (other?: ConfigRef): string => mendedText(annotations, keys, ref, other);
  if (leftOutType !== undefined) {
    const message = `${about} is of the type ${leftOutType}, which is not watched: nothing is rolled for it; ${mended()}`;
    return { reason: 'left-out', about, message };
  }
  if (isUnselected) {
    const message = `${about} does not have the labels that are watched (${selector}): nothing is rolled for it; label it, or ${mended()}`;
    return { reason: 'unselected-object', about, message };
  }
  const remedy =
    meant === undefined ? `create it, or ${mended()}` : `if it is ${describe(meant)}, ${mended(meant)}`;
  // One that is created later without them is never heard of.
  const without =
    selector === undefined ? '' : `, at least not with the labels that are watched (${selector})`;
  return {
    reason: 'missing',
    about,
    message: `${about} does not exist${without}: nothing is rolled for it; ${remedy}`,
  };
}

/** How the annotations would be right that name `ref`: with `meant` instead, or without it. */
function mendedText(
  annotations: Annotations,
  keys: PolicyKeys,
  ref: ConfigRef,
  meant: ConfigRef | undefined,
): string {
  const isSameKind = meant?.kind === ref.kind;
  const steps = (keys.get(ref.kind) ?? [])
    .filter((key) => itemsOf(annotations[key]).includes(ref.name))
    .map((key) => {
      const items = itemsOf(annotations[key]).flatMap((item) => {
        if (item !== ref.name) return [item];
        return meant !== undefined && isSameKind ? [meant.name] : [];
      });
      return items.length === 0 ? `remove ${key}` : `write ${annotationText(key, items)}`;
    });
  const key = meant && keys.get(meant.kind)?.[0];
  if (meant === undefined || key === undefined || isSameKind) return steps.join(' and ');
  return [`write ${annotationText(key, [...itemsOf(annotations[key]), meant.name])}`, ...steps].join(' and ');
}
