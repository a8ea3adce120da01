/**
 * Hashes that stand for all that a workload follows: those that a stamp has beside it in a pod template, and those on the
 * workload itself by which a writer says for which contents a write is made.
 */

import type { FollowedContent, Vocabularies } from '../annotations/vocabularies.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { Workload } from '../model/workload.ts';
import { escaped, type Operation } from './json-patch.ts';

/** What is known of contents. */
export interface KnownContents {
  readonly vocabularies: Vocabularies;
  /** Whether writes are refused that are made for other contents. */
  readonly checksHashes: boolean;
  /** An object that the workload follows as it is now, be it not there; undefined: nobody knows. */
  readonly contentOf: (workload: Workload, ref: ConfigRef) => FollowedContent | undefined;
}

/** What comes of the hashes on the workload itself. */
export interface HashCheck {
  /** Why the write is not to be stored; undefined: it may be. */
  readonly refusal?: string;
  /** Takes those away that fit. */
  readonly patch: readonly Operation[];
}

type Hashes = Readonly<Record<string, string>>;

/** The hashes of what is in force by annotation; none where something of it is not known. */
export function hashesOf(known: KnownContents, workload: Workload, refs: readonly ConfigRef[]): Hashes {
  const contents = refs.map((ref) => known.contentOf(workload, ref));
  return contents.every((content) => content !== undefined)
    ? known.vocabularies.hashAnnotations(workload, contents)
    : {};
}

/**
 * Compares the hashes on `update` with those of what is in force. One that `live` carries as well is not this writer's, and
 * refuses nothing: controllers write workloads too, and would be held up by it for ever.
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

/** It may be told: it is made of digests, as the stamps are. */
function refusalOf(key: string, hash = ''): string {
  return `${key} is not the hash of the ConfigMaps and Secrets that are in force, which is ${hash}`;
}
