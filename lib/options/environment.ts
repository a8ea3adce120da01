/** From the variables of the environment to the texts given for each flag. */

import { closestMatch } from '../model/text.ts';
import { ALERT_VARIABLES } from './alert-settings.ts';
import type { Given, GivenFlags } from './command-line.ts';
import { FLAGS, type FlagName, PRINTING_FLAGS, VARIABLE_PREFIX, variableOf } from './flags.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Ours; that of a flag's own name stands after that of its other one. */
const FLAG_OF_VARIABLE: ReadonlyMap<string, FlagName> = new Map(
  FLAGS.filter(({ name }) => !PRINTING_FLAGS.includes(name)).flatMap(({ name, alias }) =>
    [...(alias?.startsWith('--') ? [alias.slice(2)] : []), name].map((word) => [variableOf(word), name]),
  ),
);

/**
 * What the environment gives; an empty variable gives nothing. PORT and ALERT_* stand for flags, before RELOADER_OPT_*. As
 * on the command line several add up where a list is wanted, and else the last one wins.
 */
export function readEnvironment(env: Environment): GivenFlags {
  const given = new Map<FlagName, Given>();
  const variables = [['PORT', 'port'] as const, ...ALERT_VARIABLES, ...FLAG_OF_VARIABLE];
  for (const [variable, flag] of variables) {
    const text = env[variable]?.trim() ?? '';
    if (text === '') continue;
    given.set(flag, { texts: [...(given.get(flag)?.texts ?? []), text], source: variable });
  }
  return given;
}

/** A warning for each variable that looks like one of ours and is none. */
export function strangeVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(VARIABLE_PREFIX) && !FLAG_OF_VARIABLE.has(variable))
    .sort()
    .map((variable) => {
      const nearest = closestMatch(variable, [...FLAG_OF_VARIABLE.keys()]);
      const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `${variable} is ignored: no flag has that name${suggestion}`;
    });
}
