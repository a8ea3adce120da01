/** Histories of classes, which a rotation reaches pod by pod. */

import { tryHistories } from './histories.ts';

tryHistories('classes', 0.02);
