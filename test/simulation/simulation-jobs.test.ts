/** Histories of Jobs that are created anew, and of CronJobs that are run. */

import { tryHistories } from './histories.ts';

tryHistories('jobs', 0.05);
