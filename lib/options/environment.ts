/** Reads the texts that environment variables give for each flag. */

import type { Environment } from '../model/settings.ts';
import { closestMatch } from '../model/text.ts';
import type { GivenFlags } from './command-line.ts';
import { ALL_FLAGS, VARIABLE_PREFIX, variablesOf } from './flags.ts';

/** The trimmed text of a variable; empty if it is not set. */
export function textOf(env: Environment, variable: string): string {
  return env[variable]?.trim() ?? '';
}

/**
 * The texts by flag. Of several variables for one flag a list takes all; otherwise the last one wins, in this order: that of
 * another program, that of an alias, that of the flag's own name.
 */
export function readEnvironment(env: Environment): GivenFlags {
  return new Map(
    ALL_FLAGS.flatMap((flag) => {
      const set = [flag.variable ?? '', ...variablesOf(flag)].filter((variable) => textOf(env, variable));
      const source = set.at(-1);
      return source === undefined ? [] : [[flag.name, { texts: set.map((one) => textOf(env, one)), source }]];
    }),
  );
}

/** A warning for each variable that has our prefix and belongs to no flag. */
export function strangeVariables(env: Environment): string[] {
  const ours = ALL_FLAGS.flatMap(variablesOf).map((variable) => variable.slice(VARIABLE_PREFIX.length));
  return Object.keys(env)
    .filter((variable) => variable.startsWith(VARIABLE_PREFIX))
    .map((variable) => variable.slice(VARIABLE_PREFIX.length))
    .filter((name) => !ours.includes(name))
    .sort()
    .map((name) => {
      const nearest = closestMatch(name, ours);
      const suggestion = nearest === undefined ? '' : `; did you mean ${VARIABLE_PREFIX}${nearest}?`;
      return `${VARIABLE_PREFIX}${name} is ignored: no flag has that name${suggestion}`;
    });
}
