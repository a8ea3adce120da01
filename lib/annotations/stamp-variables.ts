/** The variables that hold stamps, by vocabulary, of which all are read, also of vocabularies that are not in use; and the one hash over all objects of a workload. */

import { createHash } from 'node:crypto';
import { ABSENT } from '../model/digest.ts';
import {
  CONFIG_KINDS,
  type ConfigRef,
  describe,
  keyOf,
  type ObjectKey,
  wholeOf,
} from '../model/object-ref.ts';
import type { VocabularyName } from '../model/settings.ts';
import type { Annotations } from '../model/workload.ts';

/** The variables of one object in a pod template. */
export interface StampVariables {
  /** The variable that a patch writes, by vocabulary; a vocabulary without one writes into an annotation. */
  readonly written: Readonly<Partial<Record<VocabularyName, string>>>;
  /** Its name in annotations. */
  readonly inAnnotations: string;
  /** All variables that may hold a stamp of this object, including the written ones and the name in annotations. */
  readonly read: readonly string[];
}

type Variable = (ref: ConfigRef) => string;
/** The vocabularies that have variables. */
type Naming = Extract<VocabularyName, 'collaborne' | 'stakater'>;

/** The variable of an object, unless another object of the workload has the same. */
const PLAIN: Readonly<Record<Naming, Variable>> = {
  collaborne: (ref) => capitals(`_RELOADER__${ref.kind}_${ref.name}`),
  stakater: (ref) => capitals(`STAKATER_${ref.name}_${ref.kind}`),
};
/** The suffix of a variable that two objects would share, see `variablesOf`. */
const DIGITS = '(?:_[0-9A-F]{6}|_[0-9A-F]{40})?';
const KINDS = `(?:${CONFIG_KINDS.map((kind) => kind.toUpperCase()).join('|')})`;
/** The names of all variables that a vocabulary stamps. */
export const STAMP_VARIABLES: Readonly<Record<Naming, RegExp>> = {
  collaborne: new RegExp(`^_RELOADER_${KINDS}_`),
  stakater: new RegExp(`^STAKATER_.+_${KINDS}${DIGITS}$`),
};

/** Whether `name` is a variable that a vocabulary stamps. */
export function isStampVariable(name: string): boolean {
  return Object.values(STAMP_VARIABLES).some((names) => names.test(name));
}

/** Whether `name` is a variable that Stakater Reloader stamps. */
export function isStakaterVariable(name: string): boolean {
  return STAMP_VARIABLES.stakater.test(name);
}

/** The variables of all objects that one workload follows. */
export function stampVariablesOf(refs: readonly ConfigRef[]): ReadonlyMap<ObjectKey, StampVariables> {
  const native = variablesOf(refs, PLAIN.collaborne);
  const stakater = variablesOf(refs, PLAIN.stakater);
  return new Map(
    refs.map((ref, index) => {
      const inAnnotations = describe(wholeOf(ref));
      const [ours, theirs] = [native[index] ?? NONE, stakater[index] ?? NONE];
      const written = { collaborne: ours.written, stakater: theirs.written };
      return [keyOf(ref), { written, inAnnotations, read: ours.read.concat(theirs.read, inAnnotations) }];
    }),
  );
}

interface Variables {
  readonly written: string;
  readonly read: readonly string[];
}

const NONE: Variables = { written: '', read: [] };

/**
 * Two names with the same plain variable (`a-b`, `a.b`) both get `_` and six digits of a digest of the name as a suffix;
 * then the plain variable belongs to neither. A name that equals another's variable with its suffix gets all forty digits.
 * No variable that one object is stamped with is read for another.
 */
function variablesOf(refs: readonly ConfigRef[], plainOf: Variable): readonly Variables[] {
  const plain = refs.map(plainOf);
  let written = plain;
  for (const digits of [6, 40]) {
    const users = Map.groupBy(written, (variable) => variable);
    written = refs.map((ref, index) => {
      const variable = written[index] ?? '';
      return users.get(variable)?.length === 1 ? variable : suffixed(plainOf(ref), ref, digits);
    });
  }
  const shared = [...Map.groupBy(plain, (variable) => variable)].filter(([, users]) => users.length > 1);
  const taken = new Set([...written, ...shared.map(([variable]) => variable)]);
  return refs.map((ref, index) => {
    const own = written[index] ?? '';
    const others = [plainOf(ref), suffixed(plainOf(ref), ref, 6)].filter((variable) => !taken.has(variable));
    return { written: own, read: [own, ...others] };
  });
}

function capitals(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

/** Built by join(), as in `keyOf`: a template string is a rope of its parts. */
function suffixed(plain: string, ref: ConfigRef, digits: number): string {
  const digest = createHash('sha1').update(ref.name).digest('hex');
  return [plain, digest.slice(0, digits).toUpperCase()].join('_');
}

/** An object that a workload follows, as it is now. */
export interface FollowedContent {
  readonly ref: ConfigRef;
  readonly annotations: Annotations;
  /** Undefined if the object does not exist. */
  readonly digest: string | undefined;
}

/**
 * The SHA-256 over lines `<kind>/<name> <digest>`, sorted by code unit; a missing object has the digest `-`. Only digests enter
 * the hash, so it reveals no more about a content than the stamps do, and changes only with a content.
 */
export function configHashOf(contents: readonly FollowedContent[]): string {
  const lines = contents.map(({ ref, digest = ABSENT }) => `${describe(wholeOf(ref))} ${digest}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}
