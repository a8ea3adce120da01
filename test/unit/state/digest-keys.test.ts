/** The Secret with the keys: how a process comes by its key, and how a leader keeps the Secret. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { DigestKeys, type DigestKeysOptions } from '../../../lib/state/digest-keys.ts';
import { Keyring } from '../../../lib/state/keyring.ts';
import type { AllShards } from '../../../lib/store/state-client.ts';
import { ScriptedKeys } from './scripted-keys.ts';

const [FIRST, SECOND, THIRD] = ['k00000001', 'k00000002', 'k00000003'];
const HEX = 'a'.repeat(40);
const NEVER = new AbortController().signal;
const EMPTY: AllShards = [undefined];
const ROTATE = 'reloader.k8s.collaborne.com/rotate-key';
const CREATED = 'reloader.k8s.collaborne.com/key-created';
const FORBIDDEN = { kind: 'failed', message: 'forbidden', isForbidden: true } as const;
const DAY_MS = 24 * 3_600_000;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const bytesOf = (id: string): string => base64(id.padEnd(32, '.'));
const secretWith = (current: string, ...others: readonly string[]): Record<string, string> => ({
  current: base64(current),
  ...Object.fromEntries([current, ...others].map((id) => [id, bytesOf(id)])),
});
const stateNaming = (...ids: readonly string[]): AllShards => [
  {
    resourceVersion: '1',
    data: Object.fromEntries(ids.map((id) => [`v1.ConfigMap_of-${id}`, `${id}:${HEX}.1`])),
    annotations: {},
  },
];

/** One process; its new keys are numbered from the first one that `made` does not exceed. */
class Process {
  readonly keyring = new Keyring();
  readonly warnings: string[] = [];
  readonly keys: DigestKeys;
  nowMs = 0;

  constructor(changes: Partial<DigestKeysOptions> = {}, made = 0) {
    let last = made;
    this.keys = new DigestKeys({
      keyring: this.keyring,
      isKeyed: true,
      rotateAfterMs: undefined,
      isDryRun: false,
      newKey: () => {
        last += 1;
        const id = `k0000000${last}`;
        return { id, value: bytesOf(id) };
      },
      log: { ...NO_LOG, warn: (message) => this.warnings.push(message) },
      now: () => this.nowMs,
      ...changes,
    });
  }

  /** The result of reading, and the algorithm that the process then has; undefined: none. */
  async read(secret: ScriptedKeys, shards = EMPTY): Promise<readonly [string, string | undefined]> {
    const { kind } = await this.keys.read(secret, shards, NEVER);
    return [kind, this.keyring.hasBegun ? this.keyring.own.name : undefined];
  }
}

/** A process that has read the Secret. */
async function begun(secret: ScriptedKeys, changes: Partial<DigestKeysOptions> = {}): Promise<Process> {
  const process = new Process(changes, Object.keys(secret.live?.data ?? {}).length);
  assert.equal((await process.read(secret))[0], 'read');
  return process;
}

function secretIs(data?: Record<string, string>, annotations = {}): ScriptedKeys {
  const secret = new ScriptedKeys();
  if (data !== undefined) secret.put(data, annotations);
  return secret;
}

test('the first process of an installation makes the first key', async () => {
  const secret = secretIs();
  const process = new Process();
  assert.deepEqual(await process.read(secret), ['read', FIRST]);
  assert.deepEqual(secret.live?.data, secretWith(FIRST));
  assert.deepEqual(secret.live?.annotations, { [CREATED]: '1970-01-01T00:00:00.000Z' });
});

test('of two processes that make the first key at once one loses, and reads the key of the other', async () => {
  const secret = secretIs();
  const process = new Process();
  secret.beforePatch = () => {
    secret.put(secretWith(SECOND));
    secret.beforePatch = () => {};
  };
  assert.deepEqual(await process.read(secret), ['failed', undefined]);
  assert.deepEqual(await process.read(secret), ['read', SECOND]);
  assert.deepEqual(secret.live?.data, secretWith(SECOND));
});

test('all keys of the Secret are known, and what is no key is left alone', async () => {
  const secret = secretIs({ ...secretWith(FIRST, SECOND), note: base64('x'), k0000000z: 'c2hvcnQ=' });
  const { keyring } = await begun(secret);
  assert.deepEqual(keyring.keys, [FIRST, SECOND]);
  assert.equal(keyring.named('k0000000z'), undefined);
  assert.deepEqual(secret.calls, ['read']);
});

const UNREADABLE: Record<string, Parameters<typeof withoutKeys>> = {
  'without the right to the Secret, where the state names no key, digests are plain SHA-1': [
    { isKeyed: true, shards: EMPTY, isForbidden: true },
    ['read', 'sha1'],
    1,
  ],
  'without that right nothing is digested where the state names a key': [
    { isKeyed: true, shards: stateNaming(FIRST), isForbidden: true },
    ['failed', undefined],
    0,
  ],
  'a Secret that cannot be read is read again, never left out': [
    { isKeyed: true, shards: EMPTY, isForbidden: false },
    ['failed', undefined],
    0,
  ],
  'plain SHA-1 on request reads the Secret only where the state names a key': [
    { isKeyed: false, shards: stateNaming(FIRST), isForbidden: true },
    ['failed', undefined],
    0,
  ],
};

async function withoutKeys(
  given: { readonly isKeyed: boolean; readonly shards: AllShards; readonly isForbidden: boolean },
  expected: readonly [string, string | undefined],
  warnings: number,
): Promise<void> {
  const secret = secretIs(secretWith(FIRST));
  const process = new Process({ isKeyed: given.isKeyed });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    secret.readFaults.push(given.isForbidden ? FORBIDDEN : { kind: 'failed', message: 'away' });
    assert.deepEqual(await process.read(secret, given.shards), expected);
  }
  assert.equal(process.warnings.length, warnings);
}

for (const [sentence, row] of Object.entries(UNREADABLE)) test(sentence, () => withoutKeys(...row));

test('without the right to create the Secret digests are plain SHA-1', async () => {
  const secret = secretIs();
  secret.writeFaults.push({ kind: 'rejected', code: 'forbidden', message: 'forbidden' });
  assert.deepEqual(await new Process().read(secret), ['read', 'sha1']);
});

test('a process that began without the right to the Secret ends once another one has made a key', async () => {
  const secret = secretIs();
  const process = new Process();
  secret.readFaults.push(FORBIDDEN);
  assert.deepEqual(await process.read(secret), ['read', 'sha1']);
  assert.deepEqual(await process.read(secret), ['read', 'sha1'], 'the right came, a key did not');
  await begun(secret);
  assert.deepEqual(await process.read(secret, stateNaming(FIRST)), ['superseded', 'sha1']);
});

test('on request digests are plain SHA-1, and the keys that the state names are known', async () => {
  const secret = secretIs(secretWith(FIRST, SECOND));
  const process = new Process({ isKeyed: false });
  assert.deepEqual(await process.read(secret, stateNaming(SECOND)), ['read', 'sha1']);
  assert.notEqual(process.keyring.named(SECOND), undefined);
  const other = new Process({ isKeyed: false });
  assert.deepEqual(await other.read(secret), ['read', 'sha1']);
  assert.deepEqual(secret.calls, ['read']);
});

test('a standby that takes over after a rotation is superseded, one that takes over before is not', async () => {
  const secret = secretIs(secretWith(FIRST));
  const standby = await begun(secret);
  assert.deepEqual(await standby.read(secret), ['read', FIRST]);
  secret.put(secretWith(SECOND, FIRST));
  assert.deepEqual(await standby.read(secret), ['superseded', FIRST]);
});

test('a standby that knows every key of the state takes over without an answer', async () => {
  const secret = secretIs(secretWith(FIRST));
  const process = await begun(secret);
  secret.readFaults.push(FORBIDDEN, FORBIDDEN);
  assert.deepEqual(await process.read(secret, stateNaming(FIRST)), ['read', FIRST]);
  assert.deepEqual(await process.read(secret, stateNaming(FIRST, SECOND)), ['failed', FIRST]);
});

test('a leader writes what was removed from the Secret again', async () => {
  const secret = secretIs(secretWith(FIRST, SECOND));
  const { keys } = await begun(secret);
  for (const remove of [
    () => (secret.live = undefined),
    () => secret.put({}),
    () => secret.put({ [SECOND]: bytesOf(SECOND) }),
    () => secret.put({ ...secretWith(FIRST, SECOND), [FIRST]: bytesOf('another') }),
  ]) {
    remove();
    assert.equal(await keys.look(secret, undefined), false);
    assert.deepEqual(secret.live?.data, secretWith(FIRST, SECOND));
  }
});

test('a Secret that was replaced gets the known keys, and its own key supersedes the leader', async () => {
  const secret = secretIs(secretWith(FIRST));
  const { keys } = await begun(secret);
  secret.put(secretWith(SECOND));
  assert.equal(await keys.look(secret, undefined), true);
  assert.deepEqual(secret.live?.data, secretWith(SECOND, FIRST));
});

test('a key leaves once nothing is under it, and never the one in use', async () => {
  const secret = secretIs(secretWith(FIRST, SECOND, THIRD));
  const { keys, keyring } = await begun(secret);
  await keys.look(secret, undefined);
  assert.deepEqual(secret.live?.data, secretWith(FIRST, SECOND, THIRD), 'while the uses are not known');
  await keys.look(secret, new Set([SECOND]));
  assert.deepEqual(secret.live?.data, secretWith(FIRST, SECOND));
  await keys.look(secret, new Set());
  assert.deepEqual(secret.live?.data, secretWith(FIRST));
  assert.deepEqual(keyring.keys, [FIRST]);
});

test('a new key is made on request, once', async () => {
  const secret = secretIs(secretWith(FIRST), { [ROTATE]: 'now' });
  const { keys } = await begun(secret, { newKey: () => ({ id: SECOND, value: bytesOf(SECOND) }) });
  assert.equal(await keys.look(secret, undefined), true);
  assert.deepEqual(secret.live?.data, secretWith(SECOND, FIRST));
  assert.equal(secret.live?.annotations[ROTATE], undefined);
});

test('in a dry run none is made: what asks for it stays, and would end each process', async () => {
  const secret = secretIs(secretWith(FIRST), { [ROTATE]: 'now' });
  const { keys } = await begun(secret, { isDryRun: true });
  assert.equal(await keys.look(secret, undefined), false);
  assert.deepEqual(secret.live?.data, secretWith(FIRST));
});

test('a new key is made when the one in use is old enough', async () => {
  const secret = secretIs(secretWith(FIRST), { [CREATED]: new Date(0).toISOString() });
  const process = await begun(secret, {
    rotateAfterMs: 90 * DAY_MS,
    newKey: () => ({ id: SECOND, value: bytesOf(SECOND) }),
  });
  process.nowMs = 90 * DAY_MS - 1;
  assert.equal(await process.keys.look(secret, undefined), false);
  process.nowMs += 1;
  assert.equal(await process.keys.look(secret, undefined), true);
  assert.equal(secret.live?.annotations[CREATED], new Date(90 * DAY_MS).toISOString());
});

for (const [sentence, annotations] of Object.entries({
  'an age that does not parse': { [CREATED]: 'yesterday' },
  'no age, as in a Secret that was written again,': {},
  'an age that is still to come': { [CREATED]: new Date(99 * DAY_MS).toISOString() },
}))
  test(`${sentence} makes no new key: it begins with the look`, async () => {
    const secret = secretIs(secretWith(FIRST), annotations);
    const process = await begun(secret, { rotateAfterMs: DAY_MS });
    process.nowMs = 10 * DAY_MS;
    assert.equal(await process.keys.look(secret, undefined), false);
    assert.deepEqual(secret.live?.data, secretWith(FIRST));
    assert.equal(secret.live?.annotations[CREATED], new Date(10 * DAY_MS).toISOString());
    process.nowMs += DAY_MS;
    assert.equal(await process.keys.look(secret, undefined), true);
  });

test('beyond eight keys none is made', async () => {
  const others = Array.from({ length: 7 }, (_, at) => `k1000000${at}`);
  const secret = secretIs(secretWith(FIRST, ...others), { [ROTATE]: '' });
  const process = await begun(secret, { newKey: () => ({ id: SECOND, value: bytesOf(SECOND) }) });
  assert.equal(await process.keys.look(secret, undefined), false);
  assert.equal(process.warnings.length, 1);
  await process.keys.look(secret, new Set(others.slice(1)));
  assert.equal(await process.keys.look(secret, new Set(others.slice(1))), true);
});

test('a lost answer to a rotation is found by the next look', async () => {
  const secret = secretIs(secretWith(FIRST), { [ROTATE]: '' });
  const process = await begun(secret, { newKey: () => ({ id: THIRD, value: bytesOf(THIRD) }) });
  secret.writeFaults.push({ kind: 'unanswered', message: 'lost' });
  secret.beforePatch = () => secret.put(secretWith(SECOND, FIRST));
  assert.equal(await process.keys.look(secret, undefined), false);
  secret.beforePatch = () => {};
  assert.equal(await process.keys.look(secret, undefined), true);
  assert.deepEqual(secret.live?.data, secretWith(SECOND, FIRST));
});

test('a look that fails is logged, and the next one does what it left', async () => {
  const secret = secretIs(secretWith(FIRST));
  const process = await begun(secret);
  secret.put({});
  secret.readFaults.push({ kind: 'failed', message: 'away' });
  secret.writeFaults.push({ kind: 'conflict' });
  for (const warnings of [1, 2]) {
    assert.equal(await process.keys.look(secret, undefined), false);
    assert.equal(process.warnings.length, warnings);
  }
  await process.keys.look(secret, undefined);
  assert.deepEqual(secret.live?.data, secretWith(FIRST));
});

test('a process without a key looks at nothing', async () => {
  const secret = secretIs(secretWith(FIRST), { [ROTATE]: '' });
  const process = new Process({ isKeyed: false });
  await process.read(secret);
  assert.equal(await process.keys.look(secret, undefined), false);
  assert.deepEqual(secret.calls, []);
});

test('no object is digested before the keys are read', () => {
  assert.throws(() => new Keyring().own, /before the keys were read/);
});
