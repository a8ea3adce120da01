/** What is said of an object that a workload names and that is not there, or not watched. */

import type { Absence } from '../model/absence.ts';
import type { Notice } from '../model/notice.ts';
import { type ConfigRef, describe, describeFrom, keyOf, wholeOf } from '../model/object-ref.ts';
import { itemsOf, listText } from './name-list.ts';
import type { PolicyKeys } from './policy-keys.ts';

type Annotations = Readonly<Record<string, string>>;

/** A workload that names an object which is not there. */
export interface Naming {
  /** In which it names it, under some of `keys`. */
  readonly annotations: Annotations;
  readonly keys: PolicyKeys;
  /** All that it follows by them. */
  readonly follows: readonly ConfigRef[];
  /** Its own. */
  readonly namespace: string;
}

/** The notice of `absence`, against such a workload. */
export function absenceNotice(
  { ref, leftOutType, isUnselected, isState = false, selector, similar }: Absence,
  naming: Naming,
): Notice {
  const about = describeFrom(naming.namespace, ref);
  const followed = new Set(naming.follows.map((ref) => keyOf(wholeOf(ref))));
  const meant = similar.find((other) => !followed.has(keyOf(other)));
  const mended = (other?: ConfigRef): string => mendedText(naming, ref, other);
  if (isState) {
    const message = `a reloader keeps its state in ${about}: nothing is rolled for it; ${mended()}`;
    return { reason: 'state-named', about, message };
  }
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
  { annotations, keys, namespace }: Naming,
  ref: ConfigRef,
  meant: ConfigRef | undefined,
): string {
  const isSameKind = meant?.kind === ref.kind;
  const isElsewhere = ref.namespace !== namespace;
  const spelled = (name: string): string => (isElsewhere ? `${ref.namespace}/${name}` : name);
  const isMeant = (item: string): boolean =>
    item === spelled(ref.name) || item === `${ref.namespace}/${ref.name}`;
  const steps = (keys.get(ref.kind) ?? [])
    .filter((key) => itemsOf(annotations[key]).some(isMeant))
    .map((key) => {
      const items = itemsOf(annotations[key]).flatMap((item) => {
        if (!isMeant(item)) return [item];
        return meant !== undefined && isSameKind ? [spelled(meant.name)] : [];
      });
      return items.length === 0 ? `remove ${key}` : `write ${listText(key, items)}`;
    });
  const key = meant && keys.get(meant.kind)?.[0];
  if (meant === undefined || key === undefined || isSameKind) return steps.join(' and ');
  return [`write ${listText(key, [...itemsOf(annotations[key]), spelled(meant.name)])}`, ...steps].join(
    ' and ',
  );
}
