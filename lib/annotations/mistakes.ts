/** Findings about likely mistakes in a workload's annotations, each with the correction. */

import type { Finding } from '../model/finding.ts';
import { isRolloutStrategy } from '../model/kinds/argo-rollout.ts';
import {
  CONFIG_KINDS,
  type ConfigKind,
  type ConfigRef,
  describe,
  isMountedKind,
  isObjectName,
  type WorkloadRef,
} from '../model/object-ref.ts';
import { RELOAD_STRATEGIES, type ReloadStrategy } from '../model/reasons.ts';
import { listedText, parseBool } from '../model/text.ts';
import { parseGoDurationMs } from '../model/time.ts';
import { type Annotations, meantIn, type Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { configGatingMistakes, GATING_CHECKS } from './gating.ts';
import { type Checks, malformedFinding, malformedFindings, quoted, truthCheck } from './malformed.ts';
import {
  annotationText,
  expressionsIn,
  hasNamespace,
  isMisread,
  itemsOf,
  MOST_JOINED_LETTERS,
  MOST_LETTERS,
  mistakeIn,
  nameWithin,
} from './name-list.ts';
import { PACE_CHECKS } from './pacing.ts';
import { type Excess, MOST_NAMES, policyAnnotations } from './policy.ts';
import type { NearKeys } from './policy-keys.ts';
import type { Vocabularies } from './vocabularies.ts';
import { KEY_SCOPED_ANNOTATION, STRATEGY_ANNOTATION, type Vocabulary } from './vocabulary.ts';

/** The keys that count, and those that almost do. */
export interface Keys {
  /** The native lists of the kinds that are watched. */
  readonly lists: readonly string[];
  readonly near: NearKeys;
  readonly all: Pick<Vocabularies, 'isPolicyAnnotation' | 'isConfigAnnotation' | 'isStrayOnObject'>;
}

type Rule = (workload: Workload, words: readonly Vocabulary[], keys: Keys) => readonly Finding[];

/** The rules, in the order in which their findings are reported. */
const RULES: readonly Rule[] = [
  malformed,
  unreadable,
  untrue,
  strange,
  unchoosable,
  unmeasured,
  ({ annotations }) => malformedFindings(annotations, OWN_CHECKS),
  templateless,
  misplaced,
  shadowed,
  mistyped,
];
const NONE: readonly Finding[] = [];
const PLACES = { template: 'on the pod template', label: 'among the labels' };
/** The annotations that count with any vocabularies in use. */
export const OWN_CHECKS: Checks = {
  ...PACE_CHECKS,
  ...truthCheck(KEY_SCOPED_ANNOTATION),
  ...GATING_CHECKS,
};

/** The mistakes in the annotations of `workload`; `keys` and `words` are the keys and vocabularies in use. */
export function mistakesOf(workload: Workload, words: readonly Vocabulary[], keys: Keys): readonly Finding[] {
  return RULES.flatMap((rule) => rule(workload, words, keys));
}

/** Items of name lists that are not names of objects in the namespace of the workload. */
function malformed(workload: Workload, all: readonly Vocabulary[], { lists }: Keys): readonly Finding[] {
  const { ref, annotations } = workload;
  const others = all.flatMap(({ hash, named, exclude }) => [
    ...(hash === undefined ? [] : Object.values(named).flat()),
    ...Object.values(exclude),
  ]);
  return [...lists, ...others].flatMap((key) => {
    const items = itemsOf(annotations[key]);
    const wrong = items.filter((item) => !isObjectName(nameWithin(ref.namespace, item)));
    return noNames(key, wrong);
  });
}

/** The findings about items that cannot be names, or have a namespace. */
function noNames(key: string, items: readonly string[], what = 'names'): readonly Finding[] {
  const isElsewhere =
    'cannot be followed, since only objects of the own namespace are; copy the object there, as reflector or External Secrets do, and list its name';
  const isNoName = `cannot be the name of an object; list ${what}, separated by commas`;
  return [...Map.groupBy(items, hasNamespace)].map(([isQualified, alike]) => {
    return malformedFinding(key, listedText(alike.map(quoted)), isQualified ? isElsewhere : isNoName);
  });
}

/** Expressions that RE2 cannot parse, that match no name, or that exceed the limits; the other items count. */
function unreadable(workload: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  return all
    .filter(({ namesArePatterns }) => namesArePatterns)
    .flatMap((words) => {
      const annotations = allOf(words, workload);
      return Object.values(words.named)
        .flat()
        .flatMap((key) => unreadableItems(key, annotations[key] ?? '', workload.ref.namespace));
    });
}

function unreadableItems(key: string, list: string, namespace: string): readonly Finding[] {
  const items = [...new Set(itemsOf(list))].slice(0, MOST_NAMES);
  const { counted, excess } = expressionsIn(items);
  const findings = counted.flatMap((item): readonly Finding[] => {
    const mistake = mistakeIn(item);
    if (mistake === undefined) return NONE;
    const remedy = `is no expression that RE2 understands (${mistake}); the other items count`;
    return [malformedFinding(key, quoted(item), remedy)];
  });
  const wrong = counted.filter((item) => isMisread(item) && mistakeIn(item) === undefined);
  const shown = wrong.map((item) => nameWithin(namespace, item));
  findings.push(...noNames(key, shown, 'names, or expressions such as web-.*'));
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
function untrue(workload: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  return all.flatMap((words) => {
    const annotations = allOf(words, workload);
    const keys = [words.auto, ...Object.values(words.typedAuto), words.search];
    return keys.flatMap((key) => {
      // Some accept only the exact value `true`.
      const isToTheLetter = key === words.search || words.autoIsToTheLetter === true;
      const remedy = `is neither true nor false and counts as false; write ${key}: "true"`;
      const check = (value: string): string | undefined => {
        const truth = parseBool(value);
        const isReadable = isToTheLetter ? truth === false || value === 'true' : truth !== undefined;
        return isReadable ? undefined : remedy;
      };
      return malformedFindings(annotations, { [key]: check });
    });
  });
}

/** A stamp in an annotation restarts no pod that its controller updates in place. */
export function inPlaceFindings(workload: Workload, strategy: ReloadStrategy): readonly Finding[] {
  const { annotations, updatesInPlace } = workload;
  if (updatesInPlace !== true || strategy !== 'annotations' || Object.keys(annotations).length === 0)
    return NONE;
  const message = `its controller updates pods in place, and a stamp in an annotation restarts nothing; add ${annotationText(STRATEGY_ANNOTATION, 'env-vars')}`;
  return [{ reason: 'pods-not-replaced', about: 'in-place', message }];
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
function unchoosable({ annotations, ref }: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  const hasChoice = workloadKindOf(ref.kind).isRestarted !== undefined;
  return all.flatMap(({ rolloutStrategy: key = '' }): readonly Finding[] => {
    const value = annotations[key];
    if (value === undefined) return NONE;
    const none = `${key} has no effect here: only a Rollout of Argo has a choice`;
    if (!hasChoice) return [unserved(key, none)];
    const remedy = 'is no strategy, so the pod template is stamped; write restart or rollout';
    return isRolloutStrategy(value) ? NONE : [malformedFinding(key, quoted(value), remedy)];
  });
}

/** Annotations of a workload without a pod template, such as a DeploymentConfig may be: nothing is stamped. */
function templateless(workload: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  const { ref, annotations, lacksTemplate, referenced } = workload;
  const [key] = Object.keys(annotations);
  if (key === undefined || lacksTemplate !== true) return NONE;
  // A restart needs no template.
  if (all.some(({ rolloutStrategy = '' }) => annotations[rolloutStrategy] === 'restart')) return NONE;
  const path = `spec.${workloadKindOf(ref.kind).templatePath.join('.')}`;
  const cause = referenced?.problem ?? `it has no pod template at ${path}`;
  const message = `${key} has no effect here: ${cause}, so nothing is stamped or rolled`;
  return [unserved('no pod template', message)];
}

/** A pause period that cannot be parsed: the workload then has none. */
function unmeasured({ annotations }: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  const remedy = 'is no duration, so nothing waits for it; write such as 30s, 5m or 1h30m, at most 24 days';
  const check = (value: string): string | undefined =>
    parseGoDurationMs(value) === undefined ? remedy : undefined;
  return all.flatMap(({ pause }) => malformedFindings(annotations, { [pause?.period ?? '']: check }));
}

/** Policy on the pod template, or among the labels, that counts only on the workload; one that the workload has too is no mistake. */
function misplaced(workload: Workload): readonly Finding[] {
  const { annotations, unknownAnnotations } = workload;
  return unknownAnnotations.flatMap(({ key, on }): readonly Finding[] => {
    if (on === 'workload' || annotations[key] !== undefined) return NONE;
    const remedy = `write ${on === 'label' ? 'it as an annotation' : 'it'} on the workload itself`;
    const message = `${key} is ${PLACES[on]}, where it has no effect; ${remedy}`;
    return [{ reason: 'misplaced', about: key, message }];
  });
}

/** Policy on the pod template that counts for no kind, since the workload has its own. */
function shadowed(workload: Workload, all: readonly Vocabulary[]): readonly Finding[] {
  const read = all
    .filter((words) => words.readsTemplate)
    .flatMap((words) => CONFIG_KINDS.map((kind) => policyAnnotations(words, workload, kind)));
  return Object.entries(workload.templateAnnotations).flatMap(([key, value]): readonly Finding[] => {
    if (read.some((annotations) => annotations[key] === value)) return NONE;
    const message = `${key} is ${PLACES.template}, where it has no effect beside the annotations of the workload itself; move it to these, or take it away`;
    return [{ reason: 'misplaced', about: key, message }];
  });
}

/** Annotations of objects, or such with the prefix of a vocabulary, or almost one of its keys, that do not exist. */
function mistyped(
  { unknownAnnotations }: Workload,
  _: readonly Vocabulary[],
  keys: Keys,
): readonly Finding[] {
  return unknownAnnotations
    .filter(({ on }) => on === 'workload')
    .map(({ key }) => {
      if (keys.all.isConfigAnnotation(key))
        return strayFinding(key, ['ConfigMaps and Secrets', 'a workload', 'the object']);
      const meant = keys.near.meantBy(key) ?? '';
      return mistypedFinding(
        key,
        keys,
        keys.all.isConfigAnnotation(meant) ? `on the object ${meant}` : meant,
      );
    });
}

function strayFinding(key: string, [right, here, there]: readonly string[], of = ''): Finding {
  const message = `${key} is read on ${right}, and has no effect on ${here}; write it on ${there}, or take it away`;
  return { reason: 'misplaced', about: `${key}${of}`, message };
}

/** The finding about a key; `text`: what to write, if a key is near. */
function mistypedFinding(key: string, { near }: Keys, text: string, of = ''): Finding {
  const lists = Object.values(near.vocabularyOf(key)?.named ?? {}).flat();
  const remedy = near.meantBy(key) === undefined ? `there are ${lists.join(' and ')}` : `write ${text}`;
  return {
    reason: 'mistyped',
    about: `${key}${of}`,
    message: `the annotation ${key}${of} has no effect; ${remedy}`,
  };
}

/** The mistakes in the annotations of an object, or of what is no workload either; the store has only those that count there. */
export function configMistakesOf(
  ref: ConfigRef | WorkloadRef,
  annotations: Annotations,
  keys: Keys,
  all: readonly Vocabulary[],
): readonly Finding[] {
  const marks = all.flatMap(({ match, ignore }) => [truthCheck(match), truthCheck(ignore)]);
  const of = ` of ${describe(ref)}`;
  const strays = meantIn(annotations, keys.all.isStrayOnObject).map(([key]): Finding => {
    if (keys.all.isPolicyAnnotation(key))
      return strayFinding(key, ['workloads', describe(ref), 'the workload'], of);
    return mistypedFinding(key, keys, keys.near.meantBy(key) ?? '', of);
  });
  const wrong = malformedFindings(annotations, Object.assign({}, ...marks), of);
  return [...configGatingMistakes(ref, annotations), ...wrong, ...strays];
}

/** Annotations about objects of a kind that a cluster may lack and that no stream shows; all other annotations count. */
export function unservedFindings(
  workload: Workload,
  all: readonly Vocabulary[],
  shows: (namespace: string, kind: ConfigKind) => boolean = () => true,
): readonly Finding[] {
  const { namespace } = workload.ref;
  const hidden = CONFIG_KINDS.filter((kind) => isMountedKind(kind) && !shows(namespace, kind));
  return hidden.flatMap((kind) => {
    const why = `no ${kind} is watched: either --enable-csi-integration is false, or the API server does not serve them, or the rights to list and watch them are missing`;
    const keys = all.flatMap((words) => {
      const annotations = policyAnnotations(words, workload, kind);
      const own = [...words.named[kind], words.typedAuto[kind], words.exclude[kind]];
      return own.filter((key) => annotations[key] !== undefined);
    });
    return keys.map((key) => unserved(key, `${key} has no effect now: ${why}`));
  });
}

function unserved(about: string, message: string): Finding {
  return { reason: 'unserved', about, message };
}
