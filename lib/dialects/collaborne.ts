/**
 * The native vocabulary: two annotations on the workload name the ConfigMaps and Secrets that it follows, and a variable
 * `_RELOADER_<KIND>_<NAME>` in its pod template carries the stamp of each.
 */

import { createHash } from 'node:crypto';
import { type ConfigKind, type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { Asked, Dialect, StampVariables } from './dialect.ts';

/** Which annotations name the objects to follow, and which kinds are left out. */
export interface CollaborneOptions {
  /** Further keys whose lists are merged with those of the native annotation, by kind. */
  readonly alternativeAnnotations: Readonly<Record<ConfigKind, readonly string[]>>;
  readonly ignoredKinds: readonly ConfigKind[];
}

const ANNOTATIONS: Readonly<Record<ConfigKind, string>> = {
  ConfigMap: 'reloader.k8s.collaborne.com/configmap',
  Secret: 'reloader.k8s.collaborne.com/secret',
};
const KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];
const PREFIX = '_RELOADER_';
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 253;

/** The native vocabulary with the given options. */
export function collaborne(options: CollaborneOptions): Dialect {
  const policyAnnotations = new Set(KINDS.flatMap((kind) => annotationsOf(kind, options)));
  return {
    isPolicyAnnotation: (key) => policyAnnotations.has(key),
    isStampVariable: (name) => name.startsWith(`${PREFIX}CONFIGMAP_`) || name.startsWith(`${PREFIX}SECRET_`),
    asked: (annotations, namespace) => asked(annotations, namespace, options),
    stampVariablesOf,
  };
}

function annotationsOf(kind: ConfigKind, options: CollaborneOptions): readonly string[] {
  return [ANNOTATIONS[kind], ...options.alternativeAnnotations[kind]];
}

function asked(
  annotations: Readonly<Record<string, string>>,
  namespace: string,
  options: CollaborneOptions,
): Asked {
  const refs = new Map<ObjectKey, ConfigRef>();
  const malformed: string[] = [];
  for (const kind of KINDS) {
    if (options.ignoredKinds.includes(kind)) continue;
    for (const name of namesIn(annotations, annotationsOf(kind, options))) {
      const ref: ConfigRef = { kind, namespace, name };
      if (name.length > LONGEST_NAME || !OBJECT_NAME.test(name)) malformed.push(name);
      else refs.set(keyOf(ref), ref);
    }
  }
  return { refs: [...refs.values()], malformed };
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

function namesIn(annotations: Readonly<Record<string, string>>, keys: readonly string[]): string[] {
  return keys
    .flatMap((key) => (annotations[key] ?? '').split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function plainVariable(ref: ConfigRef): string {
  return `${PREFIX}_${ref.kind}_${ref.name}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function suffixedVariable(ref: ConfigRef, digits: number): string {
  const digest = createHash('sha1').update(ref.name).digest('hex');
  return `${plainVariable(ref)}_${digest.slice(0, digits).toUpperCase()}`;
}
