/** Digests under a key: what they are, and what they do not tell. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import {
  algorithmOf,
  isDigestOf,
  keyedAlgorithm,
  scopedDigestsOf,
  shortDigest,
  translated,
} from '../../../lib/model/digest.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { digestOf } from '../../digests.ts';
import { fc } from '../../laws.ts';

const ID = 'k0a1b2c3d';
const REF: ConfigRef = { kind: 'ConfigMap', namespace: 'ns', name: 'cfg' };
const keyOf = (letter: string): Buffer => Buffer.from(letter.repeat(32));
const keyed = keyedAlgorithm(ID, keyOf('a'));
const rawOf = (data: Record<string, string>, binaryData = {}) => ({
  metadata: { name: 'cfg' },
  data,
  binaryData,
});
const digest = (data: Record<string, string>, ref = REF, algorithm = keyed): string =>
  algorithm.digestOf(ref, rawOf(data));
const keyDigests = (data: Record<string, string>, ref = REF, binaryData = {}): string =>
  keyed.keyDigestsOf?.(ref, rawOf(data, binaryData)) ?? '';

test('law: a digest is the HMAC of the framed content under the HMAC of the object, cut to 160 bits', () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[a-z]{1,9}$/), (value, name) => {
      const ofObject = createHmac('sha256', keyOf('a')).update(`ConfigMap\0ns\0${name}`).digest();
      const text = `data:1;1:k${Buffer.byteLength(value)}:${value}binaryData:0;`;
      const expected = createHmac('sha256', ofObject).update(text).digest('hex').slice(0, 40);
      assert.equal(digest({ k: value }, { ...REF, name }), `${ID}:${expected}`);
    }),
  );
});

test('equal contents of two objects, of two kinds, in two namespaces and under two keys have different digests', () => {
  const data = { password: '12345' };
  const digests = [
    digest(data),
    digest(data, { ...REF, name: 'other' }),
    digest(data, { ...REF, namespace: 'other' }),
    digest(data, { ...REF, kind: 'Secret' }),
    digest(data, REF, keyedAlgorithm(ID, keyOf('b'))),
    `${ID}:${digestOf('ConfigMap', rawOf(data))}`,
  ];
  assert.equal(new Set(digests).size, digests.length);
});

test('the border between namespace and name counts', () => {
  const one = digest({}, { ...REF, namespace: 'a', name: 'bc' });
  assert.notEqual(one, digest({}, { ...REF, namespace: 'ab', name: 'c' }));
});

test('the digest of one key has the name of the key in it, and that of its section', () => {
  const both = keyDigests({ a: 'x', b: 'x' }, REF, { c: Buffer.from('x').toString('base64') });
  const parts = [...both.matchAll(/\/[abc]=(?<part>.{27})/g)].map(({ groups }) => groups?.['part']);
  assert.equal(new Set(parts).size, 3);
});

test('digests of some keys name their algorithm, and can be told from those of others', () => {
  const { digest: own, otherDigests } = scopedDigestsOf(keyDigests({ a: '1', b: '2' }), ['a']);
  assert.match(own, /^k0a1b2c3d:[0-9a-f]{40}$/);
  assert.equal(otherDigests, undefined);
  assert.ok(isDigestOf(own, ['a']) && !isDigestOf(own, ['b']));
  const both = scopedDigestsOf(`${keyDigests({ a: '1' })}\n/a=${'x'.repeat(27)}`, ['a']);
  assert.deepEqual([both.digest, both.otherDigests?.map(algorithmOf)], [own, ['sha1']]);
});

test('a digest is translated only if its content is the present one', () => {
  const present = { digest: 'k1:new', otherDigests: ['old'] };
  assert.deepEqual(
    ['old', 'k1:new', 'older', '?', undefined].map((former) => translated(former, present)),
    ['k1:new', 'k1:new', 'older', '?', undefined],
  );
});

test('what digests name as their algorithm', () => {
  const hex = 'a'.repeat(40);
  assert.deepEqual([hex, `${ID}:${hex}`, `collaborne:${hex}`, '-', '?', undefined].map(algorithmOf), [
    'sha1',
    ID,
    'collaborne',
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(shortDigest(`${ID}:${hex}`), 'aaaa…');
});
