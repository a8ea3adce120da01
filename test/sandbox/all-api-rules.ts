/** All rules of the API. */

import type { ApiRule } from './api-rules.ts';
import { BATCH_RULES } from './api-rules-batch.ts';
import { LEASE_RULES } from './api-rules-lease.ts';
import { OWNER_RULES } from './api-rules-owners.ts';
import { PATCH_RULES } from './api-rules-patches.ts';
import { READ_RULES } from './api-rules-reads.ts';
import { WRITE_RULES } from './api-rules-writes.ts';

/** Each a case for `runRule`. */
export const API_RULES: readonly ApiRule[] = [
  ...WRITE_RULES,
  ...PATCH_RULES,
  ...OWNER_RULES,
  ...READ_RULES,
  ...BATCH_RULES,
  ...LEASE_RULES,
];
