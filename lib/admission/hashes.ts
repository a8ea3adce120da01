/**
 * Hashes over all objects that a workload follows: those beside a stamp in a pod template, and those on the
 * workload itself by which a client states for which contents it writes the workload.
 */

import type { FollowedContent, Vocabularies } from '../annotations/vocabularies.ts';
import { escaped, type Operation } from '../model/json-patch.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { Workload } from '../model/workload.ts';

/** The contents in memory, as far as hashes need them. */
export interface KnownContents {
  readonly vocabularies: Vocabularies;
  /** Whether a write for other contents is refused. */
  readonly checksHashes: boolean;
  /** The present content of an object that the workload follows, existing or not; undefined if it is not known. */
  readonly contentOf: (workload: Workload, ref: ConfigRef) => FollowedContent | undefined;
}

/** The result of checking the hashes on the workload itself. */
export interface HashCheck {
  /** Why the write is refused; undefined if it may be stored. */
  readonly refusal?: string;
  /** Removes the hashes that match. */
  readonly patch: readonly Operation[];
}

type Hashes = Readonly<Record<string, string>>;

/** The hashes of the contents in force, by annotation; none if one of the contents is not known. */
export function hashesOf(known: KnownContents, workload: Workload, refs: readonly ConfigRef[]): Hashes {
  const contents = refs.map((ref) => known.contentOf(workload, ref));
  return contents.every((content) => content !== undefined)
    ? known.vocabularies.hashAnnotations(workload, contents)
    : {};
}

/**
 * Compares the hashes on `update` with those of the contents in force. A wrong hash that `live` carries too causes no refusal:
 * it was stored by an earlier client, and would block the writes of controllers for ever.
 */
export function checkHashes(
  known: KnownContents,
  update: Workload,
  refs: readonly ConfigRef[],
  live: RawWorkload | undefined,
): HashCheck {
  const sent = known.checksHashes ? known.vocabularies.triggersOf(update) : [];
  if (sent.length === 0) return { patch: [] };
  const hashes = hashesOf(known, update, refs);
  const checked = sent.filter((key) => hashes[key] !== undefined);
  const fits = (key: string): boolean => update.annotations[key] === hashes[key];
  const isLeft = (key: string): boolean => live?.metadata.annotations?.[key] === update.annotations[key];
  const wrong = checked.find((key) => !fits(key) && !isLeft(key));
  if (wrong !== undefined) return { refusal: refusalOf(wrong, hashes[wrong]), patch: [] };
  const path = (key: string): string => `/metadata/annotations/${escaped(key)}`;
  return { patch: checked.filter(fits).map((key): Operation => ({ op: 'remove', path: path(key) })) };
}

/** The message may contain the hash, since that is made of digests only, as the stamps are. */
function refusalOf(key: string, hash = ''): string {
  return `${key} is not the hash of the ConfigMaps and Secrets that are in force, which is ${hash}`;
}
