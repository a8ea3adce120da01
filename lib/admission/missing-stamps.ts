/** The stamps of a live pod template that are missing in an update, or older there. */

import { isDeepStrictEqual } from 'node:util';
import { stampIdentity } from '../annotations/second-reloader.ts';
import { annotatedStamps, isStamp, stampsText, templatePatchOf } from '../model/rollout-plan.ts';
import { parseStamp } from '../model/stamp.ts';
import type { TemplatePatch } from '../model/template-patch.ts';
import { ANNOTATIONS, STAMPS_ANNOTATION, type TemplateStamp, type Workload } from '../model/workload.ts';

/** The stamps of the live template. */
export interface LiveStamps {
  readonly stamps: readonly TemplateStamp[];
  /** The verbatim value of its STAMPS_ANNOTATION. */
  readonly text: string | undefined;
}

type StampsByVariable = ReadonlyMap<string, readonly TemplateStamp[]>;

/**
 * The patch that puts the live stamps back into `update`: stamps of followed objects that are missing or have a lower sequence,
 * and further annotations that are missing, or belong to older stamps. Undefined if there are none.
 *
 * @param objects the variables of each object that the workload follows
 */
export function missingStampsIn(
  update: Workload,
  live: LiveStamps,
  objects: readonly (readonly string[])[],
): TemplatePatch | undefined {
  const known = new Set(live.stamps.map(stampIdentity));
  const byVariable = Map.groupBy(update.stamps, ({ variable }) => variable);
  const foreign = Map.groupBy(
    update.stamps.filter((stamp) => !known.has(stampIdentity(stamp))),
    ({ variable }) => variable,
  );
  const object = new Map(
    objects.toReversed().flatMap((names) => names.map((name) => [name, names] as const)),
  );
  const [stamps, others] = [live.stamps.filter(isStamp), live.stamps.filter((stamp) => !isStamp(stamp))];
  const missingStamps = stamps.filter((stamp) =>
    isStampMissing({ byVariable, foreign }, stamp, object.get(stamp.variable)),
  );
  const isOld = missingStamps.some(({ variable }) => byVariable.has(variable));
  const missing = [
    ...missingStamps,
    ...others.filter((stamp) => isOtherMissing(byVariable.get(stamp.variable), stamp, isOld)),
  ];
  if (missing.length === 0) return undefined;
  return templatePatchOf(missing, annotationPatch(update, live, missing));
}

/** The highest sequence among the stamps in `variables`; -Infinity if there is none. */
export function sequenceIn(stamps: readonly TemplateStamp[], variables: readonly string[]): number {
  const own = stamps.filter((stamp) => isStamp(stamp) && variables.includes(stamp.variable));
  return Math.max(Number.NEGATIVE_INFINITY, ...own.map(numberOf));
}

/**
 * A stamp is not missing if the update has an equal or higher sequence under its variable, or a new stamp of a higher one
 * elsewhere.
 */
function isStampMissing(
  { byVariable, foreign }: { readonly byVariable: StampsByVariable; readonly foreign: StampsByVariable },
  stamp: TemplateStamp,
  variables: readonly string[] | undefined,
): boolean {
  if (variables === undefined) return false;
  const number = numberOf(stamp);
  const own = byVariable.get(stamp.variable) ?? [];
  const others = variables.flatMap((variable) => foreign.get(variable) ?? []);
  return sequenceIn(own, [stamp.variable]) < number && sequenceIn(others, variables) <= number;
}

/** An annotation beside stamps in the update belongs to its writer, unless it came with older stamps. */
function isOtherMissing(
  [present]: readonly TemplateStamp[] = [],
  { variable, value }: TemplateStamp,
  isOld: boolean,
): boolean {
  if (variable === STAMPS_ANNOTATION) return false;
  return present === undefined || (isOld && present.value !== value);
}

/** The sequence of a stamp; a value of another program counts as the oldest. */
function numberOf({ value }: TemplateStamp): number {
  return parseStamp(value)?.sequence ?? 0;
}

/**
 * All stamps share one annotation. If it has the same stamps as the live one, its text is the live one exactly, so no pod
 * starts.
 */
function annotationPatch(
  update: Workload,
  live: LiveStamps,
  missing: readonly TemplateStamp[],
): Record<string, string | null> {
  const ours = missing.filter(({ container }) => container === ANNOTATIONS);
  const others = ours.filter((stamp) => !isStamp(stamp)).map(({ variable, value }) => [variable, value]);
  if (!ours.some(isStamp)) return Object.fromEntries(others);
  const stamps = { ...annotatedStamps(update.stamps), ...annotatedStamps(ours) };
  const isWhole = live.text !== undefined && isDeepStrictEqual(stamps, annotatedStamps(live.stamps));
  const text = isWhole ? live.text : stampsText(stamps);
  return { ...Object.fromEntries(others), [STAMPS_ANNOTATION]: text };
}
