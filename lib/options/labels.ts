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

/**
 * The selector in the syntax of the API server; undefined if a requirement is invalid, or rules out another one. All requirements have to hold.
 * `key:value` becomes `key=value` and `key:*` becomes `key`, as older versions of Stakater Reloader accepted them.
 */
export function labelSelectorOf(text: string): string | undefined {
  const parts = text.split(BETWEEN_REQUIREMENTS).map((part) => part.trim());
  const requirements = parts.filter((part) => part !== '').map(requirementOf);
  const valid = [...new Set(requirements)].filter((requirement) => requirement !== undefined);
  if (valid.length === 0 || requirements.includes(undefined) || valid.some((one) => rulesOut(one, valid)))
    return undefined;
  return valid.join(',');
}

/** Whether labels, or the values of fields, meet a selector in the syntax of the API server. */
export function meets(labels: Readonly<Record<string, string>>, selector: string): boolean {
  return selector.split(BETWEEN_REQUIREMENTS).every((requirement) => {
    const [, absent] = ABSENT.exec(requirement) ?? [];
    if (absent !== undefined) return labels[absent] === undefined;
    const [, member = '', verb, list = ''] = IN_SET.exec(requirement) ?? [];
    if (verb !== undefined) return list.split(',').includes(labels[member] ?? '-') === (verb === 'in');
    const [, key = requirement, operator, value] = COMPARED.exec(requirement) ?? [];
    if (operator === undefined) return labels[key] !== undefined;
    return (labels[key] === value) === (operator !== '!=');
  });
}

/** Whether `a`, or `a=b`, leaves no labels that meet the others, such as `!a`, `a!=b` or `a=c`; sets are not compared. */
function rulesOut(requirement: string, others: readonly string[]): boolean {
  const [, key, value] = /^([^!=\s]+)(=.*)?$/.exec(requirement) ?? [];
  if (key === undefined) return false;
  if (value === undefined) return others.includes(`!${key}`);
  const isOther = (other: string): boolean => other.startsWith(`${key}=`) && other !== requirement;
  return others.some((other) => [`!${key}`, `${key}!${value}`].includes(other) || isOther(other));
}

function requirementOf(text: string): string | undefined {
  const [, absent] = ABSENT.exec(text) ?? [];
  if (absent !== undefined) return isQualifiedName(absent) ? `!${absent}` : undefined;
  const [, member = '', verb, list = ''] = IN_SET.exec(text) ?? [];
  if (verb !== undefined) return setRequirement(member, verb, list);
  const [, key = text, operator, value = '*'] = COMPARED.exec(text) ?? [];
  return isQualifiedName(key) ? comparison(key, operator === '!=' ? '!=' : '=', value) : undefined;
}

function comparison(key: string, operator: '=' | '!=', value: string): string | undefined {
  if (operator === '=' && value === '*') return key;
  return isLabelValue(value) ? `${key}${operator}${value}` : undefined;
}

function setRequirement(key: string, verb: string, list: string): string | undefined {
  const values = list.split(',').map((value) => value.trim());
  if (!isQualifiedName(key) || !values.every(isLabelValue)) return undefined;
  return `${key} ${verb} (${values.join(',')})`;
}

/** Whether `text` is the value of a label, which may be empty. */
function isLabelValue(text: string): boolean {
  return text === '' || NAME.test(text);
}
