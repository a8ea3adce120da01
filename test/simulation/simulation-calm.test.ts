/** Histories whose rollouts are accounted for strictly, or nearly so. */

import { tryHistories } from './histories.ts';

tryHistories('calm', 0.15);
tryHistories('owners', 0.1);
tryHistories('crashes', 0.15);
tryHistories('policies', 0.15);
tryHistories('selection', 0.09);
tryHistories('keys', 0.09);
