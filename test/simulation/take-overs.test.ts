/** Who takes over loses nothing and rolls nothing twice but what was not committed, whenever and however the leader before is gone. */

import assert from 'node:assert/strict';
import { type Case, change, following, testCases, WEB } from './cases.ts';
import { type LeaseStep, type ProcessStep, type Step, wait } from './history.ts';
import { factsOf } from './timeline.ts';
import type { Trace } from './trace.ts';

const DB = 'StatefulSet/db';
/** Another process is there, and warm. */
const BESIDE: readonly Step[] = [{ do: 'start', slot: 1 }, wait(5000)];
const ALL_END: readonly Step[] = ([0, 1] as const).map((slot) => ({ do: 'stop', slot, downtimeMs: -1 }));
const TAKEN = wait(20_000);
const SETTLED = wait(60_000);

function kill(atWrite: number, effect: 'before' | 'after', of?: 'lease'): ProcessStep {
  return { do: 'crash', slot: 0, atWrite, effect, downtimeMs: -1, ...(of && { of }) };
}

function edit(to: LeaseStep['to'], term = 1): LeaseStep {
  return { do: 'edit-lease', to, term };
}

/** `most`: how long nobody leads at most, once the leader is gone; `patched`: what is rolled twice. */
function caseOf(end: readonly Step[], most: number, patched = ''): Case {
  const rollouts = (workload: string): number => (patched.includes(workload) ? 2 : 1);
  return {
    workloads: following(WEB, DB),
    steps: [...BESIDE, ...end, TAKEN, SETTLED],
    rollouts: { [WEB]: rollouts(WEB), [DB]: rollouts(DB) },
    reads: 'B',
    also: (trace) => takesOverIn(trace, most),
  };
}

function takesOverIn(trace: Trace, most: number): void {
  const [end] = factsOf(trace, 'died');
  assert.ok(end !== undefined);
  const heir = factsOf(trace, 'listed').find(({ replica }) => replica !== end.replica);
  assert.ok(heir !== undefined);
  assert.ok(heir.ms - end.ms <= most, `${heir.ms - end.ms} ms`);
}

const KILLED_MS = 17_500;
const CASES: Record<string, Case> = {
  'killed within a window': caseOf([change('B'), wait(2000), kill(0, 'before')], KILLED_MS),
  'killed when all is done': caseOf([change('B'), SETTLED, kill(0, 'before')], KILLED_MS),
  'ended within a window': caseOf([change('B'), wait(2000), { do: 'stop', slot: 0, downtimeMs: -1 }], 2000),
  'changed while nobody leads': caseOf([kill(0, 'before'), wait(1000), change('B')], KILLED_MS),
  'stopped for a minute': caseOf(
    [change('B'), wait(2000), { do: 'freeze', slot: 0, ms: 60_000 }, SETTLED],
    0,
  ),
  'cut off for a minute': caseOf(
    [change('B'), wait(2000), { do: 'part', slot: 0, ms: 60_000, how: 'cut' }, SETTLED],
    8000,
  ),
  'not heard for a minute': caseOf(
    [change('B'), wait(2000), { do: 'part', slot: 0, ms: 60_000, how: 'silent' }, SETTLED],
    8000,
  ),
  'the Lease was taken by one that never returns': caseOf(
    [change('B'), wait(2000), edit('foreign'), SETTLED],
    KILLED_MS,
  ),
  'the Lease was taken for an hour': caseOf([change('B'), wait(2000), edit('long'), wait(700_000)], 605_000),
};
for (const [what, resource] of [
  ['object', 'configmaps'],
  ['workload', 'deployments'],
] as const) {
  const deaf: Step = { do: 'stall', slot: 1, resource, ms: 60_000 };
  CASES[`killed while its heir hears nothing of the ${what}`] = caseOf(
    [deaf, change('B'), wait(8000), kill(0, 'before'), TAKEN, SETTLED],
    KILLED_MS,
  );
}
for (const term of [1, 2, 1000]) {
  const copied = edit('copied', term);
  CASES[`the Lease and the marks come from the term ${term} of another cluster`] = caseOf(
    [change('B'), wait(2000), copied, SETTLED],
    KILLED_MS,
  );
  CASES[`they are found at a start, from term ${term}`] = caseOf(
    [change('B'), wait(2000), ...ALL_END, copied, ...BESIDE, { do: 'start', slot: 0 }, SETTLED],
    KILLED_MS,
  );
}
/** What was patched, and not yet committed, by the effect and the write: the marks, two patches, the commit. */
const PATCHED: Readonly<Record<string, string>> = {
  'after 2': `${WEB} ${DB}`,
  'before 3': WEB,
  'after 3': `${WEB} ${DB}`,
  'before 4': `${WEB} ${DB}`,
};
for (let write = 1; write <= 4; write += 1) {
  for (const effect of ['before', 'after'] as const) {
    CASES[`killed ${effect} its write number ${write}`] = caseOf(
      [kill(write, effect), change('B'), SETTLED],
      KILLED_MS,
      PATCHED[`${effect} ${write}`],
    );
  }
}
for (const effect of ['before', 'after'] as const) {
  CASES[`killed ${effect} a renewal`] = caseOf([change('B'), kill(1, effect, 'lease'), TAKEN], KILLED_MS);
}

testCases(CASES);

const UNTOUCHED: Record<string, Case> = {};
for (const to of ['nothing', 'empty', 'free'] as const) {
  UNTOUCHED[`of ${to} made of the Lease only one leads in the end, and each rolls once`] = {
    workloads: following(WEB, DB),
    steps: [...BESIDE, change('B'), wait(2000), edit(to), TAKEN, SETTLED],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  };
}
UNTOUCHED['of the marks of another cluster without its Lease the leader stops, and each rolls once'] = {
  workloads: following(WEB, DB),
  steps: [...BESIDE, change('B'), wait(2000), edit('copied', 1000), edit('nothing'), TAKEN, SETTLED],
  rollouts: { [WEB]: 1, [DB]: 1 },
  reads: 'B',
  also: (trace) => assert.ok(factsOf(trace, 'died').some(({ how }) => how === 'lost')),
};
for (const slot of [0, 1] as const) {
  for (const ms of [3_600_000, -3_600_000]) {
    const jump: Step = { do: 'jump', slot, ms };
    UNTOUCHED[`the lead stays where the clock of process ${slot} jumps by ${ms / 60_000} minutes`] = {
      workloads: following(WEB, DB),
      steps: [...BESIDE, change('B'), wait(2000), jump, TAKEN, SETTLED],
      rollouts: { [WEB]: 1, [DB]: 1 },
      reads: 'B',
    };
  }
}

testCases(UNTOUCHED);
