/** What of a workload's annotations cannot be meant as it stands, and how it would be right. */

import type { Notice } from '../model/notice.ts';
import type { Stray, Workload } from '../model/workload.ts';
import { annotationText, isObjectName, itemsOf, meantNames } from './name-list.ts';
import { meantKey, nativeKeyOf, type PolicyKeys } from './policy-keys.ts';

type Rule = (workload: Workload, keys: PolicyKeys) => readonly Notice[];

const RULES: readonly Rule[] = [malformed, misplaced, mistyped];
const LONGEST_ITEM = 60;
const NONE: readonly Notice[] = [];

/** The mistakes in the annotations of `workload`, where `keys` are read. */
export function mistakesOf(workload: Workload, keys: PolicyKeys): readonly Notice[] {
  return RULES.flatMap((rule) => rule(workload, keys));
}

function malformed({ annotations }: Workload, keys: PolicyKeys): readonly Notice[] {
  return [...keys.values()].flat().flatMap((key): readonly Notice[] => {
    const items = itemsOf(annotations[key]).filter((item) => !isObjectName(item));
    if (items.length === 0) return NONE;
    const cut = items.map((item) => JSON.stringify(item.slice(0, LONGEST_ITEM))).join(', ');
    const names = meantNames(annotations[key]);
    const remedy =
      names.length === 0 ? 'list names, separated by commas' : `write ${annotationText(key, names)}`;
    const message = `${cut} of ${key} cannot be the name of an object; ${remedy}`;
    return [{ reason: 'malformed', about: `${key}: ${cut}`, message }];
  });
}

/** An annotation that the workload itself has too stands on the template for another's eyes. */
function misplaced({ annotations, strays }: Workload): readonly Notice[] {
  const isMissed = ({ key, isOnTemplate }: Stray): boolean => isOnTemplate && annotations[key] === undefined;
  return strays.filter(isMissed).map(({ key, value }) => {
    const remedy = `write on the workload itself ${annotationText(key, meantNames(value))}`;
    const message = `${key} stands on the pod template, where nobody reads it; ${remedy}`;
    return { reason: 'misplaced', about: key, message };
  });
}

function mistyped({ annotations, strays }: Workload, keys: PolicyKeys): readonly Notice[] {
  return strays
    .filter(({ isOnTemplate }) => !isOnTemplate)
    .map(({ key, value }) => {
      const meant = meantKey(key, keys);
      const remedy =
        meant === undefined
          ? `there are ${[...keys.keys()].map(nativeKeyOf).join(' and ')}`
          : `write ${annotationText(meant, meantNames(`${annotations[meant] ?? ''},${value}`))}`;
      return { reason: 'mistyped', about: key, message: `nobody reads the annotation ${key}; ${remedy}` };
    });
}
