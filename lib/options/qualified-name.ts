/** Names as Kubernetes wants them for the keys and values of annotations and labels. */

import { DNS_SUBDOMAIN } from '../model/object-ref.ts';

const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

/** `[<DNS subdomain>/]<name>`, as the key of an annotation or label is. */
export function isQualifiedName(text: string): boolean {
  const [name, prefix, ...rest] = text.split('/').reverse();
  if (name === undefined || rest.length > 0 || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && DNS_SUBDOMAIN.test(prefix));
}

/** The value of a label, which may be empty. */
export function isLabelValue(text: string): boolean {
  return text === '' || NAME.test(text);
}
