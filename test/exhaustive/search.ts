/** Breadth first through all histories: the first history found for a broken rule is a shortest one. */

import { canonical, hashOf } from './canonical.ts';
import { tidy } from './committer.ts';
import { Drains, judgeState } from './judge.ts';
import { appearances, type Scope, type Step, stepsOf } from './steps.ts';
import { Broken, copyOf, type World } from './world.ts';

/** A history that breaks a rule. */
export interface Violation {
  readonly message: string;
  readonly history: readonly string[];
}

/** What a search found. */
export interface Found {
  readonly states: number;
  readonly depth: number;
  /** The first of each message. */
  readonly violations: readonly Violation[];
  readonly atRest: readonly World[];
}

/** Where a search ends, whichever comes first. */
export interface Bounds {
  readonly depth: number;
  readonly states?: number;
  readonly violations?: number;
}

interface Node {
  readonly world: World;
  readonly trail: Trail | undefined;
}

interface Trail {
  readonly name: string;
  readonly before: Trail | undefined;
}

/** Runs every history of `scope` from `initial` within `bounds`. A state that breaks a rule is not followed further. */
export function search(initial: World, scope: Scope, bounds: Bounds): Found {
  const seen = new Set<number>([hashOf(canonical(initial))]);
  const drains = new Drains();
  const violations = new Map<string, Violation>();
  const { states = Infinity, violations: enough = 1 } = bounds;
  let frontier: Node[] = [{ world: initial, trail: undefined }];
  let depth = 0;
  while (frontier.length > 0 && depth < bounds.depth) {
    const next: Node[] = [];
    for (const node of frontier) {
      if (seen.size >= states || violations.size >= enough) return foundBy(seen, depth, violations, drains);
      for (const step of allSteps(node.world, scope)) visit(node, step, { seen, drains, violations, next });
    }
    frontier = next;
    depth += 1;
  }
  return foundBy(seen, depth, violations, drains);
}

interface Visited {
  readonly seen: Set<number>;
  readonly drains: Drains;
  readonly violations: Map<string, Violation>;
  readonly next: Node[];
}

/** Takes one step, and judges where it leads if nobody was there before. */
function visit(node: Node, step: Step, { seen, drains, violations, next }: Visited): void {
  const world = copyOf(node.world);
  const trail = { name: step.name, before: node.trail };
  try {
    step.run(world);
    tidy(world);
    const hash = hashOf(canonical(world));
    if (seen.has(hash)) return;
    seen.add(hash);
    judgeState(world);
    drains.judge(world, hash);
    next.push({ world, trail });
  } catch (error) {
    const history = historyOf(trail);
    if (!(error instanceof Broken)) throw new Error(`failed in:\n${history.join('\n')}`, { cause: error });
    if (!violations.has(error.message)) violations.set(error.message, { message: error.message, history });
  }
}

function foundBy(
  seen: ReadonlySet<number>,
  depth: number,
  violations: ReadonlyMap<string, Violation>,
  drains: Drains,
): Found {
  return { states: seen.size, depth, violations: [...violations.values()], atRest: drains.atRest };
}

/** Runs one history; answers what it breaks, at its last step or in the calm future of it. */
export function replay(initial: World, scope: Scope, history: readonly string[]): string | undefined {
  const world = copyOf(initial);
  try {
    for (const name of history) {
      const step = allSteps(world, scope).find((one) => one.name === name);
      if (step === undefined) throw new Error(`"${name}" cannot happen here`);
      step.run(world);
      tidy(world);
      judgeState(world);
    }
    new Drains().judge(world, 0);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

/** What may happen in `world`, appearances included. */
export function allSteps(world: World, scope: Scope): Step[] {
  return [...stepsOf(world, scope), ...appearances(scope, world)];
}

function historyOf(trail: Trail | undefined): string[] {
  const names: string[] = [];
  for (let at = trail; at !== undefined; at = at.before) names.unshift(at.name);
  return names;
}
