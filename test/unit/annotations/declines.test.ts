/** What asks and is not rolled as it is: suspended, or finished. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { Verdict } from '../../../lib/model/reasons.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const ASKS = { 'reloader.k8s.collaborne.com/configmap': 'cfg' };
const FINISHED: RawWorkload['status'] = { conditions: [{ type: 'Complete', status: 'True' }] };

function verdict(
  kind: string,
  { spec = {}, status = {} }: Pick<RawWorkload, 'spec' | 'status'>,
  { annotations = ASKS as Record<string, string>, rollsFinished = false } = {},
): Verdict {
  const vocabularies = vocabulary({ rollsFinished });
  const metadata = { name: 'w', namespace: 'ns', annotations };
  const workload = workloadOf(workloadKindOf(kind), { metadata, spec, status }, vocabularies);
  return vocabularies.judge(workload, { kind: 'ConfigMap', namespace: 'ns', name: 'cfg' }, {});
}

test('what is suspended does not ask', () => {
  for (const kind of ['CronJob', 'Job'])
    assert.deepEqual(verdict(kind, { spec: { suspend: true } }), { asks: false, because: 'suspended' });
  assert.equal(verdict('CronJob', {}).asks, true);
});

test('a Job that has finished asks only where finished ones are rolled too', () => {
  assert.deepEqual(verdict('Job', { status: FINISHED }), { asks: false, because: 'finished' });
  assert.equal(verdict('Job', { status: FINISHED }, { rollsFinished: true }).asks, true);
  assert.equal(verdict('Job', {}).asks, true);
});

test('of what asks for nothing that is said, and not that it is suspended', () => {
  const { because } = verdict('CronJob', { spec: { suspend: true } }, { annotations: {} });
  assert.equal(because, 'not-asked');
});
