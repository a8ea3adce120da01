/**
 * The formulas of other reloaders, against vectors that Python's hashlib made of the texts beside them: for example
 * `hashlib.sha1(b';'.join(sorted([b'a=1', b'a-b=2']))).hexdigest()`.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sapHashOf, stakaterDigestOf, WaveHash } from '../../../lib/annotations/inherited-digests.ts';
import type { ConfigKind } from '../../../lib/model/object-ref.ts';
import type { RawConfigObject } from '../../../lib/model/raw-objects.ts';

const metadata = { name: 'x' };
/** The bytes 0, 255, 128, and those of `\xff\x00secret`. */
const [BYTES, SECRET] = ['AP+A', '/wBzZWNyZXQ='];

describe("Stakater Reloader's hash of", () => {
  const table: Readonly<Record<string, readonly [ConfigKind, Omit<RawConfigObject, 'metadata'>, string]>> = {
    // a-b=2;a.b=3;a=1;A=4 sorted with bin=AP+A
    'a ConfigMap': [
      'ConfigMap',
      { data: { a: '1', A: '4', 'a-b': '2', 'a.b': '3' }, binaryData: { bin: BYTES } },
      '634b889ca4cf0ed10f715f8dab814d3762bb80b4',
    ],
    // p=\xff\x00secret;u=me
    'a Secret, by its decoded bytes': [
      'Secret',
      { data: { u: 'bWU=', p: SECRET } },
      '2291bf6792b5f42248088aec1837551044b38edd',
    ],
    'no content': ['ConfigMap', {}, 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  };
  for (const [name, [kind, content, expected]] of Object.entries(table))
    test(name, () => assert.equal(stakaterDigestOf(kind, { metadata, ...content }), expected));
});

describe("wave's hash of", () => {
  const ref = (kind: ConfigKind, name: string) => ({ kind, namespace: 'ns', name });
  test('all objects, of one of them a single key, of another a key that it does not have', () => {
    // {"configMaps":{"a":{"bin":"AP+A","k":"djwmPg=="},"b":{}},"secrets":{"s":{"p":"/wBzZWNyZXQ="}}}
    const hash = new WaveHash();
    const data = { metadata, data: { k: 'v<&>' }, binaryData: { bin: BYTES } };
    hash.add({ ref: ref('ConfigMap', 'a'), keys: undefined }, data);
    hash.add({ ref: ref('ConfigMap', 'b'), keys: new Set(['none']) }, data);
    hash.add({ ref: ref('Secret', 's'), keys: new Set(['p']) }, { metadata, data: { p: SECRET, q: 'bWU=' } });
    assert.equal(hash.digest(), '6b6840a5a49079e04a4c15509bfb97ca35b82df4e057088a386b794602303679');
  });
  test('nothing', () => {
    // {"configMaps":{},"secrets":{}}
    const expected = '100444e91862dd77d7ebe29f050c1e9a7f357c771e1a7b7650aae27e6a3a031d';
    assert.equal(new WaveHash().digest(), expected);
  });
});

test("SAP's hash is of names and versions, in their order; one that does not exist has no version", () => {
  // configmap/ns/b/u-1.7\nconfigmap/ns/a/\nsecret/ns/a/u-2.9\n
  const [b, a, secret] = [
    { kind: 'ConfigMap', namespace: 'ns', name: 'b' },
    { kind: 'ConfigMap', namespace: 'ns', name: 'a' },
    { kind: 'Secret', namespace: 'ns', name: 'a' },
  ] as const;
  const versions = [
    { ref: b, version: 'u-1.7' },
    { ref: a, version: '' },
    { ref: secret, version: 'u-2.9' },
  ];
  assert.equal(sapHashOf(versions), 'a628f8b07f8a1a7eda89ecb966b42026a3e323098a10c94a31a4070b717e243d');
  assert.equal(sapHashOf([]), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
