/** Histories of changes in stages, of contents with which workloads fail, and of all that may block a rollout together. */

import { tryHistories } from './histories.ts';

tryHistories('stages', 0.02);
tryHistories('together', 0.01);
