/** The stamps that a workload's template carries. */

import { ABSENT, type Digest, isDigestOf } from '../model/digest.ts';
import { type ConfigRef, configRefIn, type ObjectKey } from '../model/object-ref.ts';
import { highestStamp, MOST_AHEAD, parseStamp, type Stamp } from '../model/stamp.ts';
import type { TemplateStamp } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

type Stamped = Pick<WorkloadRecord, 'workload' | 'variables'>;

const NO_KEYS: Pick<ConfigRef, 'keys'> = {};

/**
 * The stamp that the live template carries for one object: the highest of all its variables. Where only some keys of the
 * object are followed a stamp of others says nothing: it was put there when the template read those.
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

/** The latest stamp that the template carries of the object, of whatever part. */
export function stampOfAnyPart(store: Store, record: Stamped, config: ObjectKey): Stamp | undefined {
  return highestStamp(stampsOn(store, record, config)).stamp;
}

/**
 * What the variables say that are read for `config`: parts of an object share theirs. A number that
 * counting from the state does not reach is not ours.
 */
function stampsOn(store: Store, { workload, variables }: Stamped, config: ObjectKey): readonly Stamp[] {
  const read = variables.get(config)?.read ?? [];
  const marks = marksByVariable(workload.stamps);
  const stamps = read
    .flatMap((variable) => marks.get(variable) ?? [])
    .map(({ value }) => parseStamp(value))
    .filter((stamp) => stamp !== undefined);
  if (stamps.length === 0) return stamps;
  const highest = store.persisted.minSequenceOf(configRefIn(config)) + MOST_AHEAD;
  return stamps.filter(({ sequence }) => sequence <= highest);
}

/** That the object is not there is the same for all of its keys. */
function isOf(digest: Digest, keys: readonly string[]): boolean {
  return digest === ABSENT || isDigestOf(digest, keys);
}

/** A template may carry thousands: those of each are looked up by their variables. */
const INDEXES = new WeakMap<readonly TemplateStamp[], ReadonlyMap<string, readonly TemplateStamp[]>>();

function marksByVariable(marks: readonly TemplateStamp[]): ReadonlyMap<string, readonly TemplateStamp[]> {
  const known = INDEXES.get(marks) ?? Map.groupBy(marks, ({ variable }) => variable);
  INDEXES.set(marks, known);
  return known;
}
