import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record, stage } from './electors.ts';

test('the first one creates the Lease, leads and renews it', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(100);
  assert.deepEqual([one.isValid(), one.standbys, store.lease?.record?.leaseTransitions], [true, 0, 0]);
  assert.match(store.lease?.record?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  await pass(60_000);
  assert.deepEqual([one.leads.length, one.isValid()], [1, true]);
  // Every 2.2 s, and without reading what was written here.
  const verbs = store.verbsOf('one');
  assert.deepEqual([verbs.slice(0, 3), verbs.length], [['read', 'create', 'update'], 29]);
  assert.deepEqual(
    one.changes.map(({ isLeader, holder }) => [isLeader, holder]),
    [[true, 'one']],
  );
});

test('a standby reads and writes nothing while the Lease is renewed', async (t) => {
  const { store, pass, join } = stage(t);
  join('one');
  await pass(100);
  const two = join('two');
  await pass(60_000);
  assert.deepEqual([two.leads.length, two.standbys > 0], [0, true]);
  assert.deepEqual(new Set(store.verbsOf('two')), new Set(['read']));
  const { isLeader, holder } = two.elector.status;
  assert.deepEqual([isLeader, holder], [false, 'one']);
});

test('a released Lease is taken within the retry period', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(100);
  const two = join('two');
  await pass(5_100);
  one.end();
  await pass(100);
  const { holderIdentity, leaseDurationSeconds } = store.lease?.record ?? {};
  assert.deepEqual([holderIdentity, leaseDurationSeconds], ['', 1]);
  await pass(2_300);
  assert.deepEqual([one.isGone, one.isValid(), two.isValid()], [true, false, true]);
  assert.equal(store.lease?.record?.leaseTransitions, 1);
});

for (const holder of ['one', 'other']) {
  test(`who finds an older version of the Lease, held by ${holder}, says so and does not take it`, async (t) => {
    const { store, pass, join } = stage(t);
    if (holder === 'other') store.put(record(holder));
    let turns = 0;
    const onTurnedBack = (): void => {
      turns += 1;
    };
    const one = join('one', { onTurnedBack });
    await pass(3_000);
    assert.equal(store.lease?.record?.holderIdentity, holder);
    assert.equal(turns, 0);
    const backup = { resourceVersion: '0', record: record('') };
    store.lease = backup;
    await pass(5_100);
    assert.ok(turns > 0);
    one.end();
    await pass(100);
    assert.deepEqual([one.isGone, store.lease], [true, backup]);
  });
}

const DURATIONS: Record<string, readonly [recordedSeconds: number, takenAfterMs: number]> = {
  'the same': [15, 15_000],
  'a longer one': [40, 40_000],
  'a shorter one': [5, 15_000],
  none: [0, 15_000],
  'one that is negative': [-40, 15_000],
  'one that is no number': [Number.NaN, 15_000],
  'one of a year': [31_536_000, 600_000],
  'one without end': [Number.POSITIVE_INFINITY, 600_000],
};
for (const [name, [leaseDurationSeconds, takenAfterMs]] of Object.entries(DURATIONS)) {
  test(`a holder that never returns, recorded duration: ${name}`, async (t) => {
    const { store, pass, join } = stage(t);
    store.put(record('other', { leaseDurationSeconds, renewTime: '1970-01-01T00:00:00.000000Z' }));
    const one = join('one');
    await pass(takenAfterMs - 200);
    assert.deepEqual([one.isValid(), store.verbsOf('one').includes('update')], [false, false]);
    await pass(400);
    assert.equal(one.isValid(), true);
    assert.deepEqual(store.lease?.record?.leaseTransitions, 4);
  });
}

test('a holder that renews is waited for, whatever the times of its record say', async (t) => {
  const { store, pass, join } = stage(t);
  store.put(record('other'));
  const one = join('one');
  for (let turn = 0; turn < 10; turn += 1) {
    await pass(14_000);
    store.put(record('other', { renewTime: `${turn}` }));
  }
  assert.equal(one.isValid(), false);
  await pass(18_000);
  assert.equal(one.isValid(), true);
});

const FREE: Record<string, Parameters<ReturnType<typeof stage>['store']['put']>[0]> = {
  'has an empty holder': record(''),
  'has an empty spec': undefined,
};
for (const [name, free] of Object.entries(FREE)) {
  test(`a Lease that ${name} is taken at once`, async (t) => {
    const { store, pass, join } = stage(t);
    store.put(free);
    const one = join('one');
    await pass(100);
    assert.deepEqual([one.isValid(), one.standbys], [true, 0]);
  });
}

const TRANSITIONS: readonly (readonly [recorded: number, next: number])[] = [
  [3, 4],
  [-1, 1],
  [2 ** 31 - 1, 0],
  [1.5, 1],
];
for (const [leaseTransitions, next] of TRANSITIONS) {
  test(`${leaseTransitions} transitions are followed by ${next}`, async (t) => {
    const { store, pass, join } = stage(t);
    store.put(record('', { leaseTransitions }));
    join('one');
    await pass(100);
    assert.equal(store.lease?.record?.leaseTransitions, next);
  });
}

test('who cannot renew has lost the lead at the deadline, counted from the last renewal, and stands again', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  store.passage = () => ({ isLost: 'request' });
  // The last renewal was sent at 4.5 s.
  await pass(9_300);
  assert.deepEqual([one.isValid(), one.leads[0]?.signal.aborted], [true, false]);
  await pass(400);
  assert.deepEqual([one.isValid(), one.leads[0]?.signal.aborted], [false, true]);
  const { isLeader, holder, sinceMs } = one.elector.status;
  assert.deepEqual([isLeader, holder, sinceMs], [false, undefined, undefined]);
  assert.ok(one.warnings.some((warning) => warning.startsWith('lost the lead')));
  await pass(30_000);
  store.passage = () => ({});
  await pass(12_500);
  assert.deepEqual([one.leads.length, one.isValid()], [2, true]);
  assert.equal(one.leads[0]?.isValid(), false);
});

test('validity counts from the sending of a renewal, not from its answer', async (t) => {
  const { store, pass, join } = stage(t);
  store.passage = ({ verb }) =>
    verb === 'create' ? { backMs: 6_000 } : verb === 'update' ? { isLost: 'request' } : {};
  const one = join('one');
  await pass(9_800);
  assert.equal(one.isValid(), true);
  await pass(400);
  assert.equal(one.isValid(), false);
});

test('a slow API server costs no lead: renewals are sent at the same distance', async (t) => {
  const { store, pass, join } = stage(t);
  store.passage = ({ verb }) => (verb === 'read' ? {} : { thereMs: 2_300, backMs: 2_500 });
  const one = join('one');
  await pass(120_000);
  assert.deepEqual([one.leads.length, one.isValid()], [1, true]);
});

test('a leader that was stopped for a minute sends nothing as such before it stands again', async (t) => {
  const { store, jump, pass, join } = stage(t);
  const one = join('one', { lingers: true });
  await pass(5_000);
  const sent = store.sent.length;
  await jump(60_000);
  assert.deepEqual([one.isValid(), store.sent.length], [false, sent]);
  await jump(100);
  assert.deepEqual([store.sent.length, one.leads[0]?.signal.aborted], [sent, true]);
  // It stands again once its work has ended.
  await pass(10_000);
  assert.equal(store.sent.length, sent);
  one.finish('ended');
  await pass(2_500);
  assert.deepEqual([one.leads.length, one.isValid(), one.leads[0]?.isValid()], [2, true, false]);
});

test('a leader that was stopped while it renewed counts the answer that came too late for nothing', async (t) => {
  const { store, jump, pass, join } = stage(t);
  const one = join('one', { lingers: true });
  await pass(100);
  store.passage = () => ({ thereMs: 1_000, backMs: 30_000 });
  await pass(5_000);
  await jump(60_000);
  await jump(100);
  assert.deepEqual([one.isValid(), one.leads[0]?.signal.aborted], [false, true]);
  await jump(60_000);
  assert.deepEqual([one.isValid(), one.leads.length], [false, 1]);
});

test('the time of day may jump: nothing depends on it', async (t) => {
  const { store, jump, pass, join } = stage(t, 500);
  const one = join('one');
  await jump(100);
  const two = join('two');
  // Each step of the stage is a jump by a day.
  await pass(60_000);
  assert.deepEqual([one.leads.length, one.isValid(), two.leads.length], [1, true, 0]);
  assert.ok(store.sent.length > 40);
});

test('who has a lost answer to the first write reads the Lease again, and leads then', async (t) => {
  const { store, pass, join } = stage(t);
  let isFirst = true;
  store.passage = ({ verb }) => {
    const isLost = isFirst && verb === 'create';
    if (isLost) isFirst = false;
    return isLost ? { isLost: 'answer' } : {};
  };
  const one = join('one');
  await pass(9_900);
  assert.equal(one.isValid(), false);
  await pass(2_800);
  assert.equal(one.isValid(), true);
  assert.deepEqual(store.verbsOf('one').slice(0, 4), ['read', 'create', 'read', 'update']);
  assert.equal(store.lease?.record?.leaseTransitions, 0);
});

test('a renewal that is not answered is followed by a look', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(100);
  const answer = { kind: 'unanswered', message: 'internal error' } as const;
  store.passage = ({ verb }) => (verb === 'update' ? { answer } : {});
  await pass(2_200);
  store.passage = () => ({});
  await pass(2_200);
  assert.deepEqual(store.verbsOf('one'), ['read', 'create', 'update', 'read', 'update']);
  await pass(20_000);
  assert.deepEqual([one.leads.length, one.isValid()], [1, true]);
});

test('a Lease that is deleted is created again by its leader', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  store.remove();
  await pass(2_200);
  assert.deepEqual([one.leads.length, one.isValid(), store.lease?.record?.holderIdentity], [1, true, 'one']);
});

test('who finds the Lease with another holder has lost the lead at once', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  store.put(record('other'));
  await pass(2_200);
  assert.deepEqual([one.leads[0]?.signal.aborted, one.isValid()], [true, false]);
  assert.equal(store.lease?.record?.holderIdentity, 'other');
  await pass(20_000);
  assert.equal(one.isValid(), true);
});

test('a Lease that is emptied by hand is filled again by its leader', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  store.put(undefined);
  await pass(2_200);
  assert.deepEqual([one.leads.length, one.isValid(), store.lease?.record?.holderIdentity], [1, true, 'one']);
});

test('a container that restarted takes over from the one before it, at its start alone', async (t) => {
  const { store, pass, join } = stage(t);
  store.put(record('pod_u-1_before'));
  const one = join('pod_u-1_now', { podUid: 'u-1' });
  await pass(100);
  assert.deepEqual([one.isValid(), one.standbys], [true, 0]);
  store.put(record('pod_u-1_other'));
  await pass(14_000);
  assert.equal(one.isValid(), false);
});

test('the holder of another pod is waited for', async (t) => {
  const { store, pass, join } = stage(t);
  store.put(record('pod_u-2_before'));
  const one = join('pod_u-1_now', { podUid: 'u-1' });
  await pass(10_000);
  assert.equal(one.isValid(), false);
});

const FORBIDDEN = {
  read: { kind: 'failed', message: 'forbidden', isForbidden: true },
  create: { kind: 'rejected', code: 'forbidden', message: 'forbidden' },
} as const;
for (const [refused, answer] of Object.entries(FORBIDDEN)) {
  test(`without the right to ${refused} a process leads alone after half a minute, and says so once`, async (t) => {
    const { store, pass, join } = stage(t);
    store.passage = ({ verb }) => (verb === refused ? { answer } : {});
    const one = join('one');
    await pass(29_900);
    assert.deepEqual([one.leads.length, one.standbys > 0], [0, true], 'the right may lag');
    await pass(5_000);
    const { length } = store.sent;
    await pass(600_000);
    assert.deepEqual([one.isValid(), one.leads.length, store.sent.length], [true, 1, length]);
    assert.equal(one.warnings.length, 2);
    assert.match(one.warnings[1] ?? '', /get, create and update leases of coordination\.k8s\.io/);
    assert.deepEqual([one.elector.status.isLeader, one.elector.status.holder], [true, 'one']);
    one.finish('contested');
    await pass(9_900);
    assert.equal(one.leads.length, 1);
    await pass(200);
    assert.deepEqual([one.leads.length, one.warnings.length], [2, 2]);
    one.end();
    await pass(100);
    assert.equal(one.isGone, true);
  });
}

test('a right that seems to be missing as an API server starts makes no process lead alone', async (t) => {
  const { store, pass, join } = stage(t);
  store.passage = () => ({ answer: FORBIDDEN.read });
  const both = [join('one'), join('two')];
  await pass(10_000);
  store.passage = () => ({});
  await pass(20_000);
  assert.deepEqual(both.map((each) => each.isValid()).sort(), [false, true]);
});

test('a right that is taken away later costs the lead at the deadline, not before', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  store.passage = ({ verb }) => (verb === 'update' ? { answer: FORBIDDEN.create } : {});
  await pass(9_000);
  assert.equal(one.isValid(), true);
  await pass(1_000);
  assert.deepEqual([one.leads[0]?.signal.aborted, one.isValid()], [true, false]);
});

test('a namespace that is not there is said once', async (t) => {
  const { store, pass, join } = stage(t);
  store.passage = ({ verb }) => (verb === 'create' ? { answer: { kind: 'gone' } } : {});
  const one = join('one');
  await pass(30_000);
  assert.deepEqual([one.warnings.length, one.leads.length, one.standbys > 0], [1, 0, true]);
});
