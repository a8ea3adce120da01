/** What a pod template refers to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { referencesOf } from '../../../lib/model/references.ts';
import { fc } from '../../laws.ts';

type Spec = NonNullable<RawPodTemplate['spec']>;

interface Case {
  readonly spec: Spec;
  /** `Kind/name`, then the container or `-`, then perhaps `optional`. */
  readonly refers: readonly string[];
}

const mount = (...names: readonly string[]) => names.map((name) => ({ name }));
const cfg = { name: 'cfg' };
const CFG_VOLUME = { name: 'v', configMap: cfg };

const OF_THE_POD = {
  downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
};
const OF_THE_CLUSTER: readonly object[] = [
  OF_THE_POD,
  { serviceAccountToken: { path: 'token' } },
  { clusterTrustBundle: { name: 'cfg', path: 'ca.crt' } },
];
const CLAIM = { metadata: { annotations: { configMap: 'cfg' } }, spec: { storageClassName: 'cfg' } };
const DRIVERS = [
  { csi: { driver: 'files.example', volumeAttributes: { configMap: 'cfg' }, nodePublishSecretRef: cfg } },
  { ephemeral: { volumeClaimTemplate: CLAIM } },
  { azureFile: { secretName: 'cfg', shareName: 'cfg' } },
];

/** A volume of the class `db`. */
function classVolume(driver: string): NonNullable<Spec['volumes']>[number] {
  return { name: 'v', csi: { driver, volumeAttributes: { secretProviderClass: 'db' } } };
}

const CASES: Record<string, Case> = {
  'an empty template refers to nothing': { spec: {}, refers: [] },
  'a variable of a ConfigMap': {
    spec: { containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { configMapKeyRef: cfg } }] }] },
    refers: ['ConfigMap/cfg c'],
  },
  'a variable of a Secret': {
    spec: { containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'tls' } } }] }] },
    refers: ['Secret/tls c'],
  },
  'a variable with a value, or of the pod itself, refers to nothing': {
    spec: {
      containers: [
        {
          name: 'c',
          env: [
            { name: 'A', value: 'cfg' },
            { name: 'B', valueFrom: {} },
          ],
        },
      ],
    },
    refers: [],
  },
  'all variables of a ConfigMap and of a Secret': {
    spec: { containers: [{ name: 'c', envFrom: [{ configMapRef: cfg }, { secretRef: { name: 'tls' } }] }] },
    refers: ['ConfigMap/cfg c', 'Secret/tls c'],
  },
  'a mounted ConfigMap': {
    spec: { volumes: [CFG_VOLUME], containers: [{ name: 'c', volumeMounts: mount('v') }] },
    refers: ['ConfigMap/cfg c'],
  },
  'a mounted Secret': {
    spec: {
      volumes: [{ name: 'v', secret: { secretName: 'tls' } }],
      containers: [{ name: 'c', volumeMounts: mount('v') }],
    },
    refers: ['Secret/tls c'],
  },
  'every part of a mounted projection': {
    spec: {
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [{ configMap: cfg }, { secret: { name: 'tls' } }, {}, { configMap: { name: 'b' } }],
          },
        },
      ],
      containers: [{ name: 'c', volumeMounts: mount('v') }],
    },
    refers: ['ConfigMap/cfg c', 'Secret/tls c', 'ConfigMap/b c'],
  },
  'all variables of an object with a prefix': {
    spec: { containers: [{ name: 'c', envFrom: [{ ...{ prefix: 'A_' }, configMapRef: cfg }] }] },
    refers: ['ConfigMap/cfg c'],
  },
  'what the cluster or the pod itself puts into a projection refers to nothing': {
    spec: {
      volumes: [
        { name: 'v', projected: { sources: OF_THE_CLUSTER } },
        { name: 'w', ...OF_THE_POD },
      ],
      containers: [{ name: 'c', volumeMounts: mount('v', 'w') }],
    },
    refers: [],
  },
  'a name in the attributes of a volume of a driver, or a Secret with which it is mounted, does not count': {
    spec: {
      volumes: DRIVERS.map((volume, index) => ({ name: `v${index}`, ...volume })),
      containers: [{ name: 'c', volumeMounts: DRIVERS.map((_, index) => ({ name: `v${index}` })) }],
    },
    refers: [],
  },
  'a mounted class of the Secrets Store CSI driver': {
    spec: {
      volumes: [classVolume('secrets-store.csi.k8s.io')],
      containers: [{ name: 'c', volumeMounts: mount('v') }],
    },
    refers: ['SecretProviderClass/db c'],
  },
  'a class that no container mounts does not count': {
    spec: { volumes: [classVolume('secrets-store.csi.k8s.io')], containers: [{ name: 'c' }] },
    refers: [],
  },
  'an attribute of that name of another driver does not count': {
    spec: {
      volumes: [classVolume('files.example')],
      containers: [{ name: 'c', volumeMounts: mount('v') }],
    },
    refers: [],
  },
  'a volume that no container mounts does not count': {
    spec: { volumes: [CFG_VOLUME, { name: 'w' }], containers: [{ name: 'c', volumeMounts: mount('w') }] },
    refers: [],
  },
  'a mount of a volume that is not there does not count': {
    spec: { containers: [{ name: 'c', volumeMounts: mount('v') }] },
    refers: [],
  },
  'another volume of the same object counts although the first is not mounted': {
    spec: {
      volumes: [CFG_VOLUME, { name: 'w', configMap: cfg }],
      containers: [{ name: 'c', volumeMounts: mount('w') }],
    },
    refers: ['ConfigMap/cfg c'],
  },
  'credentials for pulling images do not count': {
    spec: { ...{ imagePullSecrets: [{ name: 'pull' }] }, containers: [{ name: 'c' }] },
    refers: [],
  },
  'an init container counts, and has no name to stamp': {
    spec: {
      volumes: [CFG_VOLUME],
      containers: [{ name: 'c' }],
      initContainers: [{ name: 'i', volumeMounts: mount('v'), envFrom: [{ secretRef: { name: 'tls' } }] }],
    },
    refers: ['Secret/tls -', 'ConfigMap/cfg -'],
  },
  'the first container that reads it is the one, whatever an init container does': {
    spec: {
      initContainers: [{ name: 'i', envFrom: [{ configMapRef: cfg }] }],
      volumes: [CFG_VOLUME],
      containers: [
        { name: 'c' },
        { name: 'd', volumeMounts: mount('v') },
        { name: 'e', envFrom: [{ configMapRef: cfg }] },
      ],
    },
    refers: ['ConfigMap/cfg d'],
  },
  'an object that is read in several ways is one reference, and two kinds of one name are two': {
    spec: {
      volumes: [CFG_VOLUME],
      containers: [
        {
          name: 'c',
          volumeMounts: mount('v', 'v'),
          envFrom: [{ configMapRef: cfg }, { secretRef: { name: 'cfg' } }],
        },
      ],
    },
    refers: ['ConfigMap/cfg c', 'Secret/cfg c'],
  },
  'what is optional everywhere is optional': {
    spec: {
      volumes: [{ name: 'v', secret: { secretName: 'tls', optional: true } }],
      containers: [
        {
          name: 'c',
          volumeMounts: mount('v'),
          env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cfg', optional: true } } }],
          envFrom: [{ secretRef: { name: 'tls', optional: true } }],
        },
      ],
    },
    refers: ['ConfigMap/cfg c optional', 'Secret/tls c optional'],
  },
  'what is needed once is needed': {
    spec: {
      containers: [
        { name: 'c', envFrom: [{ configMapRef: { name: 'cfg', optional: true } }] },
        { name: 'd', envFrom: [{ configMapRef: { name: 'cfg', optional: false } }] },
        { name: 'e', envFrom: [{ configMapRef: { name: 'cfg', optional: true } }] },
      ],
    },
    refers: ['ConfigMap/cfg c'],
  },
  'an empty name refers to nothing': {
    spec: { containers: [{ name: 'c', envFrom: [{ configMapRef: { name: '' } }, { secretRef: {} }] }] },
    refers: [],
  },
};

for (const [sentence, { spec, refers }] of Object.entries(CASES)) {
  test(sentence, () => {
    const told = referencesOf({ spec }).map(({ kind, name, container, isOptional }) =>
      `${kind}/${name} ${container ?? '-'} ${isOptional ? 'optional' : ''}`.trim(),
    );
    assert.deepEqual(told, refers);
  });
}

test('a template without a specification refers to nothing', () => assert.deepEqual(referencesOf({}), []));

test('law: each object is referred to once, in the order of the containers, and by one that reads it', () => {
  const name = fc.constantFrom<string>('a', 'b', 'c');
  const container = fc.array(name, { maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(container, { maxLength: 4 }),
      fc.array(container, { maxLength: 2 }),
      (own, first) => {
        const read = (names: readonly string[], at: string) => ({
          name: at,
          envFrom: names.map((one) => ({ configMapRef: { name: one } })),
        });
        const spec = {
          containers: own.map((names, index) => read(names, `c${index}`)),
          initContainers: first.map((names, index) => read(names, `i${index}`)),
        };
        const references = referencesOf({ spec });
        assert.deepEqual(
          references.map((reference) => reference.name),
          [...new Set([...own, ...first].flat())],
        );
        for (const reference of references) {
          const index = own.findIndex((names) => names.includes(reference.name));
          assert.equal(reference.container, index < 0 ? undefined : `c${index}`);
        }
      },
    ),
  );
});
