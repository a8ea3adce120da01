/** What the stamps in a pod template say of an object. */

import { STAMPS_ANNOTATION, STAMPS_FIELD } from '../../lib/model/workload.ts';
import { type Json, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { split } from './api.ts';
import { readOfDigest } from './contents.ts';
import type { ConfigName } from './history.ts';
import type { Read } from './trace.ts';

/** Has stamps beside what the last rollout was for. */
const SOURCE = 'reloader.k8s.collaborne.com/last-reloaded-from';

/** The variables of a pod template, and the stamps in its annotations, by object. */
export function stampsOf(workload: unknown): ReadonlyMap<string, string> {
  const template = pick(workload as Json, 'spec', 'template');
  const variables = objectsOf(pick(template, 'spec', 'containers')).flatMap(({ env }) => objectsOf(env));
  const { [STAMPS_ANNOTATION]: own = '{}', [SOURCE]: source = '{}' } = objectOf(
    pick(template, 'metadata', 'annotations'),
  );
  const noted = { ...JSON.parse(String(own)), ...JSON.parse(String(source))[STAMPS_FIELD] };
  return new Map([
    ...variables.map(({ name, value }) => [String(name), String(value)] as const),
    ...Object.entries<string>(noted),
  ]);
}

/** The contents of which a workload carries stamps of the object, or of one whose variable has the same name but for its end. */
export function contentsStamped(
  workload: unknown,
  config: ConfigName,
): readonly (Read | 'other' | undefined)[] {
  const { kind, name } = split(config);
  const variable = `_RELOADER_${kind}_${name}`.toUpperCase().replaceAll(/\W/g, '_');
  return [...stampsOf(workload)]
    .filter(([key]) => key.startsWith(variable) || key === config)
    .map(([, value]) => readOfDigest(config, value.replace(/\.\d+$/, '')));
}
