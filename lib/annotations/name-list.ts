/** A comma list of object names in an annotation: how it is parsed, and how a wrong one is corrected. */

import { DNS_SUBDOMAIN } from '../model/object-ref.ts';
import { cutToBytes } from '../model/text.ts';

/** Bytes of a value that a message shows. */
const LONGEST_VALUE = 500;
const LONGEST_NAME = 253;

/** The items of `text`, trimmed, without the empty ones. */
export function itemsOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Whether an object of the API can have this name. */
export function isObjectName(item: string): boolean {
  return item.length <= LONGEST_NAME && DNS_SUBDOMAIN.test(item);
}

/** Whether `item` is `<namespace>/<name>`; a kind in front of the name is no namespace. */
export function hasNamespace(item: string): boolean {
  const parts = item.split('/');
  return parts.length === 2 && parts.every(isObjectName) && !KIND.test(item);
}

/** `item` without `namespace/` in front of it. */
export function nameWithin(namespace: string, item: string): string {
  return item.startsWith(`${namespace}/`) ? item.slice(namespace.length + 1) : item;
}

/** Capitals and underscores are in no name, and which name is meant is not known: `my_app` may be `my-app`, `my.app` or `myapp`. */
export const UNNAMED: RegExp = /[A-Z_]/;

/** The names that `text` probably lists, each once and without a namespace; none if one is UNNAMED; other items that are no name are left out. */
export function meantNames(text: string | undefined): readonly string[] {
  const words = itemsOf(text).flatMap(wordsIn);
  return words.some((word) => UNNAMED.test(word)) ? [] : [...new Set(words.filter(isObjectName))];
}

/** `key: "value"`, as in a manifest; a very long value is cut. */
export function annotationText(key: string, value: string): string {
  return `${key}: ${JSON.stringify(cutToBytes(value, LONGEST_VALUE))}`;
}

/** The same for a list of names; undefined if it would be cut, since a person may copy it. */
export function listText(key: string, names: readonly string[]): string | undefined {
  const text = names.join(', ');
  return text.length > LONGEST_VALUE ? undefined : annotationText(key, text);
}

/** The kind before a name, as kubectl prints it. */
const KIND = /^(?:configmap|secret)s?\//i;

/** The words of a malformed item, which often has spaces, quotes, brackets, other commas, or a kind (`configmap/web`). */
function wordsIn(item: string): readonly string[] {
  return item.split(/[\s;|[\]{}"'`\uff0c\u3001]+/).map((word) => word.slice(word.lastIndexOf('/') + 1));
}
