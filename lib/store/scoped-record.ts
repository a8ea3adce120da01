/** New records: that of an object which was never seen, and that of a set of keys, derived from the record of the object. */

import type { ConfigObject } from '../model/config-object.ts';
import { scopedDigestsOf } from '../model/digest.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import type { ConfigRecord } from './records.ts';

const NO_ANNOTATIONS: ConfigRecord['annotations'] = {};

/** The record of an object that was never seen. */
export function newRecord(ref: ConfigRef): ConfigRecord {
  return {
    ref,
    digest: undefined,
    lastDigest: undefined,
    annotations: NO_ANNOTATIONS,
    resourceVersion: undefined,
    writtenAt: Number.NEGATIVE_INFINITY,
    lastWrite: undefined,
    absentAfter: undefined,
    mayHaveReturned: false,
    changedAt: Number.NEGATIVE_INFINITY,
  };
}

/**
 * The record of `ref`, a set of keys of the object of `whole`. The time of its last change is that of the object, an upper
 * bound. If the object exists without digests of its keys, the record is unread until the object is read again.
 */
export function scopedRecordOf(whole: ConfigRecord, ref: ConfigRef): ConfigRecord {
  const { annotations, writtenAt, absentAfter, mayHaveReturned, changedAt, foundChangedAt, keyDigests } =
    whole;
  const { digest: last, ...others } =
    keyDigests === undefined ? { digest: undefined } : scopedDigestsOf(keyDigests, ref.keys ?? []);
  const isUnread = whole.digest !== undefined && last === undefined;
  return {
    ref,
    digest: whole.digest === undefined ? undefined : last,
    lastDigest: last,
    annotations,
    resourceVersion: isUnread ? undefined : whole.resourceVersion,
    writtenAt,
    lastWrite: whole.lastWrite,
    absentAfter,
    mayHaveReturned,
    changedAt,
    foundChangedAt,
    ...others,
    ...(isUnread ? { isUnread } : {}),
  };
}

/** `object` reduced to the keys of `ref`; undefined if it has no digests of its keys. */
export function scopedObjectOf(
  { uid, resourceVersion, lastWrite, annotations, keyDigests }: ConfigObject,
  ref: ConfigRef,
): ConfigObject | undefined {
  if (keyDigests === undefined) return undefined;
  return {
    ref,
    uid,
    resourceVersion,
    lastWrite,
    annotations,
    ...scopedDigestsOf(keyDigests, ref.keys ?? []),
  };
}
