/** Whether the resourceVersions of different kinds come from one counter. */

import { backoffMs } from '../model/backoff.ts';
import { decimalOf } from '../model/timeline.ts';
import { sleep } from './abortable-sleep.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** What is asked, and how often. */
export interface ComparableVersionsOptions {
  readonly send: Send;
  /** The paths of the collections, without a query. */
  readonly configs: string;
  readonly workloads: string;
  readonly signal: AbortSignal;
  /** @default Math.random */
  readonly random?: () => number;
}

/** Half a minute at the most. */
const ATTEMPTS = 10;
/** A right may lag behind what grants it; where it is missing for good the rest need not wait long. */
const ATTEMPTS_WITHOUT_RIGHT = 4;
const BACKOFF = { baseMs: 500, capMs: 5_000 };

/**
 * Lists config objects, workloads and config objects again, one object each: only if all three versions are decimal and none is
 * lower than the one before may versions be compared across kinds. Where the lists go on failing, or a right is missing, the
 * answer is no. It holds for the life of the process, so a failure that may pass is waited for.
 */
export async function areVersionsComparable(options: ComparableVersionsOptions): Promise<boolean> {
  const { signal, random = Math.random } = options;
  for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
    try {
      return ascends(await threeVersions(options));
    } catch (error) {
      // What cannot be asked is not compared, which errs towards a rollout more.
      const isForbidden = error instanceof ApiError && error.code === 'forbidden';
      if (attempt + 1 >= (isForbidden ? ATTEMPTS_WITHOUT_RIGHT : ATTEMPTS)) return false;
      await sleep(backoffMs(attempt, BACKOFF, random), signal);
    }
  }
  return false;
}

async function threeVersions(options: ComparableVersionsOptions): Promise<string[]> {
  const { send, configs, workloads, signal } = options;
  const versions: string[] = [];
  for (const path of [configs, workloads, configs]) {
    const request = { method: 'GET', path: withQuery(path, { limit: 1 }), signal } as const;
    const list = await callJson<{ metadata?: { resourceVersion?: string } }>(send, request);
    versions.push(list.metadata?.resourceVersion ?? '');
  }
  return versions;
}

function ascends(versions: readonly string[]): boolean {
  const numbers = versions.map(decimalOf);
  return numbers.every((number, index) => {
    const before = index === 0 ? number : numbers[index - 1];
    return number !== undefined && before !== undefined && before <= number;
  });
}
