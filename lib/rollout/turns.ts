/**
 * The order in which waiting workloads are rolled: namespaces take turns, and in a namespace the objects that changed; of the
 * workloads of one object the oldest change comes first. So no workload waits for all that follow another object. Pure.
 */

import type { ObjectKey } from '../model/object-ref.ts';

/** One workload that waits. */
export interface Waiting {
  readonly key: ObjectKey;
  readonly namespace: string;
  /** The object that it waits for: of those that it is out of date with the one with the fewest followers. */
  readonly object: ObjectKey;
  /** When the oldest of its changes was made. */
  readonly changedAt: number;
}

/** Who had a turn: namespaces, and objects in namespaces; a higher number came later. */
export class Turns {
  readonly #last = new Map<string, number>();
  #count = 0;

  /** A workload is rolled now. */
  taken(waiting: Waiting): void {
    this.#count += 1;
    for (const lane of [namespaceOf(waiting), laneOf(waiting)]) this.#last.set(lane, this.#count);
  }

  /** Nothing waits any more: the next one that waits begins a new round. */
  clear(): void {
    this.#last.clear();
  }

  /** The workloads in the order in which they are rolled if slots become free one by one. */
  order(waiting: readonly Waiting[]): Waiting[] {
    const oldestFirst = waiting.toSorted(
      (one, other) => one.changedAt - other.changedAt || (one.key < other.key ? -1 : 1),
    );
    return this.#alternate(this.#alternate(oldestFirst, laneOf), namespaceOf);
  }

  /** The first one of each lane, then the second one of each; the lane whose turn is the longest ago begins. */
  #alternate(waiting: readonly Waiting[], laneOfEach: (one: Waiting) => string): Waiting[] {
    const turnOf = (lane: string): number => this.#last.get(lane) ?? 0;
    const lanes = [...Map.groupBy(waiting, laneOfEach)].toSorted(
      ([one], [other]) => turnOf(one) - turnOf(other),
    );
    return lanes
      .flatMap(([, lane]) => lane.map((one, round) => ({ one, round })))
      .toSorted((one, other) => one.round - other.round)
      .map(({ one }) => one);
  }
}

function namespaceOf({ namespace }: Waiting): string {
  return namespace;
}

function laneOf({ namespace, object }: Waiting): string {
  return `${namespace} ${object}`;
}
