/** Which workloads of a change may begin: the ends of stages, orders, and who gives no evidence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsOf, type Member, planStages, turnsOf } from '../../../lib/blockers/stage-plan.ts';
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

/** `a w`, `b2 r`: a key, its order, and its state; `!` gives no evidence, `*3` has three replicas. */
function members(...texts: readonly string[]): Member[] {
  return texts.map((text) => {
    const [, key = '', order, replicas, mark, state = ''] =
      /^([a-z]+)(-?\d+)?(?:\*(\d+))?(!)? ([wrd])$/.exec(text) ?? [];
    return {
      key,
      order: Number(order ?? 0),
      replicas: Number(replicas ?? 1),
      givesEvidence: mark === undefined,
      state: state === 'w' ? 'waiting' : state === 'r' ? 'rolling' : 'ready',
    };
  });
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
  ['those without evidence do not count, and wait for the last stage', ['a! w', 'b w', 'c w'], ['b']],
  ['nor do they begin before the last of the others is ready', ['a! w', 'b r', 'c d'], []],
  ['then all of them begin', ['a! w', 'b! w', 'c d', 'd! r'], ['a', 'b']],
  ['where none gives evidence all begin', ['a! w', 'b! w'], ['a', 'b']],
  ['one of them that is rolling holds up no other', ['a! r', 'b w', 'c w'], ['b']],
] as const) {
  test(name, () => assert.deepEqual(planStages(members(...all), stages('1,50%')).next, next));
}

const MEMBER = fc.record({
  key: fc.string({ minLength: 1, maxLength: 3 }),
  order: fc.integer({ min: -2, max: 2 }),
  replicas: fc.integer({ min: 1, max: 4 }),
  givesEvidence: fc.boolean(),
  state: fc.constantFrom('waiting', 'rolling', 'ready'),
}) as fc.Arbitrary<Member>;
const STAGES = fc.constantFrom('1', '1,10%,50%', '50%', '3,7', '100%', '1%,2%').map(stages);

test('a law: as long as anybody waits and nobody is rolling, somebody may begin', () => {
  fc.assert(
    fc.property(fc.uniqueArray(MEMBER, { selector: ({ key }) => key }), STAGES, (all, ends) => {
      const { next, begun, ready, total } = planStages(all, ends);
      const waiting = all.filter(({ state }) => state === 'waiting').map(({ key }) => key);
      const isRolling = all.some(({ state, givesEvidence }) => givesEvidence && state === 'rolling');
      assert.ok(next.every((key) => waiting.includes(key)));
      if (!isRolling && waiting.length > 0) assert.ok(next.length > 0);
      assert.ok(ready <= begun && begun <= total);
    }),
  );
});

test('the turns of those that wait, in what has begun; those without evidence have none', () => {
  const plan = planStages(members('a d', 'b w', 'c w', 'd w', 'e! w'), stages('1,50%'));
  const [second, last] = [
    { stage: 2, stages: 3, end: { percent: 50 } },
    { stage: 3, stages: 3, end: { percent: 100 } },
  ];
  assert.deepEqual(
    [...turnsOf(plan, stages('1,50%'))],
    [
      ['b', second],
      ['c', last],
      ['d', last],
      ['e', undefined],
    ],
  );
});

test('a law: none that waits has an earlier turn than those that may begin', () => {
  fc.assert(
    fc.property(fc.uniqueArray(MEMBER, { selector: ({ key }) => key }), STAGES, (all, ends) => {
      const plan = planStages(all, ends);
      const turns = turnsOf(plan, ends);
      const stageOf = (key: string): number => turns.get(key)?.stage ?? Number.POSITIVE_INFINITY;
      const first = Math.min(...plan.waiting.map(stageOf));
      assert.ok(plan.next.every((key) => stageOf(key) === first));
    }),
  );
});

test('a law: rolled out stage by stage, no stage begins before the one before is ready', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), STAGES, (total, ends) => {
      const all: Member[] = Array.from({ length: total }, (_, at) => {
        return { key: `w${at}`, order: 0, replicas: 1, givesEvidence: true, state: 'waiting' };
      });
      const reached: number[] = [];
      for (let begun = 0; begun < total; ) {
        const { next } = planStages(all, ends);
        assert.ok(next.length > 0);
        begun += next.length;
        reached.push(begun);
        for (const [at, member] of all.entries())
          if (next.includes(member.key)) all[at] = { ...member, state: 'ready' };
      }
      assert.deepEqual(reached, endsOf(ends, total));
    }),
  );
});
