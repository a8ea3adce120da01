/** Short sequences by chance that single steps seldom make: what is hard happens around a window, a rollout, a gap. */

import fc, { type Arbitrary } from 'fast-check';
import { resourceOf } from './api.ts';
import { type Cast, stepsOf, WATCH_EFFECT } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type ConfigName, type Content, wait } from './history.ts';

/** Arbitraries of scenes. */
export interface Scenes {
  /** A change is rolled out, and while it rolls another content comes and goes. */
  readonly flicker: Arbitrary<Scene>;
  /** An owner makes pods start while a change waits, and the change is taken back. */
  readonly ownerInWindow: Arbitrary<Scene>;
  /** An owner changes the object and then the template; its rollout is left alone, disturbed, or stands still. */
  readonly upgrade: Arbitrary<Scene>;
  /** An external store writes an object and restarts the workload, creates the object anew, or fights with another writer. */
  readonly stores: Arbitrary<Scene>;
  /** Changes that do not end, each before the quiet period after the last is over. */
  readonly busy: Arbitrary<Scene>;
  /** A workload opts in before a change that is heard of first. */
  readonly lateOptIn: Arbitrary<Scene>;
  /** A workload asks for more than marked objects before a change that is heard of first. */
  readonly lateAsk: Arbitrary<Scene>;
  /** A process dies while a change waits or rolls, perhaps with a change back before the return. */
  readonly crashInWindow: Arbitrary<Scene>;
  /** Contents come and go while a stream is cut. */
  readonly gap: Arbitrary<Scene>;
  /** News of two streams come in another order than they happened. */
  readonly late: Arbitrary<Scene>;
  /** A flicker while pods start, of which the objects' stream tells when they have started. */
  readonly lateFlicker: Arbitrary<Scene>;
  /** An owner makes pods start while another content comes and goes, of which the workloads' stream tells later. */
  readonly lateOwner: Arbitrary<Scene>;
  /** A workload is refused, and accepted later. */
  readonly refusal: Arbitrary<Scene>;
  /** A change is rolled out but cannot be committed, and a process dies. */
  readonly noCommit: Arbitrary<Scene>;
  /** Another version of the API server spells templates another way, while a workload owes something or none does. */
  readonly respelled: Arbitrary<Scene>;
  /** Objects are listed long after the workloads, of which one has come to be meanwhile. */
  readonly lateList: Arbitrary<Scene>;
  /** A workload ceases to follow what it owes, or is created anew with the pods of before, and is back soon. */
  readonly flapped: Arbitrary<Scene>;
  /** ConfigMaps of the state go, perhaps while nobody looks, and a process dies at one of the writes that follow. */
  readonly damage: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function scenesOf(cast: Cast): Scenes {
  const { coalescePeriodMs } = cast.settings;
  const steps = stepsOf(cast);
  const config = fc.constantFrom(...cast.configs);
  const workload = fc.constantFrom(...cast.workloads);
  const contents = fc.shuffledSubarray<Content>(['A', 'B', 'C'], { minLength: 2, maxLength: 2 });
  const soon = fc.constantFrom(0, 1, 20, 150, 1000, 4000).map(wait);
  const window = fc.constantFrom(1, 20, 110, 1000).map((ms) => wait(coalescePeriodMs + ms));
  const changes = fc.tuple(config, contents).map(([name, [first = 'A', second = 'B']]) => ({
    there: { do: 'change', config: name, content: first } as const,
    back: { do: 'revert', config: name } as const,
    other: { do: 'change', config: name, content: second } as const,
    name,
  }));
  const late = fc.constantFrom(50, 3000, 20_000);
  const annotation = fc.constant({ do: 'annotate', workload: '', annotations: { note: 'x' } } as const);
  return {
    lateFlicker: fc
      .tuple(changes, window, late, soon, fc.boolean(), soon)
      .map(([{ there, back, name }, rolled, ms, pause, isLifted, last]) => [
        there,
        rolled,
        { do: 'delay', resource: resourceOf(name), ms },
        back,
        pause,
        back,
        wait(ms + coalescePeriodMs),
        ...(isLifted ? [{ do: 'delay', resource: resourceOf(name), ms: 0 } as const, last] : []),
      ]),
    lateOwner: fc
      .tuple(changes, workload, late, soon, fc.oneof(steps.owner, steps.workload), soon)
      .map(([{ there, back }, name, ms, before, owner, after]) => [
        { do: 'delay', resource: resourceOf(name), ms },
        there,
        before,
        { ...owner, workload: name },
        after,
        back,
        wait(ms + coalescePeriodMs),
        { do: 'delay', resource: resourceOf(name), ms: 0 },
      ]),
    flicker: fc
      .tuple(changes, window, soon, fc.boolean(), soon)
      .map(([{ there, other, back }, rolled, pause, isOther, last]) =>
        isOther ? [there, rolled, other, pause, there, last] : [there, rolled, back, pause, back, last],
      ),
    upgrade: fc
      .tuple(changes, workload, soon, soon, fc.constantFrom('through', 'undone', 'changed', 'stuck'), window)
      .map(([{ there, other }, name, before, pause, end, last]) => [
        wait(coalescePeriodMs + 1000),
        ...(end === 'stuck' ? [{ do: 'rollout-speed', workload: name, ms: -1 } as const] : []),
        there,
        before,
        { do: 'apply', workload: name },
        pause,
        ...(end === 'undone' ? [{ do: 'undo', workload: name } as const] : []),
        ...(end === 'changed' ? [other] : []),
        last,
      ]),
    stores: fc.oneof(
      fc
        .tuple(changes, workload, fc.boolean(), window)
        .map(
          ([{ there }, name, isLate, end]): Scene => [
            wait(coalescePeriodMs + 1000),
            there,
            ...(isLate ? [wait(1)] : []),
            { do: 'restart', workload: name },
            end,
          ],
        ),
      fc.tuple(changes, fc.integer({ min: 2, max: 6 }), fc.boolean(), soon).map(
        ([{ there, other, name }, times, isAnew, pause]): Scene =>
          Array.from({ length: times }, (_, index) => {
            const { content } = index % 2 === 0 ? there : other;
            return [isAnew ? ({ do: 'recreate', config: name } as const) : { ...there, content }, pause];
          }).flat(),
      ),
    ),
    busy: fc
      .tuple(changes, fc.integer({ min: 3, max: 10 }), fc.constantFrom(0.5, 0.9))
      .map(([{ there, other }, times, share]) =>
        Array.from({ length: times }, (_, index) => [
          index % 2 === 0 ? there : other,
          wait(Math.floor(coalescePeriodMs * share)),
        ]).flat(),
      ),
    lateOptIn: fc
      .tuple(changes, workload, late, soon, fc.boolean())
      .map(([{ there, back, name }, other, ms, pause, isBack]) => [
        { do: 'follow', workload: other, follows: [] },
        wait(coalescePeriodMs + 2000),
        { do: 'delay', resource: resourceOf(other), ms },
        { do: 'follow', workload: other, follows: [name] },
        pause,
        there,
        wait(ms + coalescePeriodMs),
        { do: 'delay', resource: resourceOf(other), ms: 0 },
        ...(isBack ? [back] : []),
      ]),
    lateAsk: fc
      .tuple(changes, workload, late, soon)
      .map(([{ there }, other, ms, pause]) => [
        { do: 'ask', workload: other, by: 'search', excludes: [] },
        wait(coalescePeriodMs + 2000),
        { do: 'delay', resource: resourceOf(other), ms },
        { do: 'ask', workload: other, by: 'auto', excludes: [] },
        pause,
        there,
        wait(ms + coalescePeriodMs),
        { do: 'delay', resource: resourceOf(other), ms: 0 },
      ]),
    ownerInWindow: fc
      .tuple(changes, soon, fc.oneof(steps.owner, steps.workload), soon, window)
      .map(([{ there, back }, before, owner, after, end]) => [there, before, owner, after, back, end]),
    crashInWindow: fc
      .tuple(changes, fc.oneof(soon, window), steps.crash, soon, fc.boolean(), window)
      .map(([{ there, back }, before, crash, after, isBack, end]) => [
        there,
        before,
        crash,
        after,
        ...(isBack ? [back] : []),
        end,
      ]),
    gap: fc
      .tuple(changes, fc.boolean(), WATCH_EFFECT, soon, fc.oneof(steps.owner, steps.config), soon)
      .map(([{ there, back, name }, isCompacted, effect, pause, between, last]) => [
        { do: 'disturb', resource: resourceOf(name), effect },
        there,
        pause,
        between,
        back,
        ...(isCompacted ? [{ do: 'compact' } as const] : []),
        last,
      ]),
    late: fc
      .tuple(changes, workload, late, fc.boolean(), steps.workload, soon)
      .map(([{ there, name }, other, ms, isConfig, step, pause]) => [
        { do: 'delay', resource: resourceOf(isConfig ? name : other), ms },
        ...(isConfig ? [there, pause, step] : [step, pause, there]),
        wait(ms + coalescePeriodMs),
        { do: 'delay', resource: resourceOf(isConfig ? name : other), ms: 0 },
      ]),
    refusal: fc
      .tuple(changes, workload, window, fc.boolean(), window)
      .map(([{ there, back }, name, rolled, isBack, end]) => [
        { do: 'refuse', workload: name, status: 403 },
        there,
        rolled,
        wait(2000),
        ...(isBack ? [back, end] : []),
        { do: 'refuse', workload: name, status: 0 },
      ]),
    respelled: fc
      .tuple(
        changes,
        workload,
        fc.boolean(),
        fc.boolean(),
        fc.oneof(steps.workload, steps.owner, annotation),
        window,
      )
      .map(([{ there }, name, isRefused, isCompacted, step, rolled]) => [
        ...(isRefused ? [{ do: 'refuse', workload: name, status: 403 } as const] : []),
        there,
        rolled,
        { do: 'respell' },
        ...(isCompacted ? [{ do: 'compact' } as const] : []),
        { ...step, workload: name },
        rolled,
        { do: 'refuse', workload: name, status: 0 },
      ]),
    lateList: fc
      .tuple(changes, workload, fc.constantFrom(2, 4, 8), soon, fc.boolean(), window)
      .map(([{ there, name }, other, times, pause, isBefore, end]) => [
        { do: 'delete-workload', workload: other },
        end,
        { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 1000 },
        { do: 'fault', rule: { ...lateListOf(name), times } },
        wait(1100),
        ...(isBefore ? [there, pause] : []),
        { do: 'create-workload', workload: other, follows: [name], replicas: 2 },
        wait(3000),
        ...(isBefore ? [] : [there, pause]),
        wait(60_000),
      ]),
    flapped: fc
      .tuple(changes, workload, soon, fc.boolean(), soon, window)
      .map(([{ there, name }, other, before, isCreated, away, end]) => [
        { do: 'follow', workload: other, follows: [name] },
        wait(coalescePeriodMs + 2000),
        there,
        before,
        ...(isCreated
          ? ([
              { do: 'delete-workload', workload: other, leavesPods: true },
              wait(50),
              away,
              { do: 'create-workload', workload: other, follows: [name], replicas: 2 },
            ] as const)
          : ([
              { do: 'follow', workload: other, follows: [] },
              away,
              { do: 'follow', workload: other, follows: [name] },
            ] as const)),
        end,
      ]),
    noCommit: fc
      .tuple(changes, window, steps.crash, soon)
      .map(([{ there, back }, rolled, crash, pause]) => [
        { do: 'fault', rule: NO_STATE_WRITES },
        there,
        rolled,
        crash,
        pause,
        back,
        wait(coalescePeriodMs * 2),
      ]),
    damage: fc
      .tuple(changes, steps.state, steps.crash, fc.boolean(), soon, window, fc.boolean())
      .map(([{ there, back }, state, crash, isUnseen, pause, end, isBack]) => [
        ...(isUnseen ? [{ do: 'stop', slot: 0, downtimeMs: -1 } as const] : [there, pause]),
        state,
        ...(isUnseen ? [there, { do: 'start', slot: 0 } as const] : []),
        crash,
        end,
        ...(isBack ? [back] : []),
      ]),
  };
}

/** The first two lists of ConfigMaps only find out whether versions compare. */
function lateListOf(name: ConfigName) {
  const match = { verb: 'list', resource: resourceOf(name) } as const;
  const nth = match.resource === 'configmaps' ? 3 : 1;
  return { match, nth, effect: { kind: 'status', code: 429 } } as const;
}

const NO_STATE_WRITES = {
  match: { verb: 'write', resource: 'configmaps' },
  times: 5,
  effect: { kind: 'status', code: 500 },
} as const;
