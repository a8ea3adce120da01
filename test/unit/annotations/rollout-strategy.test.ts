/** The choice of a Rollout between a restart and a rollout of its template. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const STAKATER = 'reloader.stakater.com/rollout-strategy';
const NATIVE = 'reloader.k8s.collaborne.com/rollout-strategy';
const ASKS = { 'reloader.k8s.collaborne.com/configmap': 'cfg' };
const ALL = vocabulary({ dialects: ['collaborne', 'stakater'] });

function viewOf(
  annotations: Readonly<Record<string, string>>,
  spec: RawWorkload['spec'] = { template: { spec: { containers: [{ name: 'main' }] } } },
): Workload {
  const metadata = { name: 'web', namespace: 'ns', annotations: { ...ASKS, ...annotations } };
  return workloadOf(workloadKindOf('Rollout'), { metadata, spec }, ALL);
}

const CASES: Record<string, readonly [Readonly<Record<string, string>>, boolean, ...string[]]> = {
  'nothing stamps the template': [{}, false],
  'restart restarts': [{ [STAKATER]: 'restart' }, true],
  'rollout stamps the template': [{ [STAKATER]: 'rollout' }, false],
  'the native word says the same': [{ [NATIVE]: 'restart' }, true],
  'the native word comes first': [{ [NATIVE]: 'rollout', [STAKATER]: 'restart' }, false],
  'any other word is a mistake and does not count': [
    { [NATIVE]: 'Restart', [STAKATER]: 'restart' },
    true,
    `"Restart" of ${NATIVE} is no strategy, so the pod template is stamped; write restart or rollout`,
  ],
};

for (const [sentence, [annotations, restarts, ...told]] of Object.entries(CASES)) {
  test(`of a Rollout: ${sentence}`, () => {
    const workload = viewOf(annotations);
    assert.equal(ALL.restarts(workload), restarts);
    assert.deepEqual(
      ALL.mistakesOf(workload).map(({ message }) => message),
      told,
    );
  });
}

test('the word counts on the Rollout itself only: on its template it is misplaced', () => {
  const template = { metadata: { annotations: { [STAKATER]: 'restart' } } };
  const workload = viewOf({}, { template });
  assert.equal(ALL.restarts(workload), false);
  assert.deepEqual(
    ALL.mistakesOf(workload).map(({ reason }) => reason),
    ['misplaced'],
  );
});

test('the record of a restart is no mistake', () => {
  const record = {
    'reloader.k8s.collaborne.com/stamps': '{}',
    'reloader.k8s.collaborne.com/restarted-at': '2026-01-01T00:00:06Z',
  };
  assert.deepEqual(ALL.mistakesOf(viewOf(record)), []);
});

test('a Rollout tells why the template that it refers to is not known', () => {
  const referenced = {
    kind: 'ReplicaSet',
    name: 'web',
    generation: 0,
    resourceVersion: '',
    problem: 'it is secret',
  };
  const without = { lacksTemplate: true, referenced } as const;
  const [finding, ...others] = ALL.mistakesOf({ ...viewOf({ [NATIVE]: 'rollout' }), ...without });
  assert.deepEqual([finding?.reason, finding?.about, others], ['unserved', 'no pod template', []]);
  assert.match(finding?.message ?? '', /no effect here: it is secret, so nothing/);
  // A restart needs no template.
  assert.deepEqual(ALL.mistakesOf({ ...viewOf({ [NATIVE]: 'restart' }), ...without }), []);
});
