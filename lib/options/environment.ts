/** From the variables of the environment to the texts given for each flag. */

import { nearestTo } from '../model/nearest.ts';
import { ALERT_VARIABLES } from './alert-settings.ts';
import type { GivenFlags } from './command-line.ts';
import { FLAGS, type FlagName, PRINTING_FLAGS, VARIABLE_PREFIX, variableOf } from './flags.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const FLAG_OF_VARIABLE: ReadonlyMap<string, FlagName> = new Map(
  FLAGS.filter(({ name }) => !PRINTING_FLAGS.includes(name)).map(({ name }) => [variableOf(name), name]),
);

/** What the environment gives; an empty variable gives nothing. PORT and ALERT_* stand for flags, after RELOADER_OPT_*. */
export function readEnvironment(env: Environment): GivenFlags {
  const variables: (readonly [string, FlagName])[] = [
    ['PORT', 'port'],
    ...ALERT_VARIABLES,
    ...FLAG_OF_VARIABLE,
  ];
  return new Map(
    variables.flatMap(([variable, flag]) => {
      const text = env[variable]?.trim() ?? '';
      return text === '' ? [] : [[flag, { texts: [text], source: variable }] as const];
    }),
  );
}

/** A warning for each variable that looks like one of ours and is none. */
export function strangeVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(VARIABLE_PREFIX) && !FLAG_OF_VARIABLE.has(variable))
    .sort()
    .map((variable) => {
      const nearest = nearestTo(variable, [...FLAG_OF_VARIABLE.keys()]);
      const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return `${variable} is ignored: no flag has that name${suggestion}`;
    });
}
