/** What another reloader left in a pod template, and what is none of it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inheritedStampsOf, sapReferencesOf } from '../../../lib/annotations/inherited-stamps.ts';
import { waveReferencesOf } from '../../../lib/annotations/wave-references.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { deployment, vocabulary } from './defaults.ts';

const ALL = vocabulary({ dialects: VOCABULARY_NAMES });
const [SHA1, SHA256] = ['a'.repeat(40), 'b'.repeat(64)];
const SOURCE = 'reloader.stakater.com/last-reloaded-from';
const SAP = { hash: 'pod-reloader.cs.sap.com/config-hash', list: 'pod-reloader.cs.sap.com/configmaps' };
const WAVE = { hash: 'wave.pusher.com/config-hash', asks: 'wave.pusher.com/update-on-config-change' };
const OURS = { 'reloader.k8s.collaborne.com/stamps': `{"ConfigMap/a-b":"${SHA1}.1"}` };

interface Case {
  readonly env?: Readonly<Record<string, string>>;
  readonly template?: Readonly<Record<string, string>>;
  readonly workload?: Readonly<Record<string, string>>;
  /** `by` of what. */
  readonly found: readonly string[];
}

function source(name: string, hash = SHA1, type = 'CONFIGMAP'): Record<string, string> {
  return { [SOURCE]: JSON.stringify({ type, name, namespace: 'ns', hash, containerRefs: ['app'] }) };
}

const CASES: Readonly<Record<string, Case>> = {
  "Stakater Reloader's variable": {
    env: { STAKATER_DB_SECRET: SHA1 },
    found: ['stakater ns/Secret/db'],
  },
  'one that two objects share, of each': {
    env: { STAKATER_A_B_CONFIGMAP: SHA1 },
    found: ['stakater ns/ConfigMap/a-b', 'stakater ns/ConfigMap/a.b'],
  },
  'no variable of ours, which has a number': { env: { STAKATER_DB_SECRET: `${SHA1}.2` }, found: [] },
  'no variable of what is not followed': { env: { STAKATER_OTHER_SECRET: SHA1 }, found: [] },
  'its annotation, of the object that it names': {
    template: source('a-b'),
    found: ['stakater ns/ConfigMap/a-b'],
  },
  'an annotation that cannot be read is none': { template: { [SOURCE]: '{' }, found: [] },
  'nor is one without a hash, or of another kind': {
    template: source('db', 'f00', 'DEPLOYMENT'),
    found: [],
  },
  'an annotation beside a stamp of ours is ours': { template: { ...source('a-b'), ...OURS }, found: [] },
  "SAP's hash, while the workload asks in its words": {
    template: { [SAP.hash]: SHA256 },
    workload: { [SAP.list]: 'a-b' },
    found: ['sap'],
  },
  "wave's too": { template: { [WAVE.hash]: SHA256 }, workload: { [WAVE.asks]: 'true' }, found: ['wave'] },
  'no hash of who asks no more': { template: { [SAP.hash]: SHA256, [WAVE.hash]: SHA256 }, found: [] },
  'no hash beside a stamp of ours': {
    template: { [WAVE.hash]: SHA256, ...OURS },
    workload: { [WAVE.asks]: 'true' },
    found: [],
  },
};

const FOLLOWED = ['ns/ConfigMap/a-b', 'ns/ConfigMap/a.b', 'ns/Secret/db', 'elsewhere/Secret/db'];

describe('an inherited stamp is', () => {
  for (const [name, { env = {}, template = {}, workload = {}, found }] of Object.entries(CASES)) {
    test(name, () => {
      const variables = Object.entries(env).map(([variable, value]) => ({ name: variable, value }));
      const spec = { containers: [{ name: 'app', env: variables }] };
      const view = deployment(ALL, workload, { metadata: { annotations: template }, spec });
      const stamps = inheritedStampsOf(view, FOLLOWED);
      const told = stamps.map((stamp) =>
        stamp.by === 'stakater' ? `${stamp.by} ${stamp.config}` : stamp.by,
      );
      assert.deepEqual(told, found);
    });
  }
});

test('SAP takes names as they stand, ConfigMaps first', () => {
  const lists = { [SAP.list]: 'b, a', 'pod-reloader.cs.sap.com/secrets': 'c' };
  const refs = sapReferencesOf(deployment(ALL, lists)).map(({ kind, name }) => `${kind}/${name}`);
  assert.deepEqual(refs, ['ConfigMap/b', 'ConfigMap/ a', 'Secret/c']);
});

test('wave reads volumes whether mounted or not, groups, single keys and extras, and no init container', () => {
  const template = {
    spec: {
      volumes: [
        { name: 'v', configMap: { name: 'volume', items: [{ key: 'ignored' }] } },
        { name: 's', secret: { secretName: 'secret' } },
        { name: 'p', projected: { sources: [{ configMap: { name: 'part', items: [{ key: 'one' }] } }] } },
      ],
      containers: [
        {
          name: 'app',
          env: [
            { name: 'A', valueFrom: { configMapKeyRef: { name: 'part', key: 'two' } } },
            { name: 'B', valueFrom: { configMapKeyRef: { name: 'group', key: 'three' } } },
          ],
          envFrom: [{ configMapRef: { name: 'group' } }],
        },
      ],
      initContainers: [{ name: 'init', envFrom: [{ configMapRef: { name: 'init' } }] }],
    },
  };
  const extras = { 'wave.pusher.com/extra-configmaps': 'extra,other/far,a/b/c' };
  const references = waveReferencesOf(template, extras, 'ns');
  const texts = references?.map(
    ({ ref, keys }) => `${ref.kind}/${ref.namespace}/${ref.name} ${keys ? [...keys].join() : 'all'}`,
  );
  assert.deepEqual(texts, [
    'ConfigMap/ns/extra all',
    'ConfigMap/other/far all',
    'ConfigMap/ns/group all',
    'ConfigMap/ns/part one,two',
    'ConfigMap/ns/volume all',
    'Secret/ns/secret all',
  ]);
});

test('two objects of one name are one to wave: nothing can be said of them', () => {
  const template = { spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'x' } }] }] } };
  const extras = { 'wave.pusher.com/extra-configmaps': 'other/x' };
  assert.equal(waveReferencesOf(template, extras, 'ns'), undefined);
});

test('a template with thousands of stamps is indexed once, also if each edge asks for its own', () => {
  const env = Array.from({ length: 10_000 }, (_, index) => ({
    name: `STAKATER_CM_${index}_CONFIGMAP`,
    value: SHA1,
  }));
  let reads = 0;
  const view = deployment(ALL, {}, { spec: { containers: [{ name: 'app', env }] } });
  const stamps = view.stamps.map(({ container, variable, value }) => ({
    container,
    variable,
    get value() {
      reads += 1;
      return value;
    },
  }));
  const asked = Array.from({ length: 1_000 }, (_, index) => `ns/ConfigMap/cm-${index}`);
  const found = asked.flatMap((config) => inheritedStampsOf({ ...view, stamps }, [config]));
  assert.equal(found.length, 1_000);
  assert.ok(reads <= 10 * stamps.length, `${reads} reads`);
});
