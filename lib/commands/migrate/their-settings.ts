/** What the flags and variables of the other reloader are here. The program's own parser reads them: it knows the flags of the others. */

import { placeOf } from '../../app/assembly.ts';
import { readCommandLine } from '../../options/command-line.ts';
import { readEnvironment } from '../../options/environment.ts';
import { DEAD_FLAGS, FLAGS, type Flag, VARIABLE_PREFIX } from '../../options/flags.ts';
import { type Options, UsageError } from '../../options/options.ts';
import { Reader } from '../../options/reader.ts';
import { TYPES } from '../../options/value-types.ts';
import { optionsOf, type Program, type RawVariable } from '../installed-reloader.ts';
import type { Source } from './other-reloader.ts';

/** One flag or variable of the other reloader that is not the same here. */
export interface Setting {
  readonly theirs: string;
  /** `refused`: it is not understood. `secret`: its value is not shown. */
  readonly is: 'refused' | 'no effect' | 'secret';
  readonly why: string;
}

/** The settings of the new installation. */
export interface Settings {
  readonly rows: readonly Setting[];
  /** Its arguments; secrets are not among them. */
  readonly args: readonly string[];
  /** Undefined: all are watched. */
  readonly namespaces: readonly string[] | undefined;
  /** The variables whose values are in Secrets and ConfigMaps. */
  readonly variables: readonly RawVariable[];
  /** The variables of this program whose values a person has to give: they are secrets, and not in a Secret. */
  readonly wanted: readonly string[];
  readonly options: Options;
  /** Warnings of the program about these settings. */
  readonly notices: readonly string[];
}

/** The flags that the manifests of the new installation set. */
const OF_MANIFESTS: readonly Flag['name'][] = ['namespace', 'all-namespaces', 'port'];
const PORT: Omit<Setting, 'theirs'> = { is: 'no effect', why: 'the manifests serve the port http, 8080' };
const SECRET: readonly Flag['name'][] = FLAGS.filter(({ type }) => TYPES[type].isSecret === true).map(
  ({ name }) => name,
);

/** The settings with the same meaning; the other one is in the namespace `home`, `further` flags win. @throws CommandError if they contradict each other */
export function settingsFor(
  { title, env: usual, runs }: Source,
  program: Program,
  { home, further }: { readonly home: string; readonly further: readonly string[] },
): Settings {
  const { words, rows } = wordsOf(program.args);
  const env = { ...usual, ...program.env };
  const common = words.map(({ text }) => text);
  const ignored: readonly string[] = optionsOf(common, env, title).options.ignoredWorkloadKinds;
  const added = Object.keys(runs).flatMap((kind) => (ignored.includes(kind) ? [] : (runs[kind] ?? [])));
  const { options, notices } = optionsOf([...common, ...added, ...further], env, title);
  const { namespaces } = placeOf(options, home);
  const given = [...readEnvironment(program.env)].filter(([name]) => !words.some((one) => one.name === name));
  const others = [
    ...words,
    ...given.map(([name, { texts }]) => ({ name, text: `--${name}=${texts.join()}` })),
  ].filter(({ name }) => ![...OF_MANIFESTS, ...SECRET].includes(name));
  const variables = program.hidden.filter(({ name }) => readEnvironment({ [name]: 'x' }).size > 0);
  const names = [...words.map(({ name }) => name), ...given.map(([name]) => name)];
  return {
    rows: [...rows, ...given.flatMap(([name, { source }]) => secretRow(name, source))],
    args: [
      namespaces === undefined ? '--all-namespaces' : `--namespace=${namespaces.join()}`,
      ...others.map(({ text }) => text),
      ...added,
    ],
    namespaces,
    variables,
    wanted: names.filter((name) => SECRET.includes(name)).map(variableOf),
    options,
    notices: notices.filter((notice) => !variables.some(({ name }) => notice.includes(name))),
  };
}

function secretRow(name: Flag['name'], theirs: string): readonly Setting[] {
  const why = `its value is a secret: set the variable ${variableOf(name)} from a Secret`;
  return SECRET.includes(name) ? [{ theirs, is: 'secret', why }] : [];
}

function variableOf(name: Flag['name']): string {
  return `${VARIABLE_PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;
}

/** A flag with an effect, as it is written. */
interface Word {
  readonly name: Flag['name'];
  readonly text: string;
}

/** Reads flag by flag, so that one which is not understood says nothing about the others. */
function wordsOf(given: readonly string[]): Pick<Settings, 'rows'> & { readonly words: readonly Word[] } {
  const words: Word[] = [];
  const rows: Setting[] = [];
  for (const group of groupsOf(given)) {
    const [theirs = ''] = group[0].split('=', 1);
    try {
      const one = readCommandLine(group);
      new Reader(one, new Map(), () => '');
      for (const name of one.keys()) {
        const dead = DEAD_FLAGS.find((flag) => flag.name === name);
        if (dead === undefined) words.push({ name, text: group.join('=') });
        else rows.push({ theirs, is: 'no effect', why: dead.group });
        if (name === 'port') rows.push({ theirs, ...PORT });
        rows.push(...secretRow(name, theirs));
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      rows.push({ theirs, is: 'refused', why: error.message });
    }
  }
  return { words, rows };
}

/** Each flag with its value. */
function groupsOf(args: readonly string[]): readonly (readonly [string, ...string[]])[] {
  const groups: [string, ...string[]][] = [];
  for (const word of args)
    if (word.startsWith('-')) groups.push([word]);
    else groups.at(-1)?.push(word);
  return groups;
}
