/**
 * Answers admission reviews: decides each from memory, counts it and logs changes. Synchronous, so one review is decided at a
 * time.
 */

import type { Log } from '../model/log.ts';
import type { AdmissionResult } from '../model/settings.ts';
import { monotonicMs } from '../model/time.ts';
import { type CacheReader, type Decision, mutate } from './mutate.ts';
import { type AdmissionRequest, parseReview, reviewAllowing } from './review.ts';

/** What a review needs. */
export interface ReviewOptions {
  readonly known: CacheReader;
  readonly log: Log;
  /** Counts a review and its duration in seconds. */
  readonly onReview: (result: AdmissionResult, seconds: number) => void;
}

/** The log lines of the results that change a write; the others are logged for debugging only. */
const SENTENCES: Partial<Record<AdmissionResult, string>> = {
  kept: 'stamps that the update left out are kept',
  renewed: 'stamps that the update left out are put back with the current content',
  stamped: 'stamped at its creation',
};

/**
 * The answer to the review `text`, as text. No error here keeps a write from being stored.
 *
 * @throws MalformedReviewError if `text` is not a review
 */
export function answerReview(text: string, options: ReviewOptions): string {
  const startedAt = monotonicMs();
  let result: AdmissionResult = 'malformed';
  try {
    const request = parseReview(text);
    const decision = decide(request, options);
    result = decision.result;
    return reviewAllowing(request.uid, decision.patch);
  } finally {
    options.onReview(result, (monotonicMs() - startedAt) / 1000);
  }
}

/** After an error the write goes through as it is: the webhook is optional. */
function decide(request: AdmissionRequest, { known, log }: ReviewOptions): Decision {
  const { kind, namespace, object, isDryRun } = request;
  const workload = `${kind}/${object.metadata.name ?? ''}`;
  try {
    const decision = mutate(known, request);
    const sentence = SENTENCES[decision.result];
    const fields = { namespace, reason: decision.result };
    if (sentence === undefined || isDryRun) log.debug(`admission of ${workload}`, { ...fields, isDryRun });
    else log.info(`${workload}: ${sentence}`, fields);
    return decision;
  } catch (error) {
    log.error(`admission of ${workload} failed: it goes through as it is`, { namespace, error });
    return { result: 'failed', patch: [] };
  }
}
