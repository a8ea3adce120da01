import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.ts';

function stage() {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true });
  for (const name of ['web', 'api']) world.workload(name, { follows: ['cfg', 'tls'] }, { initial: true });
  world.config('cfg', 'b');
  world.roll('api');
  world.write(); // web is refused: it is marked
  assert.equal(world.written['v1.ConfigMap_cfg'], 'b.1?Deployment/web');
  world.workload('web', { follows: ['tls'] });
  world.write();
  return world;
}
test('opting out of one of two objects, of which the other does not exist, takes its mark out of the state', () => {
  assert.doesNotMatch(stage().written['v1.ConfigMap_cfg'] ?? '', /\?/);
});
test('so that opting in again while no reloader runs rolls nothing', () => {
  const world = stage();
  world.edit('web', { follows: ['cfg', 'tls'] });
  assert.equal(world.restart().needsRollout('web'), false);
});
test('the marks of a kind that this process does not watch stay', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1?Rollout/web' });
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.write();
  assert.equal(world.written['v1.ConfigMap_cfg'], 'b.1?Deployment/web?Rollout/web');
});
