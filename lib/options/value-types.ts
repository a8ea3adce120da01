/** What the text of a flag may be, and the value that it stands for. */

import { isIP } from 'node:net';
import { CONFIG_KINDS, type ConfigKind, DNS_LABEL, DNS_SUBDOMAIN } from '../model/object-ref.ts';
import type { ReloadStrategy } from '../model/reasons.ts';
import {
  ALERT_SINKS,
  type AlertSink,
  parseRolloutLimit,
  type RolloutLimit,
  VOCABULARY_NAMES,
  type VocabularyName,
} from '../model/settings.ts';
import { parseBool } from '../model/text.ts';
import { parseDurationMs } from '../model/time.ts';
import { WORKLOAD_KINDS } from '../model/workload-kind.ts';
import { labelSelectorOf } from './label-selector.ts';
import type { CronJobReload, JobReload, LogFormat, LogLevel } from './options.ts';
import { isQualifiedName } from './qualified-name.ts';

/** One type of value. */
export interface ValueType<T> {
  /** Completes "expected …". */
  readonly expected: string;
  /** The value, or undefined if `text` is none. `text` is trimmed. */
  readonly parse: (text: string) => T | undefined;
  /** The text may hold a secret and is not repeated in errors. */
  readonly secret?: true;
}

/** A switch, in the forms of Go's strconv.ParseBool. */
export const BOOLEAN: ValueType<boolean> = {
  expected: 'true or false',
  parse: parseBool,
};

/** Whether a flag that has no effect asks for anything: a value of false or none does not. */
export const ASKS: ValueType<boolean> = {
  expected: 'anything',
  parse: (text) => text !== '' && parseBool(text) !== false,
};

/** Milliseconds. */
export const DURATION: ValueType<number> = {
  expected: 'a duration such as 5000 (milliseconds), 500ms, 10s, 2m or 1h, at most 24 days',
  parse: parseDurationMs,
};

/** Milliseconds, of which there are some. */
export const LASTING: ValueType<number> = {
  expected: 'a duration such as 500ms, 2s or 1m, longer than 0',
  parse: (text) => parseDurationMs(text) || undefined,
};

/** Milliseconds that make whole seconds. */
export const WHOLE_SECONDS: ValueType<number> = {
  expected: 'a duration of whole seconds such as 15s or 1m',
  parse: (text) => {
    const ms = LASTING.parse(text) ?? Number.NaN;
    return ms % 1000 === 0 ? ms : undefined;
  },
};

/** How many rollouts are usual. */
export const ROLLOUT_LIMIT: ValueType<RolloutLimit | 'off'> = {
  expected: 'a number of rollouts and a duration such as 20/1h, or off',
  parse: parseRolloutLimit,
};

/** A TCP port, or 0 for any free one. */
export const PORT: ValueType<number> = wholeNumber(0, 65_535);

/** An address of this machine. */
export const IP_ADDRESS: ValueType<string> = {
  expected: 'an IP address such as 127.0.0.1, 0.0.0.0 or ::',
  parse: (text) => (isIP(text) === 0 ? undefined : text),
};

/** The name of a host. */
export const HOST: ValueType<string> = {
  expected: 'the name of a host such as reloader.example.com, without a port',
  parse: (text) => matching(DNS_SUBDOMAIN, 253)(text.toLowerCase()),
};

/** How many things may be under way at once. */
export const CONCURRENCY: ValueType<number> = wholeNumber(1, 1000);

/** The name of a namespace. */
export const NAMESPACE: ValueType<string> = {
  expected: 'the name of a namespace (lower-case letters, digits and -, at most 63 characters)',
  parse: matching(DNS_LABEL, 63),
};

/** The name of a ConfigMap that leaves room for a number behind it. */
export const STATE_NAME: ValueType<string> = {
  expected: 'the name of a ConfigMap (lower-case letters, digits, - and ., at most 251 characters)',
  parse: matching(DNS_SUBDOMAIN, 251),
};

/** The name of any object. */
export const OBJECT_NAME: ValueType<string> = {
  expected: 'the name of an object (lower-case letters, digits, - and ., at most 253 characters)',
  parse: matching(DNS_SUBDOMAIN, 253),
};

/** The key of an annotation. */
export const ANNOTATION_KEY: ValueType<string> = {
  expected: 'an annotation key such as configmap.example.com/reload',
  parse: (text) => (isQualifiedName(text) ? text : undefined),
};

/** A label selector, as the API server takes it. */
export const LABEL_SELECTOR: ValueType<string> = {
  expected:
    'a label selector: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), several joined by commas',
  parse: labelSelectorOf,
};

/** A kind of config object, with or without its version, also as the plural resource. */
export const CONFIG_KIND: ValueType<ConfigKind> = {
  expected: 'v1.ConfigMap (configmaps) or v1.Secret (secrets)',
  parse: (text) => {
    const word = text.replace(/^v1\./, '').toLowerCase().replace(/s$/, '');
    return CONFIG_KINDS.find((kind) => kind.toLowerCase() === word);
  },
};

/** A kind of workload, also as the plural resource. */
export const WORKLOAD_KIND: ValueType<string> = {
  expected: `one of ${WORKLOAD_KINDS.map(({ resource }) => resource).join(', ')}`,
  parse: (text) => {
    const word = text.toLowerCase();
    return WORKLOAD_KINDS.find(({ kind, resource }) => word === resource || word === kind.toLowerCase())
      ?.kind;
  },
};

/** What a change does to Jobs. */
export const JOB_RELOAD: ValueType<JobReload> = oneOf(['none', 'recreate', 'recreate-running']);

/** What a change does to CronJobs. */
export const CRON_JOB_RELOAD: ValueType<CronJobReload> = oneOf(['none', 'run-now']);

/** A vocabulary. */
export const DIALECT: ValueType<VocabularyName> = oneOf(VOCABULARY_NAMES);

/** How a pod template is stamped. */
export const STRATEGY: ValueType<ReloadStrategy> = oneOf(['env-vars', 'annotations']);

const LOG_LEVELS: ValueType<LogLevel> = oneOf(['debug', 'info', 'warn', 'error']);
const OTHER_LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['trace', 'debug'],
  ['warning', 'warn'],
  ['fatal', 'error'],
  ['panic', 'error'],
]);

/** How much is logged; the further words of Go's logrus too. */
export const LOG_LEVEL: ValueType<LogLevel> = {
  ...LOG_LEVELS,
  parse: (text) => OTHER_LEVELS.get(text.toLowerCase()) ?? LOG_LEVELS.parse(text),
};

const LOG_FORMATS: ValueType<LogFormat> = oneOf(['text', 'json']);

/** How a line looks; for Stakater Reloader no word at all is text. */
export const LOG_FORMAT: ValueType<LogFormat> = {
  ...LOG_FORMATS,
  parse: (text) => (text === '' ? 'text' : LOG_FORMATS.parse(text)),
};

/** The address of an API server. */
export const SERVER: ValueType<string> = {
  expected: 'an http:// or https:// URL without user name and password',
  parse: (text) => {
    const url = URL.parse(text);
    const usable =
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    return usable ? text : undefined;
  },
  secret: true,
};

/** The address of a webhook or a proxy; no text at all is none. */
export const WEBHOOK: ValueType<string> = {
  expected: 'an http:// or https:// URL, with %25 for each % of a user name or password',
  parse: (text) => {
    if (text === '') return text;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    return isDecodable(url.username) && isDecodable(url.password) ? text : undefined;
  },
  secret: true,
};

const SINKS: ValueType<AlertSink> = oneOf(ALERT_SINKS);

/** Who takes alerts; no word at all is raw, and so is `webhook`, as the documentation of Stakater Reloader has it. */
export const ALERT_SINK: ValueType<AlertSink> = {
  ...SINKS,
  parse: (text) => (text === '' || text.toLowerCase() === 'webhook' ? 'raw' : SINKS.parse(text)),
};

/** Any text. */
export const ANY: ValueType<string> = { expected: 'anything', parse: (text) => text };

/** Any text but none. */
export const TEXT: ValueType<string> = {
  expected: 'a value',
  parse: (text) => (text === '' ? undefined : text),
};

/** Any text but none, never to be repeated. */
export const SECRET_TEXT: ValueType<string> = { ...TEXT, secret: true };

function wholeNumber(min: number, max: number): ValueType<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** Whether each % begins a character, as whoever sends the text as basic authentication takes for granted. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function oneOf<T extends string>(words: readonly T[]): ValueType<T> {
  return {
    expected: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text.toLowerCase()),
  };
}

function matching(pattern: RegExp, maxLength: number): (text: string) => string | undefined {
  return (text) => (text.length <= maxLength && pattern.test(text) ? text : undefined);
}
