/** Values of charts: those of the other reloader as flags, and the flags of the new installation as values of our chart. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { FLAGS, type Flag, type FlagName } from '../../options/flags.ts';
import { listOf } from '../../options/reader.ts';
import { TYPES } from '../../options/value-types.ts';
import { CommandError } from '../connect.ts';
import type { Program } from '../installed-reloader.ts';
import { VALUES_ELSEWHERE, valueKeyOf } from './chart-flags.ts';
import {
  argumentsOf,
  flagNamed,
  isSecretVariable,
  type Setting,
  type Settings,
  textOf,
  type Variable,
} from './new-settings.ts';
import type { Source } from './others.ts';

/** Values, as a file of values has them. */
export type Values = Readonly<Record<string, unknown>>;

/** The values of the other one's chart, and what they come to. */
export interface OtherValues {
  readonly program: Program;
  readonly replicas: number;
  /** Values that the chart of this one takes as they are. */
  readonly carried: Values;
  readonly rows: readonly Setting[];
}

const STDIN = 0;
/** Values of Stakater Reloader's chart that mean nothing here. */
const IDLE: Readonly<Record<string, string>> = {
  'image.repository': 'it names the image of the other one',
  'image.name': 'it names the image of the other one',
  'image.tag': 'it is a version of the other one',
  'image.digest': 'it names the image of the other one',
  'reloader.enablePProf': 'nothing is profiled over HTTP',
  'reloader.pprofAddr': 'nothing is profiled over HTTP',
  'reloader.syncAfterRestart': 'it is always so',
  'reloader.readOnlyRootFileSystem': 'it is always so',
  'reloader.deployment.resources': 'this is another program: its chart has resources of its own',
  'reloader.deployment.gomaxprocsOverride': 'this is no Go program',
  'reloader.deployment.gomemlimitOverride': 'this is no Go program',
};

/** Reads files of values, the later ones over the earlier ones as Helm does. @throws CommandError */
export function readValues(files: readonly string[]): Values {
  return files.map(valuesIn).reduce(merged, {});
}

function valuesIn(file: string): Values {
  let text: string;
  try {
    text = readFileSync(file === '-' ? STDIN : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const values = parsedValues(text);
  if (values !== undefined) return values;
  // The message of the parser quotes the lines around the error, and with them what may be a secret.
  throw new CommandError(`${file === '-' ? 'stdin' : file} is no YAML with values`);
}

function parsedValues(text: string): Values | undefined {
  try {
    const values = (parse(text, { version: '1.1' }) ?? {}) as unknown;
    return isMap(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** What the values of the other one's chart come to; `release` is the namespace of its release. @throws CommandError if it has no chart */
export function otherValues(source: Source, values: Values, release: string): OtherValues {
  if (source.name === 'stakater') return valuesOfStakater(values, release);
  const { chart } = source;
  if (chart === undefined)
    throw new CommandError(
      `-f: ${source.title} has no chart; leave it out, or name its Deployment by --deployment`,
    );
  const args = Object.entries(chart.flags).flatMap(([path, flag]) => {
    const value = at(values, path);
    return value === undefined || value === false
      ? []
      : [value === true ? `--${flag}` : `--${flag}=${value}`];
  });
  const moved = Object.entries(chart.values).filter(([path]) => saysSomething(at(values, path)));
  const carried = moved.reduce((all, [path, ours]) => withValue(all, ours, at(values, path)), {} as Values);
  const rows = [
    ...moved.map(([theirs, ours]): Setting => ({ theirs, is: 'other name', ours })),
    ...idleRows(values, chart.idle),
  ];
  const replicas = Number(at(values, chart.replicas) ?? 1);
  return { program: { args, env: {}, hidden: [] }, replicas, carried, rows };
}

/** They work here as they are, so nothing is renamed. */
function valuesOfStakater(values: Values, release: string): OtherValues {
  const rows = [...secretRows(values), ...idleRows(values, IDLE)];
  const carried = rows.reduce((all, { theirs }) => withoutValue(all, theirs), values);
  const env = isMap(at(values, 'reloader.deployment.env.open'))
    ? at(values, 'reloader.deployment.env.open')
    : {};
  const args = FLAGS.flatMap((flag) => {
    const value = at(values, VALUES_ELSEWHERE[flag.name] ?? `config.${valueKeyOf(flag.name)}`);
    const text = Array.isArray(value) ? value.join() : String(value ?? '');
    return text === '' || value === false || flag.name === 'all-namespaces' || flag.name === 'cronjob-reload'
      ? []
      : [`--${flag.name}=${text === 'default' ? (flag.default ?? text) : text}`];
  });
  const ignored = ['ConfigMaps', 'Secrets'].filter((kinds) => at(values, `reloader.ignore${kinds}`) === true);
  const runs = ['Jobs', 'CronJobs'].filter((kinds) => at(values, `reloader.ignore${kinds}`) === true);
  const isScoped = at(values, 'reloader.watchGlobally') === false;
  const program: Program = {
    args: [
      ...args,
      ...(ignored.length === 0 ? [] : [`--resources-to-ignore=${ignored.join().toLowerCase()}`]),
      ...(runs.length === 0 ? [] : [`--ignored-workload-types=${runs.join().toLowerCase()}`]),
      ...(isScoped && at(values, 'watchOwnNamespace') !== false ? [`--namespaces=${release}`] : []),
      ...(isScoped ? [] : ['--all-namespaces']),
    ],
    env: Object.fromEntries(Object.entries(env as object).map(([name, value]) => [name, String(value)])),
    hidden: [],
  };
  const isSeveral = at(values, 'reloader.enableHA') === true;
  const replicas = isSeveral ? Number(at(values, 'reloader.deployment.replicas') ?? 1) : 1;
  return { program, replicas, carried, rows };
}

/** Values that may be secrets: they are neither shown nor written. */
function secretRows(values: Values): readonly Setting[] {
  const open = at(values, 'reloader.deployment.env.open');
  const variables = isMap(open) ? Object.keys(open).filter(isSecretVariable) : [];
  const flags = FLAGS.filter(({ name, type }) => TYPES[type].isSecret === true && name !== 'webhook-url');
  return [
    'reloader.webhookUrl',
    'reloader.deployment.env.secret',
    ...variables.map((name) => `reloader.deployment.env.open.${name}`),
    ...flags.map(({ name }) => `config.${valueKeyOf(name)}`),
  ]
    .filter((path) => saysSomething(at(values, path)))
    .map((theirs) => ({ theirs, is: 'secret', why: 'the same here: write it into a file of your own' }));
}

function idleRows(values: Values, idle: Readonly<Record<string, string>>): readonly Setting[] {
  return Object.entries(idle)
    .filter(([path]) => saysSomething(at(values, path)))
    .map(([theirs, why]) => ({ theirs, is: 'no effect', why }));
}

/** The namespace of an account that has rights in several: it holds nothing else. */
export const OWN_NAMESPACE = 'kubernetes-reloader';

/** Whether the account has rights in several namespaces of which one is its own, which the chart refuses. */
export function needsOwnNamespace(namespaces: Settings['namespaces'], home: string): boolean {
  return namespaces !== undefined && namespaces.length > 1 && namespaces.includes(home);
}

/** The values that say what is watched. */
export function scopeValues(namespaces: Settings['namespaces'], home: string): Values {
  if (namespaces === undefined) return {};
  if (namespaces.join() === home) return { reloader: { watchGlobally: false } };
  const own: Values = needsOwnNamespace(namespaces, home) ? { namespace: OWN_NAMESPACE } : {};
  return { ...own, watchOwnNamespace: false, reloader: { watchGlobally: false, namespaces } };
}

/** How many pods run, and where. */
export interface Shape {
  readonly home: string;
  readonly replicas: number;
}

/** The values of our chart with the meaning of the settings. */
export function valuesFor(settings: Settings, { home, replicas }: Shape): Values {
  const { flags, namespaces, variables } = settings;
  const several: Values = replicas > 1 ? { ha: { enabled: true } } : {};
  const runs: Values = {
    reloader: { ignoreJobs: !flags.has('job-reload'), ignoreCronJobs: !flags.has('cronjob-reload') },
  };
  const ofFlags = [...flags].reduce((all, [name, texts]) => merged(all, flagValue(name, texts)), runs);
  return [several, scopeValues(namespaces, home), ...variables.map(variableValue)].reduce(merged, ofFlags);
}

function flagValue(name: FlagName, texts: readonly string[]): Values {
  const flag = flagNamed(name);
  const text = textOf(flag, texts);
  if (name === 'cronjob-reload' || (name === 'job-reload' && text === 'recreate')) return {};
  if (name === 'ignored-config-resource-types') {
    const kinds = listOf({ texts, source: '' }, TYPES['config-kind']);
    return { reloader: Object.fromEntries(kinds.map((kind) => [`ignore${kind}s`, true])) };
  }
  const path = VALUES_ELSEWHERE[name] ?? `config.${valueKeyOf(name)}`;
  const isText = path === 'reloader.ignoreNamespaces';
  return withValue({}, path, isText ? text : typed(flag, text));
}

/** The value in the type that the schema of the chart has for it. */
function typed({ type, isList }: Flag, text: string): unknown {
  if (isList) return text.split(',').map((item) => item.trim());
  if (type === 'switch' || (type === 'served-way' && text !== 'auto')) return text === 'true';
  if (type === 'served-way') return null;
  return TYPES[type].expected.startsWith('a whole number') ? Number(text) : text;
}

function variableValue({ name, value, secret }: Variable): Values {
  if (name === 'METRICS_COUNT_BY_NAMESPACE')
    return value === 'enabled' ? { reloader: { enableMetricsByNamespace: true } } : {};
  // What is watched, and which port is served, the chart says itself.
  if (name === 'KUBERNETES_NAMESPACE') return {};
  const env =
    secret !== undefined
      ? { existing: { [secret.name]: { [name]: secret.key } } }
      : { open: { [name]: value } };
  return secret === undefined && value === undefined ? {} : { reloader: { deployment: { env } } };
}

/** The arguments, without those that a folder of k8s or a component gives. */
export function argumentsWithout(settings: Settings, given: readonly string[]): readonly string[] {
  return argumentsOf(settings)
    .slice(1)
    .filter((argument) => !given.includes(argument));
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value says anything. */
function saysSomething(value: unknown): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value !== undefined && value !== null && value !== '' && value !== false && !isEmpty;
}

/** The value at a path with dots. */
function at(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), values);
}

function withValue(values: Values, path: string, value: unknown): Values {
  return merged(
    values,
    path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Values,
  );
}

function withoutValue(values: Values, path: string): Values {
  const [key = '', ...rest] = path.split('.');
  const { [key]: inner, ...others } = values;
  if (rest.length === 0 || !isMap(inner)) return others;
  const left = withoutValue(inner, rest.join('.'));
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}

/** Both, the second one over the first one. */
export function merged(one: Values, other: Values): Values {
  const inner = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isMap(before) && isMap(value) ? merged(before, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(inner) };
}
