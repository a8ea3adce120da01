/** Label selectors: what Kubernetes writes, and two older forms of Stakater Reloader, as one text for the API server. */

import { isLabelValue, isQualifiedName } from './qualified-name.ts';

/** A comma that does not stand within parentheses. */
const BETWEEN_REQUIREMENTS = /,(?![^(]*\))/;
const ABSENT = /^!\s*(\S+)$/;
const IN_SET = /^([^\s(]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const COMPARED = /^([^\s!=:]+)\s*(==|=|!=|:)\s*(\S*)$/;

/**
 * The selector in the API server's words; undefined if a requirement is none. All requirements have to hold. `key:value`
 * becomes `key=value`, and `key:*` the key alone.
 */
export function labelSelectorOf(text: string): string | undefined {
  const parts = text
    .split(BETWEEN_REQUIREMENTS)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const requirements = parts.map(requirementOf).filter((requirement) => requirement !== undefined);
  const isWhole = parts.length > 0 && requirements.length === parts.length;
  return isWhole ? [...new Set(requirements)].join(',') : undefined;
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
