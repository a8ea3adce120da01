/** Parses the given texts into typed values; an error names the flag or variable that gave the text. */

import { parseBool } from '../model/text.ts';
import type { Given, GivenFlags } from './command-line.ts';
import { ALL_FLAGS, FLAGS, type Flag, type FlagName, type FlagOptions } from './flags.ts';
import { UsageError } from './options.ts';
import { TYPES, type ValueType } from './value-types.ts';

const LONGEST_QUOTE = 60;
const FLAG_OF: ReadonlyMap<Flag['name'], Flag> = new Map(ALL_FLAGS.map((flag) => [flag.name, flag]));

/**
 * The values by flag. Per flag the command line has precedence over the environment; of several texts for one value the last.
 */
export class Reader {
  readonly flags: FlagOptions;
  readonly #given: GivenFlags;

  /** @throws UsageError for the first flag, in the order of the help, whose text is not of its type */
  constructor(commandLine: GivenFlags, environment: GivenFlags) {
    this.#given = new Map([...environment, ...commandLine]);
    const values = FLAGS.map((flag) => [flag.property, valueFrom(flag, this.#given.get(flag.name))]);
    // Each type follows from the same row of the table as the parser.
    this.flags = Object.fromEntries(values) as FlagOptions;
  }

  /** The flag or variable that gave a text; undefined if none did. */
  sourceOf(flag: Flag['name']): string | undefined {
    return this.#given.get(flag)?.source;
  }

  /** The source for a message: the one that gave a text, else the flag itself. */
  placeOf(flag: FlagName): string {
    return this.sourceOf(flag) ?? `--${flag}`;
  }

  /** Whether the command line, not a variable, gave the text. */
  isOnCommandLine(flag: FlagName): boolean {
    return this.sourceOf(flag)?.startsWith('--') ?? false;
  }

  /**
   * Whether a text is given that asks for something: it is not empty and, for a switch or a flag without an effect, not false.
   */
  asks(name: Flag['name']): boolean {
    const { type, help } = FLAG_OF.get(name) ?? {};
    const text = this.#given.get(name)?.texts.at(-1)?.trim() ?? '';
    return text !== '' && ((type !== 'switch' && help !== '') || parseBool(text) !== false);
  }
}

function valueFrom({ type, isList, default: usual }: Flag, given: Given | undefined): unknown {
  const { texts, source } = given ?? { texts: usual === undefined ? [] : [usual], source: '' };
  if (texts.length === 0) return isList ? [] : type === 'switch' ? false : undefined;
  if (isList) return listOf<unknown>({ texts, source }, TYPES[type]);
  const text = TYPES[type].isJoined ? texts.flatMap(itemsOf).join(',') : texts.at(-1);
  return parsed<unknown>(text?.trim() ?? '', TYPES[type], source);
}

/** An item of a comma list; in double quotes, as in Go's pflag, it may contain commas. */
const ITEM = /(?<=^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))(?=,|$)/g;

function itemsOf(text: string): string[] {
  return [...text.matchAll(ITEM)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
}

/** The items of comma lists, trimmed, each once. @throws UsageError if there is no item, or one is not of `type`. */
export function listOf<T>({ texts, source }: Given, type: ValueType<T>): T[] {
  const present = texts.flatMap(itemsOf).filter((item) => item !== '');
  const values = (present.length === 0 ? [''] : present).map((item) => parsed(item, type, source));
  return [...new Set(values)];
}

function parsed<T>(text: string, type: ValueType<T>, source: string): T {
  const value = type.parse(text);
  if (value !== undefined) return value;
  const quote = type.isSecret ? '' : `, got ${JSON.stringify(text.slice(0, LONGEST_QUOTE))}`;
  throw new UsageError(`${source}: expected ${type.expectedFor?.(text) ?? type.expected}${quote}`);
}
