/** A comma list of object names, as annotations hold it: how it is read, and how it would be right. */

import { DNS_LABEL, DNS_SUBDOMAIN } from '../model/object-ref.ts';
import { cutToBytes } from '../model/text.ts';

/** Longer values are not shown as a whole. */
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

/** Whether it is the name of an object with that of a namespace before it. */
export function isNameElsewhere(item: string): boolean {
  const [namespace = '', name = '', ...others] = item.split('/');
  const isNamespace = namespace.length <= LONGEST_NAMESPACE && DNS_LABEL.test(namespace);
  return others.length === 0 && isNamespace && isObjectName(name);
}

/** The names that `text` is meant to list, each once. What no name can be made of is left out. */
export function meantNames(text: string | undefined): readonly string[] {
  return [...new Set(itemsOf(text).flatMap((item) => (isObjectName(item) ? [item] : namesIn(item))))];
}

/** `key: "value"`, as it stands in a manifest; the value not as a whole where it is very long. */
export function annotationText(key: string, value: string): string {
  return `${key}: ${JSON.stringify(cutToBytes(value, LONGEST_VALUE))}`;
}

/** The same of a list of names; undefined where they are too many to read. */
export function listText(key: string, names: readonly string[]): string | undefined {
  const text = names.join(', ');
  return text.length > LONGEST_VALUE ? undefined : annotationText(key, text);
}

/** An item often holds several names, quotes and brackets, a kind (`configmap/web`), or capitals and underscores. */
function namesIn(item: string): readonly string[] {
  return item
    .split(/[\s;|[\]{}"'`]+/)
    .map((word) => word.slice(word.lastIndexOf('/') + 1))
    .map((word) => word.toLowerCase().replaceAll('_', '-'))
    .filter(isObjectName);
}
