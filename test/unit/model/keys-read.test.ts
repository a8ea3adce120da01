/** Which keys of an object a pod template reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawContainer, RawPodTemplate, RawVolume } from '../../../lib/model/raw-objects.ts';
import { referencesOf } from '../../../lib/model/references.ts';

interface Case {
  readonly containers?: readonly Omit<RawContainer, 'name'>[];
  readonly initContainers?: readonly Omit<RawContainer, 'name'>[];
  readonly volumes?: readonly RawVolume[];
  /** `Kind/name`, then the keys; `all` for the whole object. */
  readonly reads: readonly string[];
}

const cfg = { name: 'cfg' };
const variable = (key: string, optional?: boolean) => ({
  name: key,
  valueFrom: { configMapKeyRef: { ...cfg, key, ...(optional === undefined ? {} : { optional }) } },
});
const fromSecret = (key: string, name: string) => ({ name: key, valueFrom: { secretKeyRef: { name, key } } });
const item = (key: string, path = key) => ({ key, path });
const ITEMS = [item('a', 'etc/one'), item('b', 'etc/two'), item('c', 'other')];
const mounted = (...mounts: readonly object[]) => [
  { volumeMounts: mounts.map((mount) => ({ name: 'v', ...mount })) },
];

const CASES: Readonly<Record<string, Case>> = {
  'a variable reads its key': { containers: [{ env: [variable('b')] }], reads: ['ConfigMap/cfg b'] },
  'several read theirs, each once and in order': {
    containers: [{ env: [variable('b'), variable('a')] }, { env: [variable('b')] }],
    reads: ['ConfigMap/cfg a b'],
  },
  'an init container reads too': {
    containers: [{ env: [variable('a')] }],
    initContainers: [{ env: [variable('b')] }],
    reads: ['ConfigMap/cfg a b'],
  },
  'a key of a Secret': {
    containers: [{ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'tls', key: 'crt' } } }] }],
    reads: ['Secret/tls crt'],
  },
  'pods start without an optional key': {
    containers: [{ env: [variable('a', true), variable('b', false)] }],
    reads: ['ConfigMap/cfg a b'],
  },
  'a key that is needed once is needed': {
    containers: [{ env: [variable('a', true), variable('a')] }],
    reads: ['ConfigMap/cfg a'],
  },
  'a group of variables reads the whole object, whatever else does': {
    containers: [{ env: [variable('a')], envFrom: [{ configMapRef: cfg }] }, { env: [variable('b')] }],
    reads: ['ConfigMap/cfg all'],
  },
  'a volume that is mounted whole reads the whole object': {
    volumes: [{ name: 'v', configMap: cfg }],
    containers: mounted({}),
    reads: ['ConfigMap/cfg all'],
  },
  'the items of a volume are what it reads': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: ITEMS } }],
    containers: mounted({}),
    reads: ['ConfigMap/cfg a b c'],
  },
  'the items of a volume of a Secret that may be missing': {
    volumes: [{ name: 'v', secret: { secretName: 'tls', optional: true, items: [item('crt')] } }],
    containers: mounted({}),
    reads: ['Secret/tls crt'],
  },
  'no items are all': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: [] } }],
    containers: mounted({}),
    reads: ['ConfigMap/cfg all'],
  },
  'the items of each part of a projection': {
    volumes: [
      {
        name: 'v',
        projected: { sources: [{ configMap: { ...cfg, items: [item('a')] } }, { secret: { name: 'tls' } }] },
      },
    ],
    containers: mounted({}),
    reads: ['ConfigMap/cfg a', 'Secret/tls all'],
  },
  'a part of a volume is the key of its first segment, and pods start without it': {
    volumes: [{ name: 'v', configMap: cfg }],
    containers: mounted({ subPath: 'a' }, { subPath: './b/x' }),
    reads: ['ConfigMap/cfg a b'],
  },
  'a part of a volume with items is the item whose path it is': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: ITEMS } }],
    containers: mounted({ subPath: 'etc/two' }),
    reads: ['ConfigMap/cfg b'],
  },
  'or all items that lie in it': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: ITEMS } }],
    containers: mounted({ subPath: 'etc/' }),
    reads: ['ConfigMap/cfg a b'],
  },
  'a path that no item has stands for all of them': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: ITEMS } }],
    containers: mounted({ subPath: 'et' }),
    reads: ['ConfigMap/cfg a b c'],
  },
  'a path that variables are put into may be any': {
    volumes: [{ name: 'v', configMap: cfg }],
    containers: mounted({ subPathExpr: '$(NAME)' }),
    reads: ['ConfigMap/cfg all'],
  },
  'a part here and all of it there is all of it': {
    volumes: [{ name: 'v', configMap: cfg }],
    containers: mounted({ subPath: 'a' }, {}),
    reads: ['ConfigMap/cfg all'],
  },
  'what no key can be called is not told apart': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: [item('a,b')] } }],
    containers: mounted({}),
    reads: ['ConfigMap/cfg all'],
  },
  'a path through the directory that a volume keeps for itself may lead to any key': {
    volumes: [{ name: 'v', configMap: cfg }],
    containers: mounted({ subPath: '..data/web.conf' }),
    reads: ['ConfigMap/cfg all'],
  },
  'and where items name the keys, to those': {
    volumes: [{ name: 'v', configMap: { ...cfg, items: ITEMS } }],
    containers: mounted({ subPath: '..data/other' }),
    reads: ['ConfigMap/cfg a b c'],
  },
  'a name that begins with two dots, or is nothing but dots, is no key': {
    containers: [{ env: ['.', '..', '...', '..a'].map((key) => fromSecret(key, key)) }],
    reads: ['Secret/. all', 'Secret/.. all', 'Secret/... all', 'Secret/..a all'],
  },
  'a key may begin with one dot, and hold two elsewhere': {
    containers: [{ env: ['.a', 'a..', '-..a'].map((key) => fromSecret(key, 'tls')) }],
    reads: ['Secret/tls -..a .a a..'],
  },
};

for (const [sentence, { reads, volumes = [], ...containers }] of Object.entries(CASES)) {
  const named = (list: readonly object[] = []) => list.map((each, at) => ({ name: `c${at}`, ...each }));
  const template: RawPodTemplate = {
    spec: {
      volumes,
      containers: named(containers.containers),
      initContainers: named(containers.initContainers),
    },
  };
  test(sentence, () => {
    const told = referencesOf(template, true).map(
      ({ kind, name, keys = ['all'] }) => `${kind}/${name} ${keys.join(' ')}`,
    );
    assert.deepEqual(told, reads);
  });
  test(`${sentence}, without a request for keys none are kept`, () => {
    for (const reference of referencesOf(template)) assert.equal('keys' in reference, false);
  });
}
