/** Histories of changes in stages, and of contents with which workloads fail. */

import { tryHistories } from './histories.ts';

tryHistories('stages', 0.02);
