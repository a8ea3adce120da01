/** When pauses are ended, and what hinders it. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type { WorkloadClient } from '../../../lib/model/outcome.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { Pauses } from '../../../lib/repair/pauses.ts';
import { Store } from '../../../lib/store/store.ts';
import { mockTime } from '../../mock-time.ts';
import { settingsWith } from '../../settings.ts';
import { settle } from '../state/committer-stage.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const REF = { kind: 'Deployment', namespace: 'home', name: 'web' };
const { pausePeriod: PERIOD, pausedAt: PAUSED_AT } = STAKATER_KEYS;
const PAUSED_AT_PATH = `/metadata/annotations/${PAUSED_AT.replace('/', '~1')}`;
const QUIET_MS = 5_000;
const MAX_WAIT_MS = 30_000;

interface Live {
  readonly version: number;
  readonly paused: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isGoing?: boolean;
}

type Patched = Awaited<ReturnType<NonNullable<WorkloadClient['patch']>>>;
type Read = Awaited<ReturnType<WorkloadClient['get']>>;

/** One Deployment, paused at noon for a minute, and time that a test moves from there. */
class Stage {
  live: Live | undefined = {
    version: 7,
    paused: true,
    annotations: { [PERIOD]: '1m', [PAUSED_AT]: new Date(NOON).toISOString() },
  };
  /** When each look and each patch came, in seconds after noon. */
  readonly looks: number[] = [];
  readonly patches: number[] = [];
  readonly bodies: object[] = [];
  readonly said: string[] = [];
  /** Instead of the ordinary answers. */
  readonly readFaults: Read[] = [];
  readonly faults: Patched[] = [];
  isWaiting = false;
  readonly pauses: Pauses;
  readonly #store = new Store(settingsWith());
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext, client: Partial<WorkloadClient> = {}) {
    mockTime(t, { now: NOON });
    this.#timers = t.mock.timers;
    this.pauses = new Pauses({
      store: this.#store,
      client: {
        roll: () => assert.fail('nothing is rolled'),
        get: () => this.#get(),
        patch: (_, body) => this.#patch(body),
        ...client,
      },
      isWaiting: () => this.isWaiting,
      say: (_, { reason }) => void this.said.push(reason),
      quietMs: QUIET_MS,
      maxWaitMs: MAX_WAIT_MS,
      concurrency: 16,
      isShared: false,
      random: () => 0,
      log: NO_LOG,
    });
  }

  get raw(): RawWorkload {
    assert.ok(this.live !== undefined);
    const { version, paused, annotations, isGoing } = this.live;
    return {
      metadata: {
        name: REF.name,
        namespace: REF.namespace,
        resourceVersion: String(version),
        uid: 'u',
        annotations,
        ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: { paused },
    };
  }

  /** Somebody changes it, and nobody is told. */
  edit(change: Partial<Live>): void {
    assert.ok(this.live !== undefined);
    this.live = { ...this.live, ...change, version: this.live.version + 1 };
  }

  /** The stream tells. */
  tell(isInInitialList = false): void {
    const key = keyOf(REF);
    const span = { from: 0, to: 0 };
    if (this.live === undefined) {
      this.pauses.observe({ type: 'absent', key, span });
      return;
    }
    const object = workloadOf(workloadKindOf('Deployment'), this.raw, this.#store.settings.vocabularies);
    this.pauses.observe({ type: 'present', key, object, span, isInInitialList, isRelisted: false });
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.#timers.tick(1000);
      await settle();
    }
  }

  async #get(): Promise<Read> {
    this.looks.push(this.#now);
    const fault = this.readFaults.shift();
    if (fault !== undefined) return fault;
    return this.live === undefined ? { kind: 'absent' } : { kind: 'found', object: this.raw };
  }

  async #patch(body: object): Promise<Patched> {
    this.patches.push(this.#now);
    this.bodies.push(body);
    const fault = this.faults.shift();
    if (fault !== undefined) return fault;
    this.edit({ paused: false, annotations: { [PERIOD]: '1m' } });
    return { kind: 'accepted', object: this.raw };
  }

  get #now(): number {
    return Math.floor((Date.now() - NOON) / 1000);
  }
}

const MINUTE = 60;
const WITHOUT_BEGINNING = [
  { op: 'test', path: '/metadata/uid', value: 'u' },
  { op: 'test', path: PAUSED_AT_PATH, value: new Date(NOON).toISOString() },
  { op: 'remove', path: PAUSED_AT_PATH },
];

test('a pause is ended when its period is over, once, by a patch that is fenced by its beginning', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  await stage.pass(59);
  assert.deepEqual([stage.looks, stage.said], [[], []]);
  await stage.pass(1000);
  assert.deepEqual([stage.looks, stage.patches, stage.said], [[MINUTE], [MINUTE], ['resumed']]);
  assert.deepEqual(stage.bodies, [[...WITHOUT_BEGINNING, { op: 'remove', path: '/spec/paused' }]]);
});

test('the same news again changes nothing, and another period counts from the beginning', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  await stage.pass(30);
  stage.tell();
  stage.edit({ annotations: { ...stage.live?.annotations, [PERIOD]: '2m' } });
  stage.tell();
  await stage.pass(300);
  assert.deepEqual(stage.patches, [2 * MINUTE]);
});

test('what the timer says counts for nothing: the Deployment is looked at, and may say something else', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  stage.edit({ annotations: { ...stage.live?.annotations, [PERIOD]: '3m' } });
  await stage.pass(400);
  assert.deepEqual([stage.looks, stage.patches], [[MINUTE, 3 * MINUTE], [3 * MINUTE]]);
});

test('one that is over already is ended at once', async (t) => {
  const stage = new Stage(t);
  stage.edit({ annotations: { [PAUSED_AT]: '2025-12-31T00:00:00Z' } });
  stage.tell();
  await stage.pass(1);
  assert.equal(stage.patches.length, 1);
});

test('at a start only after the quiet period, so that what changed meanwhile is known first', async (t) => {
  const stage = new Stage(t);
  stage.edit({ annotations: { [PAUSED_AT]: '2025-12-31T00:00:00Z' } });
  stage.tell(true);
  await stage.pass(60);
  assert.deepEqual(stage.patches, [QUIET_MS / 1000]);
});

const LEFT_ALONE: Record<string, (stage: Stage) => void> = {
  'it is a person’s now': (stage) => stage.edit({ annotations: { [PERIOD]: '1m' } }),
  'it is being deleted': (stage) => stage.edit({ isGoing: true }),
  'it is gone': (stage) => {
    stage.live = undefined;
  },
};

for (const [sentence, act] of Object.entries(LEFT_ALONE)) {
  test(`nothing is done where ${sentence}, which the stream tells`, async (t) => {
    const stage = new Stage(t);
    stage.tell();
    act(stage);
    stage.tell();
    await stage.pass(300);
    assert.deepEqual([stage.looks, stage.patches], [[], []]);
  });

  test(`nor where ${sentence}, which only the look shows`, async (t) => {
    const stage = new Stage(t);
    stage.tell();
    act(stage);
    await stage.pass(300);
    assert.deepEqual([stage.looks, stage.patches, stage.said], [[MINUTE], [], []]);
  });
}

test('where a person has ended it its beginning is removed at once, and a later pause of a person lasts', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  await stage.pass(10);
  stage.edit({ paused: false });
  stage.tell();
  await stage.pass(1);
  assert.deepEqual([stage.patches, stage.said], [[11], ['resumed']]);
  assert.deepEqual(stage.bodies, [WITHOUT_BEGINNING]);
  stage.edit({ paused: true });
  stage.tell();
  await stage.pass(300);
  assert.deepEqual([stage.patches.length, stage.live?.paused], [1, true]);
});

test('nor does a rollout that is about to be written put that off', async (t) => {
  const stage = new Stage(t);
  stage.isWaiting = true;
  stage.edit({ paused: false });
  stage.tell();
  await stage.pass(1);
  assert.equal(stage.patches.length, 1);
});

test('where only the look shows that a person has ended it the same is removed', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  stage.edit({ paused: false });
  await stage.pass(300);
  assert.deepEqual([stage.patches, stage.said], [[MINUTE], ['resumed']]);
  assert.deepEqual(stage.bodies, [WITHOUT_BEGINNING]);
});

test('a beginning that may not be removed is tried again, ever more rarely, and once that is accepted no more', async (t) => {
  const stage = new Stage(t);
  for (let n = 0; n < 5; n += 1) stage.faults.push({ kind: 'rejected', code: 'invalid', message: 'no' });
  stage.edit({ paused: false });
  stage.tell();
  await stage.pass(1000);
  assert.deepEqual(stage.patches, [1, 6, 11, 16, 21, 26]);
  assert.deepEqual(stage.said, [...Array.from({ length: 5 }, () => 'refused'), 'resumed']);
});

test('where nothing is patched no pause is looked at', async (t) => {
  const stage = new Stage(t, { patch: undefined } as unknown as Partial<WorkloadClient>);
  stage.tell();
  await stage.pass(300);
  assert.deepEqual(stage.looks, []);
});

const STILL_PAUSED: RawWorkload = {
  metadata: { name: 'web', resourceVersion: '8', annotations: { [PAUSED_AT]: new Date(NOON).toISOString() } },
  spec: { paused: true },
};

const HINDERED: Record<string, readonly [fault: Patched, reason: string | undefined, againAfter: number]> = {
  'somebody was faster': [{ kind: 'conflict' }, undefined, 1],
  'it is refused': [{ kind: 'rejected', code: 'forbidden', message: 'no' }, 'refused', 5],
  'it is throttled': [{ kind: 'throttled', message: 'slow', retryAfterMs: 20_000 }, 'retry', 20],
  'the answer is empty': [{ kind: 'accepted', object: {} as RawWorkload }, 'retry', 1],
  'the answer is no workload that was stored': [
    { kind: 'accepted', object: { metadata: { name: 'web' } } },
    'retry',
    1,
  ],
  'the answer shows it paused': [{ kind: 'accepted', object: STILL_PAUSED }, 'retry', 1],
  'no answer comes': [{ kind: 'unanswered', message: 'lost' }, 'retry', 1],
};

test('the same failed test twice in a row is a refusal', async (t) => {
  const stage = new Stage(t);
  const fault = { kind: 'conflict', message: 'denied' } as const;
  stage.faults.push(fault, fault);
  stage.tell();
  await stage.pass(300);
  assert.deepEqual(stage.said, ['refused', 'resumed']);
});

for (const [sentence, [fault, reason, againAfter]] of Object.entries(HINDERED)) {
  test(`it is tried again where ${sentence}`, async (t) => {
    const stage = new Stage(t);
    stage.faults.push(fault);
    stage.tell();
    await stage.pass(300);
    assert.deepEqual(stage.patches, [MINUTE, MINUTE + againAfter]);
    assert.deepEqual(stage.said, [...(reason === undefined ? [] : [reason]), 'resumed']);
  });
}

test('a failed look is tried again, for as long as it fails, and so is a refused patch', async (t) => {
  const stage = new Stage(t);
  for (let n = 0; n < 20; n += 1) stage.readFaults.push({ kind: 'failed', message: 'away' });
  for (let n = 0; n < 20; n += 1) stage.faults.push({ kind: 'rejected', code: 'invalid', message: 'no' });
  stage.tell();
  await stage.pass(600);
  assert.equal(stage.patches.length, 21);
  assert.equal(stage.live?.paused, false);
});

test('a defect of ours leaves nothing paused', async (t) => {
  let looks = 0;
  const stage = new Stage(t);
  const get = stage.readFaults;
  Object.defineProperty(get, 'shift', {
    value: () => {
      looks += 1;
      if (looks === 1) throw new Error('a defect');
    },
  });
  stage.tell();
  await stage.pass(100);
  assert.deepEqual([stage.said, stage.patches.length], [['resumed'], 1]);
});

test('a rollout that is about to be written goes with it: it is waited for once', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  stage.isWaiting = true;
  await stage.pass(63);
  assert.deepEqual(stage.looks, []);
  stage.pauses.proceed(keyOf(REF));
  await stage.pass(1);
  assert.deepEqual(stage.looks, [MINUTE + 3]);
});

test('but not for longer than the maximum wait', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  stage.isWaiting = true;
  await stage.pass(300);
  assert.deepEqual(stage.patches, [MINUTE + MAX_WAIT_MS / 1000]);
});

test('an attempt that nobody waits for ends no pause', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  await stage.pass(10);
  stage.pauses.proceed(keyOf(REF));
  await stage.pass(10);
  assert.deepEqual(stage.looks, []);
});

test('in a dry run the end of a pause is said once, whatever news comes', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  stage.faults.push({ kind: 'accepted', object: undefined });
  await stage.pass(100);
  stage.edit({});
  stage.tell();
  await stage.pass(100);
  assert.deepEqual(stage.said, ['resumed']);
});

test('who pauses it again with the same words is not left so', async (t) => {
  const stage = new Stage(t);
  const { annotations = {} } = stage.live ?? {};
  stage.tell();
  await stage.pass(100);
  stage.edit({ paused: true, annotations });
  stage.tell();
  await stage.pass(10);
  assert.equal(stage.patches.length, 2);
});

test('a period that is longer than a timer can wait', async (t) => {
  const stage = new Stage(t);
  stage.edit({
    annotations: { [PERIOD]: '590h', [PAUSED_AT]: new Date(NOON + 3_600_000 * 589).toISOString() },
  });
  stage.tell();
  await stage.pass(10);
  assert.deepEqual(stage.looks, []);
});

test('once closed nothing is looked at any more', async (t) => {
  const stage = new Stage(t);
  stage.tell();
  await stage.pauses.close();
  await stage.pass(300);
  assert.deepEqual(stage.looks, []);
});
