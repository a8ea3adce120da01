/** A restart in place of a new template: its moment, its record, and the two sorts of stamps beside each other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentAfter, RESTARTED_AT_ANNOTATION, RESTARTS } from '../../../lib/model/kinds/argo-rollout.ts';
import { type PlannedStamp, planOf } from '../../../lib/model/rollout-plan.ts';
import { ANNOTATIONS, STAMPS_ANNOTATION, type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';

const B = 'b'.repeat(40);
const AT = '2026-01-01T00:00:06Z';
const VARIABLE = '_RELOADER_CONFIGMAP_CFG';
const IN_ANNOTATIONS = 'ConfigMap/cfg';

test('the moment is the first full second after the answer', () => {
  assert.equal(momentAfter('Thu, 01 Jan 2026 00:00:05 GMT'), AT);
  assert.equal(momentAfter('Wed, 31 Dec 2025 23:59:59 GMT'), '2026-01-01T00:00:00Z');
  assert.deepEqual([momentAfter(undefined), momentAfter('soon')], [undefined, undefined]);
});

function viewOf({ restartAt = AT, kind = 'Rollout', template = {}, annotations = {} }): Workload {
  const raw = {
    metadata: {
      name: 'web',
      namespace: 'ns',
      resourceVersion: '7',
      annotations: {
        [STAMPS_ANNOTATION]: `{"${IN_ANNOTATIONS}":"${B}.1","ConfigMap/other":"${B}.4"}`,
        [RESTARTED_AT_ANNOTATION]: AT,
        ...annotations,
      },
    },
    spec: { restartAt, template: { spec: { containers: [{ name: 'main', ...template }] } } },
  };
  return workloadOf(workloadKindOf(kind), raw, vocabulary({}));
}

const STAMPED = { env: [{ name: VARIABLE, value: `${B}.2` }] };

test('the record speaks while its restart, or a later one, is asked for', () => {
  const count = (about: object): number => viewOf(about).stamps.length;
  assert.equal(count({}), 2);
  assert.equal(count({ restartAt: '2026-01-01T00:00:07Z' }), 2, 'a later one has restarted all pods too');
  assert.equal(count({ restartAt: '2026-01-01T00:00:05Z' }), 0, 'it was taken back');
  assert.equal(count({ restartAt: 'soon' }), 0);
  assert.equal(count({ annotations: { [RESTARTED_AT_ANNOTATION]: 'soon' } }), 0);
  assert.equal(count({ kind: 'Deployment' }), 0, 'no other kind restarts its pods');
});

function planned(place: PlannedStamp['places'][number]): PlannedStamp {
  const stamp = { digest: B, id: 3 };
  return { config: 'ns/ConfigMap/cfg', stamp, places: [place], variables: [VARIABLE, IN_ANNOTATIONS] };
}

test('a restart leaves the template as it is, and keeps the other stamps of restarts', () => {
  const approved = { 'reloader.k8s.collaborne.com/approved': 'x' };
  const workload = viewOf({ template: STAMPED, annotations: approved });
  const stamps = [planned({ variable: IN_ANNOTATIONS, container: RESTARTS })];
  const triggers = ['reloader.k8s.collaborne.com/approved'];
  const draft = { stamps, versions: new Map(), annotations: { told: 'to people' }, triggers };
  const { isRestart, template, operations } = planOf(workload, draft);
  const text = `{"ConfigMap/cfg":"${B}.3","ConfigMap/other":"${B}.4"}`;
  assert.deepEqual([isRestart, template], [true, { annotations: {}, variables: [] }]);
  assert.deepEqual(
    operations.filter(({ op }) => op !== 'test'),
    [
      { op: 'remove', path: '/metadata/annotations/reloader.k8s.collaborne.com~1approved' },
      { op: 'add', path: '/metadata/annotations/reloader.k8s.collaborne.com~1stamps', value: text },
    ],
  );
});

test('a new template leaves the stamps of restarts where they are, and does not take them over', () => {
  const variable = planOf(viewOf({}), {
    stamps: [planned({ variable: VARIABLE })],
    versions: new Map(),
  });
  const variables = [{ container: 'main', variable: VARIABLE, value: `${B}.3` }];
  assert.deepEqual(variable.template, { annotations: {}, variables });
  assert.equal(variable.isRestart, undefined);
  const annotation = planOf(viewOf({}), {
    stamps: [planned({ variable: IN_ANNOTATIONS, container: ANNOTATIONS })],
    versions: new Map(),
  });
  const annotations = { [STAMPS_ANNOTATION]: `{"ConfigMap/cfg":"${B}.3"}` };
  assert.deepEqual(annotation.template, { annotations, variables: [] });
});

test('the template is the same to us once its controller has completed it with empty resources', () => {
  const [plain, completed] = [viewOf({}), viewOf({ template: { resources: {} } })];
  assert.equal(plain.templateDigest, completed.templateDigest);
  const limited = viewOf({ template: { resources: { limits: { cpu: '1' } } } });
  assert.notEqual(plain.templateDigest, limited.templateDigest);
});
