/** The marks of a live pod template that an update lacks, or has in an earlier version. */

import { isDeepStrictEqual } from 'node:util';
import {
  annotatedStamps,
  isStamp,
  stampsText,
  type TemplatePatch,
  templatePatchOf,
} from '../model/rollout-plan.ts';
import { parseStamp } from '../model/stamp.ts';
import { ANNOTATIONS, STAMPS_ANNOTATION, type TemplateStamp, type Workload } from '../model/workload.ts';

/** What the live template carries. */
export interface LiveMarks {
  readonly marks: readonly TemplateStamp[];
  /** Its STAMPS_ANNOTATION as it stands. */
  readonly text: string | undefined;
}

type MarksByVariable = ReadonlyMap<string, readonly TemplateStamp[]>;

/**
 * What puts the live marks back into `update`: stamps of followed objects that it lacks or has with a lower number, and the
 * further annotations that it lacks, or has from the time of older stamps. Undefined if there are none.
 *
 * @param objects the variables of each object that the workload follows
 */
export function lackingIn(
  update: Workload,
  live: LiveMarks,
  objects: readonly (readonly string[])[],
): TemplatePatch | undefined {
  const known = new Set(live.marks.map(textOf));
  const marks = Map.groupBy(update.stamps, ({ variable }) => variable);
  const foreign = Map.groupBy(
    update.stamps.filter((mark) => !known.has(textOf(mark))),
    ({ variable }) => variable,
  );
  const object = new Map(
    objects.toReversed().flatMap((names) => names.map((name) => [name, names] as const)),
  );
  const [stamps, others] = [live.marks.filter(isStamp), live.marks.filter((mark) => !isStamp(mark))];
  const lackingStamps = stamps.filter((mark) =>
    isStampLacking({ marks, foreign }, mark, object.get(mark.variable)),
  );
  const isOld = lackingStamps.some(({ variable }) => marks.has(variable));
  const lacking = [
    ...lackingStamps,
    ...others.filter((mark) => isOtherLacking(marks.get(mark.variable), mark, isOld)),
  ];
  if (lacking.length === 0) return undefined;
  return templatePatchOf(lacking, annotationPatch(update, live, lacking));
}

/** The highest number among the stamps in `variables`; below every number if there is none. */
export function sequenceIn(marks: readonly TemplateStamp[], variables: readonly string[]): number {
  const own = marks.filter((mark) => isStamp(mark) && variables.includes(mark.variable));
  return Math.max(Number.NEGATIVE_INFINITY, ...own.map(numberOf));
}

/** Not where the update says as much of the object under that name, or more that is new under any. */
function isStampLacking(
  { marks, foreign }: { readonly marks: MarksByVariable; readonly foreign: MarksByVariable },
  mark: TemplateStamp,
  variables: readonly string[] | undefined,
): boolean {
  if (variables === undefined) return false;
  const number = numberOf(mark);
  const own = marks.get(mark.variable) ?? [];
  const others = variables.flatMap((variable) => foreign.get(variable) ?? []);
  return sequenceIn(own, [mark.variable]) < number && sequenceIn(others, variables) <= number;
}

/** Equal for equal marks alone. */
function textOf({ container, variable, value }: TemplateStamp): string {
  return JSON.stringify([container, variable, value]);
}

/** Annotations beside stamps are the owner's where the owner writes them, but not where they came with older stamps. */
function isOtherLacking(
  [present]: readonly TemplateStamp[] = [],
  { variable, value }: TemplateStamp,
  isOld: boolean,
): boolean {
  if (variable === STAMPS_ANNOTATION) return false;
  return present === undefined || (isOld && present.value !== value);
}

/** A value that is no stamp of ours is another program's: as old as can be. */
function numberOf({ value }: TemplateStamp): number {
  return parseStamp(value)?.sequence ?? 0;
}

/** The stamps of all objects are one annotation; where all of them are there it is the live one to the letter. */
function annotationPatch(
  update: Workload,
  live: LiveMarks,
  lacking: readonly TemplateStamp[],
): Record<string, string | null> {
  const ours = lacking.filter(({ container }) => container === ANNOTATIONS);
  const others = ours.filter((mark) => !isStamp(mark)).map(({ variable, value }) => [variable, value]);
  if (!ours.some(isStamp)) return Object.fromEntries(others);
  const stamps = { ...annotatedStamps(update.stamps), ...annotatedStamps(ours) };
  const isWhole = live.text !== undefined && isDeepStrictEqual(stamps, annotatedStamps(live.marks));
  const text = isWhole ? live.text : stampsText(stamps);
  return { ...Object.fromEntries(others), [STAMPS_ANNOTATION]: text };
}
