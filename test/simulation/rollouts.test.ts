/** Rollouts of Argo: restarts in one second, one that is taken back, and old pods that come back while no reloader runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './check.ts';
import { type Content, type Step, wait } from './history.ts';
import { ROLLOUT_STRATEGY } from './manifests.ts';

const WEB = 'Rollout/green';
const RESTARTS: Step = { do: 'annotate', workload: WEB, annotations: { [ROLLOUT_STRATEGY]: 'restart' } };

function change(content: Content): Step {
  return { do: 'change', config: 'ConfigMap/c', content };
}

const HISTORIES: Readonly<Record<string, readonly Step[]>> = {
  'what changes in the second in which pods were replaced replaces them again': [
    RESTARTS,
    wait(4000),
    change('B'),
    wait(300),
    change('C'),
    wait(4000),
  ],
  'a restart that is taken back before its moment is asked for again': [
    RESTARTS,
    wait(4000),
    change('B'),
    wait(20),
    { do: 'argo', workload: WEB, act: 'unrestart' },
  ],
  'an undo of what awaits its promotion, while no reloader runs, loses no change': [
    change('B'),
    wait(2000),
    { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 5000 },
    { do: 'undo', workload: WEB },
    wait(8000),
  ],
};

for (const [promise, steps] of Object.entries(HISTORIES)) {
  test(promise, async () => {
    const violations = await check({
      settings: { coalescePeriodMs: 0, maxWaitMs: 0, versions: 'comparable', rolloutMs: 0, argo: true },
      configs: [{ config: 'ConfigMap/c', content: 'A' }],
      workloads: [{ workload: WEB, follows: ['ConfigMap/c'], replicas: 2, strategy: 'rolling' }],
      steps,
      seed: 1,
    });
    assert.deepEqual(violations, []);
  });
}
