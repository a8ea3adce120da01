/** Histories of workloads that are held, and of reload windows. */

import { tryHistories } from './histories.ts';

tryHistories('holds', 0.04);
