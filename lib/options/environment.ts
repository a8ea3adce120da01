/** From the variables of the environment to the texts given for each flag. */

import { closestMatch } from '../model/text.ts';
import type { GivenFlags } from './command-line.ts';
import { ALL_FLAGS, VARIABLE_PREFIX, variablesOf } from './flags.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a variable; one that is empty is as good as none. */
export function textOf(env: Environment, variable: string): string {
  return env[variable]?.trim() ?? '';
}

/**
 * The texts that the environment gives. Variables of other programs stand for flags before ours, and that of a flag's own name
 * stands last: as on the command line several add up where a list is wanted, and else the last one wins.
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

/** A warning for each variable that looks like one of ours and is none. */
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
