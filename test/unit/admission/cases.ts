/** Tables of what the admission webhook makes of a write. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheReader } from '../../../lib/admission/mutate.ts';
import type { AdmissionRequest } from '../../../lib/admission/review.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { AdmissionResult } from '../../../lib/model/settings.ts';
import { request, stored } from './papers.ts';

/** One write. */
export interface Case {
  /** @default what the table says */
  readonly known?: CacheReader;
  readonly live?: RawWorkload;
  readonly update: RawWorkload;
  readonly facts?: Partial<AdmissionRequest>;
  readonly result: AdmissionResult;
  /** What is stored. @default the update as it is */
  readonly becomes?: RawWorkload;
}

/** A test for each case; `usual` is what is known unless it says otherwise. */
export function testCases(cases: Readonly<Record<string, Case>>, usual: CacheReader): void {
  for (const [name, { known = usual, live, update, facts, result, becomes = update }] of Object.entries(
    cases,
  ))
    test(name, () => {
      const decision = stored(known, request(update, live, facts));
      assert.deepEqual({ result: decision.result, object: decision.object }, { result, object: becomes });
    });
}
