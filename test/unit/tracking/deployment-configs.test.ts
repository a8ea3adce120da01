/** What the rules take from a DeploymentConfig: its version, its external rollouts, and deployments that fail. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedRollout } from '../../../lib/blockers/failed-rollout.ts';
import { STAMPED_AFTER_ANNOTATION } from '../../../lib/model/kinds/deployment-config.ts';
import type { WorkloadRef } from '../../../lib/model/object-ref.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { World } from './world.ts';

const AVAILABLE = 'NewReplicationControllerAvailable';

/** A world with the one DeploymentConfig `web`, which follows `cfg`, whose content is `a`. */
class OpenshiftWorld extends World {
  version = 1;
  reason = AVAILABLE;

  override workloadRef(name: string): WorkloadRef {
    return { ...super.workloadRef(name), kind: 'DeploymentConfig' };
  }

  override raw(name: string): RawWorkload {
    const raw = super.raw(name);
    const isDone = this.reason === AVAILABLE;
    const conditions = [{ type: 'Progressing', status: isDone ? 'True' : 'False', reason: this.reason }];
    return { ...raw, status: { ...raw.status, latestVersion: this.version, conditions } };
  }

  override view(name: string): Workload {
    const row = workloadKindOf('DeploymentConfig');
    return workloadOf(row, this.raw(name), this.store.settings.vocabularies);
  }

  /** The patch is applied and observed, and all pods are still those of the version before. */
  stamp(): RolloutPlan {
    const plan = this.send('web');
    this.land(plan);
    this.edit('web', { asks: { [STAMPED_AFTER_ANNOTATION]: String(this.version) }, isRolledOut: true });
    this.answer(plan);
    this.tellWorkload('web');
    return plan;
  }

  /** The status changes, and the stream tells. */
  becomes(version: number, isRolledOut: boolean, reason = AVAILABLE): ReturnType<World['workload']> {
    this.version = version;
    this.reason = reason;
    return this.workload('web', { isRolledOut });
  }
}

function world(): OpenshiftWorld {
  const made = new OpenshiftWorld({ 'v1.ConfigMap_cfg': 'a.1' });
  made.settings.absorbsExternalRollouts = () => true;
  made.config('cfg', 'a', { initial: true });
  made.workload('web', { follows: ['cfg'] }, { initial: true });
  return made;
}

test('a patch that is observed has no pods before the version is raised', () => {
  const web = world();
  web.config('cfg', 'b');
  web.stamp();
  assert.deepEqual([web.edge('web').rolloutInProgress, web.needsRollout('web')], [true, false]);
  web.becomes(2, false);
  web.becomes(2, true);
  assert.deepEqual([web.edge('web').rolloutInProgress, web.needsRollout('web')], [false, false]);
});

test('a content that changes and changes back before the version is raised is rolled once more', () => {
  const web = world();
  web.config('cfg', 'b');
  web.stamp();
  web.config('cfg', 'a');
  web.config('cfg', 'b');
  assert.ok(web.needsRollout('web'));
});

test('the template of another writer is brought by the version after it', () => {
  const web = world();
  web.config('cfg', 'b');
  web.workload('web', { image: 'v2', isRolledOut: true });
  assert.ok(web.needsRollout('web'), 'its version is the one before');
  assert.ok(web.record('web').externalRollout !== undefined);
  web.becomes(2, false);
  web.becomes(2, true);
  assert.ok(!web.needsRollout('web'));
});

test('a failed deployment leaves the change owed, its content is not tried again, and another one is', () => {
  const web = world();
  web.config('cfg', 'b');
  web.stamp();
  web.becomes(2, false, 'ProgressDeadlineExceeded');
  assert.deepEqual([web.edge('web').runningDigest, web.needsRollout('web')], ['?', true]);
  const isInVain = (): boolean => failedRollout(web).check(web.record('web'), 0) !== undefined;
  assert.ok(isInVain());
  web.config('cfg', 'c');
  assert.ok(!isInVain());
  web.stamp();
  assert.ok(!web.needsRollout('web'), 'the failure was that of the version before');
  web.becomes(3, true);
  assert.deepEqual([web.edge('web').runningDigest?.[0], web.needsRollout('web')], ['c', false]);
});

test('a deployment that does not fail any more is not blocked', () => {
  const web = world();
  web.config('cfg', 'b');
  web.stamp();
  web.becomes(2, false, 'RolloutCancelled');
  web.becomes(2, true);
  assert.ok(web.needsRollout('web'));
  assert.equal(failedRollout(web).check(web.record('web'), 0), undefined);
});

test('a deployment of another writer that fails makes nothing owed', () => {
  const web = world();
  web.workload('web', { image: 'v2', isRolledOut: false });
  web.becomes(2, false, 'ProgressDeadlineExceeded');
  assert.ok(!web.needsRollout('web'));
});
