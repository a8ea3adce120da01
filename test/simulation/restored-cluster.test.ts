/**
 * A cluster whose etcd is restored from a backup while reloaders run: versions go back, the processes end by themselves, and
 * the kubelet starts them again. Nothing is lost, and nothing is rolled for nothing.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { keyOf } from '../../lib/model/object-ref.ts';
import { sleep } from '../../lib/queue/abortable-sleep.ts';
import { fc } from '../laws.ts';
import { connectionError } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { NAMESPACE } from './api.ts';
import { stopTime } from './clock.ts';
import { contentOfText } from './contents.ts';
import type { Content } from './history.ts';
import { newCluster, put, raise, rolloutsIn } from './one-cluster.ts';
import { randomOf } from './random.ts';
import { newReplica } from './replica.ts';
import { SETTINGS } from './trace-by-hand.ts';

/** Until every stream has found it out without a Lease: ten watches of versions to come, and four lists. */
const FOUND_OUT_MS = 600_000;
const ROLLED_MS = 30_000;
const RESTART_MS = 5000;
const OBJECT = keyOf({ kind: 'ConfigMap', namespace: NAMESPACE, name: 'c' });

/** An edit of the object, and how long nothing else happens then. */
interface Edit {
  readonly content: Content;
  readonly thenMs: number;
}

/** What happens until the backup, what the restore takes back, and what happens after it. */
interface Play {
  readonly before: readonly Edit[];
  readonly between: readonly Edit[];
  readonly after: readonly Edit[];
  /** For how long there is no API server. */
  readonly awayMs: number;
  /** Whether etcd raises its revision with the restore; else the versions of after it are far below those of before. */
  readonly isBumped: boolean;
  /** Whether two processes elect a leader; else there is one, and what is done after the restore waits for it. */
  readonly elects: boolean;
}

/** What became of it. */
interface Outcome {
  /** Our rollouts since the backup. */
  readonly rollouts: number;
  /** What the pods have read in the end. */
  readonly reads: readonly (Content | undefined)[];
  /** How often each process was started. */
  readonly starts: readonly number[];
}

/** A process in a pod, until `signal` is aborted: then nothing that it sends arrives any more. */
class Kept {
  starts = 0;

  constructor(slot: number, elects: boolean, send: Send, signal: AbortSignal) {
    void this.#keep(slot, elects, send, signal);
  }

  async #keep(slot: number, elects: boolean, send: Send, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const id = slot * 10 + this.starts;
      this.starts += 1;
      await newReplica({
        id,
        send: (request) => (signal.aborted ? refused() : send(request)),
        settings: SETTINGS,
        podUid: elects ? `slot-${slot}` : undefined,
        random: randomOf(id),
        onLine: () => undefined,
      }).run(signal);
      await sleep(RESTART_MS, signal);
    }
  }
}

function refused(): Promise<never> {
  return Promise.reject(connectionError('ECONNREFUSED'));
}

/** The backup is a cluster to which the same happened at the same moments, processes included. */
async function play({ before, between, after, awayMs, isBumped, elects }: Play): Promise<Outcome> {
  const clock = stopTime();
  const pass = async (ms: number): Promise<void> => await clock.pass(ms, () => undefined);
  try {
    const [first, second] = [newCluster(), newCluster()];
    const edit = async (edits: readonly Edit[], ...sandboxes: Sandbox[]): Promise<void> => {
      for (const { content, thenMs } of edits) {
        for (const sandbox of sandboxes) put(sandbox, content);
        await pass(thenMs);
      }
    };
    let present: Sandbox | undefined = first;
    const [stop, backup] = [new AbortController(), new AbortController()];
    const slots = elects ? [0, 1] : [0];
    const processes = slots.map((slot) => {
      new Kept(slot, elects, second.handle, backup.signal);
      return new Kept(slot, elects, (request) => present?.handle(request) ?? refused(), stop.signal);
    });
    await pass(ROLLED_MS);
    await edit(before, first, second);
    for (const kind of ['configmaps', 'deployments', 'leases'])
      assert.deepEqual(second.list(kind), first.list(kind), 'it is a backup');
    backup.abort();
    const rolled = rolloutsIn(second);
    await edit(between, first);
    if (!isBumped) raise(first, first.writes + 1000);
    await pass(ROLLED_MS);

    present = undefined;
    first.disturbWatches({}, { kind: 'cut', how: 'throw' });
    first.close();
    await pass(awayMs);
    if (isBumped) {
      raise(second, first.writes + 1000);
      second.compact();
    }
    present = second;
    if (!elects) await pass(FOUND_OUT_MS);
    await edit(after, second);
    await pass(FOUND_OUT_MS);

    const reads = second.pods().map((pod) => contentOfText(pod.reads.get(OBJECT) ?? ''));
    const outcome = {
      rollouts: rolloutsIn(second) - rolled,
      reads,
      starts: processes.map(({ starts }) => starts),
    };
    stop.abort();
    await pass(ROLLED_MS);
    second.close();
    return outcome;
  } finally {
    clock.restore();
  }
}

const rolled = (content: Content): Edit => ({ content, thenMs: ROLLED_MS });

const CASES: Readonly<
  Record<string, Partial<Pick<Play, 'before' | 'between' | 'after'>> & Pick<Outcome, 'rollouts'>>
> = {
  'what the restore takes back rolls nothing: the pods are those of the backup too': {
    between: [rolled('B')],
    rollouts: 0,
  },
  'what is edited after it is rolled, once for each edit, content of before it included': {
    between: [rolled('B')],
    after: [rolled('C'), rolled('B')],
    rollouts: 2,
  },
  'what was owed at the backup is rolled': {
    before: [{ content: 'B', thenMs: 1000 }],
    between: [rolled('C')],
    rollouts: 1,
  },
  'what was rolled at the backup is not rolled again': {
    before: [rolled('B')],
    between: [rolled('C')],
    rollouts: 0,
  },
};

for (const elects of [true, false]) {
  for (const isBumped of [true, false]) {
    const which = `${elects ? 'two processes' : 'one process without a Lease'}${isBumped ? ', versions raised' : ''}`;
    for (const [sentence, { rollouts, before = [], between = [], after = [] }] of Object.entries(CASES)) {
      test(`${sentence} (${which})`, async () => {
        const outcome = await play({ before, between, after, awayMs: ROLLED_MS, isBumped, elects });
        const last = [...before, ...after].at(-1)?.content ?? 'A';
        assert.deepEqual(outcome, { rollouts, reads: [last, last], starts: elects ? [2, 2] : [2] });
      });
    }
  }
}

const edits = fc.array(
  fc.record({
    content: fc.constantFrom<Content>('A', 'B', 'C'),
    thenMs: fc.constantFrom(10, 1000, 4000, 5500, 8000, ROLLED_MS),
  }),
  { maxLength: 3 },
);
const plays: fc.Arbitrary<Play> = fc.record({
  before: edits,
  between: edits,
  after: edits,
  // A leader without an API server leads no more before it writes again.
  awayMs: fc.constantFrom(12_000, 60_000, 300_000),
  isBumped: fc.boolean(),
  elects: fc.boolean(),
});

test('whatever is edited before and after it, in the end all pods have read the current content', async () => {
  const property = fc.asyncProperty(plays, async (one) => {
    const { reads, rollouts } = await play(one);
    const last = [...one.before, ...one.after].at(-1)?.content ?? 'A';
    assert.deepEqual(reads, [last, last]);
    assert.ok(rollouts <= one.after.length + 1, `${rollouts} rollouts`);
  });
  await fc.assert(property, { numRuns: 40 });
});
