/** Findings about likely mistakes in a workload's annotations, each with the correction. */

import type { Finding } from '../model/finding.ts';
import { isCustom } from '../model/kinds/custom-kind.ts';
import { isRolloutStrategy } from '../model/kinds/restarts.ts';
import { CONFIG_KINDS, type ConfigKind, isMountedKind } from '../model/object-ref.ts';
import { RELOAD_STRATEGIES } from '../model/reasons.ts';
import { listedText, parseBool } from '../model/text.ts';
import { parseGoDurationMs } from '../model/time.ts';
import type { UnknownAnnotation, Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { GATING_CHECKS } from './gating.ts';
import { type Checks, malformedFinding, malformedFindings, quoted, truthCheck } from './malformed.ts';
import {
  annotationText,
  hasNamespace,
  isObjectName,
  itemsOf,
  listText,
  meantNames,
  nameWithin,
} from './name-list.ts';
import { expressionsIn, MOST_JOINED_LETTERS, MOST_LETTERS, mistakeIn } from './name-pattern.ts';
import { PACE_CHECKS } from './pacing.ts';
import { type Excess, MOST_NAMES, policyAnnotations } from './policy.ts';
import { meantKey, nativeKeyOf, type PolicyKeys } from './policy-keys.ts';
import { KEY_SCOPED_ANNOTATION, nameListKeysOf, STRATEGY_ANNOTATION, type Vocabulary } from './vocabulary.ts';

type Rule = (workload: Workload, keys: PolicyKeys, words: readonly Vocabulary[]) => readonly Finding[];

/** The rules, in the order in which their findings are reported. */
const RULES: readonly Rule[] = [
  malformed,
  unreadable,
  untrue,
  strange,
  unchoosable,
  templateless,
  unmeasured,
  ({ annotations }) => malformedFindings(annotations, OWN_CHECKS),
  misplaced,
  mistyped,
];
const NONE: readonly Finding[] = [];
/** The annotations that count with any vocabularies in use. */
export const OWN_CHECKS: Checks = {
  ...PACE_CHECKS,
  ...truthCheck(KEY_SCOPED_ANNOTATION),
  ...GATING_CHECKS,
};

/** The mistakes in the annotations of `workload`; `keys` and `words` are the lists and vocabularies in use. */
export function mistakesOf(
  workload: Workload,
  keys: PolicyKeys,
  words: readonly Vocabulary[],
): readonly Finding[] {
  return RULES.flatMap((rule) => rule(workload, keys, words));
}

/** Items of name lists that are not names of objects in the namespace of the workload. */
function malformed(workload: Workload, keys: PolicyKeys, all: readonly Vocabulary[]): readonly Finding[] {
  const others = all.filter(({ hash }) => hash !== undefined).flatMap(({ named }) => Object.values(named));
  return [...keys.values(), ...others].flat().flatMap((key) => malformedItems(workload, key));
}

function malformedItems({ ref, annotations }: Workload, key: string): readonly Finding[] {
  const items = itemsOf(annotations[key]).filter((item) => !isObjectName(nameWithin(ref.namespace, item)));
  if (items.length === 0) return NONE;
  const names = meantNames(annotations[key]);
  const text = names.length === 0 ? undefined : listText(key, names);
  const remedy = text === undefined ? 'list names, separated by commas' : `write ${text}`;
  const isElsewhere = `cannot be followed, since only objects of the own namespace are; copy the object there, as reflector or External Secrets do, and ${remedy}`;
  const isNoName = `cannot be the name of an object; ${remedy}`;
  return [...Map.groupBy(items, hasNamespace)].map(([isQualified, alike]) => {
    return malformedFinding(key, listedText(alike.map(quoted)), isQualified ? isElsewhere : isNoName);
  });
}

/** Expressions that RE2 cannot parse, or that exceed the limits; the other items count. */
function unreadable(workload: Workload, _keys: PolicyKeys, all: readonly Vocabulary[]): readonly Finding[] {
  return all
    .filter(({ namesArePatterns }) => namesArePatterns)
    .flatMap((words) => {
      const annotations = allOf(words, workload);
      return Object.values(words.named)
        .flat()
        .flatMap((key) => unreadableItems(key, annotations[key] ?? ''));
    });
}

function unreadableItems(key: string, list: string): readonly Finding[] {
  const { counted, excess } = expressionsIn([...new Set(itemsOf(list))].slice(0, MOST_NAMES));
  const findings = counted.flatMap((item): readonly Finding[] => {
    const mistake = mistakeIn(item);
    if (mistake === undefined) return NONE;
    const remedy = `is no expression that RE2 understands (${mistake}); the other items count`;
    return [malformedFinding(key, quoted(item), remedy)];
  });
  if (excess.length === 0) return findings;
  const remedy = `is too much: the expressions of a list may be a hundred, with ${MOST_LETTERS} letters once what they repeat is written out, or ${MOST_JOINED_LETTERS} where they are names joined by |; list names, or simpler expressions; the other items count`;
  return [...findings, malformedFinding(key, listedText(excess.map(quoted), 1), remedy)];
}

/** The findings about lists that exceed the limit of names. */
export function excessFindings(excess: readonly Excess[]): readonly Finding[] {
  return excess.map(({ key, items }) => {
    const remedy = `names more than ${MOST_NAMES} objects, with the other lists of the workload: the first ${MOST_NAMES} are followed, and ${items} are not; write an expression, or several workloads`;
    return { reason: 'malformed', about: `${key}: too many names`, message: `${key} ${remedy}` };
  });
}

/** All annotations that count for objects of either kind. */
function allOf(words: Vocabulary, workload: Workload): Readonly<Record<string, string>> {
  const ofKinds = CONFIG_KINDS.map((kind) => policyAnnotations(words, workload, kind));
  return Object.assign({}, ...ofKinds, workload.annotations);
}

/** Switches that are neither true nor false. */
function untrue(workload: Workload, _keys: PolicyKeys, all: readonly Vocabulary[]): readonly Finding[] {
  return all.flatMap((words) => {
    const annotations = allOf(words, workload);
    const keys = [words.auto, ...Object.values(words.typedAuto), words.search];
    return keys.flatMap((key) => {
      const isToTheLetter = key === words.search || words.autoIsToTheLetter === true;
      const remedy = `is neither true nor false and counts as false; write ${key}: "true"`;
      const check = (value: string): string | undefined =>
        isReadable(value, isToTheLetter) ? undefined : remedy;
      return malformedFindings(annotations, { [key]: check });
    });
  });
}

/** Whether a switch is understood; some accept only the exact value `true`. */
function isReadable(value: string, isToTheLetter: boolean): boolean {
  const truth = parseBool(value);
  return isToTheLetter ? truth === false || value === 'true' : truth !== undefined;
}

/** A reload strategy that does not exist. */
function strange({ ref, annotations }: Workload): readonly Finding[] {
  const { rollout } = workloadKindOf(ref.kind);
  const hasAll = rollout === 'replace-pods';
  const words: readonly string[] = RELOAD_STRATEGIES.filter((word) => hasAll || word !== 'evict');
  const remedy = `is no strategy${hasAll ? '' : ` of a ${ref.kind}`}; write ${words.join(' or ')}`;
  const check = (value: string): string | undefined => (words.includes(value) ? undefined : remedy);
  return malformedFindings(annotations, { [STRATEGY_ANNOTATION]: check });
}

/** A choice between a restart and a rollout that cannot be read, or on a workload that has none. */
function unchoosable(
  { annotations, ref }: Workload,
  _keys: PolicyKeys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  const hasChoice = workloadKindOf(ref.kind).isRestarted !== undefined;
  return all.flatMap(({ rolloutStrategy: key = '' }): readonly Finding[] => {
    const value = annotations[key];
    if (value === undefined) return NONE;
    const none = `${key} has no effect here: only a Rollout of Argo has a choice`;
    if (!hasChoice) return [{ reason: 'unserved', about: key, message: none }];
    const remedy = 'is no strategy, so the pod template is stamped; write restart or rollout';
    return isRolloutStrategy(value) ? NONE : [malformedFinding(key, quoted(value), remedy)];
  });
}

/** Annotations of a workload without a pod template, such as a DeploymentConfig may be: nothing is stamped. */
function templateless(
  { ref, annotations, lacksTemplate, referenced }: Workload,
  _keys: PolicyKeys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  const [key] = Object.keys(annotations);
  if (key === undefined || lacksTemplate !== true) return NONE;
  // A restart needs no template.
  if (all.some(({ rolloutStrategy = '' }) => annotations[rolloutStrategy] === 'restart')) return NONE;
  const [cause, remedy] =
    referenced?.problem === undefined ? withoutTemplate(ref.kind) : [referenced.problem, ''];
  const message = `${key} has no effect here: ${cause}, so nothing is stamped or rolled${remedy}`;
  return [{ reason: 'unserved', about: 'no pod template', message }];
}

/** What is missing, and what helps. */
function withoutTemplate(kind: string): readonly [cause: string, remedy: string] {
  const row = workloadKindOf(kind);
  const path = `spec.${row.templatePath.join('.')}`;
  const [where, other] = isCustom(row)
    ? [` at ${path}, where --workload-kinds says that ${kind} have it`, ', correct the path']
    : ['', ''];
  return [`it has no pod template${where}`, `; write ${path}${other}, or take the annotation away`];
}

/** A pause period that cannot be parsed: the workload then has none. */
function unmeasured(
  { annotations }: Workload,
  _keys: PolicyKeys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  const remedy = 'is no duration, so nothing waits for it; write such as 30s, 5m or 1h30m, at most 24 days';
  const check = (value: string): string | undefined =>
    parseGoDurationMs(value) === undefined ? remedy : undefined;
  return all.flatMap(({ pause }) =>
    pause === undefined ? NONE : malformedFindings(annotations, { [pause.period]: check }),
  );
}

/** Policy on the pod template that counts only on the workload; one that the workload has too is no mistake. */
function misplaced(
  { annotations, unknownAnnotations }: Workload,
  _keys: PolicyKeys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  const isMissed = ({ key, isOnTemplate }: UnknownAnnotation): boolean =>
    isOnTemplate && annotations[key] === undefined;
  return unknownAnnotations.filter(isMissed).map(({ key, value }) => {
    const remedy = `write on the workload itself ${rightText(key, [value], all)}`;
    const message = `${key} stands on the pod template, where it has no effect; ${remedy}`;
    return { reason: 'misplaced', about: key, message };
  });
}

/** Annotations with our prefix, or almost one of ours, that do not exist. */
function mistyped(
  { annotations, unknownAnnotations }: Workload,
  keys: PolicyKeys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  return unknownAnnotations
    .filter(({ isOnTemplate }) => !isOnTemplate)
    .map(({ key, value }) => {
      const meant = meantKey(key, keys);
      const remedy =
        meant === undefined
          ? `there are ${[...keys.keys()].map(nativeKeyOf).join(' and ')}`
          : `write ${rightText(meant, [annotations[meant] ?? '', value], all)}`;
      return { reason: 'mistyped', about: key, message: `the annotation ${key} has no effect; ${remedy}` };
    });
}

/** Annotations about objects of a kind that a cluster may lack and that no stream shows; all other annotations count. */
export function unservedFindings(
  workload: Workload,
  all: readonly Vocabulary[],
  shows: (namespace: string, kind: ConfigKind) => boolean = () => true,
): readonly Finding[] {
  return CONFIG_KINDS.filter((kind) => isMountedKind(kind) && !shows(workload.ref.namespace, kind)).flatMap(
    (kind) =>
      all.flatMap((words): readonly Finding[] => {
        const annotations = policyAnnotations(words, workload, kind);
        const keys = [...words.named[kind], words.typedAuto[kind], words.exclude[kind]];
        return keys
          .filter((key) => annotations[key] !== undefined)
          .map((key) => {
            const why = `no ${kind} is watched: either --enable-csi-integration is false, or the API server does not serve them, or the rights to list and watch them are missing`;
            return { reason: 'unserved', about: key, message: `${key} has no effect now: ${why}` };
          });
      }),
  );
}

/** `key` with the names that `values` probably list; if `key` does not take a list of names, with the last value unchanged. */
function rightText(key: string, values: readonly string[], all: readonly Vocabulary[]): string {
  const words = all.find((each) => nameListKeysOf(each).includes(key));
  const names = words === undefined ? [] : meantNames(values.join());
  const text = names.length === 0 ? undefined : listText(key, names);
  return text ?? annotationText(key, values.at(-1) ?? '');
}
