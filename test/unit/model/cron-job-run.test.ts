import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOf } from '../../../lib/model/kinds/jobs.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';

const WORKLOAD = { kind: 'CronJob', namespace: 'ns', name: 'report' };
const TEMPLATE = { spec: { containers: [{ name: 'app', env: [{ name: 'STAMP', value: 'b.2' }] }] } };
const CRON_JOB: RawWorkload = {
  metadata: { name: 'report', namespace: 'ns', uid: 'u', generation: 3, annotations: { own: '1' } },
  spec: {
    jobTemplate: {
      metadata: { labels: { app: 'report' }, annotations: { team: 'a' } },
      spec: { template: TEMPLATE },
    },
  },
};

/** A plan for these objects, each with the digest and the id of its stamp. */
function plan(digests: Readonly<Record<string, readonly [digest: string, id: number]>>): RolloutPlan {
  const stamps = Object.entries(digests).map(([config, [digest, id]]) => ({
    config,
    stamp: { digest, id },
    places: [],
    variables: [],
  }));
  return {
    workload: WORKLOAD,
    operations: [],
    versions: new Map(),
    resourceVersion: '7',
    template: { annotations: {}, variables: [] },
    stamps,
  };
}

function nameOf(digests: Parameters<typeof plan>[0], change: Partial<RawWorkload['metadata']> = {}): string {
  return runOf({ ...CRON_JOB, metadata: { ...CRON_JOB.metadata, ...change } }, plan(digests)).metadata.name;
}

test('a run is the Job that the schedule would start, marked as started by hand and owned by the CronJob', () => {
  const run = runOf(CRON_JOB, plan({ cfg: ['b', 2] }));
  const { name } = run.metadata;
  assert.deepEqual(run, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'ns',
      labels: { app: 'report' },
      annotations: { team: 'a', 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: 'u', controller: true },
      ],
    },
    spec: { template: TEMPLATE },
  });
  assert.match(name, /^report-[0-9a-f]{10}$/);
});

test('the same change requests the same name, for any id and any order of its stamps', () => {
  assert.equal(nameOf({ one: ['b', 2], two: ['c', 5] }), nameOf({ two: ['c', 6], one: ['b', 9] }));
});

test('whatever makes it another change makes it another name', () => {
  const names = [
    nameOf({ one: ['b', 2] }),
    nameOf({ one: ['c', 2] }),
    nameOf({ two: ['b', 2] }),
    nameOf({ one: ['b', 2], two: ['b', 2] }),
    nameOf({ one: ['b', 2] }, { generation: 4 }),
    nameOf({ one: ['b', 2] }, { uid: 'v' }),
  ];
  assert.equal(new Set(names).size, names.length);
});

test('the name of the longest CronJob is as long as that of a Job may be', () => {
  assert.equal(nameOf({ cfg: ['b', 2] }, { name: 'a'.repeat(52) }).length, 63);
});
