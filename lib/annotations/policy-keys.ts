/** The annotations that list followed objects, and the closest match of a mistyped key. */

import { STAMPED_AFTER_ANNOTATION } from '../model/kinds/deployment-config.ts';
import { type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { closestMatch } from '../model/text.ts';
import { NATIVE_PREFIX, nativeVocabulary, workloadKeysOf } from './vocabulary.ts';

/** The annotations that list objects of a kind that is watched, the native one first; empty if they are not in use. */
export type PolicyKeys = ReadonlyMap<ConfigKind, readonly string[]>;

/** The native annotations of workloads other than lists of followed objects. */
const FURTHER: readonly string[] = workloadKeysOf(nativeVocabulary());

/** The native annotation for a kind. */
export function nativeKeyOf(kind: ConfigKind): string {
  return `${NATIVE_PREFIX}/${SOURCE_KINDS[kind].word}`;
}

/** Whether `key` has no effect, although it has our prefix or almost equals one of `keys`. */
export function isUnknownAnnotation(key: string, keys: PolicyKeys): boolean {
  const all = [...keys.values()].flat();
  if (all.length === 0 || all.includes(key) || key === STAMPED_AFTER_ANNOTATION) return false;
  return partsOf(key).prefix === NATIVE_PREFIX || meantKey(key, keys) !== undefined;
}

/** The key that `key` was meant to be: one whose first part and last word differ in no more than a third each. */
export function meantKey(key: string, keys: PolicyKeys): string | undefined {
  const { prefix, word } = partsOf(key);
  const near = new Map<string, string>();
  for (const candidate of [...keys.values()].flat().concat(keys.size === 0 ? [] : FURTHER)) {
    const parts = partsOf(candidate);
    if (!near.has(parts.word) && closestMatch(prefix, [parts.prefix]) !== undefined)
      near.set(parts.word, candidate);
  }
  return near.get(closestMatch(word, near.keys()) ?? '');
}

/** Splits `<prefix>/<word>`; a key without a slash is split at its last dot. */
function partsOf(key: string): { readonly prefix: string; readonly word: string } {
  const at = key.includes('/') ? key.lastIndexOf('/') : key.lastIndexOf('.');
  return { prefix: key.slice(0, Math.max(0, at)), word: key.slice(at + 1) };
}
