/** `reloader plan` while the reloader is stopped, or where there is none: it says only what a start would find. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { configMap, deployment, onCluster, shortened } from './plans.ts';
import { follows, World } from './world.ts';

const CHANGED = configMap({ value: 'B' });

/** A reloader that has recorded the first content, and is stopped. */
function stopped(isCommitted = true): World {
  return new World().install(['-A'], 0).configMap('web', {}, isCommitted);
}

describe('while the reloader is stopped, a changed object rolls', () => {
  const one = ['Deployment/web', 'reloader', 'ConfigMap/web (key value)'] as const;
  const other = ['Deployment/api', 'reloader', 'ConfigMap/web (key value)'] as const;
  const web = { annotations: follows('web') };
  const api = { ...web, name: 'api' };
  const rows = {
    'a new workload': [stopped(), [deployment('app:1')], [one]],
    'a new workload, beside another one': [stopped().deployment(api), [deployment('app:1')], [other, one]],
    'a workload whose template changes': [stopped().deployment(web), [deployment('app:2')], [one]],
    'nothing, where the content was not recorded': [stopped(false).deployment(web), [], []],
  } as const;
  for (const [what, [world, objects, rolls]] of Object.entries(rows))
    test(what, async () => {
      const answer = await onCluster(world, [CHANGED, ...objects]);
      assert.deepEqual(shortened(answer), rolls);
      for (const { when } of answer.rollouts) assert.equal(when, 'once the reloader runs');
    });
});

test('no time is said of rollouts where no reloader runs, or its flags are not known', async () => {
  const web = { annotations: follows('web') };
  const none = new World().configMap().deployment(web);
  const hidden = new World().install(['-A'], 1, [], [], ['/bin/sh']).configMap().deployment(web);
  const killed = new World().install().configMap().deployment(web).lease({ renewedMsAgo: 20_000 });
  const laptop = new World().configMap().deployment(web).lease();
  for (const [world, when] of [
    [none, 'once the reloader runs'],
    [hidden, 'at a time that is not known'],
    [killed, 'at a time that is not known'],
    [laptop, 'at a time that is not known'],
  ] as const)
    assert.deepEqual(
      (await onCluster(world, [CHANGED])).rollouts.map((each) => each.when),
      [when],
    );
});
