/** Histories of what few workloads ask for: pauses. */

import { tryHistories } from './histories.ts';

tryHistories('pauses', 0.06);
