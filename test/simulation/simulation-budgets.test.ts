/** Histories whose rollouts have a budget. */

import { tryHistories } from './histories.ts';

tryHistories('budgets', 0.04);
