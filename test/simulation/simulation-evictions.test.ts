/** Histories of workloads whose pods are evicted. */

import { tryHistories } from './histories.ts';

tryHistories('evictions', 0.05);
