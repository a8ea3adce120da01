import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { followed, vocabulary } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const NATIVE = vocabulary();

function view(annotations: Record<string, string>): Workload {
  const raw = { metadata: { name: 'web', namespace: 'ns', annotations } };
  return workloadOf(workloadKindOf('Deployment'), raw, NATIVE);
}

const WRITES: Record<string, [before: Record<string, string>, after: Record<string, string>, write: string]> =
  {
    'of its only annotation': [{ [CONFIGMAP]: 'web, api' }, {}, `${CONFIGMAP}: "web, api"`],
    'of both': [{ [CONFIGMAP]: 'web', [SECRET]: 'tls' }, {}, `${CONFIGMAP}: "web" and ${SECRET}: "tls"`],
    'of one of two': [{ [CONFIGMAP]: 'web', [SECRET]: 'tls' }, { [SECRET]: 'tls' }, `${CONFIGMAP}: "web"`],
    'of a part of a list, beside what is new': [
      { [CONFIGMAP]: 'web, api' },
      { [CONFIGMAP]: 'old, api' },
      `${CONFIGMAP}: "old, api, web"`,
    ],
  };

for (const [sentence, [before, after, write]] of Object.entries(WRITES)) {
  test(`the loss ${sentence} is told with what was there`, () => {
    const refs = followed(NATIVE, before).slice(0, 1);
    assert.deepEqual(NATIVE.noticeOfLoss({ refs, before: view(before), after: view(after) }), {
      reason: 'opt-in-lost',
      about: 'ConfigMap/web',
      message: `it follows ConfigMap/web no more: the annotation went together with our stamp, as kubectl rollout undo does it; if that was not meant, write ${write}`,
    });
  });
}
