/** Which keys of an object one place in a pod template reads. */

import type { RawKeyRef, RawVolumeMount, RawVolumeSource } from './raw-objects.ts';

/** Some keys of an object, each list sorted and without repetition. */
export interface KeysRead {
  readonly keys: readonly string[];
  /** Those of them without which the pods do not start. */
  readonly needed: readonly string[];
}

/** What a place reads: undefined stands for the whole object. */
type Read = KeysRead | undefined;

/**
 * What a key of a ConfigMap or Secret can be; a template may name others, under which nothing can stand. None begins with two
 * dots: so do the directories of a volume through which every key can be read.
 */
const KEY = /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/;

/** What a variable reads. */
export function keyOfVariable({ key, optional }: RawKeyRef = {}): Read {
  return keysRead([key], optional !== true);
}

/**
 * What a mount of a volume reads. A part of a volume is a path: where items name the paths, the keys of those that it leads
 * to, or that lie under it; else the key that its first segment is, and then pods start without it too.
 */
export function keysOfMount(
  { items = [], optional }: RawVolumeSource,
  { subPath = '', subPathExpr = '' }: RawVolumeMount,
): Read {
  const path = segmentsOf(subPath);
  const isPart = subPathExpr === '' && path.length > 0;
  if (items.length === 0) return isPart ? keysRead([path[0]], false) : undefined;
  const meant = isPart ? items.filter((item) => leadTogether(segmentsOf(item.path ?? ''), path)) : [];
  return keysRead(
    (meant.length > 0 ? meant : items).map(({ key }) => key),
    optional !== true,
  );
}

/** What two places read together. */
export function together(one: Read, other: Read): Read {
  if (one === undefined || other === undefined) return undefined;
  return {
    keys: sorted([...one.keys, ...other.keys]),
    needed: sorted([...one.needed, ...other.needed]),
  };
}

function keysRead(keys: readonly (string | undefined)[], isNeeded: boolean): Read {
  const named = keys.filter((key) => key !== undefined && KEY.test(key));
  if (named.length < keys.length) return undefined;
  return { keys: sorted(named), needed: isNeeded ? sorted(named) : [] };
}

function sorted(keys: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(keys.filter((key) => key !== undefined))].sort();
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** Whether one path leads to the other, or to something under it. */
function leadTogether(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).join('/') === other.slice(0, length).join('/');
}
