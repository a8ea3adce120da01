/** Findings about objects that a workload names and that are missing or not watched. */

import type { Finding, MissingObject } from '../model/finding.ts';
import { type ConfigRef, describe, wholeOf } from '../model/object-ref.ts';
import { listedText } from '../model/text.ts';
import { itemsOf, listText, nameWithin } from './name-list.ts';
import type { PolicyKeys } from './policy-keys.ts';

type Annotations = Readonly<Record<string, string>>;

/** How many objects a finding names. */
const MOST_SHOWN = 10;

/** The annotations by which a workload names a missing object. */
export interface Naming {
  /** The annotations of the workload; some of `keys` name the object. */
  readonly annotations: Annotations;
  readonly keys: PolicyKeys;
  /** Whether it names another object too. */
  readonly isFollowed: (ref: ConfigRef) => boolean;
}

/** The findings about `missingObjects`, all of which the workload names: one for each sort. */
export function missingObjectFindings(
  missingObjects: readonly MissingObject[],
  namingOf: (missingObject: MissingObject) => Naming,
): readonly Finding[] {
  return [...Map.groupBy(missingObjects, sortOf)].map(([reason, alike]) => {
    const [first, ...others] = alike;
    if (first === undefined || others.length > 0) return together(reason, alike, namingOf);
    return findingOf(reason, first, namingOf(first));
  });
}

/** The sorts of missing objects by reason, each with its predicate for a message. */
const SORTS = {
  'state-named': 'are the states of reloaders',
  'secret-not-watched': 'are of types that are not watched',
  'unselected-object': 'do not have the labels that are watched',
  missing: 'do not exist',
} as const;

type Sort = keyof typeof SORTS;

function sortOf({ isState = false, leftOutType, isUnselected }: MissingObject): Sort {
  if (isState) return 'state-named';
  if (leftOutType !== undefined) return 'secret-not-watched';
  return isUnselected ? 'unselected-object' : 'missing';
}

/** One finding for several objects: it suggests a name for each, but does not spell out the corrected annotations. */
function together(
  reason: Sort,
  missingObjects: readonly MissingObject[],
  namingOf: (missingObject: MissingObject) => Naming,
): Finding {
  const abouts = missingObjects.map(({ ref }) => describe(wholeOf(ref)));
  const shown = missingObjects.slice(0, MOST_SHOWN).map((missingObject, index) => {
    const meant = reason === 'missing' ? meantBy(missingObject, namingOf(missingObject)) : undefined;
    return `${abouts[index]}${meant === undefined ? '' : ` (is it ${describe(meant)}?)`}`;
  });
  const more =
    missingObjects.length > shown.length ? ` and ${missingObjects.length - shown.length} more` : '';
  const remedy = reason === 'missing' ? 'create them, or take them out' : 'take them out';
  const message = `${shown.join(', ')}${more} ${SORTS[reason]}: nothing is rolled for them; ${remedy} of the annotation`;
  return { reason, about: listedText(abouts, MOST_SHOWN), covers: abouts, message };
}

function findingOf(reason: Sort, missingObject: MissingObject, naming: Naming): Finding {
  const about = describe(wholeOf(missingObject.ref));
  return { reason, about, message: messageOf(reason, missingObject, naming, about) };
}

function messageOf(reason: Sort, missingObject: MissingObject, naming: Naming, about: string): string {
  const { ref, leftOutType, selector } = missingObject;
  const mended = (other?: ConfigRef): string => mendedText(naming, ref, other);
  if (reason === 'state-named')
    return `a reloader keeps its state in ${about}: nothing is rolled for it; ${mended()}`;
  if (reason === 'secret-not-watched')
    return `${about} is of the type ${leftOutType}, which is not watched: nothing is rolled for it; ${mended()}`;
  if (reason === 'unselected-object')
    return `${about} does not have the labels that are watched (${selector}): nothing is rolled for it; label it, or ${mended()}`;
  const meant = meantBy(missingObject, naming);
  const remedy =
    meant === undefined ? `create it, or ${mended()}` : `if it is ${describe(meant)}, ${mended(meant)}`;
  // An object that is created later without these labels never reaches the reloader.
  const without =
    selector === undefined ? '' : `, at least not with the labels that are watched (${selector})`;
  return `${about} does not exist${without}: nothing is rolled for it; ${remedy}`;
}

function meantBy({ similar }: MissingObject, { isFollowed }: Naming): ConfigRef | undefined {
  return similar.find((other) => !isFollowed(other));
}

/** The correction of the annotations that name `ref`: with `meant` in its place, or without it. */
function mendedText({ annotations, keys }: Naming, ref: ConfigRef, meant: ConfigRef | undefined): string {
  const isSameKind = meant?.kind === ref.kind;
  const isMeant = (item: string): boolean => nameWithin(ref.namespace, item) === ref.name;
  const steps = (keys.get(ref.kind) ?? [])
    .filter((key) => itemsOf(annotations[key]).some(isMeant))
    .map((key) => {
      const items = itemsOf(annotations[key]).flatMap((item) => {
        if (!isMeant(item)) return [item];
        return meant !== undefined && isSameKind ? [meant.name] : [];
      });
      if (items.length === 0) return `remove ${key}`;
      const text = listText(key, items);
      if (text !== undefined) return `write ${text}`;
      return meant !== undefined && isSameKind
        ? `write ${meant.name} in ${key}`
        : `take ${ref.name} out of ${key}`;
    });
  const key = meant && keys.get(meant.kind)?.[0];
  if (meant === undefined || key === undefined || isSameKind) return steps.join(' and ');
  const text = listText(key, [...itemsOf(annotations[key]), meant.name]);
  return [text === undefined ? `add ${meant.name} to ${key}` : `write ${text}`, ...steps].join(' and ');
}
