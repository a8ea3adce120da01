import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configObjectOf } from '../../../lib/model/config-object.ts';
import { digestOf, legacyDigestOf } from '../../../lib/model/digest.ts';

const RAW = {
  metadata: { name: 'cfg', namespace: 'ns', uid: 'u', resourceVersion: '7', annotations: { a: 'seen' } },
  data: { password: 'Z2VoZWlt' },
};
const REF = { kind: 'Secret', namespace: 'ns', name: 'cfg' } as const;

test('of an object only its reference, its version and its digest are kept', () => {
  const digest = digestOf('Secret', RAW);
  assert.deepEqual(
    configObjectOf('Secret', RAW, {
      legacyDigest: () => false,
      keyDigests: () => false,
      annotation: () => false,
    }),
    {
      ref: REF,
      uid: 'u',
      resourceVersion: '7',
      digest,
      annotations: {},
    },
  );
});

test('of its annotations those are kept that a policy may ask for', () => {
  const wanted = {
    legacyDigest: () => false,
    keyDigests: () => false,
    annotation: (key: string) => key === 'a',
  };
  assert.deepEqual(configObjectOf('Secret', RAW, wanted).annotations, { a: 'seen' });
});

test('the digest of the older formula is kept only where an old entry has to be compared', () => {
  const asked: unknown[] = [];
  const object = configObjectOf('Secret', RAW, {
    legacyDigest: (ref) => asked.push(ref) > 0,
    keyDigests: () => false,
    annotation: () => false,
  });
  assert.deepEqual(asked, [REF]);
  assert.equal(object.legacyDigest, legacyDigestOf(RAW));
});

test('no value stays behind', () => {
  const text = JSON.stringify(
    configObjectOf('Secret', RAW, {
      legacyDigest: () => true,
      keyDigests: () => false,
      annotation: () => true,
    }),
  );
  assert.ok(!text.includes('Z2VoZWlt') && !text.includes('geheim') && !text.includes('password'));
});

test('a ConfigMap of a state is known by its annotation, our own by its name too, and no Secret is one', () => {
  const isStateOf = (kind: 'ConfigMap' | 'Secret', name: string, annotations = {}): boolean | undefined =>
    configObjectOf(
      kind,
      { metadata: { name, annotations } },
      {
        legacyDigest: () => false,
        keyDigests: () => false,
        annotation: () => false,
        isOwnState: (ref) => ref.name === 'ours',
      },
    ).isState;
  const marked = { 'reloader.k8s.collaborne.com/state-version': '1' };
  assert.deepEqual(
    [
      isStateOf('ConfigMap', 'theirs', marked),
      isStateOf('ConfigMap', 'ours'),
      isStateOf('ConfigMap', 'web'),
      isStateOf('Secret', 'ours', marked),
    ],
    [true, true, undefined, undefined],
  );
});
