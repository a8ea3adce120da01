/** What a Deployment of Stakater Reloader brings along when this program takes its place. */

import { DEAD_FLAGS } from './dead-flags.ts';
import type { Environment } from './environment.ts';
import { FLAGS } from './flags.ts';
import type { Reader } from './reader.ts';
import { ASKS } from './value-types.ts';

const NAME_OF_DEPLOYMENT = 'RELOADER_DEPLOYMENT_NAME';
/** Variables that its manifests set and no others do. */
const VARIABLES = [NAME_OF_DEPLOYMENT, 'RELOADER_NAMESPACE'];
/** Where its manifests expect `/live` and `/metrics`; it has no flag for that. */
export const STAKATERS_PORT = 9090;
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

/** Whether the manifest that started this process is one of Stakater Reloader. */
export function isInPlaceOfStakater(env: Environment): boolean {
  return isSet(env[NAME_OF_DEPLOYMENT]);
}

/** A warning for each thing that is asked for, by it or the original reloader, and that this program does not do. */
export function deadSettings(reader: Reader): string[] {
  return DEAD_FLAGS.filter(({ name }) => reader.one(name, ASKS)).map(
    ({ name, because }) => `${reader.sourceOf(name)} has no effect: ${because}`,
  );
}

function isSet(value = ''): boolean {
  return value.trim() !== '' && !ADDRESS.test(value);
}
