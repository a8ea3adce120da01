/** The variables in which stamps stand, by vocabulary: every one is read, whether its vocabulary is in use or not. */

import { createHash } from 'node:crypto';
import { DIALECT_NAMES, type DialectName } from '../model/dialect-name.ts';
import { type ConfigRef, describe, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { StampVariables } from './dialect.ts';

type Variable = (ref: ConfigRef) => string;

/** The variable of an object that shares it with no other. */
const PLAIN: Readonly<Record<DialectName, Variable>> = {
  collaborne: (ref) => capitals(`_RELOADER__${ref.kind}_${ref.name}`),
  stakater: (ref) => capitals(`STAKATER_${ref.name}_${ref.kind}`),
};
const DIGITS = '(?:_[0-9A-F]{6}|_[0-9A-F]{40})?';
const STAMPS: Readonly<Record<DialectName, RegExp>> = {
  collaborne: /^_RELOADER_(?:CONFIGMAP|SECRET)_/,
  stakater: new RegExp(`^STAKATER_.+_(?:CONFIGMAP|SECRET)${DIGITS}$`),
};

/** Whether `name` is a variable that a vocabulary stamps. */
export function isStampVariable(name: string): boolean {
  return DIALECT_NAMES.some((dialect) => STAMPS[dialect].test(name));
}

/** Whether `name` is a variable that Stakater Reloader stamps. */
export function isStakaterVariable(name: string): boolean {
  return STAMPS.stakater.test(name);
}

/** The variables of all objects that one workload follows. */
export function stampVariablesOf(refs: readonly ConfigRef[]): ReadonlyMap<ObjectKey, StampVariables> {
  const native = variablesOf(refs, PLAIN.collaborne);
  const stakater = variablesOf(refs, PLAIN.stakater);
  return new Map(
    refs.map((ref, index) => {
      const [ours, theirs] = [native[index] ?? NONE, stakater[index] ?? NONE];
      const written = { collaborne: ours.written, stakater: theirs.written };
      return [keyOf(ref), { written, read: [...ours.read, ...theirs.read, describe(ref)] }];
    }),
  );
}

interface Variables {
  readonly written: string;
  readonly read: readonly string[];
}

const NONE: Variables = { written: '', read: [] };

/**
 * Two names that would give the same variable (`a-b`, `a.b`) both get `_` and six digits of a digest of the name
 * appended; then the plain variable belongs to neither. A name that spells another's variable with its digits gets all
 * forty. No variable that one object is stamped with is read for another.
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

function suffixed(plain: string, ref: ConfigRef, digits: number): string {
  const digest = createHash('sha1').update(ref.name).digest('hex');
  return `${plain}_${digest.slice(0, digits).toUpperCase()}`;
}
