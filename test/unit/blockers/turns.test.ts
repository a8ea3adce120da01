/** Who is next: namespaces take turns, and in each the oldest change comes first. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Turns, type Waiting } from '../../../lib/blockers/turns.ts';

const WAITING: fc.Arbitrary<Waiting> = fc
  .record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    name: fc.nat({ max: 30 }),
    changedAt: fc.nat({ max: 3 }),
  })
  .map(({ namespace, name, changedAt }) => ({
    key: `${namespace}/Deployment/${name}`,
    namespace,
    changedAt,
  }));
const ALL = fc.uniqueArray(WAITING, { minLength: 1, maxLength: 20, selector: ({ key }) => key });

function one(key: string, changedAt = 0): Waiting {
  return { key, namespace: key.slice(0, 1), changedAt };
}

/** Takes them one by one, as slots become free one by one. */
function played(turns: Turns, waiting: readonly Waiting[]): Waiting[] {
  const left = [...waiting];
  const taken: Waiting[] = [];
  while (left.length > 0) {
    const [next] = turns.order(left);
    assert.ok(next !== undefined);
    turns.taken(next);
    left.splice(left.indexOf(next), 1);
    taken.push(next);
  }
  return taken;
}

const keys = (all: readonly Waiting[]): string[] => all.map(({ key }) => key);

test('the oldest change comes first, and of equal ones the name decides', () => {
  const turns = new Turns();
  assert.deepEqual(keys(turns.order([one('a3'), one('a2', 5), one('a1')])), ['a1', 'a3', 'a2']);
});

test('a single workload waits for one turn of a namespace with many, and not for all of it', () => {
  const turns = new Turns();
  const many = Array.from({ length: 400 }, (_, index) => one(`a${1000 + index}`));
  for (const each of many.slice(0, 5)) turns.taken(each);
  assert.deepEqual(keys(turns.order([...many.slice(5), one('b1', 9)])).slice(0, 2), ['b1', 'a1005']);
});

test('a round ends when nothing waits', () => {
  const turns = new Turns();
  turns.taken(one('a1'));
  assert.deepEqual(keys(turns.order([one('a2'), one('b1')])), ['b1', 'a2']);
  turns.clear();
  assert.deepEqual(keys(turns.order([one('a2'), one('b1')])), ['a2', 'b1']);
});

test('the order does not depend on the order in which workloads began to wait', () => {
  fc.assert(
    fc.property(ALL, fc.infiniteStream(fc.nat()), (waiting, numbers) => {
      const shuffled = waiting
        .map((each) => ({ each, number: numbers.next().value ?? 0 }))
        .sort((first, second) => first.number - second.number)
        .map(({ each }) => each);
      assert.deepEqual(new Turns().order(shuffled), new Turns().order(waiting));
    }),
  );
});

test('between two turns of a namespace each other one that waits has one, and in each the oldest come first', () => {
  fc.assert(
    fc.property(ALL, fc.array(WAITING, { maxLength: 5 }), (waiting, before) => {
      const turns = new Turns();
      for (const each of before) turns.taken(each);
      const taken = played(turns, waiting);
      assert.equal(taken.length, waiting.length);
      isInRounds(taken.map(({ namespace }) => namespace));
      for (const [, ofNamespace] of Map.groupBy(taken, ({ namespace }) => namespace))
        assert.deepEqual(ofNamespace, new Turns().order(ofNamespace), 'the oldest first');
    }),
  );
});

test('the order is that in which they are taken one by one', () => {
  fc.assert(
    fc.property(ALL, fc.array(WAITING, { maxLength: 5 }), (waiting, before) => {
      const turns = new Turns();
      for (const each of before) turns.taken(each);
      const order = turns.order(waiting);
      assert.deepEqual(played(turns, waiting), order);
    }),
  );
});

/** Whoever has a turn before another has had one, while that one still waits, breaks the round. */
function isInRounds(lanes: readonly string[]): void {
  for (const [index, lane] of lanes.entries()) {
    const before = lanes.lastIndexOf(lane, index - 1);
    if (index === 0 || before < 0) continue;
    const between = lanes.slice(before + 1, index);
    for (const other of new Set(lanes.slice(index + 1)))
      if (other !== lane) assert.equal(between.filter((each) => each === other).length, 1, lanes.join());
  }
}
