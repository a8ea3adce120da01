/** Reads the stamps in the pod template of a workload. */

import { ABSENT, type Digest, isDigestOf } from '../model/digest.ts';
import { type ConfigRef, configRefIn, type ObjectKey } from '../model/object-ref.ts';
import { latestStamp, parseStamp, type Stamp } from '../model/stamp.ts';
import type { TemplateStamp } from '../model/workload.ts';
import { once } from '../store/key-index.ts';
import type { WorkloadRecord } from '../store/records.ts';

type Stamped = Pick<WorkloadRecord, 'workload' | 'variables'>;

const NO_KEYS: Pick<ConfigRef, 'keys'> = {};

/**
 * The stamp of one object or set of keys in the live template: the latest one of all its variables. A stamp of another set of
 * keys does not count: it was written when the template read those.
 */
export function liveStampOf(record: Stamped, config: ObjectKey): Stamp | undefined {
  const stamps = stampsOn(record, config);
  const { keys } = stamps.length === 0 ? NO_KEYS : configRefIn(config);
  return latestStamp(keys === undefined ? stamps : stamps.filter(({ digest }) => isOf(digest, keys)));
}

/** The stamps in the variables that are read for `config`, which all parts of an object share. */
function stampsOn({ workload, variables }: Stamped, config: ObjectKey): readonly Stamp[] {
  const read = variables.get(config)?.read ?? [];
  const byVariable = stampsByVariable(workload.stamps);
  return read
    .flatMap((variable) => byVariable.get(variable) ?? [])
    .flatMap(({ value }) => parseStamp(value) ?? []);
}

/** Whether the digest is of these keys; ABSENT is the same for all keys. */
function isOf(digest: Digest, keys: readonly string[]): boolean {
  return digest === ABSENT || isDigestOf(digest, keys);
}

/** An index per list of stamps, made once: a template may carry thousands, and each edge looks up its own. */
const stampsByVariable = once((stamps: readonly TemplateStamp[]) =>
  Map.groupBy(stamps, ({ variable }) => variable),
);
