import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configObjectOf } from '../../../lib/model/config-object.ts';
import { UNKEYED } from '../../../lib/model/digest.ts';
import { collaborneDigestOf, digestOf, keyDigestsOf } from '../../digests.ts';

const RAW = {
  metadata: { name: 'cfg', namespace: 'ns', uid: 'u', resourceVersion: '7', annotations: { a: 'seen' } },
  data: { password: 'Z2VoZWlt' },
};
const REF = { kind: 'Secret', namespace: 'ns', name: 'cfg' } as const;

test('of an object only its reference, its version and digests are kept', () => {
  const digest = digestOf('Secret', RAW);
  assert.deepEqual(
    configObjectOf('Secret', RAW, {
      algorithms: UNKEYED,
      annotations: () => ({}),
    }),
    {
      ref: REF,
      uid: 'u',
      resourceVersion: '7',
      digest,
      keyDigests: keyDigestsOf('Secret', RAW),
      annotations: {},
    },
  );
});

test('of its annotations those are kept that a policy may ask for', () => {
  const wanted = {
    algorithms: UNKEYED,
    annotations: ({ a = '' }: Readonly<Record<string, string>>) => ({ a }),
  };
  assert.deepEqual(configObjectOf('Secret', RAW, wanted).annotations, { a: 'seen' });
});

test('a digest under another algorithm is kept only where one has to be compared', () => {
  const object = configObjectOf('Secret', RAW, {
    others: ['collaborne', 'unheard-of'],
    algorithms: UNKEYED,
    annotations: () => ({}),
  });
  assert.deepEqual(object.otherDigests, [collaborneDigestOf(RAW)]);
});

test('no value stays behind', () => {
  const text = JSON.stringify(
    configObjectOf('Secret', RAW, {
      others: ['collaborne'],
      algorithms: UNKEYED,
      annotations: (all: Readonly<Record<string, string>>) => all,
    }),
  );
  assert.ok(!text.includes('Z2VoZWlt') && !text.includes('geheim'));
});

test('a ConfigMap of a state is known by its annotation, our own objects by their names, and no other Secret is one', () => {
  const isStateOf = (kind: 'ConfigMap' | 'Secret', name: string, annotations = {}): boolean | undefined =>
    configObjectOf(
      kind,
      { metadata: { name, annotations } },
      {
        algorithms: UNKEYED,
        annotations: () => ({}),
        isOwnState: (ref) => ref.name === 'ours',
      },
    ).isState;
  const marked = { 'reloader.k8s.collaborne.com/state-version': '1' };
  assert.deepEqual(
    [
      isStateOf('ConfigMap', 'theirs', marked),
      isStateOf('ConfigMap', 'ours'),
      isStateOf('ConfigMap', 'web'),
      isStateOf('Secret', 'theirs', marked),
      isStateOf('Secret', 'ours'),
    ],
    [true, true, undefined, undefined, true],
  );
});
