/** The types of values: the texts that each one accepts, and the parsed values. */

import { isIP } from 'node:net';
import type { CustomKind } from '../model/kinds/custom-kind.ts';
import {
  CONFIG_KINDS,
  type ConfigKind,
  isDnsLabel,
  isMountedKind,
  isObjectName,
} from '../model/object-ref.ts';
import { RELOAD_STRATEGIES, type ReloadStrategy } from '../model/reasons.ts';
import { parseReloadWindow } from '../model/reload-window.ts';
import {
  ALERT_SINKS,
  type AlertSink,
  parseRolloutLimit,
  parseStages,
  type RolloutLimit,
  type StageEnd,
  VOCABULARY_NAMES,
  type VocabularyName,
} from '../model/settings.ts';
import { parseBool } from '../model/text.ts';
import { parseDurationMs } from '../model/time.ts';
import { isQualifiedName, labelSelectorOf } from './labels.ts';
import { KNOWN_KINDS, parseFurtherKind } from './workload-kinds.ts';

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
  /** Whether a kind that a cluster may lack is served; auto: where the API server serves it and the rights to roll it are there. */
  'served-way': 'auto' | 'true' | 'false';
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

const TEXT = text('a value', (value) => value !== '');

/** All types. */
export const TYPES: { readonly [N in TypeName]: ValueType<Values[N]> } = {
  switch: type('true or false', parseBool),
  /** In milliseconds, like the other durations. */
  duration: type(
    'a duration such as 5000 (milliseconds), 500ms, 10s, 2m or 1h, at most 24 days',
    parseDurationMs,
  ),
  'lasting-duration': type(
    'a duration such as 500ms, 2s or 1m, longer than 0',
    (text) => parseDurationMs(text) || undefined,
  ),
  'whole-duration': type('a duration of whole seconds such as 15s or 1m', (text) =>
    (parseDurationMs(text) || Number.NaN) % 1000 === 0 ? parseDurationMs(text) : undefined,
  ),
  digests: oneOf(['keyed', 'sha1']),
  limit: type('a number of rollouts and a duration such as 20/1h, or off', parseRolloutLimit),
  /** 0 means any free port. */
  'port-number': wholeNumber(0, 65_535),
  number: wholeNumber(1, 1000),
  'slot-count': wholeNumber(0, 10_000),
  rate: type('a number such as 0.1 or 5, at most 1000', (text) =>
    /^\d{1,4}(\.\d{1,3})?$/.test(text) && Number(text) <= 1000 ? Number(text) : undefined,
  ),
  'reload-window': {
    ...text(
      'times such as Mon-Fri 09:00-17:00 Europe/Berlin',
      (window) => typeof parseReloadWindow(window) !== 'string',
    ),
    expectedFor: (window) => `a window, and this ${String(parseReloadWindow(window))}`,
  },
  stages: {
    ...type('at most 20 numbers of workloads or percentages such as 1,10%,50%,100%', parseStages),
    isJoined: true,
  },
  address: text('an IP address such as 127.0.0.1, 0.0.0.0 or ::', (address) => isIP(address) !== 0),
  namespace: nameOf('a namespace', 63, isDnsLabel, 'digits and -'),
  name: nameOf('an object', 253),
  /** Shorter than a name: the further ConfigMaps of the state append a number, and the Secret with its keys `-key`. */
  'state-name': nameOf('a ConfigMap', 249),
  key: text('an annotation key such as configmap.example.com/reload', isQualifiedName),
  /** In the syntax of the API server. */
  selector: {
    ...type(
      'a label selector: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), several joined by commas that some labels meet',
      labelSelectorOf,
    ),
    isJoined: true,
  },
  'config-kind': type('v1.ConfigMap (configmaps) or v1.Secret (secrets)', (text) => {
    const word = text.replace(/^v1\./, '').toLowerCase().replace(/s$/, '');
    return CONFIG_KINDS.find((kind) => kind.toLowerCase() === word && !isMountedKind(kind));
  }),
  'workload-kind': type(`one of ${KNOWN_KINDS.map(({ resource }) => resource).join(', ')}`, (text) => {
    const word = text.toLowerCase();
    return KNOWN_KINDS.find(({ resource, kind }) => word === resource || word === kind.toLowerCase())?.kind;
  }),
  'further-kind': {
    ...type('kinds of workload', furtherKindOf),
    expectedFor: (text) => String(parseFurtherKind(text)),
  },
  'cronjob-way': oneOf(['none', 'run-now']),
  'job-way': oneOf(['none', 'recreate', 'recreate-running']),
  dialect: oneOf(VOCABULARY_NAMES),
  /** An empty text means auto, as for Stakater Reloader. */
  'served-way': oneOf(['auto', 'true', 'false'], { '': 'auto' }),
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
    ...text('an http:// or https:// URL without user name and password', (url) =>
      isWebUrl(url, ({ username, password }) => username === '' && password === ''),
    ),
    isSecret: true,
  },
  /** Also of a proxy; an empty text means none. */
  'webhook-url': {
    ...text(
      'an http:// or https:// URL, with %25 for each % of a user name or password',
      (url) => url === '' || isWebUrl(url, isDecodable),
    ),
    isSecret: true,
  },
  file: TEXT,
  folder: TEXT,
  'context-name': TEXT,
  token: { ...TEXT, isSecret: true },
  text: text('anything', () => true),
};

function type<T>(expected: string, parse: ValueType<T>['parse']): ValueType<T> {
  return { expected, parse };
}

/** Texts that are their own values. */
function text(expected: string, isGood: (text: string) => boolean): ValueType<string> {
  return type(expected, (text) => (isGood(text) ? text : undefined));
}

function furtherKindOf(text: string): CustomKind | undefined {
  const parsed = parseFurtherKind(text);
  return typeof parsed === 'string' ? undefined : parsed;
}

function wholeNumber(min: number, max: number): ValueType<number> {
  return type(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** One of `words`, in upper or lower case; `others` maps further words to one of them. */
function oneOf<T extends string>(words: readonly T[], others: { [word: string]: T } = {}): ValueType<T> {
  const meanings = new Map([...words.map((word) => [word, word] as const), ...Object.entries(others)]);
  return type(`one of ${words.join(', ')}`, (word) => meanings.get(word.toLowerCase()));
}

function nameOf(
  what: string,
  most: number,
  isName = isObjectName,
  signs = 'digits, - and .',
): ValueType<string> {
  return text(
    `the name of ${what} (lower-case letters, ${signs}, at most ${most} characters)`,
    (name) => name.length <= most && isName(name),
  );
}

function isWebUrl(text: string, isGood: (url: URL) => boolean): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && isGood(url);
}

/** Whether user name and password can be percent-decoded, which the sender of basic authentication does without a check. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return [username, password].map(decodeURIComponent).length > 0;
  } catch {
    return false;
  }
}
