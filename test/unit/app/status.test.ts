/** What the status tells of rollouts in progress, and of changes in stages. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reloader } from '../../../lib/app/reloader.ts';
import { type ReloaderStatus, snapshotOf, statusOf } from '../../../lib/app/status.ts';
import type { StagedChange } from '../../../lib/blockers/stages.ts';
import type { Blocked } from '../../../lib/model/outcome.ts';
import type { ChangeStatus } from '../../../lib/model/status-report.ts';
import { World } from '../tracking/world.ts';

/** The status of a leader in this world, with these changes in stages. */
function statusIn({ store }: World, changes: readonly StagedChange[] = [], wait?: Blocked): ReloaderStatus {
  const nothing = { of: () => [], workloads: () => [] };
  const stages = { changes: () => changes };
  const rollouts = { pendingChangesOf: () => undefined, waitOf: () => wait, stages };
  const controllers = { reporter: { journal: { decisions: [] } }, findings: nothing, rollouts };
  const reloader = { store, leads: true, controllers };
  return statusOf(reloader as unknown as Reloader, 0);
}

test('the end of a wait is RFC 3339, and absent where it has none', () => {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  const wait = { reason: 'window', message: 'closed' };
  const ends = [
    [Date.UTC(2030, 0, 31), '2030-01-31T00:00:00.000Z'],
    [Number.POSITIVE_INFINITY],
    [0],
  ] as const;
  for (const [until, text] of ends) {
    const { workloads } = statusIn(world, [], { ...wait, until, event: 'RolloutHeld' });
    assert.deepEqual(workloads[0]?.waiting, { ...wait, ...(text && { until: text }) });
  }
});

test('a workload whose pods a rollout replaces says so until it is rolled out', () => {
  const world = new World();
  const rolling = (): unknown => statusIn(world).workloads[0]?.state;
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'], isRolledOut: false }, { initial: true });
  assert.equal(rolling(), 'rolling');
  world.workload('web', { isRolledOut: true });
  assert.equal(rolling(), 'healthy');
});

describe('the age of the oldest change that waits for a rollout', () => {
  const AGE = 'reloader_oldest_outdated_edge_age_seconds';
  const STAGED_AGE = 'reloader_oldest_staged_workload_age_seconds';
  const WAITS = [
    ['hold', 0, 0],
    ['budget', 60, 0],
    ['stage', 0, 60],
  ] as const;
  for (const [reason, age, stagedAge] of WAITS)
    test(`counts a wait that no person has asked for, and one for a stage on its own: ${reason}`, () => {
      const world = new World();
      world.config('cfg', 'a', { initial: true });
      world.workload('web', { follows: ['cfg'] }, { initial: true });
      world.config('cfg', 'b');
      const rollouts = {
        pendingChangesOf: () => ({ changes: 1, since: 0 }),
        isOverdue: () => age > 0,
        blockers: [{ name: 'hold' }, { name: 'stage', reasons: ['stage', 'halt'] }],
        waiting: new Map([[world.workloadKey('web'), { reason }]]),
        pace: { slowed: 0 },
        stages: { name: 'stage', changes: () => [] },
      };
      const controllers = { rollouts, committer: { known: { bytes: 0, count: 1 } } };
      const reloader = { store: world.store, leads: true, controllers } as unknown as Reloader;
      const { leader, waiting } = snapshotOf(reloader, 60_000);
      const { [AGE]: oldest, [STAGED_AGE]: oldestStaged, reloader_outdated_edges: edges } = leader ?? {};
      assert.deepEqual([edges, oldest, oldestStaged], [1, age, stagedAge]);
      assert.deepEqual([waiting[reason], waiting['halt'], waiting['refused']], [1, 0, 0]);
    });
});

const PLAN: Omit<StagedChange['plan'], 'progress' | 'waiting'> = {
  stages: [],
  ends: [],
  verdicts: new Map(),
  next: new Set(),
  isUnprovable: false,
  isOver: false,
};

describe('a change in stages', () => {
  const keys = Array.from({ length: 30 }, (_, at) => `home/Deployment/w${at}`);
  const progress = { stage: 2, stages: 3, total: 40, begun: 10, ready: 9 };
  const halt = { token: '0a', workload: 'home/Deployment/w0' };
  const annotate = 'kubectl annotate configmap/cfg -n home --overwrite reloader.k8s.collaborne.com';

  /** What is told of it; `marks`: the annotations of its object. */
  function told(parts: Partial<StagedChange>, marks: Readonly<Record<string, string>> = {}): ChangeStatus {
    const world = new World();
    world.config('cfg', 'a', { initial: true, marks });
    const [change] = statusIn(world, [
      {
        object: world.configRef('cfg'),
        digest: 'a'.repeat(40),
        plan: { ...PLAN, progress, waiting: new Set(keys) },
        unready: new Map([['home/Deployment/w1', 'its pods are not ready yet']]),
        halt: undefined,
        ...parts,
      },
    ]).changes;
    assert.ok(change);
    return change;
  }

  test('is told with its progress, and who is not ready', () => {
    assert.deepEqual(told({}), {
      ...progress,
      namespace: 'home',
      object: 'ConfigMap/cfg',
      waiting: 30,
      unready: [{ workload: 'Deployment/w1', why: 'its pods are not ready yet' }],
    });
  });

  test('is told as halted, with the reason if it is known, and the command that lets it go on', () => {
    const { halted } = told({ halt: { ...halt, reason: 'ProgressDeadlineExceeded' } });
    const why = 'Deployment/w0 did not get ready with it: ProgressDeadlineExceeded';
    const todo = `write another content, or go on with ${annotate}/resume=0a`;
    assert.equal(halted, `ConfigMap/cfg is halted, since ${why}; ${todo}`);
  });
});
