/** The annotations that say when a workload may be rolled: windows and holds, and objects whose changes are urgent. */

import type { Finding } from '../model/finding.ts';
import { type ConfigRef, describe } from '../model/object-ref.ts';
import { parseReloadWindow, type ReloadWindow } from '../model/reload-window.ts';
import { parseStages, type StageEnd } from '../model/settings.ts';
import type { Workload } from '../model/workload.ts';
import { malformedFinding, quoted } from './malformed.ts';
import { remembered } from './remembered.ts';
import type { ConfigAnnotations } from './vocabularies.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

/** On a workload: when it may be rolled; takes precedence over the flag. */
const WINDOW: string = `${NATIVE_PREFIX}/reload-window`;
/** On a workload or an object: nothing is rolled, always or until a time. */
export const HOLD: string = `${NATIVE_PREFIX}/hold`;
/** On an object: its changes wait for no window and no pause. */
const URGENT: string = `${NATIVE_PREFIX}/urgent`;

/** On an object: the stages of its changes; takes precedence over the flag. */
const STAGES: string = `${NATIVE_PREFIX}/stages`;
/** On an object: the token of a halt that a person lets go on. */
export const RESUME: string = `${NATIVE_PREFIX}/resume`;
/** On a workload: its place in the stages; the lowest number comes first. */
const ORDER: string = `${NATIVE_PREFIX}/rollout-order`;
/** On a workload: it comes before all others in the stages. */
const CANARY: string = `${NATIVE_PREFIX}/canary`;

/** The annotations of workloads that are read here; they count with any vocabularies in use. */
export const GATING_ANNOTATIONS: readonly string[] = [WINDOW, HOLD, ORDER, CANARY];
/** Those of objects. */
export const CONFIG_GATING_ANNOTATIONS: readonly string[] = [HOLD, URGENT, STAGES, RESUME];

type Annotations = Readonly<Record<string, string>>;

/** RFC 3339, with a zone: a time of day alone would mean another moment on each machine. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;
const parsedWindow: (text: string) => ReloadWindow | string = remembered(parseReloadWindow);

/** The window of a workload; `usual`, the text of the flag, counts without an annotation, and if that cannot be parsed. */
export function reloadWindowOf(
  { annotations }: Workload,
  usual: string | undefined,
): ReloadWindow | undefined {
  const windows = [annotations[WINDOW], usual].map((text) => (text === undefined ? '' : parsedWindow(text)));
  return windows.find((window) => typeof window !== 'string');
}

/** Until when a workload or an object with these annotations is held, in ms since 1970; undefined: it is not. */
export function heldUntil(annotations: Annotations): number | undefined {
  const value = annotations[HOLD];
  if (value === 'true') return Number.POSITIVE_INFINITY;
  return value !== undefined && MOMENT.test(value) ? Date.parse(value) || undefined : undefined;
}

/** Whether the changes of an object with these annotations wait for no window and no pause. */
export function isUrgent(annotations: ConfigAnnotations): boolean {
  return annotations[URGENT] === 'true';
}

/** The stages of an object with these annotations; `usual`, those of the flag, count without an annotation that can be parsed. */
export function stagesOf(
  annotations: ConfigAnnotations,
  usual: readonly StageEnd[] | undefined,
): readonly StageEnd[] | undefined {
  const text = annotations[STAGES];
  return (text === undefined ? undefined : parseStages(text)) ?? usual;
}

/** Whether a person lets the halt with this token go on. */
export function isResumedBy(annotations: ConfigAnnotations, token: string): boolean {
  return annotations[RESUME] === token;
}

/** The place of a workload in the stages: the lowest number comes first, a canary before all. */
export function rolloutOrderOf({ annotations }: Workload): number {
  if (annotations[CANARY] === 'true') return Number.NEGATIVE_INFINITY;
  return orderIn(annotations[ORDER]) ?? 0;
}

function orderIn(text = ''): number | undefined {
  return /^\s*-?\d{1,6}\s*$/.test(text) ? Number(text) : undefined;
}

/** The findings about values that cannot be parsed, of a workload. */
export function gatingMistakes({ annotations }: Workload): readonly Finding[] {
  const text = annotations[WINDOW];
  const window = text === undefined ? undefined : parsedWindow(text);
  const order = annotations[ORDER];
  const mistakes = [
    ...holdMistakes(annotations, ''),
    ...booleanMistakes(annotations, CANARY, ''),
    ...(order === undefined || orderIn(order) !== undefined
      ? []
      : [malformedFinding(ORDER, quoted(order), 'is no number such as 10 or -1 and does not count')]),
  ];
  if (text === undefined || typeof window !== 'string') return mistakes;
  return [malformedFinding(WINDOW, quoted(text), `${window}; it does not count`), ...mistakes];
}

/** The same, of an object that a workload follows. */
export function configGatingMistakes(ref: ConfigRef, annotations: ConfigAnnotations): readonly Finding[] {
  const of = ` of ${describe(ref)}`;
  const stages = annotations[STAGES];
  const remedy =
    'does not count; write at most 20 numbers of workloads or percentages such as 1,10%,50%,100%';
  return [
    ...booleanMistakes(annotations, URGENT, of),
    ...holdMistakes(annotations, of),
    ...(stages === undefined || parseStages(stages) !== undefined
      ? []
      : [malformedFinding(`${STAGES}${of}`, quoted(stages), remedy)]),
  ];
}

function booleanMistakes(annotations: Annotations, key: string, of: string): readonly Finding[] {
  const value = annotations[key];
  if (value === undefined || value === 'true' || value === 'false') return [];
  const remedy = `is neither true nor false and does not count; write ${key}: "true"`;
  return [malformedFinding(`${key}${of}`, quoted(value), remedy)];
}

function holdMistakes(annotations: Annotations, of: string): readonly Finding[] {
  const value = annotations[HOLD];
  if (value === undefined || value === 'false' || heldUntil(annotations) !== undefined) return [];
  const remedy = 'holds nothing; write true, or a time such as 2030-01-31T18:00:00Z';
  return [malformedFinding(`${HOLD}${of}`, quoted(value), remedy)];
}
