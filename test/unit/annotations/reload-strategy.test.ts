/** The strategy by which a workload is rolled: its annotation, or else the flag. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const STRATEGY = 'reloader.k8s.collaborne.com/reload-strategy';
const BY_DEFAULT = vocabulary({});
const EVICTING = vocabulary({ strategy: 'evict' });

function view(kind: string, annotations: Readonly<Record<string, string>> = {}): Workload {
  const metadata = { name: 'web', namespace: 'ns', annotations };
  return workloadOf(workloadKindOf(kind), { metadata, spec: { template: { spec: {} } } }, BY_DEFAULT);
}

for (const kind of ['Job', 'CronJob'])
  test(`the pods of a ${kind} are never evicted, whatever an annotation or the flag says`, () => {
    const asking = view(kind, { [STRATEGY]: 'evict' });
    assert.equal(BY_DEFAULT.strategyOf(asking), 'env-vars');
    assert.equal(EVICTING.strategyOf(asking), 'env-vars');
    assert.equal(EVICTING.strategyOf(view(kind)), 'env-vars');
    const said = `"evict" of ${STRATEGY} is no strategy of a ${kind}; write env-vars or annotations`;
    assert.ok(BY_DEFAULT.mistakesOf(asking).some(({ message }) => message === said));
  });

for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout', 'DeploymentConfig'])
  test(`the pods of a ${kind} are evicted by an annotation or the flag`, () => {
    assert.equal(BY_DEFAULT.strategyOf(view(kind, { [STRATEGY]: 'evict' })), 'evict');
    assert.equal(EVICTING.strategyOf(view(kind)), 'evict');
    assert.equal(BY_DEFAULT.strategyOf(view(kind)), 'env-vars');
  });
