/** The flags of the table as values, and the TypeScript types that follow from the table. */

import { STAKATER_KEYS, type StakaterKeys } from '../model/settings.ts';
import { DEAD, TABLE } from './flag-table.ts';
import type { TypeName, Values } from './value-types.ts';

/** The properties of one flag in the table. */
interface Row {
  /** The text that the flag gives on the command line without a value. @default it needs one */
  readonly alone?: string;
  /** The annotation of the stakater vocabulary that the flag renames; only Stakater Reloader has such flags. */
  readonly renames?: keyof StakaterKeys;
  /** One sentence for the help; it includes the default if that depends on other settings. */
  readonly help?: string;
}

type FormsIn<T> = { [Group in keyof T]: keyof T[Group] }[keyof T];
type Forms = FormsIn<typeof TABLE>;
type LongName<F> = F extends `${string}, ${infer Rest}`
  ? LongName<Rest>
  : F extends `--${infer N}`
    ? N
    : never;
type NameIn<F> = F extends `${infer Names} <${string}>` ? LongName<Names> : LongName<F>;

/** The names of the flags with an effect. */
export type FlagName = NameIn<Forms>;

/** The names of the flags without an effect. */
export type DeadFlagName = NameIn<FormsIn<typeof DEAD>>;

type Value<T> = T extends TypeName ? Values[T] : unknown;
type ValueIn<F> = F extends `${string} <${infer T}...${string}>`
  ? readonly Value<T>[]
  : F extends `${string} <${infer T}=${string}>`
    ? Value<T>
    : F extends `${string} <${infer T}>`
      ? Value<T> | undefined
      : boolean;

type Camel<N extends string> = N extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : N;
type PropertyOf<F> = `${Camel<NameIn<F>>}${F extends `${string}duration${string}>` ? 'Ms' : ''}`;

/** The value of each flag with an effect, under its name: of `--coalesce-period`, a duration, `coalescePeriodMs`. */
export type FlagOptions = { readonly [F in Forms as PropertyOf<F>]: ValueIn<F> };

/** One flag of the table. */
export interface Flag<N extends string = FlagName | DeadFlagName> extends Row {
  /** Its long name without dashes; like each long alias it also names a variable, see variablesOf. */
  readonly name: N;
  /** Its property of FlagOptions, if it has an effect. */
  readonly property: keyof FlagOptions;
  /** Its other forms, with dashes: `-s`, `--cacert`. */
  readonly aliases: readonly string[];
  readonly type: TypeName;
  readonly isList: boolean;
  /** The text that is parsed if none is given. */
  readonly default?: string;
  /** The name of its value in the help: the last word of its type; undefined for a switch. */
  readonly value: string | undefined;
  /** A variable of other programs that is read too; ours has precedence. */
  readonly variable?: string;
  /** The heading in the help; for a flag without an effect, which is not in the help, the reason why it has none. */
  readonly group: string;
  readonly help: string;
}

/** The flags whose names in capitals are variables of other programs. */
const READ_BY_NAME = /^(?:alert-.+|port)$/;
const FORMS = /^((?:\S+, )*)--(\S+)(?: <([a-z-]+)(\.\.\.)?(?:=([^>]+))?>)?$/;

/** The flags with an effect, in the order of the help. */
export const FLAGS: readonly Flag<FlagName>[] = flagsIn(TABLE);

/** The flags without an effect. */
export const DEAD_FLAGS: readonly Flag<DeadFlagName>[] = flagsIn(DEAD);

/** All flags. */
export const ALL_FLAGS: readonly Flag[] = [...FLAGS, ...DEAD_FLAGS];

function flagsIn<N extends string>(
  groups: Readonly<Record<string, Readonly<Record<string, Row | string>>>>,
): Flag<N>[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    Object.entries(rows).map(([forms, row]) =>
      flagOf<N>(group, forms, typeof row === 'string' ? { help: row } : row),
    ),
  );
}

function flagOf<N extends string>(group: string, forms: string, row: Row): Flag<N> {
  const [, others, name = '', type = 'switch', dots = '', usual] = FORMS.exec(forms) ?? [];
  const word = type.split('-').at(-1);
  const help = row.renames
    ? `read this annotation in place of ${STAKATER_KEYS[row.renames]}`
    : (row.help ?? '');
  return {
    ...row,
    ...(usual !== undefined && { default: usual }),
    ...(READ_BY_NAME.test(name) && { variable: capitals(name) }),
    group,
    aliases: others?.split(', ').slice(0, -1) ?? [],
    name: name as N,
    property: propertyOf(name, word),
    type: type as TypeName,
    isList: dots !== '',
    value: type === 'switch' ? undefined : `${word}${dots && 's'}`,
    help: usual === undefined ? help : `${help} (default: ${usual})`,
  };
}

function propertyOf(name: string, word: string | undefined): keyof FlagOptions {
  const camel = name.replaceAll(/-./g, (found) => found.slice(1).toUpperCase());
  return `${camel}${word === 'duration' ? 'Ms' : ''}` as keyof FlagOptions;
}

/** The long names of a flag; its own is the last one. */
export function longNamesOf({ name, aliases }: Flag): string[] {
  return [...aliases.filter((form) => form.startsWith('--')).map((form) => form.slice(2)), name];
}

/** The prefix of our variables. Not RELOADER_: for a Service named "reloader" the kubelet sets RELOADER_PORT and the like. */
export const VARIABLE_PREFIX = 'RELOADER_OPT_';

/** The variables of a flag, one for each long name; --help and --version have none. */
export function variablesOf(flag: Flag): string[] {
  if (flag.name === 'help' || flag.name === 'version') return [];
  return longNamesOf(flag).map((name) => VARIABLE_PREFIX + capitals(name));
}

function capitals(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
