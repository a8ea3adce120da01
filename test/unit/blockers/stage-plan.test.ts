/** Which workloads of a change may begin: the ends of stages, orders, and who gives no evidence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Change,
  endsOf,
  type Member,
  nextSeen,
  planStages,
  type Seen,
  type StagePlan,
} from '../../../lib/blockers/stage-plan.ts';
import { parseStages, type StageEnd } from '../../../lib/model/settings.ts';
import { fc } from '../../laws.ts';

const stages = (text: string): readonly StageEnd[] => parseStages(text) ?? [];

for (const [text, total, ends] of [
  ['1,10%,50%,100%', 200, [1, 20, 100, 200]],
  ['1,10%,50%,100%', 3, [1, 2, 3]],
  ['1,10%,50%,100%', 1, [1]],
  ['1,10%,50%,100%', 0, []],
  ['10%', 30, [3, 30]],
  ['34%,67%', 10, [4, 7, 10]],
  ['5,5,5', 10, [5, 6, 7, 10]],
  ['100', 10, [10]],
] as const) {
  test(`the stages ${text} of ${total} workloads end at ${ends.join()}`, () => {
    assert.deepEqual(endsOf(stages(text), total), ends);
  });
}

for (const text of ['', '0', '1,', '101%', '0%', '-1', '1.5', 'all', '1;2', Array(21).fill('1').join()]) {
  test(`"${text}" is no list of stages`, () => assert.equal(parseStages(text), undefined));
}

const SOAK_MS = 10;
const STATES = { w: 'waiting', r: 'begun', d: 'begun', f: 'begun', b: 'blocked' } as const;

/** `a w`, `b2 r`: a key, its order, and its state: waiting, rolling, done, failed or blocked; `!` shows nothing, `*3` has three replicas. */
function members(...texts: readonly string[]): Member[] {
  return texts.map((text) => {
    const [, key = '', order, replicas, mark, state = 'w'] =
      /^([a-z]+)(-?\d+)?(?:\*(\d+))?(!)? ([wrdfb])$/.exec(text) ?? [];
    return {
      key,
      order: Number(order ?? 0),
      replicas: Number(replicas ?? 1),
      state: STATES[state as keyof typeof STATES],
      pods: state === 'r' || state === 'f' ? 'unready' : 'ready',
      sinceMs: state === 'd' || state === 'f' ? SOAK_MS : 0,
      deadlineMs: SOAK_MS,
      failure: undefined,
      isMute: mark !== undefined,
      isProven: false,
    };
  });
}

const CHANGE = { isHalted: false, isLetGo: false };

function planOf(all: readonly Member[], ends: readonly StageEnd[], change: Partial<Change> = {}): StagePlan {
  const plan = planStages(new Map([[0, { ...CHANGE, members: all, stages: ends, ...change }]]), SOAK_MS).get(
    0,
  );
  assert.ok(plan);
  return plan;
}

for (const [name, all, next] of [
  ['the one with the fewest replicas comes first', ['a*3 w', 'b*2 w', 'c*2 w'], ['b']],
  ['none begins while the stage before is not ready', ['a r', 'b w', 'c w'], []],
  ['the next stage begins when the one before is ready', ['a d', 'b w', 'c w', 'd w', 'e w'], ['b', 'c']],
  ['the rest of a stage may begin while its first are rolling', ['a d', 'b r', 'c w', 'd w', 'e w'], ['c']],
  ['a lower order comes first, whatever its replicas', ['a2 w', 'b1*9 w'], ['b']],
  ['an order is a stage of its own', ['a1 d', 'b1 w', 'c2 w', 'd2 w'], ['b']],
  ['a higher order waits for a lower one that is not ready', ['a1 r', 'b2 w'], []],
  ['a lower order does not wait for a higher one', ['a1 w', 'b2 r', 'c2 d', 'd2 d', 'e2 d', 'f2 d'], ['a']],
  ['those that show nothing do not count, and wait for the last stage', ['a! w', 'b w', 'c w'], ['b']],
  ['nor do they begin before the last of the others is ready', ['a! w', 'b r', 'c d'], []],
  ['then all of them begin', ['a! w', 'b! w', 'c d'], ['a', 'b']],
  ['none begins where none shows anything', ['a! w', 'b! w'], []],
  ['nor where only one that is blocked could', ['a! w', 'b b'], []],
  ['one that shows nothing and stands still holds up no other', ['a! f', 'b w', 'c w'], ['b']],
  ['what is blocked is passed over', ['a b', 'b w', 'c w'], ['b']],
  ['none begins once one has failed', ['a f', 'b w', 'c d'], []],
] as const) {
  test(name, () => assert.deepEqual([...planOf(members(...all), stages('1,50%')).next], next));
}

test('a person lets go what none can show, and what has failed', () => {
  const letGo = { isLetGo: true };
  assert.deepEqual([...planOf(members('a! w', 'b! w'), stages('1'), letGo).next], ['a', 'b']);
  assert.deepEqual([...planOf(members('a! f', 'b w'), stages('1'), letGo).next], ['b']);
  assert.equal(planOf(members('a! w', 'b! w'), stages('1')).isUnprovable, true);
});

/** The verdict of the first one, beside another that waits. */
const verdictOf = (text: string, facts: Partial<Member>): string | undefined => {
  const [first, ...others] = members(text, 'other w');
  return first && planOf([{ ...first, ...facts }, ...others], stages('1')).verdicts.get(first.key)?.[0];
};

for (const [verdict, text, facts] of [
  ['rolling', 'a r', {}],
  ['failed', 'a r', { sinceMs: SOAK_MS }],
  ['failed', 'a r', { failure: 'CrashLoopBackOff' }],
  ['proven', 'a f', { isProven: true }],
  ['proven', 'a! d', {}],
  ['rolling', 'a r', { pods: 'kept' }],
  ['passed', 'a r', { pods: 'kept', sinceMs: SOAK_MS }],
  ['passed', 'a r', { pods: 'none', sinceMs: SOAK_MS }],
  ['failed', 'a r', { pods: 'kept', failure: 'its rollout was undone' }],
  ['last', 'a w', { pods: 'unready', sinceMs: SOAK_MS }],
  ['waiting', 'a w', { pods: 'unready', sinceMs: 0 }],
  ['last', 'a w', { pods: 'kept' }],
  ['passed', 'a! b', {}],
] as const) {
  test(`${text} with ${JSON.stringify(facts)} is ${verdict}`, () =>
    assert.equal(verdictOf(text, facts), verdict));
}

const MEMBER = fc.record({
  key: fc.string({ minLength: 1, maxLength: 3 }),
  order: fc.integer({ min: -2, max: 2 }),
  replicas: fc.integer({ min: 1, max: 4 }),
  state: fc.constantFrom('waiting', 'begun'),
  pods: fc.constantFrom('ready', 'unready'),
  sinceMs: fc.constantFrom(0, SOAK_MS),
  deadlineMs: fc.constant(SOAK_MS + 1),
  failure: fc.constant(undefined),
  isMute: fc.boolean(),
  isProven: fc.boolean(),
}) as fc.Arbitrary<Member>;
const ALL = fc.uniqueArray(MEMBER, { selector: ({ key }) => key });
const STAGES = fc.constantFrom('1', '1,10%,50%', '50%', '3,7', '100%', '1%,2%').map(stages);

test('a law: as long as anybody waits and nobody is rolling, somebody may begin, or a person decides', () => {
  fc.assert(
    fc.property(ALL, STAGES, (all, ends) => {
      const { next, progress, waiting, isUnprovable } = planOf(all, ends);
      assert.ok([...next].every((key) => waiting.has(key)));
      if (progress.begun === progress.ready && waiting.size > 0) assert.equal(next.size === 0, isUnprovable);
      assert.ok(progress.ready <= progress.begun && progress.begun <= progress.total);
    }),
  );
});

test('a law: who begins is never after one that waits', () => {
  fc.assert(
    fc.property(ALL, STAGES, (all, ends) => {
      const { next, waiting } = planOf(all, ends);
      assert.deepEqual([...next], [...waiting].slice(0, next.size));
    }),
  );
});

test('a law: rolled out stage by stage, no stage begins before the one before is ready', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), STAGES, (total, ends) => {
      const [one] = members('a w');
      const all = Array.from({ length: total }, (_, at) => ({ ...one, key: `w${at}` }) as Member);
      const reached: number[] = [];
      for (let begun = 0; begun < total; ) {
        const { next } = planOf(all, ends);
        assert.ok(next.size > 0);
        begun += next.size;
        reached.push(begun);
        for (const [at, member] of all.entries())
          if (next.has(member.key)) all[at] = { ...member, state: 'begun', isProven: true };
      }
      assert.deepEqual(reached, endsOf(ends, total));
    }),
  );
});

/** The observations in turn, one every five ms: `r` ready, `u` not; another letter before: another rollout; a number: the progress. */
function observe(text: string): Seen | undefined {
  let seen: Seen | undefined;
  for (const [at, one] of text.split(' ').entries()) {
    const [, rollout = '', progress = '0', state] = /^([a-z]?)(\d?)([ru])$/.exec(one) ?? [];
    seen = nextSeen(seen, { rollout, progress: Number(progress), isReady: state === 'r' }, 5 * at, SOAK_MS);
  }
  return seen;
}

for (const [what, text, movedAt, readyAt, isAlive] of [
  ['what is not ready at first may have stood still for long', 'u u', 0, undefined, false],
  ['readiness counts from the first observation of it', 'r r r', 0, 0, false],
  ['and from the last rollout', 'ar br', 5, 5, false],
  ['one more pod is progress', '0u 0u 1u', 10, undefined, true],
  ['so is another rollout', 'ar bu', 5, undefined, true],
  ['to be ready for less than the soak is none', 'ar bu br bu', 5, undefined, false],
  ['to be ready for the soak is', 'r r r r u', 20, undefined, false],
] as const) {
  test(what, () => {
    const seen = observe(text);
    assert.deepEqual([seen?.movedAt, seen?.readyAt, seen?.isAlive], [movedAt, readyAt, isAlive]);
  });
}
