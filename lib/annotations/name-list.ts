/** A comma list of object names in an annotation: how it is parsed, and how a wrong one is corrected. */

import { DNS_LABEL, DNS_SUBDOMAIN } from '../model/object-ref.ts';
import { cutToBytes } from '../model/text.ts';

/** Bytes of a value that a message shows. */
const LONGEST_VALUE = 500;
const LONGEST_NAME = 253;
const LONGEST_NAMESPACE = 63;

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

/** Whether `item` is `<namespace>/<name>`. */
export function isNameElsewhere(item: string): boolean {
  const [namespace = '', name = '', ...others] = item.split('/');
  const isNamespace = namespace.length <= LONGEST_NAMESPACE && DNS_LABEL.test(namespace);
  return others.length === 0 && isNamespace && isObjectName(name);
}

/** The names that `text` probably lists, each once; items that cannot become a name are left out. */
export function meantNames(text: string | undefined): readonly string[] {
  return [...new Set(itemsOf(text).flatMap((item) => (isObjectName(item) ? [item] : namesIn(item))))];
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

/** The names in a malformed item, which often has spaces, quotes, brackets, a kind (`configmap/web`), capitals or underscores. */
function namesIn(item: string): readonly string[] {
  return item
    .split(/[\s;|[\]{}"'`]+/)
    .map((word) => word.slice(word.lastIndexOf('/') + 1))
    .map((word) => word.toLowerCase().replaceAll('_', '-'))
    .filter(isObjectName);
}
