/** Histories whose rollouts are accounted for strictly, or nearly so. */

import { tryHistories } from './histories.ts';

tryHistories('calm', 0.2);
tryHistories('owners', 0.15);
tryHistories('crashes', 0.15);
