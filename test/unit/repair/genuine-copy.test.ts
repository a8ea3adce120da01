/** Which copies of Jobs are acted on that another process made, or says to have made. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stampVariablesOf } from '../../../lib/annotations/stamp-variables.ts';
import { copyOf } from '../../../lib/model/kinds/jobs.ts';
import type { RawMetadata, RawWorkload } from '../../../lib/model/raw-objects.ts';
import { planOf } from '../../../lib/model/rollout-plan.ts';
import { isGenuineCopy } from '../../../lib/repair/genuine-copy.ts';
import { Store } from '../../../lib/store/store.ts';
import { settingsWith } from '../../settings.ts';

const ASKS = { 'reloader.k8s.collaborne.com/configmap': 'work' };
const EDGES = new Store(settingsWith({ homeNamespace: 'ns' }));

function job(metadata: Partial<RawMetadata> = {}): RawWorkload {
  return {
    metadata: {
      name: 'work',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '7',
      annotations: ASKS,
      ...metadata,
    },
    spec: { template: { spec: { containers: [{ name: 'app' }] } } },
  };
}

/** Stamped, as the plan of a rollout has it. */
function copyMadeOf(raw: RawWorkload): RawWorkload {
  const workload = EDGES.viewOf({ kind: 'Job', namespace: 'ns', name: 'work' }, raw);
  const variables = stampVariablesOf([{ kind: 'ConfigMap', namespace: 'ns', name: 'work' }]);
  const [[config, { written, read }] = ['', { written: {}, read: [] }]] = variables;
  const places = Object.values(written).map((variable) => ({ variable }));
  const stamps = [{ config, stamp: { digest: 'a'.repeat(40), id: 2 }, places, variables: read }];
  return copyOf(raw, planOf(workload, { stamps, versions: new Map() }));
}

const PATTERN = { 'configmap.reloader.stakater.com/reload': 'wor.*' };
const CASES: Record<string, { job: RawWorkload | undefined; copy: RawWorkload; isGenuine: boolean }> = {
  'one of a Job that asks': { job: job(), copy: copyMadeOf(job()), isGenuine: true },
  'one of a Job that asks with a pattern': {
    job: job({ annotations: PATTERN }),
    copy: copyMadeOf(job({ annotations: PATTERN })),
    isGenuine: true,
  },
  'none of a Job that does not': {
    job: job({ annotations: {} }),
    copy: copyMadeOf(job({ annotations: {} })),
    isGenuine: false,
  },
  'none of another Job': { job: job({ labels: { own: '1' } }), copy: copyMadeOf(job()), isGenuine: false },
  'none of a Job that is left alone': {
    job: job({ finalizers: ['example.com/wait'] }),
    copy: copyMadeOf(job()),
    isGenuine: false,
  },
  'one that asks, of a Job that is gone': { job: undefined, copy: copyMadeOf(job()), isGenuine: true },
  'none that does not ask, of a Job that is gone': {
    job: undefined,
    copy: copyMadeOf(job({ annotations: {} })),
    isGenuine: false,
  },
};

for (const [sentence, { job: of, copy, isGenuine }] of Object.entries(CASES))
  test(`acted on is ${sentence}`, () => assert.equal(isGenuineCopy(EDGES, copy, of), isGenuine));
