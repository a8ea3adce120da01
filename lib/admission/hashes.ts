/** Hashes over all objects that a workload follows, which stand beside a stamp in a pod template. */

import type { FollowedContent } from '../annotations/config-hash.ts';
import type { Vocabularies } from '../annotations/vocabularies.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import type { Workload } from '../model/workload.ts';

/** The contents in memory, as far as hashes need them. */
export interface KnownContents {
  readonly vocabularies: Vocabularies;
  /** The present content of an object that the workload follows, existing or not; undefined if it is not known. */
  readonly contentOf: (ref: ConfigRef) => FollowedContent | undefined;
}

type Hashes = Readonly<Record<string, string>>;

/** The hashes of the contents in force, by annotation; none if one of the contents is not known. */
export function hashesOf(known: KnownContents, workload: Workload, refs: readonly ConfigRef[]): Hashes {
  const contents = refs.map(known.contentOf);
  return contents.every((content) => content !== undefined)
    ? known.vocabularies.hashAnnotations(workload, contents)
    : {};
}
