/** The Secret with the key: how a process gets its key. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { DigestKeys, type DigestKeysOptions } from '../../../lib/state/digest-keys.ts';
import type { AllShards } from '../../../lib/store/state-client.ts';
import { ScriptedKeys } from './scripted-keys.ts';

const [FIRST, SECOND] = ['k00000001', 'k00000002'];
const HEX = 'a'.repeat(40);
const NEVER = new AbortController().signal;
const EMPTY: AllShards = [undefined];
const FORBIDDEN = { kind: 'failed', message: 'forbidden', isForbidden: true } as const;

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
  readonly warnings: string[] = [];
  readonly keys: DigestKeys;

  constructor(changes: Partial<DigestKeysOptions> = {}, made = 0) {
    let last = made;
    this.keys = new DigestKeys({
      isKeyed: true,
      newKey: () => {
        last += 1;
        const id = `k0000000${last}`;
        return { id, value: bytesOf(id) };
      },
      log: { ...NO_LOG, warn: (message) => this.warnings.push(message) },
      ...changes,
    });
  }

  /** The result of reading, and the algorithm that the process then has; undefined: none. */
  async read(secret: ScriptedKeys, shards = EMPTY): Promise<readonly [string, string | undefined]> {
    const { kind = 'read' } = (await this.keys.read(secret, shards, NEVER)) ?? {};
    return [kind, this.keys.areKnown ? this.keys.own.name : undefined];
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

test('one key of the Secret is known, and what else it has is left alone', async () => {
  const secret = secretIs({ ...secretWith(FIRST, SECOND), note: base64('x') });
  const { keys } = await begun(secret);
  assert.deepEqual(keys.keys, [FIRST]);
  assert.equal(keys.named(SECOND), undefined);
  assert.deepEqual(secret.calls, ['read']);
});

const MALFORMED: Record<string, Record<string, string>> = {
  'too short a key': { current: base64('k0000000a'), k0000000a: base64('short') },
  'an id that is none': { current: base64('k0000000z'), k0000000z: bytesOf('k0000000z') },
};

for (const [sentence, data] of Object.entries(MALFORMED))
  test(`a Secret without a key gets one: ${sentence}`, async () => {
    const secret = secretIs(data);
    assert.deepEqual(await new Process().read(secret), ['read', FIRST]);
    assert.deepEqual(secret.live?.data, { ...data, ...secretWith(FIRST) });
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

test('on request digests are plain SHA-1, and the key that the state names is known', async () => {
  const secret = secretIs(secretWith(FIRST));
  const process = new Process({ isKeyed: false });
  assert.deepEqual(await process.read(secret, stateNaming(FIRST)), ['read', 'sha1']);
  assert.notEqual(process.keys.named(FIRST), undefined);
  const other = new Process({ isKeyed: false });
  assert.deepEqual(await other.read(secret), ['read', 'sha1']);
  // Another process has written the state since: no term begins without the key.
  secret.readFaults.push(FORBIDDEN);
  assert.deepEqual(await other.read(secret, stateNaming(FIRST)), ['failed', 'sha1']);
  assert.deepEqual(await other.read(secret, stateNaming(FIRST)), ['read', 'sha1']);
  assert.notEqual(other.keys.named(FIRST), undefined);
});

const LATER: Record<string, readonly [Record<string, string> | undefined, named: string, ends: boolean]> = {
  'stays where the state names its key, and reads nothing': [secretWith(SECOND), FIRST, false],
  'stays where the state names one that is lost': [secretWith(FIRST), SECOND, false],
  'stays where the Secret is gone': [undefined, SECOND, false],
  'ends where the Secret has another one by now': [secretWith(SECOND), SECOND, true],
};

for (const [sentence, [data, named, ends]] of Object.entries(LATER))
  test(`a process that has its key ${sentence}`, async () => {
    const standby = await begun(secretIs(secretWith(FIRST)));
    const secret = secretIs(data);
    assert.deepEqual(await standby.read(secret, stateNaming(named)), ['read', FIRST]);
    assert.deepEqual([standby.keys.isReplaced, standby.keys.keys], [ends, [FIRST]]);
    assert.deepEqual(secret.calls, named === FIRST ? [] : ['read']);
  });

test('no object is digested before the key is read', () => {
  assert.throws(() => new Process().keys.own, /before the key was read/);
});
