/** The outcome of a command, written as in a shell: `PORT=80 --namespace 'a, b'`. */

import assert from 'node:assert/strict';
import type { Options, ParsedCommand } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

const WORD = /(?:[^\s']|'[^']*')+/g;
const VARIABLE = /^([A-Z_]+)=(.*)$/s;

/** The parsed command. */
export function given(command: string): ParsedCommand {
  const words = (command.match(WORD) ?? []).map((word) => word.replaceAll("'", ''));
  const variables = words.flatMap((word) => {
    const [, name, value = ''] = VARIABLE.exec(word) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  return parseOptions(
    words.filter((word) => !VARIABLE.test(word)),
    Object.fromEntries(variables),
  );
}

/** The options, and the warnings. */
export function running(command: string): { options: Options; notices: readonly string[] } {
  const parsed = given(command);
  assert.ok(parsed.type === 'run', JSON.stringify(parsed));
  return parsed;
}

/** The complaint, which is one line. */
export function errorOf(command: string): string {
  const parsed = given(command);
  assert.ok(parsed.type === 'usage-error', JSON.stringify(parsed));
  assert.ok(!parsed.message.includes('\n'));
  return parsed.message;
}
