/**
 * What the flags and variables of the other reloader are here. The program's own parser reads them, since it knows the flags of other
 * reloaders; only those that it refuses stand in the table of others.ts.
 */

import { SOURCE_KINDS } from '../../model/object-ref.ts';
import { type Given, type GivenFlags, readCommandLine } from '../../options/command-line.ts';
import { readEnvironment } from '../../options/environment.ts';
import { DEAD_FLAGS, FLAGS, type Flag, type FlagName } from '../../options/flags.ts';
import { type Options, UsageError } from '../../options/options.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { listOf, Reader } from '../../options/reader.ts';
import { TYPES } from '../../options/value-types.ts';
import { CommandError } from '../connect.ts';
import type { Program } from '../installed-reloader.ts';
import type { Source } from './others.ts';

/** One flag, variable or value of the other reloader, and what it is here. */
export interface Setting {
  readonly theirs: string;
  /** `left out`: it is refused here, and not needed. `refused`: it is not understood. `secret`: its value is not shown. */
  readonly is: 'same' | 'other name' | 'left out' | 'refused' | 'no effect' | 'secret' | 'added';
  readonly ours?: string | undefined;
  readonly why?: string | undefined;
}

/** A variable of the new installation. */
export interface Variable {
  readonly name: string;
  readonly value?: string | undefined;
  readonly secret?: { readonly name: string; readonly key: string } | undefined;
}

/** The settings of the new installation. */
export interface Settings {
  readonly rows: readonly Setting[];
  /** The texts of its flags but for the namespaces, in the order of the help; secrets are not among them. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** Undefined: all are watched. */
  readonly namespaces: readonly string[] | undefined;
  readonly variables: readonly Variable[];
  readonly options: Options;
  /** Warnings of the program about these settings. */
  readonly notices: readonly string[];
}

/** Where the new installation runs, and flags that come on top. */
export interface NewPlace {
  readonly home: string;
  readonly settings: readonly string[];
}

const METRICS = 'METRICS_COUNT_BY_NAMESPACE';
const GO = 'this is no Go program';
/** Variables without an effect. */
const IDLE_VARIABLES: Readonly<Record<string, string>> = {
  GOMAXPROCS: GO,
  GOMEMLIMIT: GO,
  LOG4JS_CONFIG: 'use --log-level and --log-format',
};
/** The flags that say what is watched, which the installation gives by itself. */
const OF_SCOPE: readonly FlagName[] = ['namespace', 'all-namespaces'];
/** What runs by itself there unless it is ignored, and the flag that does so here. */
const RUNS: readonly (readonly [kind: string, flag: FlagName, way: string])[] = [
  ['CronJobs', 'cronjob-reload', 'run-now'],
  ['Jobs', 'job-reload', 'recreate'],
];

/** The settings with the same meaning. @throws CommandError if they contradict each other */
export function settingsFor(source: Source, program: Program, { home, settings }: NewPlace): Settings {
  const words = wordsOf(source, program.args);
  const given = new Map([...readEnvironment(program.env), ...words.given]);
  const flags = new Map<FlagName, readonly string[]>();
  for (const flag of FLAGS) {
    const one = given.get(flag.name);
    if (one !== undefined && isArgument(flag, one)) flags.set(flag.name, textsOf(flag, one));
  }
  const runs = source.startsRuns ? withRuns(flags) : [];
  if (source.dialects !== undefined) flags.set('dialects', [source.dialects.join()]);
  const parsed = parsedFrom(source, program, [...given], { flags, settings });
  const { scope } = parsed.options;
  const own = source.watchesAll ? undefined : [home];
  return {
    rows: [
      ...words.rows,
      ...FLAGS.flatMap((flag) => settingOf(flag, given.get(flag.name))),
      ...DEAD_FLAGS.flatMap(({ name, group: why }): readonly Setting[] => {
        const theirs = given.get(name)?.source;
        return theirs === undefined ? [] : [{ theirs, is: 'no effect', why }];
      }),
      ...idleVariables(program),
      ...runs,
      ...dialectRow(source),
    ],
    flags,
    namespaces: scope.type === 'namespaces' ? scope.names : scope.type === 'all' ? undefined : own,
    variables: variablesIn(program),
    ...parsed,
  };
}

/** Of ignored kinds the plurals, as components and the chart name them. */
function textsOf({ name }: Flag<FlagName>, given: Given): readonly string[] {
  if (name !== 'ignored-config-resource-types') return given.texts;
  return listOf(given, TYPES['config-kind']).map((kind) => SOURCE_KINDS[kind].resource);
}

/** Whether a flag that is given becomes an argument: it is no secret, no default, and not about what is watched. */
function isArgument(flag: Flag<FlagName>, { texts, source }: Given): boolean {
  const isHidden = TYPES[flag.type].isSecret === true || !source.startsWith('--');
  return !isHidden && !isDefault(flag, texts) && !OF_SCOPE.includes(flag.name);
}

/** The arguments of the new installation. */
export function argumentsOf({
  flags,
  namespaces,
}: Pick<Settings, 'flags' | 'namespaces'>): readonly string[] {
  const scope = namespaces === undefined ? '--all-namespaces' : `--namespace=${namespaces.join()}`;
  return [scope, ...[...flags].map(([name, texts]) => argumentOf(name, texts))];
}

/** One flag as an argument. */
function argumentOf(name: FlagName, texts: readonly string[]): string {
  const text = textOf(flagNamed(name), texts);
  return text === 'true' && flagNamed(name).type === 'switch' ? `--${name}` : `--${name}=${text}`;
}

/** The flag of the table. */
export function flagNamed(name: FlagName): Flag<FlagName> {
  const flag = FLAGS.find((each) => each.name === name);
  if (flag === undefined) throw new Error(`no flag is called ${name}`);
  return flag;
}

/** The text that counts: all items of a list, else the last one. */
export function textOf({ type, isList }: Flag, texts: readonly string[]): string {
  const isJoined = isList || TYPES[type].isJoined === true;
  return (isJoined ? texts.join() : (texts.at(-1) ?? '')).trim().replace(/^"(.*)"$/, '$1');
}

function isDefault(flag: Flag, texts: readonly string[]): boolean {
  return textOf(flag, texts) === (flag.default ?? (flag.type === 'switch' ? 'false' : ''));
}

function settingOf(flag: Flag<FlagName>, given: Given | undefined): readonly Setting[] {
  if (given === undefined) return [];
  const { source: theirs, texts } = given;
  const isFlag = theirs.startsWith('--');
  const ours = isFlag ? `--${flag.name}` : theirs;
  if (TYPES[flag.type].isSecret === true)
    return [{ theirs, is: 'secret', ours, why: `its value is a secret: set ${secretPlace(flag)}` }];
  if (!isFlag) return [{ theirs, is: 'same', ours }];
  const why = isDefault(flag, texts) ? 'it is the default here' : undefined;
  const text = textOf(flag, texts);
  const value = text === 'true' && flag.type === 'switch' ? '' : `=${text}`;
  return [{ theirs: `${theirs}${value}`, is: theirs === ours ? 'same' : 'other name', ours, why }];
}

function secretPlace({ name }: Flag): string {
  const variable = `RELOADER_OPT_${name.toUpperCase().replaceAll('-', '_')}`;
  return `the variable ${variable} from a Secret`;
}

interface Words {
  readonly given: GivenFlags;
  readonly rows: readonly Setting[];
}

/** The words flag by flag, so that one which is not understood says nothing about the others. */
function wordsOf(source: Source, args: readonly string[]): Words {
  const given = new Map<Flag['name'], { texts: string[]; source: string }>();
  const rows: Setting[] = [];
  for (const [word, ...values] of groupsOf(source, args)) {
    const [name = ''] = word.slice(2).split('=');
    const refused = source.refused[name];
    if (refused !== undefined) {
      rows.push({ theirs: `--${name}`, is: 'left out', why: refused.why });
      continue;
    }
    try {
      const one = readCommandLine([word, ...values]);
      new Reader(one, new Map(), () => '');
      for (const [flag, { texts, source: theirs }] of one) {
        const before = given.get(flag)?.texts ?? [];
        given.set(flag, { texts: [...before, ...texts], source: theirs });
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      rows.push({ theirs: `--${name}`, is: 'refused', why: error.message });
    }
  }
  return { given, rows };
}

/** Each flag with its value. Go's own package for flags, which some of them use, takes a single dash as well. */
function groupsOf({ refused }: Source, args: readonly string[]): readonly (readonly [string, ...string[]])[] {
  const groups: [string, ...string[]][] = [];
  for (const word of args) {
    const last = groups.at(-1);
    const isSwitch = refused[last?.[0].slice(2) ?? '']?.isSwitch === true;
    if (word.startsWith('-')) groups.push([word.replace(/^-(?=[a-z][a-z-]+)/, '--')]);
    else if (last !== undefined && !isSwitch) last.push(word);
  }
  return groups;
}

/** Takes Jobs and CronJobs out of the ignored kinds, and adds the flags for those that are not ignored. */
function withRuns(flags: Map<FlagName, readonly string[]>): readonly Setting[] {
  const texts = flags.get('ignored-workload-types') ?? [];
  const ignored = texts.length === 0 ? [] : listOf({ texts, source: '' }, TYPES['workload-kind']);
  const others = ignored.filter((kind) => !RUNS.some(([kinds]) => kinds === `${kind}s`));
  flags.delete('ignored-workload-types');
  if (others.length > 0) flags.set('ignored-workload-types', others);
  return RUNS.filter(([kinds]) => !ignored.some((kind) => `${kind}s` === kinds)).map(
    ([kinds, flag, way]): Setting => {
      flags.set(flag, [way]);
      return { theirs: `${kinds}, unless ignored`, is: 'added', ours: `--${flag}=${way}` };
    },
  );
}

function dialectRow({ dialects, title }: Source): readonly Setting[] {
  if (dialects === undefined) return [];
  const ours = `--dialects=${dialects.join()}`;
  return [{ theirs: `the annotations of ${title}`, is: 'added', ours }];
}

function idleVariables({ env, hidden }: Program): readonly Setting[] {
  return [...Object.keys(env), ...hidden.map(({ name }) => name)].flatMap((theirs): readonly Setting[] => {
    const why = IDLE_VARIABLES[theirs];
    return why === undefined ? [] : [{ theirs, is: 'no effect', why }];
  });
}

/** Whether the value of a variable may be a secret. */
export function isSecretVariable(name: string): boolean {
  const given = readEnvironment({ [name]: 'x' });
  return FLAGS.some((flag) => TYPES[flag.type].isSecret === true && given.has(flag.name));
}

/** The variables that the program reads. A value that may be a secret is not repeated. */
function variablesIn({ env, hidden }: Program): readonly Variable[] {
  const isOurs = (name: string): boolean => name === METRICS || readEnvironment({ [name]: 'x' }).size > 0;
  const open = Object.entries(env).filter(([name]) => isOurs(name));
  return [
    ...open.map(([name, value]) => (isSecretVariable(name) ? { name } : { name, value })),
    ...hidden
      .filter(({ name }) => isOurs(name))
      .map(({ name, valueFrom }): Variable => {
        const { name: of, key } = valueFrom?.secretKeyRef ?? {};
        return of === undefined || key === undefined ? { name } : { name, secret: { name: of, key } };
      }),
  ];
}

function parsedFrom(
  { title, watchesAll }: Source,
  { env }: Program,
  given: readonly (readonly [Flag['name'], Given])[],
  { flags, settings }: Pick<Settings, 'flags'> & Pick<NewPlace, 'settings'>,
): Pick<Settings, 'options' | 'notices'> {
  const isSecret = (name: Flag['name']): boolean =>
    FLAGS.some((flag) => flag.name === name && TYPES[flag.type].isSecret === true);
  const isOfScope = (name: Flag['name']): boolean => OF_SCOPE.some((each) => each === name);
  const further = given.filter(([name]) => isSecret(name) || isOfScope(name));
  const words = [...further, ...[...flags].map(([name, texts]) => [name, { texts }] as const)].flatMap(
    ([name, { texts }]) => texts.map((text) => `--${name}=${text}`),
  );
  const isScoped = given.some(([name]) => isOfScope(name)) || env['KUBERNETES_NAMESPACE'] !== undefined;
  const everywhere = watchesAll && !isScoped ? ['--all-namespaces'] : [];
  const parsed = parseOptions([...words, ...everywhere, ...settings], env, () => '');
  if (parsed.type === 'run') return parsed;
  const problem = parsed.type === 'usage-error' ? parsed.message : 'they run nothing';
  throw new CommandError(`the flags of ${title} cannot be used as they are: ${problem}`);
}
