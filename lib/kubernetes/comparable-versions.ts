/** Whether the resourceVersions of different kinds come from one counter. */

import { backoffMs } from '../model/time.ts';
import { decimalOf } from '../model/timeline.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** What is asked, and how often. */
export interface ComparableVersionsOptions {
  readonly send: Send;
  /** For each kind that is watched, the paths of its collections, without a query: any of them will do. */
  readonly kinds: readonly (readonly string[])[];
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
 * Lists each kind, and each but the last again, one object each: only if all versions are decimal and none is lower than the
 * one before may versions be compared across kinds. So of any two kinds one is listed between two lists of the other: an API
 * server may keep any kind in an etcd of its own. A kind that may not be listed shows no version, and is left out. Where
 * the lists go on failing the answer is no. It holds for the life of the process, so a failure that may pass is waited for.
 */
export async function areVersionsComparable(options: ComparableVersionsOptions): Promise<boolean> {
  const { signal, random = Math.random } = options;
  for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
    try {
      return ascends(await versionsOf(options, attempt + 1 < ATTEMPTS_WITHOUT_RIGHT));
    } catch {
      // What cannot be asked is not compared, which errs towards a rollout more.
      await sleep(backoffMs(attempt, BACKOFF, random), signal);
    }
  }
  return false;
}

async function versionsOf(options: ComparableVersionsOptions, mayLag: boolean): Promise<string[]> {
  const { kinds } = options;
  const versions: string[] = [];
  for (const paths of [...kinds, ...kinds.slice(0, -1)]) {
    const version = await versionOf(options, paths);
    if (version !== undefined) versions.push(version);
    else if (mayLag) throw new ApiError('forbidden', 'a kind may not be listed yet');
  }
  return versions;
}

/** Undefined where none of the collections may be listed. */
async function versionOf(
  { send, signal }: ComparableVersionsOptions,
  paths: readonly string[],
): Promise<string | undefined> {
  for (const path of paths) {
    const request = { method: 'GET', path: withQuery(path, { limit: 1 }), signal } as const;
    try {
      const list = await callJson<{ metadata?: { resourceVersion?: string } }>(send, request);
      return list.metadata?.resourceVersion ?? '';
    } catch (error) {
      if (ApiError.from(error).code !== 'forbidden') throw error;
    }
  }
  return undefined;
}

function ascends(versions: readonly string[]): boolean {
  const numbers = versions.map(decimalOf);
  return (
    numbers.length > 0 &&
    numbers.every((number, index) => {
      const before = index === 0 ? number : numbers[index - 1];
      return number !== undefined && before !== undefined && before <= number;
    })
  );
}
