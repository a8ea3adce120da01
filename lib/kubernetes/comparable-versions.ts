/**
 * Finds out whether the resourceVersions of different kinds come from one counter, so that "this workload was written after
 * that object" can be decided. It errs towards no: then no external rollout is absorbed, which costs at most one rollout more.
 */

import { backoffMs } from '../model/time.ts';
import { decimalOf, isOlder } from '../model/timeline.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** The input of `areVersionsComparable`. */
export interface ComparableVersionsOptions {
  readonly send: Send;
  /** By kind, the paths of its collections without a query; any one of them that may be listed is enough. */
  readonly kinds: readonly (readonly string[])[];
  readonly signal: AbortSignal;
  /** Answers a number in [0, 1). */
  readonly random: () => number;
  /** Whether a RoleBinding of now may still give a right that is missing. @default true */
  readonly mayLag?: boolean | undefined;
}

/** With the backoff, half a minute at most: the first lists wait for the answer. */
const ATTEMPTS = 10;
/** A right may lag behind its RoleBinding; after so many attempts it counts as missing. */
const ATTEMPTS_WITHOUT_RIGHT = 4;
const BACKOFF = { baseMs: 500, capMs: 5_000 };

/**
 * Lists each kind, then each but the last once more, one object each. The versions are comparable if all are decimal and none
 * is lower than the one before: of any two kinds, one is listed between two lists of the other, so two counters would show. (An
 * API server may keep any kind in an etcd of its own.) A kind that may not be listed is left out. If lists keep failing, the
 * result is false; it holds for the life of the process, so temporary failures are retried first. Never rejects.
 */
export async function areVersionsComparable(options: ComparableVersionsOptions): Promise<boolean> {
  const { signal, random, mayLag = true } = options;
  for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
    try {
      const versions = await versionsOf(options, mayLag && attempt + 1 < ATTEMPTS_WITHOUT_RIGHT);
      const isInOrder = (version: string, index: number): boolean =>
        decimalOf(version) !== undefined && !isOlder(version, versions[index - 1] ?? version);
      return versions.length > 0 && versions.every(isInOrder);
    } catch {
      // A failure may pass, and after the last attempt the result is false.
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

/** The resourceVersion of the first collection that may be listed; undefined if none may. */
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
