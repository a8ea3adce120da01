/**
 * How each situation was first reached, in five bytes: from which one, by which of its steps. The worlds themselves are
 * made again when they are needed, which is next to nothing when neighbours are asked for in turn.
 */

import type { Step } from './steps.ts';
import { copyOf, type World } from './world.ts';

const FIRST_CAPACITY = 2 ** 12;

/** What may happen in a world. */
export type StepsOf = (world: World) => readonly Step[];

/** A world on the way to the last one that was asked for. */
interface Stop {
  readonly index: number;
  readonly world: World;
  readonly steps: readonly Step[];
}

/** The ways from the beginning, which is situation 0. */
export class Ways {
  readonly #stepsOf: StepsOf;
  #befores = new Uint32Array(FIRST_CAPACITY);
  #choices = new Uint8Array(FIRST_CAPACITY);
  #size = 1;
  readonly #stops: Stop[];

  constructor(initial: World, stepsOf: StepsOf) {
    this.#stepsOf = stepsOf;
    this.#stops = [{ index: 0, world: initial, steps: stepsOf(initial) }];
  }

  /** How many situations there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds the situation to which the step with the number `choice` leads from `before`. */
  add(before: number, choice: number): void {
    if (this.#size === this.#befores.length) this.#double();
    this.#befores[this.#size] = before;
    this.#choices[this.#size] = choice;
    this.#size += 1;
  }

  /** The world of a situation, and what may happen in it. Neither may be changed. */
  async at(index: number): Promise<Stop> {
    const way = this.#wayTo(index);
    let common = 0;
    while (common < way.length && this.#stops[common]?.index === way[common]) common += 1;
    this.#stops.length = common;
    for (const next of way.slice(common)) {
      const before = this.#stops.at(-1);
      const step = before?.steps[this.#choices[next] ?? 0];
      if (before === undefined || step === undefined) throw new Error('a step is no longer possible');
      const world = copyOf(before.world);
      await step.run(world);
      this.#stops.push({ index: next, world, steps: this.#stepsOf(world) });
    }
    const stop = this.#stops.at(-1);
    if (stop === undefined) throw new Error('there is no beginning');
    return stop;
  }

  /** The names of the steps that lead to a situation. */
  async historyOf(index: number): Promise<string[]> {
    const names: string[] = [];
    for (const next of this.#wayTo(index).slice(1)) {
      const { steps } = await this.at(this.#befores[next] ?? 0);
      names.push(steps[this.#choices[next] ?? 0]?.name ?? '');
    }
    return names;
  }

  #wayTo(index: number): number[] {
    const way = [index];
    for (let at = index; at !== 0; ) {
      at = this.#befores[at] ?? 0;
      way.push(at);
    }
    return way.reverse();
  }

  #double(): void {
    const [befores, choices] = [this.#befores, this.#choices];
    this.#befores = new Uint32Array(befores.length * 2);
    this.#befores.set(befores);
    this.#choices = new Uint8Array(choices.length * 2);
    this.#choices.set(choices);
  }
}
