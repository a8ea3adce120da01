/** When what wave has left on workloads is undone, and what hinders it. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { WaveLeftovers } from '../../../lib/model/hold.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type { WorkloadClient } from '../../../lib/model/outcome.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import type { LivePatches } from '../../../lib/repair/live-patches.ts';
import { waveCleanup } from '../../../lib/repair/wave-cleanup.ts';
import { Store } from '../../../lib/store/store.ts';
import { mockTime } from '../../mock-time.ts';
import { type JsonObject, objectOf } from '../../sandbox/json.ts';
import { strategicMerge } from '../../sandbox/strategic-merge.ts';
import { settingsWith } from '../../settings.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { settle } from '../state/committer-stage.ts';

const REF = { kind: 'Deployment', namespace: 'home', name: 'web' };
const FORMER = 'wave.pusher.com/scheduling-disabled';

type Patched = Awaited<ReturnType<NonNullable<WorkloadClient['patch']>>>;
type Read = Awaited<ReturnType<WorkloadClient['get']>>;

const PARKED: RawWorkload = {
  metadata: { ...REF, resourceVersion: '7', annotations: { [FORMER]: 'mine' } },
  spec: { template: { spec: { containers: [], schedulerName: 'wave.pusher.com/invalid' } } },
};

/** One Deployment with leftovers of wave, and time that a test moves. */
class Stage {
  live: RawWorkload | undefined = PARKED;
  patches = 0;
  readonly said: string[] = [];
  /** Instead of the ordinary answers. */
  readonly readFaults: Read[] = [];
  readonly faults: Patched[] = [];
  readonly settings = settingsWith({ vocabularies: vocabulary({ dialects: VOCABULARY_NAMES }) });
  readonly store = new Store(this.settings);
  readonly waveCleanup: LivePatches<WaveLeftovers>;
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext, patch: WorkloadClient['patch'] | 'none' = (_, body) => this.#patch(body)) {
    mockTime(t);
    this.#timers = t.mock.timers;
    this.waveCleanup = waveCleanup({
      store: this.store,
      client: {
        roll: () => assert.fail('nothing is rolled'),
        get: () => this.#get(),
        ...(patch === 'none' ? {} : { patch }),
      },
      say: (_, { reason, message }) => void this.said.push(`${reason}: ${message}`),
      concurrency: 16,
      random: () => 0,
      log: NO_LOG,
    });
  }

  /** The stream tells. */
  async tell(): Promise<void> {
    const [key, span] = [keyOf(REF), { from: 0, to: 0 }];
    if (this.live === undefined) this.waveCleanup.observe({ type: 'absent', key, span });
    else {
      const object = workloadOf(workloadKindOf('Deployment'), this.live, this.store.settings.vocabularies);
      const news = { span, isInInitialList: true, isRelisted: false };
      this.waveCleanup.observe({ type: 'present', key, object, ...news });
    }
    await settle();
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.#timers.tick(1000);
      await settle();
    }
  }

  async #get(): Promise<Read> {
    const fault = this.readFaults.shift();
    if (fault !== undefined) return fault;
    return this.live === undefined ? { kind: 'gone' } : { kind: 'found', object: this.live };
  }

  async #patch(body: object): Promise<Patched> {
    this.patches += 1;
    const fault = this.faults.shift();
    if (fault !== undefined) return fault;
    assert.ok(this.live !== undefined);
    const merged = strategicMerge(objectOf(this.live as unknown as JsonObject), body as JsonObject);
    this.live = merged as unknown as RawWorkload;
    return { kind: 'accepted', object: this.live };
  }
}

const DONE =
  'wave-cleaned-up: wave had left it waiting: its pods are scheduled again, by mine (of a StatefulSet, those that stay pending have to be deleted once)';

test('a workload with leftovers of wave is cleaned up at once, and reported once', async (t) => {
  const stage = new Stage(t);
  await stage.tell();
  await stage.tell();
  await stage.pass(600);
  assert.deepEqual(stage.live?.spec?.template?.spec?.schedulerName, 'mine');
  assert.deepEqual([stage.patches, stage.said], [1, [DONE]]);
});

test('a workload that another client cleaned up before is left alone', async (t) => {
  const stage = new Stage(t);
  stage.faults.push({ kind: 'conflict' });
  await stage.tell();
  stage.live = { metadata: { ...PARKED.metadata, annotations: {} }, spec: {} };
  await stage.pass(60);
  assert.deepEqual([stage.patches, stage.said], [1, []]);
});

const FAILURES: Record<string, [Partial<Pick<Stage, 'faults' | 'readFaults'>>, said: readonly RegExp[]]> = {
  'somebody wrote first': [{ faults: [{ kind: 'conflict' }] }, []],
  'the API server refuses it': [
    { faults: [{ kind: 'rejected', code: 'forbidden', message: 'no' }] },
    [/^refused: left waiting by wave, and tried again until it is not: no$/],
  ],
  'it is throttled': [{ faults: [{ kind: 'throttled', message: 'busy' }] }, [/^retry: .*busy$/]],
  'nobody answers': [{ faults: [{ kind: 'unanswered', message: 'lost' }] }, [/^retry: .*lost$/]],
  'it cannot be read': [{ readFaults: [{ kind: 'failed', message: 'away' }] }, [/^retry: .*away$/]],
};

for (const [sentence, [{ faults = [], readFaults = [] }, said]] of Object.entries(FAILURES)) {
  test(`it is tried again where ${sentence}`, async (t) => {
    const stage = new Stage(t);
    stage.faults.push(...faults);
    stage.readFaults.push(...readFaults);
    await stage.tell();
    await stage.pass(400);
    assert.equal(stage.live?.spec?.template?.spec?.schedulerName, 'mine');
    assert.equal(stage.said.length, said.length + 1);
    for (const [index, words] of said.entries()) assert.match(stage.said[index] ?? '', words);
    assert.equal(stage.said.at(-1), DONE);
  });
}

test('what is gone is forgotten', async (t) => {
  const stage = new Stage(t);
  stage.faults.push({ kind: 'conflict' });
  await stage.tell();
  stage.live = undefined;
  await stage.tell();
  await stage.pass(60);
  assert.equal(stage.patches, 1);
});

test('in a namespace that is not selected nothing is written before it is', async (t) => {
  const stage = new Stage(t);
  stage.settings.selectsNamespaces = true;
  await stage.tell();
  await stage.pass(60);
  assert.equal(stage.patches, 0);
  stage.store.selected.add('home');
  stage.waveCleanup.select(new Set(['home']));
  await settle();
  assert.deepEqual(stage.said, [DONE]);
});

test('in a dry run it is said once, and where nothing is patched never', async (t) => {
  const dry = new Stage(t, () => Promise.resolve({ kind: 'accepted', object: undefined }));
  await dry.tell();
  await dry.tell();
  assert.deepEqual(dry.said, [DONE]);
  t.mock.timers.reset();
  const told = new Stage(t, 'none');
  await told.tell();
  assert.deepEqual(told.said, []);
});
