/** Checks qualified names and label selectors by the rules of Kubernetes, so that a wrong one is refused at the start. */

import { isObjectName } from '../model/object-ref.ts';

const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

/** Whether `text` is `[<DNS subdomain>/]<name>`, the form of annotation and label keys. */
export function isQualifiedName(text: string): boolean {
  const [name, prefix, ...rest] = text.split('/').reverse();
  if (name === undefined || rest.length > 0 || !NAME.test(name)) return false;
  return prefix === undefined || isObjectName(prefix);
}

/** A comma outside parentheses. */
const BETWEEN_REQUIREMENTS = /,(?![^(]*\))/;
const ABSENT = /^!\s*(\S+)$/;
const IN_SET = /^([^\s(]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const COMPARED = /^([^\s!=:]+)\s*(==|=|!=|:)\s*(\S*)$/;

/** One part of a selector: a label of this key and one of these values is there or, if it is negative, is not. */
interface Requirement {
  readonly isNegative: boolean;
  readonly key: string;
  /** @default any */
  readonly values?: readonly string[];
  /** In the syntax of the API server. */
  readonly text: string;
}

/**
 * The selector in the syntax of the API server; undefined if a requirement is invalid, or rules out another one. All requirements have to hold.
 * `key:value` becomes `key=value` and `key:*` becomes `key`, as older versions of Stakater Reloader accepted them.
 */
export function labelSelectorOf(text: string): string | undefined {
  const parts = text.split(BETWEEN_REQUIREMENTS).map((part) => part.trim());
  const all = parts.filter((part) => part !== '').map(requirementOf);
  const isPossible = all.every((one) => isValid(one) && !all.some((other) => rulesOut(one, other)));
  return all.length > 0 && isPossible ? [...new Set(all.map((one) => one.text))].join(',') : undefined;
}

/** Whether labels, or the values of fields, meet a selector in the syntax of the API server. */
export function meets(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const requirements = selector.split(BETWEEN_REQUIREMENTS).map(requirementOf);
  return requirements.every(({ isNegative, key, values }) => {
    const label = labels[key];
    const isThere = label !== undefined && (values === undefined || values.includes(label));
    return isThere !== isNegative;
  });
}

function requirementOf(text: string): Requirement {
  const [, absent] = ABSENT.exec(text) ?? [];
  if (absent !== undefined) return { isNegative: true, key: absent, text: `!${absent}` };
  const [, member, verb, list = ''] = IN_SET.exec(text) ?? [];
  if (member !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    return { isNegative: verb === 'notin', key: member, values, text: `${member} ${verb} (${values})` };
  }
  const [, key = text, sign, value = '*'] = COMPARED.exec(text) ?? [];
  const isNegative = sign === '!=';
  if (value === '*' && !isNegative) return { isNegative, key, text: key };
  return { isNegative, key, values: [value], text: `${key}${isNegative ? '!=' : '='}${value}` };
}

/** The value of a label may be empty. */
function isValid({ key, values = [] }: Requirement): boolean {
  return isQualifiedName(key) && values.every((value) => value === '' || NAME.test(value));
}

/** Whether no labels meet both; a set of several values rules out only `!key`. */
function rulesOut(one: Requirement, other: Requirement): boolean {
  if (one.key !== other.key || one.isNegative) return false;
  if (other.values === undefined) return other.isNegative;
  const [value, ...others] = one.values ?? [];
  return value !== undefined && others.length === 0 && other.values.includes(value) === other.isNegative;
}
