/**
 * The annotations that say when a workload may be rolled: windows, holds, approvals, those by which nothing is ever rolled, and objects
 * whose changes are urgent. Those of workloads may also stand on their namespace; the first of several `levels` counts, the workload's own.
 */

import { createHash } from 'node:crypto';
import type { Finding } from '../model/finding.ts';
import { type ConfigRef, describe, type WorkloadRef } from '../model/object-ref.ts';
import { parseReloadWindow, type ReloadWindow } from '../model/reload-window.ts';
import { parseStages, type StageEnd } from '../model/settings.ts';
import {
  type Annotations,
  APPROVAL_ANNOTATION,
  HOLD_ANNOTATION,
  NOTIFY_ONLY_ANNOTATION,
  type Workload,
} from '../model/workload.ts';
import { type Checks, malformedFindings, truthCheck } from './malformed.ts';
import { remembered } from './remembered.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

/** On a workload: when it may be rolled; takes precedence over the flag. */
const WINDOW: string = `${NATIVE_PREFIX}/reload-window`;
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

/** RFC 3339 with a zone, and its day. */
const MOMENT = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;
const parsedWindow: (text: string) => ReloadWindow | string = remembered(parseReloadWindow);
/** Hexadecimal digits of a token: it tells contents apart, and people type it. */
const TOKEN_DIGITS = 10;

const HOLD_CHECK: Checks = {
  [HOLD_ANNOTATION]: (value) =>
    value === 'false' || heldUntil({ [HOLD_ANNOTATION]: value }) !== undefined
      ? undefined
      : 'holds nothing; write true, or a time such as 2030-01-31T18:00:00Z',
};
/** The annotations of namespaces, which count for all of their workloads. */
const NAMESPACE_CHECKS: Checks = {
  [WINDOW]: (value) => {
    const window = parsedWindow(value);
    return typeof window === 'string' ? `${window}; it does not count` : undefined;
  },
  [APPROVAL_ANNOTATION]: (value) =>
    ['required', 'none'].includes(value)
      ? undefined
      : `is neither required nor none and does not count; write ${APPROVAL_ANNOTATION}: required`,
  ...truthCheck(NOTIFY_ONLY_ANNOTATION),
  ...HOLD_CHECK,
};
/** Those of workloads; they count with any vocabularies in use. */
export const GATING_CHECKS: Checks = {
  ...NAMESPACE_CHECKS,
  ...truthCheck(CANARY),
  [ORDER]: (value) =>
    orderIn(value) === undefined ? 'is no number such as 10 or -1 and does not count' : undefined,
};
/** Those of objects. */
const CONFIG_CHECKS: Checks = {
  ...truthCheck(URGENT),
  ...HOLD_CHECK,
  [STAGES]: (value) => {
    if (parseStages(value) === undefined)
      return 'does not count; write at most 20 numbers of workloads or percentages such as 1,10%,50%,100%';
    const isFalling = value.split(',').some((end, index, ends) => {
      const before = ends[index - 1] ?? '';
      return end.includes('%') === before.includes('%') && parseInt(end, 10) < parseInt(before, 10);
    });
    return isFalling ? 'has a stage that ends before the one before it; write ends that rise' : undefined;
  },
};
/** The annotations of objects that are read here. */
export const CONFIG_GATING_ANNOTATIONS: readonly string[] = [...Object.keys(CONFIG_CHECKS), RESUME];

/** Whether an annotation of a namespace can count for its workloads. */
export function isNamespaceAnnotation(key: string): boolean {
  return Object.hasOwn(NAMESPACE_CHECKS, key);
}

/** The window of a workload; `usual`, the text of the flag, counts without an annotation, and if that cannot be parsed. */
export function reloadWindowOf(levels: readonly Annotations[], usual?: string): ReloadWindow | undefined {
  const texts = [...levels.map((annotations) => annotations[WINDOW]), usual];
  const windows = texts.map((text) => (text === undefined ? '' : parsedWindow(text)));
  return windows.find((window) => typeof window !== 'string');
}

/** Until when a workload or an object with these annotations is held, in ms since 1970; undefined: it is not, or the month lacks the day. */
export function heldUntil(annotations: Annotations): number | undefined {
  if (annotations[HOLD_ANNOTATION] === 'true') return Number.POSITIVE_INFINITY;
  const [moment = '', day = ''] = MOMENT.exec(annotations[HOLD_ANNOTATION] ?? '') ?? [];
  return String(new Date(day).toJSON()).startsWith(day) ? Date.parse(moment) || undefined : undefined;
}

/** Whether a workload with these annotations is rolled only with the approval of a person. */
export function needsApproval(levels: readonly Annotations[]): boolean {
  return firstOf(levels, APPROVAL_ANNOTATION) === 'required';
}

/** The token of these digests by object: other objects, or another content of one, have another token. */
export function tokenOf(digests: Iterable<readonly [string, string]>): string {
  const text = JSON.stringify([...digests].map((pair) => pair.join('=')).sort());
  return createHash('sha256').update(text).digest('hex').slice(0, TOKEN_DIGITS);
}

/** Whether nothing is ever rolled for a workload with these annotations. */
export function isNotifyOnly(levels: readonly Annotations[]): boolean {
  return firstOf(levels, NOTIFY_ONLY_ANNOTATION) === 'true';
}

/** The first value that can be parsed. */
function firstOf(levels: readonly Annotations[], key: string): string | undefined {
  return levels
    .map((annotations) => annotations[key])
    .find((value) => value !== undefined && NAMESPACE_CHECKS[key]?.(value) === undefined);
}

/** Whether the changes of an object with these annotations wait for no window and no pause. */
export function isUrgent(annotations: Annotations): boolean {
  return annotations[URGENT] === 'true';
}

/** The stages of an object with these annotations; `usual`, those of the flag, count without an annotation that can be parsed. */
export function stagesOf(annotations: Annotations, usual?: readonly StageEnd[]): typeof usual {
  return parseStages(annotations[STAGES] ?? '') ?? usual;
}

/** Whether a person lets the halt with this token go on. */
export function isResumedBy(annotations: Annotations, token: string): boolean {
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

/** The findings about values that cannot be parsed, of the namespace of a workload. */
export function namespaceGatingMistakes(namespace: string, annotations: Annotations): readonly Finding[] {
  return malformedFindings(annotations, NAMESPACE_CHECKS, ` of Namespace/${namespace}`);
}

/** The same, of an object that a workload follows. */
export function configGatingMistakes(
  ref: ConfigRef | WorkloadRef,
  annotations: Annotations,
): readonly Finding[] {
  return malformedFindings(annotations, CONFIG_CHECKS, ` of ${describe(ref)}`);
}
