/** Breadth first through all histories: the first history found for a broken rule is a shortest one. */

import { Situations } from './canonical.ts';
import { DigestSet } from './digest-set.ts';
import { Drains, judgeState } from './judge.ts';
import { type Scope, type Step, stepsOf } from './steps.ts';
import { Ways } from './ways.ts';
import { Broken, copyAroundProcess, copyOf, type World } from './world.ts';

/** A history that breaks a rule. */
export interface Violation {
  readonly message: string;
  readonly history: readonly string[];
}

/** What a search found. */
export interface Found {
  readonly states: number;
  /** Every history of at most so many steps was looked at. */
  readonly depth: number;
  /** There are no other states at all. */
  readonly isWhole: boolean;
  /** The first of each message. */
  readonly violations: readonly Violation[];
}

/** Where a search ends, whichever comes first, and whom it tells. */
export interface Bounds {
  readonly depth: number;
  readonly states?: number;
  readonly violations?: number;
  /** Is told of every state. */
  readonly onState?: (states: number, depth: number) => void;
  /** Is given every world at rest that a calm future leads to, each once. */
  readonly onRest?: (world: World) => void;
}

/** Runs every history of `scope` from `initial` within `bounds`. A state that breaks a rule is not followed further. */
export async function search(initial: World, scope: Scope, bounds: Bounds): Promise<Found> {
  return await new Search(initial, scope, bounds).run();
}

/** Runs one history; answers what it breaks, at its last step or in the calm future of it. */
export async function replay(
  initial: World,
  scope: Scope,
  history: readonly string[],
): Promise<string | undefined> {
  const world = copyOf(initial);
  try {
    await play(world, scope, history);
    await new Drains(new Situations(scope)).judge(world);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

/** Takes the steps of those names. Throws Broken. */
export async function play(world: World, scope: Scope, history: readonly string[]): Promise<void> {
  for (const name of history) {
    const step = stepsOf(world, scope).find((one) => one.name === name);
    if (step === undefined) throw new Error(`"${name}" cannot happen here`);
    await step.run(world);
    judgeState(world);
  }
}

class Search {
  readonly #bounds: Bounds;
  readonly #situations: Situations;
  readonly #seen = new DigestSet();
  readonly #ways: Ways;
  readonly #drains: Drains;
  readonly #violations = new Map<string, Violation>();

  constructor(initial: World, scope: Scope, bounds: Bounds) {
    this.#bounds = bounds;
    this.#situations = new Situations(scope);
    this.#ways = new Ways(initial, (world) => stepsOf(world, scope));
    this.#drains = new Drains(this.#situations, bounds.onRest);
    this.#seen.add(this.#situations.digestOf(initial));
  }

  async run(): Promise<Found> {
    let [from, to, depth] = [0, 1, 0];
    while (from < to && depth < this.#bounds.depth) {
      for (let index = from; index < to; index += 1) {
        if (this.#isEnough()) return this.#found(depth, false);
        await this.#follow(index);
        this.#bounds.onState?.(this.#seen.size, depth);
      }
      [from, to] = [to, this.#ways.size];
      depth += 1;
    }
    return this.#found(depth, from === to);
  }

  #isEnough(): boolean {
    const { states = Infinity, violations = 1 } = this.#bounds;
    return this.#seen.size >= states || this.#violations.size >= violations;
  }

  #found(depth: number, isWhole: boolean): Found {
    return { states: this.#seen.size, depth, isWhole, violations: [...this.#violations.values()] };
  }

  async #follow(index: number): Promise<void> {
    const { world, steps } = await this.#ways.at(index);
    for (const [choice, step] of steps.entries()) {
      try {
        if (await this.#isNew(world, step)) this.#ways.add(index, choice);
      } catch (error) {
        this.#tell(error, [...(await this.#ways.historyOf(index)), step.name]);
      }
    }
  }

  /** Takes one step, and judges where it leads if nobody was there before. */
  async #isNew(world: World, { isOutside, run }: Step): Promise<boolean> {
    const next = isOutside ? copyAroundProcess(world) : copyOf(world);
    await run(next);
    const digest = this.#situations.digestOf(next, isOutside);
    if (!this.#seen.add(digest)) return false;
    judgeState(next);
    await this.#drains.judge(next, digest);
    return true;
  }

  #tell(error: unknown, history: readonly string[]): void {
    if (!(error instanceof Broken)) throw new Error(`failed in:\n${history.join('\n')}`, { cause: error });
    const { message } = error;
    if (!this.#violations.has(message)) this.#violations.set(message, { message, history });
  }
}
