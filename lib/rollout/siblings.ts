/**
 * Pods of one owner that are workloads of their own, each with attempts of its own. Promise: of two attempts that saw room for the same
 * eviction only one evicts.
 */

import { monotonicMs } from '../model/time.ts';

/** How many evictions of pods of one owner were sent so far, how many of them were answered, and by how many a pod goes. */
export interface Turn {
  readonly sent: number;
  readonly answered: number;
  readonly done: number;
}

/** What is remembered of one owner. */
interface Owner extends Turn {
  /** The most pods that it had at once. */
  readonly most: number;
  /** That number counts until then, unless it is seen again: the owner may want fewer pods now. */
  readonly until: number;
}

const FIRST: Turn = { sent: 0, answered: 0, done: 0 };

/** See the file's comment. Not persisted: a start takes the pods that it finds for all. */
export class Siblings {
  /** By the uid of the owner. */
  readonly #owners = new Map<string, Owner>();

  /** How many pods the owner wants, as far as is known: `count` are there now. What was seen last is forgotten after `forMs`. */
  desired(owner: string, count: number, forMs: number): number {
    const now = monotonicMs();
    for (const [uid, { until }] of this.#owners) if (until <= now) this.#owners.delete(uid);
    const known = this.#owners.get(owner) ?? { most: 0, ...FIRST };
    if (count >= known.most) this.#owners.set(owner, { ...known, most: count, until: now + forMs });
    return Math.max(known.most, count);
  }

  /** The evictions so far. */
  turnOf(owner: string): Turn {
    return this.#owners.get(owner) ?? FIRST;
  }

  /** Whether a look at the pods that began at `turn` shows every eviction: all that were sent had been answered by then. */
  isShown(owner: string, turn: Turn): boolean {
    return this.turnOf(owner).sent === turn.answered;
  }

  /** An eviction is sent, is answered, or is known to be done. */
  count(owner: string, what: keyof Turn): void {
    const known = this.#owners.get(owner);
    if (known !== undefined) this.#owners.set(owner, { ...known, [what]: known[what] + 1 });
  }
}
