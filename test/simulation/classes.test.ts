/** Rotations of a class by hand: how often they roll a workload. */

import assert from 'node:assert/strict';
import { type Case, following, testCases, WEB } from './cases.ts';
import type { Content, Step } from './history.ts';
import { CLASS } from './manifests.ts';
import { rolloutsOf } from './timeline.ts';

const OTHER = 'Deployment/api';
const SETTINGS = { classes: { pollMs: 20_000 }, required: [CLASS] };

function rotate(content: Content): Step {
  return { do: 'change', config: CLASS, content };
}

/** The driver brings all pods a rotation within the quiet period. */
const QUICK = { ...SETTINGS, classes: { pollMs: 400 } };

function scale(replicas: number): Step {
  return { do: 'scale', workload: WEB, replicas };
}

/** Two workloads mount the class; it is A, and all pods have it. */
function mounted(steps: readonly Step[], rollouts: number, other = rollouts): Case {
  return {
    settings: SETTINGS,
    workloads: following(WEB, OTHER).map((workload) => ({ ...workload, follows: [CLASS] })),
    steps: [rotate('A'), { do: 'wait', ms: 30_000 }, ...steps, { do: 'wait', ms: 100_000 }],
    rollouts: { [WEB]: rollouts, [OTHER]: other },
    reads: 'A',
  };
}

testCases({
  'a rotation is one rollout of each workload': mounted([rotate('B')], 1),
  'a rotation that is taken back later is two rollouts': mounted(
    [rotate('B'), { do: 'wait', ms: 10_000 }, rotate('A')],
    2,
  ),
  'a rotation that is taken back within the quiet period is none': {
    ...mounted([rotate('B'), { do: 'wait', ms: 1000 }, rotate('A')], 0),
    settings: QUICK,
  },
  'and one of the workload whose pod began with it': {
    ...mounted([rotate('B'), scale(3), { do: 'wait', ms: 1000 }, rotate('A')], 1, 0),
    settings: QUICK,
  },
  'pods that begin with what all others get': mounted([rotate('B'), scale(3)], 1),
  'nodes are stuck: it counts once one pod has it': {
    ...mounted([{ do: 'driver', is: 'stuck' }, rotate('B')], 1),
    also: (trace) => assert.ok(rolloutsOf(trace, WEB).every(({ ms }) => ms < 70_000)),
  },
  'no versions say nothing, nor those that come back': mounted(
    [
      { do: 'driver', is: 'mute' },
      { do: 'wait', ms: 40_000 },
      { do: 'driver', is: 'well' },
    ],
    0,
  ),
  'versions that come back with another content': mounted(
    [
      { do: 'driver', is: 'mute' },
      { do: 'wait', ms: 40_000 },
      rotate('B'),
      { do: 'driver', is: 'well' },
      scale(3),
    ],
    1,
  ),
  'the class is deleted and comes back': mounted([{ do: 'recreate', config: CLASS }], 0),
  'all pods end, and others begin with another content': mounted(
    [
      { do: 'scale', workload: OTHER, replicas: 0 },
      scale(0),
      { do: 'wait', ms: 10_000 },
      rotate('B'),
      scale(2),
      { do: 'scale', workload: OTHER, replicas: 1 },
    ],
    0,
  ),
});
