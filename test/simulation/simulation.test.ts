/** Histories full of trouble. */

import { tryHistories } from './histories.ts';

tryHistories('faults', 0.15);
tryHistories('replicas', 0.1);
tryHistories('everything', 0.1);
tryHistories('shards', 0.1);
tryHistories('presence', 0.09);
