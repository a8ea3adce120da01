/** The JSON patch for kinds that take no strategic merge patch does what the strategic merge patch does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import {
  jsonPatchOf,
  type PlannedStamp,
  planOf,
  type RolloutDraft,
} from '../../../lib/model/rollout-plan.ts';
import { ANNOTATIONS, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { fc } from '../../laws.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../../sandbox/json.ts';
import { jsonPatch } from '../../sandbox/json-patch.ts';
import { StatusError } from '../../sandbox/status-error.ts';
import { strategicMerge } from '../../sandbox/strategic-merge.ts';
import { vocabulary } from '../annotations/defaults.ts';

const KIND = workloadKindOf('Rollout');
const VARIABLE = '_RELOADER_CONFIGMAP_CFG';
const OLD = `${'a'.repeat(40)}.1`;

const variable = fc.constantFrom(
  { name: 'A', value: '1' },
  { name: 'B', value: '2' },
  { name: VARIABLE, value: OLD },
);
const env = fc.option(fc.uniqueArray(variable, { selector: ({ name }) => name }), { nil: undefined });
const annotations = fc.option(
  fc.dictionary(
    fc.constantFrom('plain', 'with/slash', 'with~tilde', 'reloader.k8s.collaborne.com/stamps'),
    fc.constant('{}'),
  ),
  { nil: undefined },
);
const metadata = fc.option(fc.record({ annotations }), { nil: undefined });
const template = fc
  .record({ metadata, containers: fc.tuple(env, env) })
  .map(({ metadata: own, containers }) => ({
    ...(own && { metadata: own }),
    spec: {
      containers: containers.map((each, index) => ({ name: `c${index}`, ...(each && { env: each }) })),
    },
  }));
const stamp = fc.constantFrom(ANNOTATIONS, 'c0', 'c1', undefined).map(
  (container): PlannedStamp => ({
    config: 'ns/ConfigMap/cfg',
    stamp: { digest: 'b'.repeat(40), sequence: 2 },
    places: [{ variable: container === ANNOTATIONS ? 'ConfigMap/cfg' : VARIABLE, container }],
    variables: [VARIABLE, 'ConfigMap/cfg'],
  }),
);

function rollout(podTemplate: object, own: Readonly<Record<string, string>> | undefined): RawWorkload {
  return {
    metadata: {
      name: 'web',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '7',
      ...(own && { annotations: own }),
    },
    spec: { template: podTemplate },
  };
}

/** Variables are a map to the API server: their order means nothing. Without any, the list may be left over. */
function inOrder(object: Json): Json {
  const spec = objectOf(pick(object, 'spec', 'template', 'spec'));
  const containers = objectsOf(spec['containers']).map(({ env: list = [], ...rest }) => ({
    ...rest,
    env: objectsOf(list).toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
  }));
  const { template: podTemplate, ...others } = objectOf(pick(object, 'spec'));
  const { metadata: own = {} } = objectOf(podTemplate);
  return {
    ...objectOf(object),
    spec: { ...others, template: { metadata: own, spec: { ...spec, containers } } },
  };
}

const planned = (raw: RawWorkload, draft: Partial<RolloutDraft>) =>
  planOf(workloadOf(KIND, raw, vocabulary()), { stamps: [], versions: new Map(), ...draft });

test('a JSON patch does what the strategic merge patch does', () => {
  fc.assert(
    fc.property(template, annotations, stamp, fc.boolean(), (podTemplate, own, each, removes) => {
      const raw = rollout(podTemplate, own);
      const triggers = removes && own?.['with/slash'] !== undefined ? ['with/slash'] : [];
      const plan = planned(raw, { stamps: [each], triggers });
      const object = raw as unknown as JsonObject;
      const patched = jsonPatch(object, jsonPatchOf(plan, raw) as unknown as Json);
      const wanted = strategicMerge(object, plan.body as JsonObject);
      assert.deepEqual(inOrder(patched), inOrder(wanted));
    }),
  );
});

test('it is refused for another version of the object', () => {
  const raw = rollout({ spec: { containers: [{ name: 'c0' }] } }, undefined);
  const [fence] = jsonPatchOf(planned(raw, {}), raw);
  assert.deepEqual(fence, { op: 'replace', path: '/metadata/resourceVersion', value: '7' });
});

test('it names no place that the object lacks', () => {
  const raw = rollout(
    { spec: { containers: [{ name: 'c0', env: [{ name: VARIABLE, value: OLD }] }] } },
    undefined,
  );
  const other = rollout({ spec: { containers: [] } }, undefined) as unknown as JsonObject;
  const draft = {
    stamps: [
      {
        config: 'ns/ConfigMap/cfg',
        stamp: { digest: 'b'.repeat(40), sequence: 2 },
        places: [{ variable: VARIABLE }],
        variables: [VARIABLE],
      },
    ],
  };
  const patch = jsonPatchOf(planned(raw, draft), raw) as unknown as Json;
  assert.throws(() => jsonPatch(other, patch), StatusError);
});
