/** Histories of workloads that another reloader served before. */

import { tryHistories } from './histories.ts';

tryHistories('imports', 0.05);
