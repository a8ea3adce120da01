/** What a Deployment of Stakater Reloader brings along when this program takes its place. */

import type { Environment } from './environment.ts';
import { DEAD_FLAGS, type DeadFlagName, FLAGS } from './flags.ts';
import type { Reader } from './reader.ts';
import { ASKS } from './value-types.ts';

/** Variables that its manifests set and nobody else does. */
const VARIABLES = ['RELOADER_DEPLOYMENT_NAME', 'RELOADER_NAMESPACE'];
/** What the kubelet writes into the variables of a Service, whatever its name. */
const ADDRESS = /^[a-z]+:\/\//;

/**
 * The flag or variable that only Stakater Reloader has, undefined if there is none: whoever gives it expects the namespaces
 * that it would watch. A variable RELOADER_OPT_… is written for this program.
 */
export function stakaterSetting(reader: Reader, env: Environment): string | undefined {
  const written = FLAGS.flatMap(({ name, alias, isStakaters }) => {
    const source = reader.sourceOf(name);
    const itsForm = isStakaters === 'alias' ? alias : `--${name}`;
    return isStakaters !== undefined && source === itsForm ? [source] : [];
  });
  return written[0] ?? VARIABLES.find((variable) => isSet(env[variable]));
}

/** A warning for each thing that is asked for, by it or the original reloader, and that this program does not do. */
export function deadSettings(reader: Reader): string[] {
  return (Object.keys(DEAD_FLAGS) as DeadFlagName[])
    .filter((name) => reader.one(name, ASKS))
    .map((name) => `${reader.sourceOf(name)} has no effect: ${DEAD_FLAGS[name]}`);
}

function isSet(value = ''): boolean {
  return value.trim() !== '' && !ADDRESS.test(value);
}
