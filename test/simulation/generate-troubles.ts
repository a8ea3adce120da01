/**
 * Scenes in which two troubles meet: a death, an owner or a refusal while a change is open, and then a change back. Each
 * is what one rule of the program is for.
 */

import fc, { type Arbitrary } from 'fast-check';
import { split } from './api.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import { type ConfigName, type Content, type Step, type WorkloadName, wait } from './history.ts';

/** Steps in a row. */
export type Scene = readonly Step[];

/** Arbitraries of scenes of two troubles. */
export interface Troubles {
  /** A process dies at one of the writes for a change, which is taken back. */
  readonly deathBetween: Arbitrary<Scene>;
  /** A refused workload is patched after its exception was written; then a death and a change back. */
  readonly overtaken: Arbitrary<Scene>;
  /** A process dies while a workload is refused, perhaps with a change back, and all is accepted later. */
  readonly deathWhileRefused: Arbitrary<Scene>;
  /** Pods start while no process runs, with a content that goes again when the next one has begun. */
  readonly startUnwatched: Arbitrary<Scene>;
  /** An owner makes all pods start with a change; while no process runs, what our stamp names comes back. */
  readonly backToStamp: Arbitrary<Scene>;
  /** An owner makes pods start in a window, the process dies, and the change is taken back. */
  readonly ownerThenDeath: Arbitrary<Scene>;
  /** An owner makes pods start while a change is open because another workload is refused. */
  readonly ownerWhileOpen: Arbitrary<Scene>;
  /** A workload is undone after one of two changes, and what its pods then read becomes what it is. */
  readonly undone: Arbitrary<Scene>;
  /** A workload appears, perhaps with a copied stamp, while another one is owed. */
  readonly newcomer: Arbitrary<Scene>;
  /** A workload appears with a copied stamp just after a change was taken back. */
  readonly copyInWindow: Arbitrary<Scene>;
  /** Contents come and go while a slow rollout exchanges pods. */
  readonly slowFlicker: Arbitrary<Scene>;
  /** The answers to writes get lost while a change is rolled out and taken back. */
  readonly lostAnswers: Arbitrary<Scene>;
  /** A process starts while the API server does not answer what it asks first. */
  readonly hardStart: Arbitrary<Scene>;
}

/** A change of an object, and what may follow it. */
interface Change {
  readonly name: ConfigName;
  readonly there: Step;
  readonly back: Step;
  readonly other: Step;
}

/** What the scenes of a cast are made of. */
interface Parts {
  readonly change: Arbitrary<Change>;
  readonly pair: Arbitrary<readonly [WorkloadName, WorkloadName]>;
  readonly owner: Arbitrary<Step>;
  /** A death at once. */
  readonly death: Arbitrary<Step>;
  /** A death at one of the next writes. */
  readonly deathAtWrite: Arbitrary<Step>;
  readonly soon: Arbitrary<Step>;
  /** Until a change that waits has been rolled out, or nearly. */
  readonly window: Arbitrary<Step>;
  readonly maybe: Arbitrary<boolean>;
}

const LONG_DEATH: Step = { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 5000 };

/** The scenes of a cast. */
export function troublesOf(cast: Cast): Troubles {
  const parts = partsOf(cast);
  return { ...deaths(parts), ...owners(parts), ...pods(parts), ...calls(parts) };
}

function partsOf(cast: Cast): Parts {
  const { coalescePeriodMs } = cast.settings;
  const steps = stepsOf(cast);
  const contents = fc.shuffledSubarray<Content>(['A', 'B', 'C'], { minLength: 2, maxLength: 2 });
  const change = fc.tuple(fc.constantFrom(...cast.configs), contents).map(
    ([name, [first = 'A', second = 'B']]): Change => ({
      name,
      there: { do: 'change', config: name, content: first },
      back: { do: 'revert', config: name },
      other: { do: 'change', config: name, content: second },
    }),
  );
  const crash = { do: fc.constant('crash' as const), slot: fc.constant(0 as const) };
  const downtimeMs = fc.constantFrom(0, 1000, 5000);
  return {
    change,
    pair: fc
      .shuffledSubarray([...cast.workloads], { minLength: 1, maxLength: Math.min(2, cast.workloads.length) })
      .map(([first = '', second = first]) => [first, second] as const),
    owner: steps.owner,
    death: fc.record({
      ...crash,
      atWrite: fc.constant(0),
      effect: fc.constant('before' as const),
      downtimeMs,
    }),
    deathAtWrite: fc.record({
      ...crash,
      atWrite: fc.constantFrom(1, 1, 2, 2, 3, 4),
      effect: fc.constantFrom('after', 'before'),
      downtimeMs,
    }),
    soon: fc.constantFrom(0, 20, 150, 1000, 2500).map(wait),
    window: fc.constantFrom(20, 110, 1000, 2500).map((ms) => wait(coalescePeriodMs + ms)),
    maybe: fc.boolean(),
  };
}

function deaths({ change, pair, deathAtWrite, death, soon, window, maybe }: Parts) {
  return {
    deathBetween: fc
      .tuple(change, deathAtWrite, window, soon, window, maybe)
      .map(
        ([{ there, back }, crash, rolled, pause, end, isBack]): Scene => [
          crash,
          there,
          rolled,
          pause,
          ...(isBack ? [back] : []),
          end,
        ],
      ),
    overtaken: fc
      .tuple(change, pair, window, death, soon, window)
      .map(
        ([{ there, back }, [name], rolled, crash, pause, end]): Scene => [
          refuse(name, 403),
          there,
          rolled,
          wait(15_000),
          failing('write', 'configmaps', 20),
          refuse(name, 0),
          wait(45_000),
          crash,
          pause,
          back,
          end,
        ],
      ),
    startUnwatched: fc
      .tuple(change, pair, window)
      .map(
        ([{ there, back }, [name], end]): Scene => [
          LONG_DEATH,
          wait(20),
          there,
          { do: 'scale', workload: name, replicas: 3 },
          wait(5500),
          back,
          end,
        ],
      ),
    backToStamp: fc
      .tuple(change, pair, window)
      .map(
        ([{ there, other }, [name], end]): Scene => [
          there,
          end,
          wait(60_000),
          other,
          { do: 'restart', workload: name },
          wait(60_000),
          LONG_DEATH,
          wait(20),
          there,
          wait(10_000),
        ],
      ),
    deathWhileRefused: fc
      .tuple(change, pair, window, death, maybe, window)
      .map(
        ([{ there, back }, [name], rolled, crash, isBack, end]): Scene => [
          refuse(name, 422),
          there,
          rolled,
          wait(2000),
          crash,
          ...(isBack ? [back] : []),
          end,
          refuse(name, 0),
          end,
        ],
      ),
  };
}

function owners({ change, pair, owner, death, soon, window, maybe }: Parts) {
  return {
    ownerThenDeath: fc
      .tuple(change, soon, owner, soon, death, soon, window)
      .map(
        ([{ there, back }, before, write, after, crash, pause, end]): Scene => [
          there,
          before,
          write,
          after,
          crash,
          pause,
          back,
          end,
        ],
      ),
    ownerWhileOpen: fc
      .tuple(change, pair, window, owner, soon, window)
      .map(
        ([{ there, back }, [refused, rolled], until, write, pause, end]): Scene => [
          refuse(refused, 403),
          there,
          until,
          { ...write, workload: rolled } as Step,
          pause,
          back,
          end,
          refuse(refused, 0),
        ],
      ),
    reverted: fc
      .tuple(
        change,
        pair,
        fc.constantFrom('before' as const, 'after' as const),
        fc.constantFrom(15, 1000),
        window,
      )
      .map(
        ([{ there, other, back }, [name], when, times, end]): Scene => [
          { do: 'take-back', workload: name, times, when },
          there,
          wait(3_600_000),
          { do: 'take-back', workload: name, times: 0, when },
          times === 15 ? other : back,
          end,
        ],
      ),
    undone: fc
      .tuple(change, pair, window, maybe, window, maybe)
      .map(
        ([{ there, other, back }, [name], rolled, isFirst, end, isBack]): Scene => [
          there,
          rolled,
          wait(2000),
          other,
          rolled,
          ...(isFirst ? [] : [wait(2000)]),
          { do: 'undo', workload: name },
          wait(2000),
          isBack ? back : there,
          end,
        ],
      ),
    newcomer: fc
      .tuple(change, pair, window, fc.constantFrom(0, 1, 5), death, maybe, maybe, window)
      .map(
        ([{ there, back, name }, [old, fresh], rolled, lift, crash, isCrash, isBack, end]): Scene => [
          { do: 'delete-workload', workload: fresh },
          failing('patch', undefined, 3, split(old).name),
          there,
          rolled,
          { do: 'create-workload', workload: fresh, follows: [name], replicas: 2, copyOf: old, lift },
          wait(150),
          ...(isBack ? [back] : []),
          ...(isCrash ? [crash] : []),
          end,
        ],
      ),
  };
}

function pods({ change, pair, soon, window, maybe }: Parts) {
  return {
    copyInWindow: fc
      .tuple(change, pair, window, soon, fc.constantFrom(0, 1, 5), window)
      .map(
        ([{ there, back, name }, [old, fresh], rolled, pause, lift, end]): Scene => [
          { do: 'delete-workload', workload: fresh },
          there,
          rolled,
          back,
          pause,
          { do: 'create-workload', workload: fresh, follows: [name], replicas: 2, copyOf: old, lift },
          end,
        ],
      ),
    slowFlicker: fc
      .tuple(change, fc.constantFrom(2000, 6000), window, soon, soon, maybe)
      .map(
        ([{ there, other, back }, ms, rolled, pause, last, isOther]): Scene => [
          { do: 'rollout-speed', ms },
          there,
          rolled,
          isOther ? other : back,
          pause,
          isOther ? there : back,
          last,
          wait(ms * 6),
        ],
      ),
  };
}

function calls({ change, death, soon, window, maybe }: Parts) {
  const lost = fc.constantFrom({ kind: 'lost' } as const, { kind: 'hang', effect: true } as const);
  const match = fc.constantFrom(
    { verb: 'write', resource: 'configmaps' } as const,
    { verb: 'patch', resource: 'deployments' } as const,
    { verb: 'write' } as const,
  );
  return {
    lostAnswers: fc
      .tuple(change, match, lost, fc.constantFrom(1, 2), window, soon, death, maybe, window)
      .map(
        ([{ there, back }, of, effect, nth, rolled, pause, crash, isCrash, end]): Scene => [
          { do: 'fault', rule: { match: of, nth, times: 1, effect } },
          there,
          rolled,
          pause,
          ...(isCrash ? [crash] : []),
          back,
          end,
        ],
      ),
    hardStart: fc
      .tuple(change, fc.constantFrom(403, 500, 503), fc.constantFrom('get', 'list'), window, death, window)
      .map(
        ([{ there, other }, code, verb, rolled, crash, end]): Scene => [
          there,
          rolled,
          { do: 'fault', rule: { match: { verb }, times: 3, effect: { kind: 'status', code } } } as Step,
          crash,
          other,
          wait(3000),
          end,
        ],
      ),
  };
}

function refuse(workload: WorkloadName, status: 0 | 403 | 422): Step {
  return { do: 'refuse', workload, status };
}

function failing(
  verb: 'write' | 'patch',
  resource: 'configmaps' | undefined,
  times: number,
  name?: string,
): Step {
  const match = { verb, ...(resource && { resource }), ...(name !== undefined && { name }) };
  return { do: 'fault', rule: { match, times, effect: { kind: 'status', code: 500 } } };
}
