/** Digests of some keys of an object: what they depend on, and what not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDigestOf } from '../../../lib/model/digest.ts';
import type { RawConfigObject } from '../../../lib/model/raw-objects.ts';
import { keyDigestsOf, scopedDigestOf } from '../../digests.ts';
import { fc } from '../../laws.ts';

type Content = Pick<RawConfigObject, 'data' | 'binaryData'>;
type Data = Readonly<Record<string, string>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const digests = (content: Content): string =>
  keyDigestsOf('ConfigMap', { metadata: { name: 'c' }, ...content });
const scoped = (content: Content, ...keys: readonly string[]): string =>
  scopedDigestOf(digests(content), keys);

const key = fc.constantFrom('a', 'b', 'ab', 'a.b', 'a_b', 'c');
const data = fc.dictionary(key, fc.constantFrom('', '1', '2'));
const keys = fc.uniqueArray(key, { minLength: 1 }).map((some) => some.sort());
/** What stands under `scope`, and nothing else. */
const within = (content: Data, scope: readonly string[]): Data =>
  Object.fromEntries(Object.entries(content).filter(([name]) => scope.includes(name)));

test('law: the digest of some keys differs exactly where something under them does, be it that nothing is there', () => {
  fc.assert(
    fc.property(data, data, keys, (one, other, scope) => {
      const isSame = scope.every((name) => one[name] === other[name]);
      assert.equal(scoped({ data: one }, ...scope) === scoped({ data: other }, ...scope), isSame);
      assert.equal(scoped({ data: within(one, scope) }, ...scope), scoped({ data: one }, ...scope));
    }),
  );
});

test('law: digests of different keys are never the same, and each tells whose it is', () => {
  fc.assert(
    fc.property(data, keys, keys, (content, one, other) => {
      const isSame = one.join() === other.join();
      assert.equal(scoped({ data: content }, ...one) === scoped({ data: content }, ...other), isSame);
      assert.equal(isDigestOf(scoped({ data: content }, ...one), other), isSame);
    }),
  );
});

test('which of two keys has the value is part of it', () => {
  assert.notEqual(scoped({ data: { a: 'x' } }, 'a', 'b'), scoped({ data: { b: 'x' } }, 'a', 'b'));
});

test('it has the form of any digest', () =>
  assert.match(scoped({ data: { a: '1' } }, 'a'), /^[0-9a-f]{40}$/));

test('the order of the keys in the object does not matter', () => {
  assert.equal(
    scoped({ data: { a: '1', b: '2' } }, 'a', 'b'),
    scoped({ data: { b: '2', a: '1' } }, 'a', 'b'),
  );
});

test('a key that moves to the other section is another content', () => {
  assert.notEqual(scoped({ data: { a: 'x' } }, 'a'), scoped({ binaryData: { a: base64('x') } }, 'a'));
});

test("a Secret's value counts by its bytes", () => {
  const ofSecret = keyDigestsOf('Secret', { metadata: { name: 's' }, data: { a: base64('x') } });
  assert.equal(scopedDigestOf(ofSecret, ['a']), scoped({ data: { a: 'x' } }, 'a'));
});

test('no value is kept', () => {
  assert.doesNotMatch(digests({ data: { a: 'a-secret-value' } }), /secret/);
});
