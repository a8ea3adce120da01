/** Findings: why an expected rollout of a workload does not happen, and the facts from which they are made. */

import { type ConfigRef, describe, wholeOf } from './object-ref.ts';
import type { Reason } from './reasons.ts';
import { listedText } from './text.ts';
import type { TemplateStamp, Workload } from './workload.ts';

/** One answer to "why did nothing happen?". */
export interface Finding {
  readonly reason: Reason;
  /** Distinguishes it from others of the same reason and workload: it is reported once for as long as it holds. */
  readonly about: string;
  /** The single subjects of a finding about several. It is reported again only when a further one is added. */
  readonly covers?: readonly string[];
  /** For people: the cause and the correction. */
  readonly message: string;
}

/** One finding about all of `refs`, whose message names them; none if there are none. */
export function findingAbout(
  reason: Reason,
  refs: readonly ConfigRef[],
  messageOf: (about: string) => string,
): readonly Finding[] {
  if (refs.length === 0) return [];
  const covers = refs.map((ref) => describe(wholeOf(ref)));
  const about = listedText(covers);
  return [{ reason, about, covers, message: messageOf(about) }];
}

/** The evidence of another reloader of the same workload. */
export interface CompetingReloader {
  /** The workload as the other reloader wrote it. */
  readonly workload: Workload;
  /** The stamp of the other reloader. */
  readonly mark: TemplateStamp;
}
