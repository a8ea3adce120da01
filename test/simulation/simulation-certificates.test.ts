/** Histories of temporary certificates. */

import { tryHistories } from './histories.ts';

tryHistories('certificates', 0.02);
