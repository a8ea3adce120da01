/** Reads the stamps in the pod template of a workload. */

import { ABSENT, type Digest, isDigestOf } from '../model/digest.ts';
import { type ConfigRef, configRefIn, type ObjectKey } from '../model/object-ref.ts';
import { highestStamp, MOST_AHEAD, parseStamp, type Stamp } from '../model/stamp.ts';
import type { TemplateStamp } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

type Stamped = Pick<WorkloadRecord, 'workload' | 'variables'>;

const NO_KEYS: Pick<ConfigRef, 'keys'> = {};

/**
 * The stamp of one object or set of keys in the live template: the one with the highest sequence of all its variables.
 * Ambiguous: two stamps with that sequence differ. A stamp of another set of keys does not count: it was written when the
 * template read those.
 */
export function liveStampOf(
  store: Store,
  record: Stamped,
  config: ObjectKey,
): { readonly stamp: Stamp | undefined; readonly ambiguous: boolean } {
  const stamps = stampsOn(store, record, config);
  const { keys } = stamps.length === 0 ? NO_KEYS : configRefIn(config);
  return highestStamp(keys === undefined ? stamps : stamps.filter(({ digest }) => isOf(digest, keys)));
}

/** The stamp with the highest sequence of any part of the object. */
export function stampOfAnyPart(store: Store, record: Stamped, config: ObjectKey): Stamp | undefined {
  return highestStamp(stampsOn(store, record, config)).stamp;
}

/**
 * The stamps in the variables that are read for `config`, which all parts of an object share. Stamps with a sequence too far
 * above the minimum sequence are ignored: counting does not lead there, so another client invented them.
 */
function stampsOn(store: Store, { workload, variables }: Stamped, config: ObjectKey): readonly Stamp[] {
  const read = variables.get(config)?.read ?? [];
  const byVariable = stampsByVariable(workload.stamps);
  const stamps = read
    .flatMap((variable) => byVariable.get(variable) ?? [])
    .map(({ value }) => parseStamp(value))
    .filter((stamp) => stamp !== undefined);
  if (stamps.length === 0) return stamps;
  const highest = store.persisted.minSequenceOf(configRefIn(config)) + MOST_AHEAD;
  return stamps.filter(({ sequence }) => sequence <= highest);
}

/** Whether the digest is of these keys; ABSENT is the same for all keys. */
function isOf(digest: Digest, keys: readonly string[]): boolean {
  return digest === ABSENT || isDigestOf(digest, keys);
}

/** An index per list of stamps, made once: a template may carry thousands, and each edge looks up its own. */
const INDEXES = new WeakMap<readonly TemplateStamp[], ReadonlyMap<string, readonly TemplateStamp[]>>();

function stampsByVariable(stamps: readonly TemplateStamp[]): ReadonlyMap<string, readonly TemplateStamp[]> {
  const known = INDEXES.get(stamps) ?? Map.groupBy(stamps, ({ variable }) => variable);
  INDEXES.set(stamps, known);
  return known;
}
