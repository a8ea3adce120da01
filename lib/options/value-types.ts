/** The types of values: the texts that each one accepts, and the parsed values. */

import { isIP } from 'node:net';
import type { CustomKind } from '../model/kinds/custom-kind.ts';
import {
  CONFIG_KINDS,
  type ConfigKind,
  DNS_LABEL,
  DNS_SUBDOMAIN,
  isMountedKind,
} from '../model/object-ref.ts';
import { RELOAD_STRATEGIES, type ReloadStrategy } from '../model/reasons.ts';
import { parseReloadWindow } from '../model/reload-window.ts';
import {
  ALERT_SINKS,
  type AlertSink,
  CROSS_NAMESPACE_WAYS,
  type CrossNamespace,
  parseRolloutLimit,
  parseStages,
  type RolloutLimit,
  SERVED_WAYS,
  type ServedWay,
  type StageEnd,
  VOCABULARY_NAMES,
  type VocabularyName,
} from '../model/settings.ts';
import { parseBool } from '../model/text.ts';
import { parseDurationMs } from '../model/time.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS } from '../model/workload-kind.ts';
import { isQualifiedName, labelSelectorOf } from './labels.ts';
import { parseFurtherKind } from './workload-kinds.ts';

type NumberType =
  | ('duration' | 'lasting-duration' | 'whole-duration')
  | ('port-number' | 'number' | 'slot-count' | 'rate');
type TextType =
  | ('namespace' | 'name' | 'state-name' | 'context-name' | 'workload-kind' | 'key' | 'selector')
  | ('address' | 'server-url' | 'webhook-url' | 'file' | 'folder' | 'token' | 'text')
  | 'reload-window';

/** The types of flags and of their parsed values. The help shows the last word of the type: `<name>`. */
export interface Values extends Record<NumberType, number>, Record<TextType, string> {
  switch: boolean;
  limit: RolloutLimit | 'off';
  stages: readonly StageEnd[];
  'config-kind': ConfigKind;
  /** A kind of workload that the program does not know by itself. */
  'further-kind': CustomKind;
  /** What a change does to CronJobs that follow the object: nothing, since the next run reads it anyway, or it starts a run. */
  'cronjob-way': 'none' | 'run-now';
  /** What a change does to Jobs that follow the object: nothing, or they are recreated; with `recreate` finished ones too. */
  'job-way': 'none' | 'recreate' | 'recreate-running';
  dialect: VocabularyName;
  'cross-way': CrossNamespace;
  'served-way': ServedWay;
  strategy: ReloadStrategy;
  sink: AlertSink;
  digests: 'keyed' | 'sha1';
  level: 'debug' | 'info' | 'warn' | 'error';
  format: 'text' | 'json';
}

/** The name of a type. */
export type TypeName = keyof Values;

/** One type of value. */
export interface ValueType<T> {
  /** Completes the error "expected …". */
  readonly expected: string;
  /** The value; undefined if the trimmed `text` is not of the type. */
  readonly parse: (text: string) => T | undefined;
  /** Takes the place of `expected` for one text that is not of the type. */
  readonly expectedFor?: (text: string) => string;
  /** The text may be a secret, so errors do not repeat it. */
  readonly isSecret?: true;
  /** Several texts make one value, joined by commas. */
  readonly isJoined?: true;
}

const KINDS = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS];

const TEXT: ValueType<string> = { expected: 'a value', parse: (text) => text || undefined };

/** All types. */
export const TYPES: { readonly [N in TypeName]: ValueType<Values[N]> } = {
  switch: { expected: 'true or false', parse: parseBool },
  /** In milliseconds, like the other durations. */
  duration: {
    expected: 'a duration such as 5000 (milliseconds), 500ms, 10s, 2m or 1h, at most 24 days',
    parse: parseDurationMs,
  },
  'lasting-duration': {
    expected: 'a duration such as 500ms, 2s or 1m, longer than 0',
    parse: (text) => parseDurationMs(text) || undefined,
  },
  'whole-duration': {
    expected: 'a duration of whole seconds such as 15s or 1m',
    parse: (text) => {
      const ms = parseDurationMs(text) || Number.NaN;
      return ms % 1000 === 0 ? ms : undefined;
    },
  },
  digests: oneOf(['keyed', 'sha1']),
  limit: { expected: 'a number of rollouts and a duration such as 20/1h, or off', parse: parseRolloutLimit },
  /** 0 means any free port. */
  'port-number': wholeNumber(0, 65_535),
  number: wholeNumber(1, 1000),
  'slot-count': wholeNumber(0, 10_000),
  rate: {
    expected: 'a number such as 0.1 or 5, at most 1000',
    parse: (text) => (/^\d{1,4}(\.\d{1,3})?$/.test(text) && Number(text) <= 1000 ? Number(text) : undefined),
  },
  'reload-window': {
    expected: 'times such as Mon-Fri 09:00-17:00 Europe/Berlin',
    parse: (text) => (typeof parseReloadWindow(text) === 'string' ? undefined : text),
    expectedFor: (text) => `a window, and this ${String(parseReloadWindow(text))}`,
  },
  stages: {
    expected: 'at most 20 numbers of workloads or percentages such as 1,10%,50%,100%',
    parse: parseStages,
    isJoined: true,
  },
  address: {
    expected: 'an IP address such as 127.0.0.1, 0.0.0.0 or ::',
    parse: (text) => (isIP(text) === 0 ? undefined : text),
  },
  namespace: nameOf('a namespace', 63, DNS_LABEL, 'digits and -'),
  name: nameOf('an object', 253),
  /** Shorter than a name: the further ConfigMaps of the state append a number, and the Secret with its keys `-key`. */
  'state-name': nameOf('a ConfigMap', 249),
  key: {
    expected: 'an annotation key such as configmap.example.com/reload',
    parse: (text) => (isQualifiedName(text) ? text : undefined),
  },
  /** In the syntax of the API server. */
  selector: {
    expected:
      'a label selector: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), several joined by commas',
    parse: labelSelectorOf,
    isJoined: true,
  },
  'config-kind': {
    expected: 'v1.ConfigMap (configmaps) or v1.Secret (secrets)',
    parse: (text) => {
      const word = text.replace(/^v1\./, '').toLowerCase().replace(/s$/, '');
      return CONFIG_KINDS.find((kind) => kind.toLowerCase() === word && !isMountedKind(kind));
    },
  },
  'workload-kind': {
    expected: `one of ${KINDS.map(({ resource }) => resource).join(', ')}`,
    parse: (text) => {
      const word = text.toLowerCase();
      return KINDS.find((type) => word === type.resource || word === type.kind.toLowerCase())?.kind;
    },
  },
  'further-kind': furtherKind(),
  'cronjob-way': oneOf(['none', 'run-now']),
  'job-way': oneOf(['none', 'recreate', 'recreate-running']),
  dialect: oneOf(VOCABULARY_NAMES),
  'cross-way': oneOf(CROSS_NAMESPACE_WAYS),
  /** An empty text means auto, as for Stakater Reloader. */
  'served-way': oneOf(SERVED_WAYS, { '': 'auto' }),
  strategy: oneOf(RELOAD_STRATEGIES),
  /** An empty text and `webhook` mean raw, as in the documentation of Stakater Reloader. */
  sink: oneOf(ALERT_SINKS, { webhook: 'raw', '': 'raw' }),
  /** The further words are levels of Go's logrus, which Stakater Reloader accepts. */
  level: oneOf(['debug', 'info', 'warn', 'error'], {
    trace: 'debug',
    warning: 'warn',
    fatal: 'error',
    panic: 'error',
  }),
  /** An empty text means text, as for Stakater Reloader. */
  format: oneOf(['text', 'json'], { '': 'text' }),
  'server-url': {
    expected: 'an http:// or https:// URL without user name and password',
    parse: (text) => webUrl(text, ({ username, password }) => username === '' && password === ''),
    isSecret: true,
  },
  /** Also of a proxy; an empty text means none. */
  'webhook-url': {
    expected: 'an http:// or https:// URL, with %25 for each % of a user name or password',
    parse: (text) => (text === '' ? text : webUrl(text, isDecodable)),
    isSecret: true,
  },
  file: TEXT,
  folder: TEXT,
  'context-name': TEXT,
  token: { ...TEXT, isSecret: true },
  text: { expected: 'anything', parse: (text) => text },
};

function furtherKind(): ValueType<CustomKind> {
  return {
    expected: 'kinds of workload',
    parse: (text) => {
      const parsed = parseFurtherKind(text);
      return typeof parsed === 'string' ? undefined : parsed;
    },
    expectedFor: (text) => String(parseFurtherKind(text)),
  };
}

function wholeNumber(min: number, max: number): ValueType<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** One of `words`, in upper or lower case; `others` maps further words to one of them. */
function oneOf<T extends string>(words: readonly T[], others: { [word: string]: T } = {}): ValueType<T> {
  const meanings = new Map<string, T>([
    ...words.map((word) => [word, word] as const),
    ...Object.entries(others),
  ]);
  return { expected: `one of ${words.join(', ')}`, parse: (text) => meanings.get(text.toLowerCase()) };
}

function nameOf(
  what: string,
  most: number,
  pattern = DNS_SUBDOMAIN,
  signs = 'digits, - and .',
): ValueType<string> {
  return {
    expected: `the name of ${what} (lower-case letters, ${signs}, at most ${most} characters)`,
    parse: (text) => (text.length <= most && pattern.test(text) ? text : undefined),
  };
}

function webUrl(text: string, isGood: (url: URL) => boolean): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isGood(url) ? text : undefined;
}

/** Whether user name and password can be percent-decoded, which the sender of basic authentication does without a check. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return [username, password].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}
