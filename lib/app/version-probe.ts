/** The probe before the first list: whether the versions of the streams may be compared. */

import { collectionPath } from '../kubernetes/api-path.ts';
import { areVersionsComparable, type ComparableVersionsOptions } from '../kubernetes/comparable-versions.ts';
import { resourceOf } from '../kubernetes/sources.ts';
import type { Log } from '../model/log.ts';
import type { Timeline } from '../model/timeline.ts';
import type { Stream } from '../store/sync-gate.ts';

/** The collaborators of the probe. */
export interface VersionProbe extends Omit<ComparableVersionsOptions, 'kinds' | 'signal'> {
  readonly timeline: Timeline;
  readonly log: Log;
}

const NOT_COMPARABLE =
  'the versions of different kinds are not of one counter, or could not be listed: no external rollout replaces one of ours';

/** Finds out, before the first list, whether the versions of these streams may be compared. */
export async function compareVersions(
  streams: readonly Stream[],
  about: VersionProbe,
  signal: AbortSignal,
): Promise<void> {
  const { timeline, log } = about;
  timeline.comparable = await areVersionsComparable({ ...about, signal, kinds: collectionsOf(streams) });
  if (!timeline.comparable && !signal.aborted) log.info(NOT_COMPARABLE);
}

/** By kind, the paths of the collections that are watched anyway: the probe of versions lists them without further rights. */
function collectionsOf(streams: readonly Stream[]): string[][] {
  const kinds = new Map<string, string[]>();
  for (const { kind, namespace } of streams) {
    const resource = resourceOf(kind);
    if (resource === undefined) continue;
    kinds.set(kind, [...(kinds.get(kind) ?? []), collectionPath(resource, namespace)]);
  }
  return [...kinds.values()];
}
