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

/** Whether a namespace of the API can have this name. */
export function isNamespace(item: string): boolean {
  return item.length <= LONGEST_NAMESPACE && DNS_LABEL.test(item);
}

/** Whether `item` is `<namespace>/<name>`. */
export function isNameElsewhere(item: string): boolean {
  const [namespace = '', name = '', ...others] = item.split('/');
  return others.length === 0 && isNamespace(namespace) && isObjectName(name);
}

/**
 * The names that `text` probably lists, each once; items that cannot become a name are left out. `mayBeElsewhere`: whether an item
 * may be `<namespace>/<name>`.
 */
export function meantNames(text: string | undefined, mayBeElsewhere: boolean): readonly string[] {
  const isName = (item: string): boolean => isObjectName(item) || (mayBeElsewhere && isNameElsewhere(item));
  const items = itemsOf(text).map((item) => item.replace(KIND, ''));
  return [
    ...new Set(
      items.flatMap((item) => (isName(item) ? [item] : wordsIn(item, mayBeElsewhere).filter(isName))),
    ),
  ];
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

/** The words of a malformed item, which often has spaces, quotes, brackets, a kind (`configmap/web`), capitals or underscores. */
function wordsIn(item: string, mayBeElsewhere: boolean): readonly string[] {
  return item
    .split(/[\s;|[\]{}"'`]+/)
    .map((word) => word.replace(KIND, '').toLowerCase().replaceAll('_', '-'))
    .map((word) => (mayBeElsewhere ? word : word.slice(word.lastIndexOf('/') + 1)));
}
