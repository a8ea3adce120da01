/** The word for the state of a workload. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Blocked } from '../../../lib/model/outcome.ts';
import type { State } from '../../../lib/model/status-report.ts';
import { stateOf } from '../../../lib/report/workload-state.ts';
import { addNote } from '../../../lib/tracking/halts.ts';
import { World } from '../tracking/world.ts';

type Row = readonly [State, (readonly Pick<Blocked, 'state'>[] | undefined)?, ((world: World) => unknown)?];
const ROWS: Readonly<Record<string, Row>> = {
  'is up to date': ['healthy'],
  'replaces its pods': ['rolling', undefined, (world) => world.workload('web', { isRolledOut: false })],
  'was paused before it had pods': [
    'waiting',
    undefined,
    (world) => Object.assign(world.record('web').workload, { isPaused: true, isComplete: false }),
  ],
  'halted the content that it runs': ['failing', undefined, halt],
  'waits for a window': ['waiting', [{}]],
  'waits for a halted content, and something else': ['halted', [{}, { state: 'halted' }]],
};

function halt({ store }: World): void {
  const note = { token: 'a', workload: 'home/Deployment/web' };
  for (const config of store.configs.values()) addNote(store, config, note);
}

for (const [what, [state, blocks, act]] of Object.entries(ROWS))
  test(`a workload that ${what} is ${state}`, () => {
    const world = new World();
    world.config('cfg', 'a', { initial: true });
    world.workload('web', { follows: ['cfg'] }, { initial: true });
    act?.(world);
    assert.equal(stateOf(world.store, world.record('web'), blocks), state);
  });
