/** What the end-to-end tests of a leader and its standby share. */

import assert from 'node:assert/strict';
import { type Member, type Pair, SHORT_LEASE } from '../faults/pair.ts';
import type { SceneReloaderOptions } from '../faults/scene.ts';

/** Beside what is waited for: for an API server and processes on a busy machine. */
export const SLACK_MS = 2000;

/** How one that stands for the lead is started in that pod. */
export function elected(pod: string): SceneReloaderOptions {
  return { flags: SHORT_LEASE, env: { RELOADER_OPT_LEADER_ELECT: 'true', POD_NAME: pod } };
}

/** Each says who leads, and what it is itself. */
export async function tellsWhoLeads({ leader, standby, scene, witness }: Pair): Promise<void> {
  for (const { process, pod } of [leader, standby]) {
    const isThis = pod === leader.pod;
    const report = await process.status();
    assert.deepEqual([report.leader?.isThis, report.leader?.identity], [isThis, witness.holder]);
    assert.match(await process.freshText('/'), isThis ? /This process leads/ : /The leader is/);
    assert.ok((await process.freshText('/')).includes(witness.holder));
    // It lists everything anew.
    await scene.stage.until(`${pod} is ready`, () => process.isReady());
    assert.equal(await process.metric('reloader_leader'), isThis ? 1 : 0);
  }
}

/**
 * Resolves when one that led says that it does not any more (because its time is over, or as it has read the other one's mark),
 * and that it stands by for the other one.
 */
export async function standsBy({ process }: Member, leader: Member): Promise<void> {
  await process.hasSaid(/lost the lead|another process writes the state/);
  await process.hasSaid(new RegExp(`standing by.*"leader":"${leader.pod}_`));
  assert.equal(process.exit, undefined);
}
