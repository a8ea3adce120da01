import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { scopedDigestsOf, shortDigest } from '../../../lib/model/digest.ts';
import type { ConfigKind } from '../../../lib/model/object-ref.ts';
import type { RawConfigObject } from '../../../lib/model/raw-objects.ts';
import { collaborneDigestOf, digestOf } from '../../digests.ts';
import { fc } from '../../laws.ts';

type Content = Pick<RawConfigObject, 'data' | 'binaryData'>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const digest = (content: Content, kind: ConfigKind = 'ConfigMap'): string =>
  digestOf(kind, { metadata: { name: 'c' }, ...content });
const legacy = (content: Content): string => collaborneDigestOf({ metadata: { name: 'c' }, ...content });
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

const DIFFERENT: Record<string, readonly [Content, Content]> = {
  'a value that looks like a further pair': [{ data: { a: '1b=2' } }, { data: { a: '1', b: '2' } }],
  'a border moved between key and value': [{ data: { ab: 'c' } }, { data: { a: 'bc' } }],
  'a border moved between two values': [{ data: { a: 'xb', c: '' } }, { data: { a: 'x', bc: '' } }],
  'a key that looks like a length': [{ data: { '1:a': '' } }, { data: { '1': ':a' } }],
  'a value that looks like the next frame': [{ data: { a: '1:b1:c' } }, { data: { a: '', b: 'c' } }],
  'a value that looks like the next section': [
    { data: { a: 'binaryData:1;' } },
    { data: { a: '' }, binaryData: { a: '' } },
  ],
  'an empty value and no key': [{ data: { a: '' } }, { data: {} }],
  'the same pair as text and as bytes': [{ data: { a: 'x' } }, { binaryData: { a: base64('x') } }],
  'the same bytes under exchanged keys': [{ data: { a: '1', b: '2' } }, { data: { a: '2', b: '1' } }],
  'characters and as many bytes': [{ data: { é: 'a' } }, { data: { e: 'éa' } }],
};

for (const [sentence, [one, other]] of Object.entries(DIFFERENT)) {
  test(`different contents have different digests: ${sentence}`, () => {
    assert.notEqual(digest(one), digest(other));
  });
}

const SAME: Record<string, readonly [string, string]> = {
  'no data and empty data': [digest({}), digest({ data: {}, binaryData: {} })],
  'keys in another order': [digest({ data: { a: '1', b: '2' } }), digest({ data: { b: '2', a: '1' } })],
  'integer-like keys in another order': [
    digest({ data: { 10: 'x', 9: 'y', a: 'z' } }),
    digest({ data: { a: 'z', 9: 'y', 10: 'x' } }),
  ],
  'bytes with and without padding': [
    digest({ binaryData: { a: 'eHg=' } }),
    digest({ binaryData: { a: 'eHg' } }),
  ],
  "a Secret's value and a ConfigMap's, by their bytes": [
    digest({ data: { a: base64('geheim') } }, 'Secret'),
    digest({ data: { a: 'geheim' } }),
  ],
};

for (const [sentence, [one, other]] of Object.entries(SAME)) {
  test(`the same content has the same digest: ${sentence}`, () => assert.equal(one, other));
}

test('the framing is fixed: a digest of today is compared with those of earlier versions', () => {
  const framed = 'data:2;1:a1:11:b2:xébinaryData:1;1:z2:hi'.replace('2:xé', '3:xé');
  assert.equal(digest({ data: { b: 'xé', a: '1' }, binaryData: { z: base64('hi') } }), sha1(framed));
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', '1', '2', ':', ';', '='), maxLength: 4 });
const pairs = fc.dictionary(word, word, { maxKeys: 3, noNullPrototype: true });
const contents = fc.record({ data: pairs, binaryData: pairs });

test('law: two contents have one digest exactly if they are the same, whatever the order of their keys', () => {
  const canonical = ({ data, binaryData }: { data: object; binaryData: object }): string =>
    JSON.stringify([data, binaryData].map((part) => Object.entries(part).sort()));
  const asBytes = ({ data, binaryData }: { data: object; binaryData: Record<string, string> }): Content => ({
    data: Object.fromEntries(Object.entries(data).reverse()),
    binaryData: Object.fromEntries(Object.entries(binaryData).map(([key, value]) => [key, base64(value)])),
  });
  const related = contents.chain((one) =>
    fc.tuple(
      fc.constant(one),
      fc.oneof(
        contents,
        fc.constant({ data: one.binaryData, binaryData: one.data }),
        fc.constant({ ...one, data: Object.fromEntries(Object.entries(one.data).reverse()) }),
        fc.constant({ ...one, data: { '': Object.entries(one.data).flat().join('') } }),
      ),
    ),
  );
  fc.assert(
    fc.property(related, ([one, other]) => {
      assert.equal(digest(asBytes(one)) === digest(asBytes(other)), canonical(one) === canonical(other));
    }),
    { numRuns: 2000 },
  );
});

test('law: a Secret is digested by its decoded bytes, a ConfigMap by its text', () => {
  fc.assert(
    fc.property(fc.dictionary(word, fc.string(), { noNullPrototype: true }), (data) => {
      const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)]));
      assert.equal(digest({ data: encoded }, 'Secret'), digest({ data }));
    }),
  );
});

test('the older formula joins everything, so that known contents collide', () => {
  const [one, other] = [legacy({ data: { a: '1b=2' } }), legacy({ data: { a: '1', b: '2' } })];
  assert.equal(one, other);
  assert.match(one, /^collaborne:10cf73d1[0-9a-f]{28}d697$/);
});

const LEGACY: Record<string, readonly [Content, string]> = {
  'is that of nothing for no data': [{}, 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  'is that of nothing for empty data': [{ data: {} }, 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  'takes integer-like keys first': [{ data: { b: 'x', 10: 'y', 9: 'z' } }, sha1('9=z10=yb=x')],
  'keeps the order of other keys': [{ data: { b: '2', a: '1' } }, sha1('b=2a=1')],
  "takes a Secret's base64 text as it is": [{ data: { p: 'Z2VoZWlt' } }, sha1('p=Z2VoZWlt')],
  'leaves binaryData out': [{ data: { a: '1' }, binaryData: { b: 'eHg=' } }, sha1('a=1')],
};

for (const [sentence, [content, hex]] of Object.entries(LEGACY)) {
  test(`the older formula ${sentence}`, () => assert.equal(legacy(content), `collaborne:${hex}`));
}

const SHORT: Record<string, readonly [string, string]> = {
  'four digits of a digest': ['3f2a0c0000000000000000000000000000000000', '3f2a…'],
  'four digits behind an algorithm': ['collaborne:10cf73d1', '10cf…'],
  'the whole of what is short': ['?', '?'],
};

for (const [sentence, [long, short]] of Object.entries(SHORT)) {
  test(`for people: ${sentence}`, () => assert.equal(shortDigest(long), short));
}

test('for people: of some keys the digits that change with their content', () => {
  const shortOf = (a: string): string => shortDigest(scopedDigestsOf(`/a=${a}`, ['a']).digest, ['a']);
  assert.notEqual(shortOf('1'.repeat(27)), shortOf('2'.repeat(27)));
});
