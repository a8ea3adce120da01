import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInPod, leaderIdentity } from '../../../lib/leader/lease.ts';

const IDENTITIES: readonly (readonly [name: string, podUid: string | undefined, identity: string])[] = [
  ['reloader-5f', 'a1-b2', 'reloader-5f_a1-b2_x'],
  ['host', undefined, 'host_x'],
  ['host', '', 'host_x'],
];
for (const [name, podUid, identity] of IDENTITIES) {
  test(`the identity of ${name} with uid ${podUid}`, () =>
    assert.equal(leaderIdentity(name, podUid, 'x'), identity));
}

test('a process knows those of its own pod by the uid', () => {
  const holders = ['reloader-5f_a1-b2_y', 'other_a1-b2_y', 'reloader-5f_c3_y', 'a1-b2_y', 'a1-b2', ''];
  assert.deepEqual(
    holders.map((holder) => isInPod(holder, 'a1-b2')),
    [true, true, false, true, false, false],
  );
});
