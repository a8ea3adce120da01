/** Items of a list that stand in a file: `@<path>` for its lines. */

import type { Given } from './command-line.ts';
import { UsageError } from './options.ts';

/** The text of the file at `path`; throws if it cannot be read. */
export type ReadText = (path: string) => string;

const FILE = /^\s*@(.+)$/;

/**
 * `given` with the lines of the files that it names; empty ones, and what follows a `#`, do not count.
 *
 * @throws UsageError for a file that cannot be read, or has no entry
 */
export function withFiles({ texts, source }: Given, read: ReadText): Given {
  return { source, texts: texts.flatMap((text) => itemsGivenBy(text, source, read)) };
}

function itemsGivenBy(text: string, source: string, read: ReadText): readonly string[] {
  const file = FILE.exec(text)?.[1]?.trim();
  if (file === undefined) return [text];
  const lines = linesOf(file, source, read).map((line) => line.replace(/#.*/, '').trim());
  const entries = lines.filter((line) => line !== '');
  if (entries.length > 0) return entries;
  throw new UsageError(`${source}: expected an entry in a line of ${file}, which has none`);
}

function linesOf(file: string, source: string, read: ReadText): readonly string[] {
  try {
    return read(file).split('\n');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`${source}: expected a file that can be read, got ${file} (${code})`);
  }
}
