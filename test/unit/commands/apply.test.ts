/** What objects are after manifests are applied to them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { appliedTo, changedKeys, lastAppliedTo } from '../../../lib/commands/manifests/apply.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';

function limited(memory: unknown): object {
  return { resources: { limits: { memory } } };
}

/** The API server keeps both, and the last one counts. */
const TWICE = ['1', '2'].map((value) => ({ name: 'A', value }));

describe('to apply', () => {
  const live = {
    metadata: { name: 'web', uid: 'u', generation: 4, annotations: { by: 'controller' } },
    spec: {
      replicas: 3,
      template: {
        spec: {
          containers: [
            { name: 'app', image: 'a', env: [{ name: '_RELOADER_SECRET_X', value: '1' }, { name: 'OLD' }] },
          ],
        },
      },
    },
  };
  const wanted = {
    metadata: { name: 'web' },
    spec: {
      template: {
        spec: {
          containers: [
            { name: 'app', image: 'b' },
            { name: 'side', image: 'c' },
          ],
        },
      },
    },
  };

  test('keeps what the manifest lacks, and raises the generation with the spec', () => {
    const next = appliedTo(live, wanted);
    assert.partialDeepStrictEqual(next, {
      metadata: { uid: 'u', generation: 5, annotations: { by: 'controller' } },
      spec: { replicas: 3, template: { spec: { containers: [{ image: 'b' }, { image: 'c' }] } } },
    });
    assert.equal(appliedTo(live, { metadata: { name: 'web' } }).metadata.generation, 4);
  });

  test('drops items of a list that the manifest lacks, but for stamps', () => {
    const containers = [{ name: 'app', env: [{ name: 'NEW' }] }];
    const next = appliedTo(
      live,
      { ...wanted, spec: { template: { spec: { containers } } } } as object as typeof wanted,
      live,
    );
    assert.deepEqual(JSON.stringify(next).match(/"name":"(NEW|OLD|_RELOADER_SECRET_X)"/g), [
      '"name":"_RELOADER_SECRET_X"',
      '"name":"NEW"',
    ]);
  });

  /** What the API server stores of a container, what a manifest has, and whether that is a change. */
  const STORED: readonly (readonly [is: object, wanted: object, isChange?: true])[] = [
    ...[
      ['1', 1],
      ['500m', '0.5'],
      ['500m', 0.5],
      ['1', '1000m'],
      ['1100', '1.1k'],
      ['1Gi', '1024Mi'],
      ['1Ki', '1.024e3'],
      ['1E', '1E18'],
      ['5n', '.005u'],
    ].map(([is, wanted]) => [limited(is), limited(wanted)] as const),
    [limited('1G'), limited('1Gi'), true],
    [limited('1'), limited('1m'), true],
    [{ emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: '1024Mi' } }],
    [{ resources: { claims: [{ name: 'a' }] } }, { resources: { claims: [{ name: 'b' }] } }, true],
    [{ args: ['1'] }, { args: ['1.0'] }, true],
    [{ env: [{ name: 'A' }] }, { env: [{ name: 'A', value: '' }] }],
    [{ env: [{ name: 'A', value: 'x' }] }, { env: [{ name: 'A', value: '' }] }, true],
    [{}, { command: [], lifecycle: null, workingDir: '', nodeSelector: {}, tty: false }],
    [{ command: ['x'] }, { command: [] }, true],
    ...[
      [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b', subPath: 's' },
      ],
      [
        { key: 'k', effect: 'NoSchedule' },
        { key: 'k', tolerationSeconds: 5 },
      ],
    ].map((list) => [{ list }, { list }] as const),
    [{ env: [...TWICE, { name: '_RELOADER_SECRET_X', value: '1' }] }, { env: TWICE }],
    [{ env: TWICE }, { env: TWICE.toReversed() }, true],
    [{}, { securityContext: { privileged: false } }, true],
    [{ labels: { a: 'b' } }, { labels: { a: 'b', c: '' } }, true],
    [{ labels: { resources: '1' } }, { labels: { resources: '1.0' } }, true],
  ];
  for (const [is, wanted, isChange = false] of STORED)
    test(`${JSON.stringify(wanted)} over ${JSON.stringify(is)} is ${isChange ? 'a' : 'no'} change`, () => {
      const [before, after] = [is, wanted].map((container) => ({
        metadata: { name: 'web', generation: 1, uid: 'u' },
        spec: { template: { spec: { containers: [{ name: 'app', ...container }] } } },
      })) as readonly RawWorkload[];
      assert.ok(before !== undefined && after !== undefined);
      for (const next of [appliedTo(before, after), appliedTo(before, after, before)]) {
        assert.equal(isDeepStrictEqual((next as RawWorkload).spec, before.spec), !isChange);
        assert.equal(next.metadata.generation, isChange ? 2 : 1);
      }
    });

  test('annotations that were applied before and are gone go; those of another client stay', () => {
    const last = JSON.stringify({ metadata: { annotations: { mine: '1', gone: '1' } } });
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    const live = {
      metadata: { name: 'web', annotations: { [key]: last, mine: '1', gone: '1', other: '1' } },
    };
    const wanted = { metadata: { name: 'web', annotations: { mine: '2' } } };
    const { annotations } = appliedTo(live, wanted, lastAppliedTo(live)).metadata;
    assert.deepEqual(annotations, { [key]: last, mine: '2', other: '1' });
  });

  const SIDE = { name: 'side' };
  const APP = { name: 'app' };
  const MOUNTED = {
    name: 'v',
    configMap: { name: 'k', items: [{ key: 'a', path: 'a', mode: 4 }], defaultMode: 420 },
  };
  /** What a template has, what was applied last (undefined: nothing), what is wanted, and what it has then. */
  const THREE_WAY: Readonly<
    Record<string, readonly [live: object, last: object | undefined, wanted: object, next: object]>
  > = {
    'drops the items of a volume': [
      { volumes: [MOUNTED] },
      { volumes: [MOUNTED] },
      { volumes: [{ name: 'v', configMap: { name: 'k' } }] },
      { volumes: [{ name: 'v', configMap: { name: 'k', defaultMode: 420 } }] },
    ],
    'keeps the items of a volume that another client has added': [
      { volumes: [MOUNTED] },
      {},
      { volumes: [{ name: 'v', configMap: { name: 'k' } }] },
      { volumes: [MOUNTED] },
    ],
    'drops the other source of a volume': [
      { volumes: [MOUNTED] },
      undefined,
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ],
    'replaces a list of references': [
      { envFrom: [{ configMapRef: { name: 'a' }, prefix: 'A' }, { configMapRef: { name: 'b' } }] },
      undefined,
      { envFrom: [{ secretRef: { name: 'a' } }] },
      { envFrom: [{ secretRef: { name: 'a' } }] },
    ],
    'keeps a container of another client in its place': [
      { containers: [SIDE, { ...APP, tty: true }, { name: 'old' }] },
      { containers: [APP, { name: 'old' }] },
      { containers: [APP, { name: 'new' }] },
      { containers: [SIDE, { ...APP, tty: true }, { name: 'new' }] },
    ],
    'keeps a default that is no longer given': [
      { restartPolicy: 'Always', dnsPolicy: 'None', resources: {} },
      { restartPolicy: 'Always', dnsPolicy: 'None', resources: {} },
      {},
      { restartPolicy: 'Always', resources: {} },
    ],
  };
  for (const [name, [is, was, to, then]] of Object.entries(THREE_WAY))
    test(name, () => {
      const [before, last, after] = [is, was ?? {}, to].map((spec) => ({
        metadata: { name: 'web' },
        spec: { template: { spec } },
      }));
      assert.ok(before && after);
      const next = appliedTo(before as RawWorkload, after as RawWorkload, last) as RawWorkload;
      assert.deepEqual(next.spec?.template?.spec, then);
    });

  test('a tree in place of another one keeps nothing that it lacks', () => {
    const annotations = { gone: '1' };
    const former = { metadata: { name: 'web', uid: 'u', generation: 3, annotations }, spec: { replicas: 1 } };
    const { metadata } = appliedTo(former, { metadata: { name: 'web' } }, former);
    assert.deepEqual(metadata, { name: 'web', uid: 'u', generation: 4, annotations: {} });
  });

  /** By what was applied before, the keys that change of `a`, `b` and `c`, where the manifest has `a`. */
  const LAST: Readonly<Record<string, readonly [last: string | undefined, keys: readonly string[]]>> = {
    'no key, where nothing says what was applied': [undefined, []],
    'a key that was applied before, and not one of another client': ['{"data":{"a":"1","b":"2"}}', ['b']],
    'no key that came by stringData': ['{"stringData":{"a":"1","b":"2"}}', []],
    'no key by an annotation that is broken': ['{"data":', []],
  };
  for (const [name, [last, keys]] of Object.entries(LAST))
    test(`drops ${name}`, () => {
      const applied = { 'kubectl.kubernetes.io/last-applied-configuration': last };
      const annotations = (last === undefined ? {} : applied) as Record<string, string>;
      const before = { metadata: { name: 'web', annotations }, data: { a: '1', b: '2', c: '3' } };
      const wanted = { metadata: { name: 'web' }, data: { a: '1' } } as object as typeof before;
      const next = appliedTo(before, wanted, lastAppliedTo(before));
      assert.deepEqual(changedKeys(before, next), keys);
      assert.deepEqual(appliedTo(before, before), before);
    });
});
