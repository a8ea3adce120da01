/** The word for the state of a workload. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { State } from '../../../lib/model/status-report.ts';
import { stateOf } from '../../../lib/report/workload-state.ts';
import { addNote } from '../../../lib/tracking/halts.ts';
import { World } from '../tracking/world.ts';

type Row = readonly [State, string?, ((world: World) => unknown)?];
const ROWS: Readonly<Record<string, Row>> = {
  'is up to date': ['healthy'],
  'replaces its pods': ['rolling', '', (world) => world.workload('web', { isRolledOut: false })],
  'halted the content that it runs': ['failing', '', halt],
  'waits for a window': ['waiting', 'window'],
  'has stamps that are reverted': ['refused', 'reverted'],
  'waits for a halted content': ['halted', 'halt'],
  'has a rollout that was aborted': ['failing', 'failed'],
};

function halt({ store }: World): void {
  const note = { token: 'a', workload: 'home/Deployment/web' };
  for (const config of store.configs.values()) addNote(store, config, note);
}

for (const [what, [state, reason, act]] of Object.entries(ROWS))
  test(`a workload that ${what} is ${state}`, () => {
    const world = new World();
    world.config('cfg', 'a', { initial: true });
    world.workload('web', { follows: ['cfg'] }, { initial: true });
    act?.(world);
    assert.equal(stateOf(world.store, world.record('web'), reason ? [reason] : undefined), state);
  });
