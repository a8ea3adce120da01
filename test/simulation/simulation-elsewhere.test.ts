/** Histories of objects of another namespace. */

import { tryHistories } from './histories.ts';

tryHistories('elsewhere', 0.05);
tryHistories('consent', 0.05);
