/** All rules of the API. */

import type { ApiRules } from './api-rules.ts';
import { BATCH_RULES } from './api-rules-batch.ts';
import { EXTENSION_RULES } from './api-rules-extensions.ts';
import { LEASE_RULES } from './api-rules-lease.ts';
import { PATCH_RULES } from './api-rules-patches.ts';
import { READ_RULES } from './api-rules-reads.ts';
import { WRITE_RULES } from './api-rules-writes.ts';

/** By name: cases for `runRule`. */
export const API_RULES: ApiRules = {
  ...WRITE_RULES,
  ...PATCH_RULES,
  ...READ_RULES,
  ...BATCH_RULES,
  ...LEASE_RULES,
  ...EXTENSION_RULES,
};
