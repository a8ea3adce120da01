import assert from 'node:assert/strict';
import { test } from 'node:test';
import { competingReloaderFinding, competitorIn } from '../../../lib/annotations/other-writers.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const WORDS = vocabulary();
const VARIABLE = 'STAKATER_WEB_CONFIGMAP';
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

const HASH = 'wave.pusher.com/config-hash';
const STAMPS = 'reloader.k8s.collaborne.com/stamps';

/** A Deployment whose pod template has these annotations. */
function annotated(annotations: Record<string, string>, manager = 'wave'): Workload {
  return view({}, manager, annotations);
}

/** A Deployment whose container has these variables. */
function view(variables: Record<string, string>, manager = 'Reloader', annotations = {}): Workload {
  const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const raw = {
    metadata: {
      name: 'web',
      namespace: 'ns',
      managedFields: [{ manager, time: '2026-01-01T00:00:00Z' }],
    },
    spec: { template: { metadata: { annotations }, spec: { containers: [{ name: 'app', env }] } } },
  };
  return workloadOf(workloadKindOf('Deployment'), raw, WORDS);
}

const SHOWN: Record<string, [before: Workload, after: Workload]> = {
  'over one of its own': [view({ [VARIABLE]: A }), view({ [VARIABLE]: B })],
  'over one of ours': [view({ [VARIABLE]: `${A}.1` }), view({ [VARIABLE]: B })],
  'without the sequence of ours': [view({ [VARIABLE]: `${A}.1` }), view({ [VARIABLE]: A })],
  'where none was': [view({}), view({ [VARIABLE]: A })],
  'of a Secret': [view({}), view({ STAKATER_WEB_SECRET: A })],
};

for (const [sentence, [before, after]] of Object.entries(SHOWN)) {
  test(`a digest without a sequence ${sentence} shows another reloader`, () => {
    const competitor = competitorIn(before, after);
    assert.ok(competitor !== undefined);
    const { reason, message } = competingReloaderFinding(competitor);
    assert.equal(reason, 'second-reloader');
    assert.match(message, /^another reloader \(field manager Reloader\) wrote .* STAKATER_WEB_/);
  });
}

const NOT_SHOWN: Record<string, [before: Workload, after: Workload]> = {
  'that was there before': [view({ [VARIABLE]: A }), view({ [VARIABLE]: A })],
  'that goes': [view({ [VARIABLE]: A }), view({})],
  'that gets a sequence': [view({ [VARIABLE]: A }), view({ [VARIABLE]: `${B}.1` })],
  'that is none': [view({}), view({ [VARIABLE]: 'x' })],
  'in a variable of ours': [view({}), view({ _RELOADER_CONFIGMAP_WEB: A })],
  'that kubectl brings back': [view({ [VARIABLE]: `${B}.1` }), view({ [VARIABLE]: A }, 'kubectl-rollout')],
  'that Helm brings back': [view({ [VARIABLE]: `${B}.1` }), view({ [VARIABLE]: A }, 'helm')],
};

for (const [sentence, [before, after]] of Object.entries(NOT_SHOWN)) {
  test(`a digest ${sentence} shows no other reloader`, () => {
    assert.equal(competitorIn(before, after), undefined);
  });
}

const HASHES: Record<string, [isShown: boolean, before: Workload, after: Workload]> = {
  'that was another one': [true, annotated({ [HASH]: 'x' }), annotated({ [HASH]: 'y' })],
  'where none was': [true, annotated({}), annotated({ 'pod-reloader.cs.sap.com/config-hash': 'x' })],
  'that was there before': [false, annotated({ [HASH]: 'x' }), annotated({ [HASH]: 'x' })],
  'with a stamp of ours': [
    false,
    annotated({ [HASH]: 'x' }),
    annotated({ [HASH]: 'y', [STAMPS]: `{"ConfigMap/web":"${A}.2"}` }),
  ],
  'that kubectl brings back': [false, annotated({ [HASH]: 'y' }), annotated({ [HASH]: 'x' }, 'kubectl')],
};

for (const [sentence, [isShown, before, after]] of Object.entries(HASHES)) {
  test(`a hash ${sentence} shows ${isShown ? 'another' : 'no other'} reloader`, () => {
    assert.equal(competitorIn(before, after) !== undefined, isShown);
  });
}

test('where the server does not tell who wrote, that is said', () => {
  const unmanaged = { ...view({ [VARIABLE]: A }), lastManager: undefined };
  const competitor = competitorIn(view({}), unmanaged);
  assert.ok(competitor !== undefined);
  assert.match(competingReloaderFinding(competitor).message, /field manager unknown/);
});
