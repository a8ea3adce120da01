/** Histories of Rollouts of Argo. */

import { tryHistories } from './histories.ts';

tryHistories('rollouts', 0.05);
