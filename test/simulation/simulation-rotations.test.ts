/** Histories of keys of digests that are made, replaced, lost and restored. */

import { tryHistories } from './histories.ts';

tryHistories('rotations', 0.05);
