/** What the stamps in a pod template say of an object. */

import { type Json, objectsOf, pick } from '../sandbox/json.ts';
import { split } from './api.ts';
import { readOfDigest } from './contents.ts';
import type { ConfigName } from './history.ts';
import type { Read } from './trace.ts';

/** The contents of which a workload carries stamps of the object, or of one whose variable has the same name but for its end. */
export function contentsStamped(
  workload: unknown,
  config: ConfigName,
): readonly (Read | 'other' | undefined)[] {
  const { kind, name } = split(config);
  const variable = `_RELOADER_${kind}_${name}`.toUpperCase().replaceAll(/\W/g, '_');
  const containers = objectsOf(pick(workload as Json, 'spec', 'template', 'spec', 'containers'));
  return containers
    .flatMap(({ env }) => objectsOf(env))
    .filter((each) => String(each['name']).startsWith(variable))
    .map((each) => readOfDigest(config, String(each['value']).replace(/\.\d+$/, '')));
}
