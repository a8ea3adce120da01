/**
 * The native vocabulary: two annotations on the workload name the ConfigMaps and Secrets that it follows, and a variable
 * `_RELOADER_<KIND>_<NAME>` in its pod template carries the stamp of each.
 */

import { createHash } from 'node:crypto';
import { type ConfigKind, type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { Dialect, StampVariables } from './dialect.ts';
import { lossNotice } from './lost-opt-in.ts';
import { absenceNotice } from './missing.ts';
import { mistakesOf } from './mistakes.ts';
import { isObjectName, itemsOf } from './name-list.ts';
import { isStray, nativeKeyOf, type PolicyKeys } from './policy-keys.ts';

/** Which annotations name the objects to follow, and which kinds are left out. */
export interface CollaborneOptions {
  /** Further keys whose lists are merged with those of the native annotation, by kind. */
  readonly alternativeAnnotations: Readonly<Record<ConfigKind, readonly string[]>>;
  readonly ignoredKinds: readonly ConfigKind[];
}

const KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];
const PREFIX = '_RELOADER_';
/** How many keys are remembered: they repeat from workload to workload. */
const MOST_JUDGED = 1_000;

/** The native vocabulary with the given options. */
export function collaborne({ alternativeAnnotations, ignoredKinds }: CollaborneOptions): Dialect {
  const keys: PolicyKeys = new Map(
    KINDS.filter((kind) => !ignoredKinds.includes(kind)).map((kind) => [
      kind,
      [nativeKeyOf(kind), ...alternativeAnnotations[kind]],
    ]),
  );
  const policyAnnotations = new Set([...keys.values()].flat());
  const ignored = new Set(
    ignoredKinds.flatMap((kind) => [nativeKeyOf(kind), ...alternativeAnnotations[kind]]),
  );
  return {
    isPolicyAnnotation: (key) => policyAnnotations.has(key),
    isStray: remembered((key) => !ignored.has(key) && isStray(key, keys)),
    isStampVariable: (name) => name.startsWith(`${PREFIX}CONFIGMAP_`) || name.startsWith(`${PREFIX}SECRET_`),
    asked: (annotations, namespace) => asked(annotations, namespace, keys),
    mistakesOf: (workload) => mistakesOf(workload, keys),
    noticeOfAbsence: (absence, annotations) => {
      const follows = asked(annotations, absence.ref.namespace, keys);
      return absenceNotice(absence, annotations, follows, keys);
    },
    noticeOfLoss: lossNotice,
    stampVariablesOf,
  };
}

function asked(
  annotations: Readonly<Record<string, string>>,
  namespace: string,
  keys: PolicyKeys,
): readonly ConfigRef[] {
  const refs = new Map<ObjectKey, ConfigRef>();
  for (const [kind, annotationKeys] of keys) {
    for (const name of annotationKeys.flatMap((key) => itemsOf(annotations[key])).filter(isObjectName)) {
      const ref: ConfigRef = { kind, namespace, name };
      refs.set(keyOf(ref), ref);
    }
  }
  return [...refs.values()];
}

/** `judge`, asked once for each key, as long as there are not too many. */
function remembered(judge: (key: string) => boolean): (key: string) => boolean {
  const judged = new Map<string, boolean>();
  return (key) => {
    const known = judged.get(key);
    if (known !== undefined) return known;
    if (judged.size >= MOST_JUDGED) judged.clear();
    const verdict = judge(key);
    judged.set(key, verdict);
    return verdict;
  };
}

/**
 * Two names that would give the same variable (`a-b`, `a.b`) both get `_` and six digits of a digest of the name
 * appended; then the plain variable belongs to neither. A name that spells another's variable with its digits gets all
 * forty. No variable that one object is stamped with is read for another.
 */
function stampVariablesOf(refs: readonly ConfigRef[]): ReadonlyMap<ObjectKey, StampVariables> {
  const plain = refs.map(plainVariable);
  let written = plain;
  for (const digits of [6, 40]) {
    const users = Map.groupBy(written, (variable) => variable);
    written = refs.map((ref, index) => {
      const variable = written[index] ?? '';
      return users.get(variable)?.length === 1 ? variable : suffixedVariable(ref, digits);
    });
  }
  const shared = plain.filter((variable, index) => plain.indexOf(variable) !== index);
  const taken = new Set([...written, ...shared]);
  return new Map(
    refs.map((ref, index) => {
      const own = written[index] ?? '';
      const others = [plainVariable(ref), suffixedVariable(ref, 6)].filter(
        (variable) => !taken.has(variable),
      );
      return [keyOf(ref), { written: own, read: [own, ...others] }];
    }),
  );
}

function plainVariable(ref: ConfigRef): string {
  return `${PREFIX}_${ref.kind}_${ref.name}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function suffixedVariable(ref: ConfigRef, digits: number): string {
  const digest = createHash('sha1').update(ref.name).digest('hex');
  return `${plainVariable(ref)}_${digest.slice(0, digits).toUpperCase()}`;
}
