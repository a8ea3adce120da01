/** What wave leaves on workloads, and the patch that undoes it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupPatch, cleanupText, type WaveLeftovers } from '../../../lib/model/hold.ts';
import type { RawMetadata } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { type JsonObject, objectOf } from '../../sandbox/json.ts';
import { strategicMerge } from '../../sandbox/strategic-merge.ts';
import { vocabulary } from './defaults.ts';

const WAVE = vocabulary({ dialects: VOCABULARY_NAMES });
const NOBODY = 'wave.pusher.com/invalid';
const FORMER = 'wave.pusher.com/scheduling-disabled';
const FINALIZER = 'wave.pusher.com/finalizer';

const STUCK = '(of a StatefulSet, those that stay pending have to be deleted once)';

interface Case {
  readonly metadata?: Partial<RawMetadata>;
  readonly schedulerName?: string;
  readonly kind?: string;
  readonly waveLeftovers: WaveLeftovers | undefined;
  readonly words?: string;
}

const CASES: Record<string, Case> = {
  'of a workload that it never touched it leaves nothing': {
    schedulerName: 'mine',
    waveLeftovers: undefined,
  },
  'an unscheduled workload gets its scheduler back': {
    metadata: { annotations: { [FORMER]: 'mine', own: '1' } },
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: 'mine', annotations: [FORMER], finalizers: [] },
    words: `its pods are scheduled again, by mine ${STUCK}`,
  },
  'where it had none, the default one': {
    metadata: { annotations: { [FORMER]: '' } },
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: null, annotations: [FORMER], finalizers: [] },
    words: `its pods are scheduled again, by the default scheduler ${STUCK}`,
  },
  'where nothing tells any more, too': {
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: null, annotations: [], finalizers: [] },
  },
  'a former scheduler that does not exist is not restored': {
    metadata: { annotations: { [FORMER]: NOBODY } },
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: null, annotations: [FORMER], finalizers: [] },
  },
  'where an external writer set a scheduler, only the annotation is removed': {
    metadata: { annotations: { [FORMER]: 'mine' } },
    schedulerName: 'another',
    waveLeftovers: { scheduler: undefined, annotations: [FORMER], finalizers: [] },
    words: 'nothing is left of its waiting',
  },
  'its finalizer goes, and those of others stay': {
    metadata: { finalizers: ['own', FINALIZER] },
    waveLeftovers: { scheduler: undefined, annotations: [], finalizers: [FINALIZER] },
    words: 'its deletion waits for no finalizer of wave any more',
  },
  'all of it goes at once': {
    metadata: { annotations: { [FORMER]: 'mine' }, finalizers: [FINALIZER] },
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: 'mine', annotations: [FORMER], finalizers: [FINALIZER] },
    words: `its pods are scheduled again, by mine ${STUCK}, and its deletion waits for no finalizer of wave any more`,
  },
  'of what is being deleted the finalizer alone': {
    metadata: { annotations: { [FORMER]: 'mine' }, finalizers: [FINALIZER], deletionTimestamp: 'now' },
    schedulerName: NOBODY,
    waveLeftovers: { scheduler: undefined, annotations: [], finalizers: [FINALIZER] },
  },
  'it never touched Jobs': { kind: 'Job', schedulerName: NOBODY, waveLeftovers: undefined },
};

for (const [
  sentence,
  { metadata = {}, schedulerName, kind = 'Deployment', waveLeftovers, words },
] of Object.entries(CASES)) {
  test(sentence, () => {
    const raw = {
      metadata: { name: 'web', namespace: 'ns', resourceVersion: '7', ...metadata },
      spec: { template: { spec: { containers: [], ...(schedulerName && { schedulerName }) } } },
    };
    const row = workloadKindOf(kind);
    const view = workloadOf(row, raw, WAVE);
    assert.deepEqual(view.waveLeftovers, waveLeftovers);
    assert.equal(
      workloadOf(row, raw, vocabulary()).waveLeftovers,
      undefined,
      'the vocabulary wave is not in use',
    );
    if (waveLeftovers === undefined) return;
    if (words !== undefined) assert.equal(cleanupText(waveLeftovers), words);
    const patch = cleanupPatch(view, waveLeftovers) as {
      readonly metadata: { readonly resourceVersion: string };
    };
    assert.equal(patch.metadata.resourceVersion, '7');
    const after = strategicMerge(raw as unknown as JsonObject, patch as unknown as JsonObject);
    assert.equal(
      workloadOf(row, after as unknown as typeof raw, WAVE).waveLeftovers,
      undefined,
      'it is done once',
    );
    assert.deepEqual(
      objectOf(after['metadata'])['finalizers'] ?? [],
      (metadata.finalizers ?? []).filter((one) => one !== FINALIZER),
    );
    if (metadata.annotations?.['own'])
      assert.deepEqual(objectOf(after['metadata'])['annotations'], { own: '1' });
  });
}
