import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configObjectOf } from '../../../lib/model/config-object.ts';
import { digestOf, digestsUnder } from '../../../lib/model/digest.ts';

const RAW = {
  metadata: { name: 'cfg', namespace: 'ns', uid: 'u', resourceVersion: '7', annotations: { a: 'seen' } },
  data: { password: 'Z2VoZWlt' },
};
const REF = { kind: 'Secret', namespace: 'ns', name: 'cfg' } as const;

test('of an object only its reference, its version and its digest are kept', () => {
  const digest = digestOf('Secret', RAW);
  assert.deepEqual(
    configObjectOf('Secret', RAW, {
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
    keyDigests: () => false,
    annotation: (key: string) => key === 'a',
  };
  assert.deepEqual(configObjectOf('Secret', RAW, wanted).annotations, { a: 'seen' });
});

test('a digest under another algorithm is kept only where one has to be compared', () => {
  const asked: unknown[] = [];
  const object = configObjectOf('Secret', RAW, {
    algorithms: (ref) => {
      asked.push(ref);
      return ['collaborne', 'unheard-of'];
    },
    keyDigests: () => false,
    annotation: () => false,
  });
  assert.deepEqual(asked, [REF]);
  assert.deepEqual(object.otherDigests, digestsUnder(['collaborne'], RAW));
});

test('no value stays behind', () => {
  const text = JSON.stringify(
    configObjectOf('Secret', RAW, {
      algorithms: () => ['collaborne'],
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
