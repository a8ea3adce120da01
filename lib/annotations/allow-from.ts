/** Objects of other namespaces: the annotation by which they consent, and the findings about those that are not followed. */

import type { Finding } from '../model/finding.ts';
import { type ConfigRef, describe, describeFrom } from '../model/object-ref.ts';
import { listedText } from '../model/text.ts';
import { annotationText, isNamespace, itemsOf } from './name-list.ts';
import type { ConfigAnnotations } from './vocabularies.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

/** On an object: a comma list of namespaces, or `*` for all. */
export const ALLOW_FROM_ANNOTATION: string = `${NATIVE_PREFIX}/allow-from`;

/** Characters of a value that counts. */
export const LONGEST_CONSENT = 10_000;

const EVERY_NAMESPACE = '*';
const NONE: ReadonlySet<string> = new Set();

/** How many objects a finding names. */
const MOST_SHOWN = 10;

/** By the annotations of one version of an object: many workloads ask about the same one. */
const PARSED = new WeakMap<ConfigAnnotations, ReadonlySet<string>>();

/** Whether an object with these annotations allows that workloads of `namespace` follow it. A malformed value allows none. */
export function allows(annotations: ConfigAnnotations, namespace: string): boolean {
  const value = annotations[ALLOW_FROM_ANNOTATION];
  if (value === undefined) return false;
  const allowed = PARSED.get(annotations) ?? namespacesIn(value);
  PARSED.set(annotations, allowed);
  return allowed.has(namespace) || allowed.has(EVERY_NAMESPACE);
}

function namespacesIn(value: string): ReadonlySet<string> {
  if (value.length > LONGEST_CONSENT) return NONE;
  const items = itemsOf(value);
  return items.every((item) => item === EVERY_NAMESPACE || isNamespace(item)) ? new Set(items) : NONE;
}

/**
 * One finding for all objects that do not allow `namespace` to follow them; empty if there are none. It does not tell whether they
 * exist.
 */
export function notAllowedFindings(refs: readonly ConfigRef[], namespace: string): readonly Finding[] {
  if (refs.length === 0) return [];
  const covers = refs.map((ref) => describeFrom(namespace, ref));
  const about = listedText(covers, MOST_SHOWN);
  const [does, it, object] = refs.length === 1 ? ['does', 'it', 'the object'] : ['do', 'them', 'each object'];
  const remedy = `to allow it, ${object} needs the annotation ${annotationText(ALLOW_FROM_ANNOTATION, namespace)}, beside other namespaces if it allows some`;
  const message = `${about} ${does} not exist, or ${does} not allow that workloads of ${namespace} follow ${it}: nothing is rolled for ${it}; ${remedy}`;
  return [{ reason: 'not-allowed', about, covers, message }];
}

/** One finding for all objects whose namespace is not watched; empty if there are none. */
export function unwatchedNamespaceFindings(refs: readonly ConfigRef[]): readonly Finding[] {
  if (refs.length === 0) return [];
  const covers = refs.map((ref) => `${describe(ref)} of the namespace ${ref.namespace}`);
  const about = listedText(covers);
  const [is, it, namespace] =
    refs.length === 1 ? ['is', 'it', 'that namespace'] : ['are', 'them', 'those namespaces'];
  const were = refs.length === 1 ? 'it were' : 'they were';
  const remedy = `watch ${namespace} too (--namespace, --all-namespaces), or take ${it} out of the list`;
  const message = `${about} ${is} not watched: nothing is rolled for ${it}, all else is as if ${were} not named; ${remedy}`;
  return [{ reason: 'unwatched-namespace', about, covers, message }];
}
