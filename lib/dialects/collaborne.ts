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
 * appended; then the plain variable belongs to neither.
 */
function stampVariablesOf(refs: readonly ConfigRef[]): ReadonlyMap<ObjectKey, StampVariables> {
  const users = new Map<string, number>();
  for (const ref of refs) users.set(plainVariable(ref), (users.get(plainVariable(ref)) ?? 0) + 1);
  return new Map(
    refs.map((ref) => {
      const plain = plainVariable(ref);
      const own = `${plain}_${shortNameDigest(ref.name)}`;
      const collides = (users.get(plain) ?? 0) > 1;
      return [keyOf(ref), collides ? { written: own, read: [own] } : { written: plain, read: [plain, own] }];
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

function shortNameDigest(name: string): string {
  return createHash('sha1').update(name).digest('hex').slice(0, 6).toUpperCase();
}
