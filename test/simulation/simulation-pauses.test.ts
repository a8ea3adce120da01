/** Histories of Deployments that ask for a pause. */

import { tryHistories } from './histories.ts';

tryHistories('pauses', 0.05);
