/**
 * Laws are tried with the same cases each time, so that no change is stopped by what chance finds somewhere else, and what
 * fails here fails everywhere. `LAW_SEED=<number>` tries others.
 */

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['LAW_SEED'] ?? 1) });

export { fc };
