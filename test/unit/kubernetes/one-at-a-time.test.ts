import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneAtATime } from '../../../lib/kubernetes/one-at-a-time.ts';
import type { WorkloadClient } from '../../../lib/model/outcome.ts';
import { settle } from '../state/committer-stage.ts';

const WEB = { kind: 'Deployment', namespace: 'ns', name: 'web' };
const API = { ...WEB, name: 'api' };
const PLAN = {
  workload: WEB,
  resourceVersion: '1',
  generation: 1,
  operations: [],
  template: {},
  stamps: [],
  versions: new Map(),
};
const ANSWER = { kind: 'accepted', object: undefined } as const;

/** A client whose writes are answered when a test says so; `sent` are their names in order. */
function held() {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  const send = (name: string) => {
    sent.push(name);
    return new Promise<typeof ANSWER>((resolve) => answers.push(() => resolve(ANSWER)));
  };
  const client: WorkloadClient = {
    roll: ({ workload }) => send(`roll ${workload.name}`),
    patch: ({ name }) => send(`patch ${name}`),
    get: async () => ({ kind: 'absent' }),
  };
  return { client: oneAtATime(client), sent, answer: () => answers.shift()?.() };
}

test('a second write of a workload is sent when the first is answered, others at once', async () => {
  const { client, sent, answer } = held();
  void client.patch?.(WEB, []);
  void client.roll(PLAN);
  void client.patch?.(API, []);
  void client.patch?.(WEB, []);
  await settle();
  assert.deepEqual(sent, ['patch web', 'patch api']);
  answer();
  await settle();
  assert.deepEqual(sent, ['patch web', 'patch api', 'roll web']);
  answer();
  answer();
  await settle();
  assert.deepEqual(sent, ['patch web', 'patch api', 'roll web', 'patch web']);
});

test('each gets its own answer, and nothing is left of it', async () => {
  const { client, sent, answer } = held();
  const first = client.roll(PLAN);
  answer();
  assert.equal(await first, ANSWER);
  const second = client.patch?.(WEB, []);
  assert.deepEqual(sent, ['roll web', 'patch web'], 'it waits for nobody, not for a turn either');
  answer();
  assert.equal(await second, ANSWER);
});

test('who patches nothing has nothing to patch with', () => {
  const client = oneAtATime({ roll: async () => ANSWER, get: async () => ({ kind: 'absent' }) });
  assert.equal('patch' in client, false);
});
