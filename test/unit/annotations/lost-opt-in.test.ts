import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostOptInFinding } from '../../../lib/annotations/other-writers.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const RELOAD = 'configmap.reloader.stakater.com/reload';
const WAVE = 'wave.pusher.com';
const EVERY = vocabulary({ dialects: VOCABULARY_NAMES });

function view(annotations: Record<string, string>, ofTemplate: Record<string, string> = {}): Workload {
  const spec = { template: { metadata: { annotations: ofTemplate } } };
  const raw = { metadata: { name: 'web', namespace: 'ns', annotations }, spec };
  return workloadOf(workloadKindOf('Deployment'), raw, EVERY);
}

const WRITES: Record<string, [before: Record<string, string>, after: Record<string, string>, write: string]> =
  {
    'of its only annotation': [{ [CONFIGMAP]: 'web, api' }, {}, `${CONFIGMAP}: "web, api"`],
    'of both': [{ [CONFIGMAP]: 'web', [SECRET]: 'tls' }, {}, `${CONFIGMAP}: "web" and ${SECRET}: "tls"`],
    'of one of two': [{ [CONFIGMAP]: 'web', [SECRET]: 'tls' }, { [SECRET]: 'tls' }, `${CONFIGMAP}: "web"`],
    'of a part of a list': [
      { [CONFIGMAP]: 'web, api' },
      { [CONFIGMAP]: 'old, api' },
      `${CONFIGMAP}: "web, api"`,
    ],
    'of an expression': [{ [RELOAD]: 'web-.*|\\d+' }, {}, `${RELOAD}: "web-.*|\\\\d+"`],
    'of two words of wave': [
      { [`${WAVE}/update-on-config-change`]: 'true', [`${WAVE}/extra-configmaps`]: 'ns/web' },
      {},
      `${WAVE}/update-on-config-change: "true" and ${WAVE}/extra-configmaps: "ns/web"`,
    ],
    'of a limit and a switch beside it': [
      { 'reloader.k8s.collaborne.com/rollout-limit': '20/1h', 'reloader.stakater.com/auto': 'T' },
      {},
      'reloader.k8s.collaborne.com/rollout-limit: "20/1h" and reloader.stakater.com/auto: "T"',
    ],
  };

const WEB: ConfigRef = { kind: 'ConfigMap', namespace: 'ns', name: 'web' };

for (const [sentence, [before, after, write]] of Object.entries(WRITES)) {
  test(`the loss ${sentence} is told with what was there`, () => {
    assert.deepEqual(lostOptInFinding({ refs: [WEB], before: view(before), after: view(after) }), {
      reason: 'opt-in-lost',
      about: 'ConfigMap/web',
      message: `it follows ConfigMap/web no more: the annotation went together with our stamp, as kubectl rollout undo does it; if that was not meant, write ${write}`,
    });
  });
}

test('what stood on the pod template is told to be written there', () => {
  const before = view({ [CONFIGMAP]: 'web' }, { [RELOAD]: 'web' });
  const { message } = lostOptInFinding({ refs: [WEB], before, after: view({}) });
  assert.ok(
    message.endsWith(`, write ${CONFIGMAP}: "web" and on the pod template ${RELOAD}: "web"`),
    message,
  );
});
