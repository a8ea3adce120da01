/** Reads typed values from the texts that were given, and complains with the place where they were given. */

import type { Given, GivenFlags } from './command-line.ts';
import type { FlagName } from './flags.ts';
import { UsageError } from './usage-error.ts';
import type { ValueType } from './value-types.ts';

const LONGEST_QUOTE = 60;

/** Values by flag. The command line wins over the environment, per flag; the last text wins where one is wanted. */
export class Reader {
  readonly #given: GivenFlags;
  readonly #onCommandLine: GivenFlags;

  constructor(commandLine: GivenFlags, environment: GivenFlags) {
    this.#given = new Map([...environment, ...commandLine]);
    this.#onCommandLine = commandLine;
  }

  /** Whether the flag stands on the command line itself. */
  isOnCommandLine(flag: FlagName): boolean {
    return this.#onCommandLine.has(flag);
  }

  /** Where the flag was given; undefined if nowhere. */
  sourceOf(flag: FlagName): string | undefined {
    return this.#given.get(flag)?.source;
  }

  /** The value of `flag`, or undefined if it was not given. @throws UsageError if it is not of `type`. */
  one<T>(flag: FlagName, type: ValueType<T>): T | undefined {
    const given = this.#given.get(flag);
    const text = given?.texts.at(-1);
    return given === undefined || text === undefined ? undefined : parsed(text.trim(), type, given.source);
  }

  /** All values of `flag`, each once; empty if it was not given. @throws UsageError if one is not of `type`. */
  list<T>(flag: FlagName, type: ValueType<T>): T[] {
    const given = this.#given.get(flag);
    return given === undefined ? [] : listOf(given, type);
  }

  /** All texts of `flag` joined by commas, as one value; undefined if it was not given. @throws UsageError if it is not of `type`. */
  joined<T>(flag: FlagName, type: ValueType<T>): T | undefined {
    const given = this.#given.get(flag);
    return given === undefined
      ? undefined
      : parsed(given.texts.flatMap(itemsOf).join(','), type, given.source);
  }
}

/** An item of a comma list: in double quotes, as Go's pflag takes them, it may hold commas. */
const ITEM = /(?<=^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))(?=,|$)/g;

function itemsOf(text: string): string[] {
  return [...text.matchAll(ITEM)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}

/** The items of comma lists, trimmed, each once. @throws UsageError if there is none or one is not of `type`. */
export function listOf<T>({ texts, source }: Given, type: ValueType<T>): T[] {
  const present = texts.flatMap(itemsOf).filter((item) => item !== '');
  const values = (present.length === 0 ? [''] : present).map((item) => parsed(item, type, source));
  return [...new Set(values)];
}

function parsed<T>(text: string, type: ValueType<T>, source: string): T {
  const value = type.parse(text);
  if (value !== undefined) return value;
  const quote = type.secret ? '' : `, got ${JSON.stringify(text.slice(0, LONGEST_QUOTE))}`;
  throw new UsageError(`${source}: expected ${type.expected}${quote}`);
}
