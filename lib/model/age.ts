/**
 * When objects were created and written, as the API server says it in their metadata: these times are compared with each
 * other and with no clock of ours.
 */

import type { RawMetadata } from './raw-objects.ts';

/** Times are to the second, and two API servers may differ. */
const DOUBT_MS = 1000;

/** When the object was created, in ms since 1970; undefined: it does not say. */
export function createdAtOf({
  creationTimestamp,
}: Pick<RawMetadata, 'creationTimestamp'>): number | undefined {
  return msOf(creationTimestamp);
}

/**
 * The last write that left its time, be it of metadata alone; undefined where one manager's is not known. Who removes keys and
 * changes nothing else leaves none.
 */
export function lastWriteOf({ managedFields = [] }: Pick<RawMetadata, 'managedFields'>): number | undefined {
  return latestOf(managedFields.map(({ time }) => msOf(time)));
}

/** The latest of some moments; undefined where there is none, or one of them is not known. */
export function latestOf(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 || known.length < moments.length ? undefined : Math.max(...known);
}

/** Whether one moment was certainly after another one. */
export function isAfter(moment: number | undefined, other: number | undefined): boolean {
  return moment !== undefined && other !== undefined && moment - other > DOUBT_MS;
}

function msOf(time: string | undefined): number | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}
