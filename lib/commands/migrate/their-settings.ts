/** What the flags and variables of the other reloader are here. The program's own parser reads them: it knows the flags of the others. */

import { readCommandLine } from '../../options/command-line.ts';
import { readEnvironment } from '../../options/environment.ts';
import { DEAD_FLAGS, FLAGS, type Flag } from '../../options/flags.ts';
import { type Options, UsageError } from '../../options/options.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { Reader } from '../../options/reader.ts';
import { TYPES } from '../../options/value-types.ts';
import { CommandError } from '../connect.ts';
import type { Program } from '../installed-reloader.ts';
import type { Source } from './other-reloader.ts';

/** One flag or variable of the other reloader that is not the same here. */
export interface Setting {
  readonly theirs: string;
  /** `refused`: it is not understood. `secret`: its value is not shown. */
  readonly is: 'refused' | 'no effect' | 'secret' | 'added';
  readonly ours?: string | undefined;
  readonly why?: string | undefined;
}

/** The settings of the new installation. */
export interface Settings {
  readonly rows: readonly Setting[];
  /** Its arguments; secrets are not among them. */
  readonly args: readonly string[];
  /** Undefined: all are watched. */
  readonly namespaces: readonly string[] | undefined;
  /** Variables that are read from a Secret. */
  readonly secrets: readonly { readonly variable: string; readonly secret: string }[];
  readonly options: Options;
  /** Warnings of the program about these settings. */
  readonly notices: readonly string[];
}

/** The flags that say what is watched. */
const OF_SCOPE: readonly string[] = ['namespace', 'all-namespaces'];
/** What runs by itself there unless it is ignored, and the argument that does so here. */
const RUNS = [
  ['CronJob', '--cronjob-reload=run-now'],
  ['Job', '--job-reload=recreate'],
] as const;
const SECRET: readonly Flag['name'][] = FLAGS.filter(({ type }) => TYPES[type].isSecret === true).map(
  ({ name }) => name,
);

/** The settings with the same meaning in the namespace `home`; `further` flags win. @throws CommandError if they contradict each other */
export function settingsFor(
  { title, isStakater }: Source,
  program: Program,
  { home, further }: { readonly home: string; readonly further: readonly string[] },
): Settings {
  const { env } = program;
  const { words, rows } = wordsOf(program.args);
  const isScoped = words.scope.length > 0 || env['KUBERNETES_NAMESPACE'] !== undefined;
  const everywhere = isStakater && !isScoped ? ['--all-namespaces'] : [];
  const common = [...words.scope, ...words.secret, ...words.args, ...everywhere];
  const { ignoredWorkloadKinds: ignored } = parsed(title, common, env).options;
  const runs = isStakater ? RUNS.filter(([kind]) => !ignored.some((each) => each === kind)) : [];
  const added = runs.map(([, argument]) => argument);
  const { options, notices } = parsed(title, [...common, ...added, ...further], env);
  const { scope } = options;
  const own = isStakater ? undefined : [home];
  const namespaces = scope.type === 'namespaces' ? scope.names : scope.type === 'all' ? undefined : own;
  const place = namespaces === undefined ? '--all-namespaces' : `--namespace=${namespaces.join()}`;
  return {
    rows: [
      ...rows,
      ...[...readEnvironment(env)].flatMap(([name, { source }]) => secretRow(name, source)),
      ...runs.map(([kind, ours]): Setting => ({ theirs: `${kind}s, unless ignored`, is: 'added', ours })),
    ],
    args: [place, ...words.args, ...added],
    namespaces,
    secrets: secretsIn(program),
    options,
    notices,
  };
}

function parsed(
  title: string,
  args: readonly string[],
  env: Program['env'],
): Pick<Settings, 'options' | 'notices'> {
  const result = parseOptions(args, env, () => '');
  if (result.type === 'run') return result;
  const problem = result.type === 'usage-error' ? result.message : 'they run nothing';
  throw new CommandError(`the flags of ${title} cannot be used as they are: ${problem}`);
}

function secretRow(name: Flag['name'], theirs: string): readonly Setting[] {
  const variable = `RELOADER_OPT_${name.toUpperCase().replaceAll('-', '_')}`;
  const why = `its value is a secret: set the variable ${variable} from a Secret`;
  return SECRET.includes(name) ? [{ theirs, is: 'secret', why }] : [];
}

interface Words extends Pick<Settings, 'rows'> {
  /** Words of flags that are understood, by what becomes of them. */
  readonly words: Readonly<Record<'scope' | 'secret' | 'args' | 'dead', readonly string[]>>;
}

/** Reads flag by flag, so that one which is not understood says nothing about the others. */
function wordsOf(given: readonly string[]): Words {
  const rows: Setting[] = [];
  const words: Record<keyof Words['words'], string[]> = { scope: [], secret: [], args: [], dead: [] };
  for (const group of groupsOf(given)) {
    const [theirs = ''] = group[0].split('=', 1);
    try {
      const one = readCommandLine(group);
      new Reader(one, new Map(), () => '');
      for (const name of one.keys()) words[placeOf(name)].push(group.join('='));
      rows.push(...[...one.keys()].flatMap((name) => [...deadRow(name, theirs), ...secretRow(name, theirs)]));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      rows.push({ theirs, is: 'refused', why: error.message });
    }
  }
  return { words, rows };
}

function placeOf(name: Flag['name']): keyof Words['words'] {
  if (DEAD_FLAGS.some((flag) => flag.name === name)) return 'dead';
  if (SECRET.includes(name)) return 'secret';
  return OF_SCOPE.includes(name) ? 'scope' : 'args';
}

function deadRow(name: Flag['name'], theirs: string): readonly Setting[] {
  return DEAD_FLAGS.filter((flag) => flag.name === name).map(({ group: why }) => ({
    theirs,
    is: 'no effect',
    why,
  }));
}

/** Each flag with its value. */
function groupsOf(args: readonly string[]): readonly (readonly [string, ...string[]])[] {
  const groups: [string, ...string[]][] = [];
  for (const word of args)
    if (word.startsWith('-')) groups.push([word]);
    else groups.at(-1)?.push(word);
  return groups;
}

/** The variables of this program that are read from a Secret. */
function secretsIn({ hidden }: Program): Settings['secrets'] {
  return hidden.flatMap(({ name: variable, valueFrom }) => {
    const secret = valueFrom?.secretKeyRef?.name;
    const isOurs = readEnvironment({ [variable]: 'x' }).size > 0;
    return secret === undefined || !isOurs ? [] : [{ variable, secret }];
  });
}
