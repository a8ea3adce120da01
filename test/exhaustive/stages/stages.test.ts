/** The laws of changes in stages hold in every order of events, and each of them is broken by a wrong rule. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Change, type Member, planStages, type StagePlan } from '../../../lib/blockers/stage-plan.ts';
import { RULES, type Rules } from './model.ts';
import { type Scene, search } from './search.ts';

const SCENES: Readonly<Record<string, Scene>> = {
  'a bad content': {
    followers: [['0'], ['0'], ['0']],
    bad: [0],
    events: ['change', 'pause', 'undo', 'resume', 'restart'],
  },
  'a good content': {
    followers: [['0'], ['0'], ['0']],
    events: ['change', 'pause', 'scale', 'delete', 'restart'],
  },
  'two contents': {
    followers: [['0'], ['0'], ['0']],
    bad: [0],
    events: ['change', 'change', 'undo', 'restart'],
  },
  'a follower that falls ill': {
    followers: [['0'], ['0'], ['0']],
    events: ['change', 'change', 'sicken', 'restart', 'block'],
  },
  'a follower that stands still': {
    followers: [['0', 'still'], ['0'], ['0']],
    events: ['change', 'change', 'restart', 'block'],
  },
  'a follower that flaps': {
    followers: [['0', 'flaps'], ['0']],
    events: ['change', 'change', 'restart', 'resume'],
  },
  'no evidence': {
    followers: [
      ['0', 'kept'],
      ['0', 'still'],
    ],
    bad: [0],
    events: ['change', 'change', 'restart', 'resume'],
  },
  'no evidence of a good content': {
    followers: [
      ['0', 'kept'],
      ['0', 'still'],
    ],
    events: ['change', 'restart'],
  },
  'two objects': {
    followers: [['0'], ['01'], ['1'], ['01']],
    bad: [0],
    events: ['change', 'change', 'restart', 'resume'],
  },
  'two objects and people': {
    followers: [['0'], ['01'], ['1']],
    bad: [1],
    events: ['change', 'change', 'block', 'pause'],
  },
};

describe('the laws of stages hold in every order of events', () => {
  for (const [name, scene] of Object.entries(SCENES))
    test(name, (t) => {
      let worlds = 0;
      assert.deepEqual(
        search(scene, RULES, () => (worlds += 1)),
        undefined,
      );
      t.diagnostic(`${worlds} worlds`);
    });
});

const withChange = (edit: (change: Change) => Partial<Change>): Rules => ({
  ...RULES,
  plan: (changes, soakMs) => {
    const edited = [...changes].map(([key, change]) => [key, { ...change, ...edit(change) }] as const);
    return planStages(new Map(edited), soakMs);
  },
});
const withFact = (fact: (member: Member) => Partial<Member>): Rules =>
  withChange(({ members }) => ({ members: members.map((member) => ({ ...member, ...fact(member) })) }));
const withPlan = (edit: (plan: StagePlan, change: Change) => Partial<StagePlan>): Rules => ({
  ...RULES,
  plan: (changes, soakMs) => {
    const plans = [...planStages(changes, soakMs)].map(([object, plan]) => {
      const change = changes.get(object);
      return [object, { ...plan, ...(change && edit(plan, change)) }] as const;
    });
    return new Map(plans);
  },
});

const isPaused = ({ state, pods }: Member): boolean => state === 'begun' && pods === 'kept';

describe('a law is broken by a wrong rule', () => {
  for (const [law, what, scene, rules] of [
    [
      'a bad content reaches no second follower',
      'all begin at once',
      'a bad content',
      withPlan(({ waiting }) => ({ next: new Set(waiting) })),
    ],
    [
      'every wait has an end',
      'a follower that was ready for a moment has made progress',
      'a follower that flaps',
      { ...RULES, seen: (before, now, at) => RULES.seen(before, now, at, 0) },
    ],
    [
      'every wait has an end',
      'a follower that was paused is waited for',
      'a good content',
      withFact((member) => (isPaused(member) ? { sinceMs: 0 } : {})),
    ],
    [
      'a good content is not blamed',
      'a follower that was paused has failed',
      'a good content',
      withFact((member) => (isPaused(member) ? { failure: 'paused' } : {})),
    ],
    [
      'a good content is not blamed',
      'who stayed ready for the soak is judged again',
      'a follower that falls ill',
      withFact(() => ({ isProven: false })),
    ],
    [
      'a good content is not blamed',
      'since when a follower stands still is counted from the change',
      'a follower that stands still',
      withFact(({ state, pods }) =>
        state === 'begun' ? { isMute: false } : pods === 'unready' ? { sinceMs: 0 } : {},
      ),
    ],
    [
      'a halt delays no other object',
      'each change waits for who is first in it',
      'two objects',
      {
        ...RULES,
        plan: (changes, soakMs) =>
          new Map(
            [...changes].flatMap(([object, change]) => [...planStages(new Map([[object, change]]), soakMs)]),
          ),
      },
    ],
    [
      'what something else prevents is not tried',
      'a blocked follower has its turn',
      'a follower that falls ill',
      withFact(({ state }) => (state === 'blocked' ? { state: 'waiting' } : {})),
    ],
    [
      'without evidence nothing begins',
      'those without evidence begin last',
      'no evidence of a good content',
      withPlan(({ isUnprovable, waiting }) =>
        isUnprovable ? { isUnprovable: false, next: new Set(waiting) } : {},
      ),
    ],
    [
      'a person ends every halt',
      'what a person let go needs evidence again',
      'no evidence',
      withChange(() => ({ isLetGo: false })),
    ],
    [
      'who waits is named',
      'those that come last are not',
      'a follower that stands still',
      withPlan((plan) => {
        const isLast = (key: string): boolean => plan.verdicts.get(key)?.[0] === 'last';
        return { waiting: new Set([...plan.waiting].filter((key) => !isLast(key))) };
      }),
    ],
  ] satisfies readonly (readonly [string, string, keyof typeof SCENES, Rules])[]) {
    test(`${law}: ${what}`, () => {
      const { [scene]: found } = SCENES;
      assert.equal(found && search(found, rules)?.law, law);
    });
  }
});
