/** The witness tells who had the Lease when, for how long it had no holder, and which rollout brought nothing new. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifestOf, type WorkloadParts, web } from '../../e2e/workloads.ts';
import { Witness } from '../../faults/witness.ts';
import type { JsonObject } from '../../sandbox/json.ts';

const WEB: WorkloadParts = web('web');
/** In place of a digest, a stamp has the content. */
const CONTENTS = { indexOf: (_name: string, stamp: string) => ['A.', 'B.', 'C.'].indexOf(stamp.slice(0, 2)) };

/** A write of `resource`, which has left `object` in that version. */
function write(witness: Witness, resource: string, resourceVersion: number, object: JsonObject): void {
  const outcome = { at: 0, status: 200, tookEffect: true, resourceVersion, wasHeld: false };
  witness.see({ verb: 'update', resource, userAgent: 'a test', ...outcome }, object);
}

function holders(...given: readonly (readonly [resourceVersion: number, holder: string])[]): Witness {
  const witness = new Witness(CONTENTS);
  for (const [version, holderIdentity] of given)
    write(witness, 'leases', version, { spec: { holderIdentity } });
  return witness;
}

test('who held the Lease at a version, whatever order the answers come in', () => {
  for (const witness of [
    holders([10, 'a'], [12, 'a'], [20, ''], [30, 'b'], [40, 'b']),
    holders([10, 'a'], [12, 'a'], [30, 'b'], [20, ''], [40, 'b']),
  ]) {
    const at = [9, 10, 19, 20, 29, 30, 50].map((each) => witness.holderAt(each));
    assert.deepEqual(at, ['', 'a', 'a', '', '', 'b', 'b']);
    assert.equal(witness.holder, 'b');
  }
});

test('a Lease that goes to another process is a take-over, one that returns to the same is none', () => {
  const others = holders([10, 'a'], [20, 'b'], [30, ''], [40, 'a']);
  assert.equal(others.takeOvers.length, 2);
  assert.equal(holders([10, 'a'], [20, ''], [30, 'a']).takeOvers.length, 0);
});

test('a take-over has lasted since the Lease was renewed', async () => {
  const witness = holders([10, 'a']);
  await new Promise((resolve) => setTimeout(resolve, 60));
  write(witness, 'leases', 20, { spec: { holderIdentity: 'a' } });
  const renewedAt = performance.now();
  write(witness, 'leases', 30, { spec: { holderIdentity: 'b' } });
  const [lasted = 60] = witness.takeOvers;
  assert.ok(lasted <= performance.now() - renewedAt + 1, `${lasted} ms`);
});

const ROLLOUTS: Readonly<Record<string, { readonly stamps: readonly string[]; readonly needless: number }>> =
  {
    'each newer': { stamps: ['B.1', 'C.2'], needless: 0 },
    'the same template': { stamps: ['B.1', 'B.1'], needless: 0 },
    'one left out': { stamps: ['C.1'], needless: 0 },
    'the same again': { stamps: ['B.1', 'B.2'], needless: 1 },
    'the first again': { stamps: ['A.1'], needless: 1 },
    'back, and on': { stamps: ['C.1', 'B.2', 'C.3'], needless: 1 },
    'a content that there never was': { stamps: ['B.1', 'X.2'], needless: 1 },
  };
for (const [what, { stamps, needless }] of Object.entries(ROLLOUTS))
  test(`rollouts, ${what}: ${needless} needless`, () => {
    const rolled = stamps.map((value, index) => {
      const manifest = manifestOf({ ...WEB, variables: { _RELOADER_CONFIGMAP_WEB: value } });
      return { version: index + 1, manifest };
    });
    for (const inTheirOrder of [rolled, rolled.toReversed()]) {
      const witness = new Witness(CONTENTS);
      for (const { version, manifest } of inTheirOrder) write(witness, 'deployments', version, manifest);
      assert.equal(witness.needless(WEB).length, needless);
    }
  });
