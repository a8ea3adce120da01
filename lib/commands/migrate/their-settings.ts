/** What the settings of the other reloader are here, by the program's own parser. */

import { type Place, placeOf } from '../../app/assembly.ts';
import { readCommandLine, readEnvironment } from '../../options/command-line.ts';
import { DEAD_FLAGS, FLAGS, type Flag, VARIABLE_PREFIX } from '../../options/flags.ts';
import { type Options, UsageError } from '../../options/options.ts';
import { Reader } from '../../options/reader.ts';
import { TYPES } from '../../options/value-types.ts';
import { groupsOf, type Program } from '../deployed-program.ts';
import { optionsOf } from '../installed-reloader.ts';
import type { Source } from './other-reloader.ts';

/** One flag of the other reloader that is not the same here. */
export interface Setting {
  readonly theirs: string;
  /** `refused`: it is not understood. */
  readonly is: 'refused' | 'no effect';
  readonly why: string;
}

/** The settings of the new installation. */
export interface Settings {
  readonly rows: readonly Setting[];
  /** As its arguments; secrets are not among them. */
  readonly args: readonly string[];
  /** The names of its flags and variables whose values are secrets, or in other objects. */
  readonly hidden: readonly string[];
  /** The variables that it needs beside the arguments and variables of the other one. */
  readonly added: Program['env'];
  readonly options: Options;
  readonly place: Place;
  /** Warnings of the program about these settings. */
  readonly notices: readonly string[];
}

/** The flags that the first argument takes the place of. */
const SCOPE: readonly Flag['name'][] = ['namespace', 'all-namespaces'];
const SECRET: readonly Flag['name'][] = FLAGS.filter(({ type }) => TYPES[type].isSecret === true).map(
  ({ name }) => name,
);

/** The settings with the same meaning; `further` flags win. @throws CommandError */
export function settingsFor(
  { title, env: usual, runs }: Source,
  program: Program,
  { home, further }: Readonly<{ home: string; further: readonly string[] }>,
): Settings {
  const { words, rows } = wordsOf([...program.args, ...further]);
  const env = { ...usual, ...program.env };
  const common = words.map(({ text }) => text);
  const ignored: readonly string[] = optionsOf(common, env, title).options.ignoredWorkloadTypes;
  const isGiven = (word: string): boolean => words.some(({ name }) => word.startsWith(`--${name}=`));
  const anew = Object.entries(runs).flatMap(([kind, word]) =>
    ignored.includes(kind) || isGiven(word) ? [] : [word],
  );
  const { options, notices } = optionsOf([...common, ...anew], env, title);
  const place = placeOf(options, home);
  const { namespaces } = place;
  const all = [
    ...words,
    ...[...readEnvironment(program.env)]
      .map(([name, { texts }]) => ({ name, text: `--${name}=${texts.join()}` }))
      .filter(({ name }) => !words.some((one) => one.name === name)),
  ];
  const isSecret = ({ name }: Word): boolean => SECRET.includes(name);
  const isRead = (name: string): boolean => name.startsWith('-') || readEnvironment({ [name]: 'x' }).size > 0;
  const hidden = program.hidden.filter(isRead);
  return {
    rows,
    args: [
      namespaces === undefined ? '--all-namespaces' : `--namespace=${namespaces.join()}`,
      ...all.filter((word) => !isSecret(word) && !SCOPE.includes(word.name)).map(({ text }) => text),
      ...anew,
    ],
    hidden: [
      ...all
        .filter((word) => isSecret(word) && !word.text.endsWith('='))
        .map(({ name }) => variableOf(`--${name}`)),
      ...hidden,
    ],
    added: Object.fromEntries([
      ...Object.entries(usual).filter(([name]) => !(name in program.env || program.hidden.includes(name))),
      ...anew.map((word) => word.split('=')).map(([flag = '', value = '']) => [variableOf(flag), value]),
    ]),
    options,
    place,
    notices: notices.filter((notice) => !hidden.some((name) => notice.includes(name))),
  };
}

function variableOf(flag: string): string {
  return `${VARIABLE_PREFIX}${flag.slice(2).toUpperCase().replaceAll('-', '_')}`;
}

/** A flag with an effect, as it is written. */
interface Word {
  readonly name: Flag['name'];
  readonly text: string;
}

/** Reads flag by flag: one that is not understood concerns no other. */
function wordsOf(given: readonly string[]): Pick<Settings, 'rows'> & { readonly words: readonly Word[] } {
  const words: Word[] = [];
  const rows: Setting[] = [];
  for (const group of groupsOf(given).filter(([word]) => word.startsWith('-'))) {
    const [theirs = ''] = group[0].split('=', 1);
    try {
      const one = readCommandLine(group);
      new Reader(one, new Map());
      for (const name of one.keys()) {
        const dead = DEAD_FLAGS.find((flag) => flag.name === name);
        if (dead === undefined) words.push({ name, text: group.join('=') });
        else rows.push({ theirs, is: 'no effect', why: dead.group });
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      rows.push({ theirs, is: 'refused', why: error.message });
    }
  }
  return { words, rows };
}
