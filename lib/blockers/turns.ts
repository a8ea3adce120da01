/** The order in which waiting workloads are rolled: namespaces take turns, and in each the oldest change comes first. Pure. */

import type { ObjectKey } from '../model/object-ref.ts';

/** One workload that waits. */
export interface Waiting {
  readonly key: ObjectKey;
  readonly namespace: string;
  /** When the oldest of its changes was made. */
  readonly changedAt: number;
}

/** Which namespaces had a turn. */
export class Turns {
  /** A higher number came later. */
  readonly #last = new Map<string, number>();
  #count = 0;

  /** A workload is rolled now. */
  taken({ namespace }: Waiting): void {
    this.#count += 1;
    this.#last.set(namespace, this.#count);
  }

  /** Nothing waits any more: the next one that waits begins a new round. */
  clear(): void {
    this.#last.clear();
  }

  /** The first workload of each namespace, then the second one of each; the namespace whose turn is the longest ago begins. */
  order(waiting: readonly Waiting[]): Waiting[] {
    const oldestFirst = waiting.toSorted(
      (one, other) => one.changedAt - other.changedAt || (one.key < other.key ? -1 : 1),
    );
    const turnOf = (namespace: string): number => this.#last.get(namespace) ?? 0;
    return [...Map.groupBy(oldestFirst, ({ namespace }) => namespace)]
      .toSorted(([one], [other]) => turnOf(one) - turnOf(other))
      .flatMap(([, ofNamespace]) => ofNamespace.map((one, round) => ({ one, round })))
      .toSorted((one, other) => one.round - other.round)
      .map(({ one }) => one);
  }
}
