/** Whether the resourceVersions of different kinds come from one counter. */

import { backoffMs } from '../model/backoff.ts';
import { decimalOf } from '../model/timeline.ts';
import { sleep } from './abortable-sleep.ts';
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
  /** @default 3 */
  readonly attempts?: number;
  /** @default Math.random */
  readonly random?: () => number;
}

const BACKOFF = { baseMs: 500, capMs: 5_000 };

/**
 * Lists config objects, workloads and config objects again, one object each: only if all three versions are decimal and none is
 * lower than the one before may versions be compared across kinds. Where the lists fail, the answer is no.
 */
export async function areVersionsComparable(options: ComparableVersionsOptions): Promise<boolean> {
  const { signal, attempts = 3, random = Math.random } = options;
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
    try {
      return ascends(await threeVersions(options));
    } catch {
      // Why does not matter: what cannot be asked is not compared, which errs towards a rollout more.
      if (attempt + 1 < attempts) await sleep(backoffMs(attempt, BACKOFF, random), signal);
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
