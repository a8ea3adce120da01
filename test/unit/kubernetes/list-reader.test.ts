import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ListMetadata, ListReader } from '../../../lib/kubernetes/list-watch.ts';
import type { Piece } from '../../../lib/kubernetes/transport.ts';
import { fc } from '../../laws.ts';

interface Reading {
  readonly objects: readonly object[];
  readonly metadata: ListMetadata;
}

function read(...pieces: Piece[]): Reading {
  const reader = new ListReader();
  const objects = pieces.flatMap((piece) => [...reader.add(piece)]);
  return { objects, metadata: reader.finish() };
}

/** The bytes of `text`, cut before each of `cuts`, characters included. */
function bytesOf(text: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const value: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\\', '"', '\\"', ']}', '"items":[', '{"', '\n', '€', '😀'),
);
/** No key of an object's data needs an escape, and JSON.parse of Node 24.21 now and then takes the key "\\"" for another. */
const key = value.filter((text) => JSON.stringify(text) === `"${text}"`);
const item = fc.record({
  metadata: fc.record({ name: value, resourceVersion: fc.constant('1') }),
  data: fc.dictionary(key, fc.oneof(value, fc.array(value), fc.dictionary(key, value))),
});
const metadata = { resourceVersion: '9', continue: 'to"ken]' };
const layout = fc.constantFrom(
  (items: object[]): object => ({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items }),
  (items: object[]): object => ({ apiVersion: 'v1', items, kind: 'RolloutList', metadata }),
  (items: object[]): object => ({ odd: [{ items: [1] }, 'items'], metadata, items, late: { a: [[]] } }),
);

test('however a list is laid out and cut, its objects and its metadata are the same', () => {
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 5 }),
      layout,
      fc.constantFrom(undefined, 1),
      fc.array(fc.nat(4000), { maxLength: 20 }),
      (items, laidOut, indent, cuts) => {
        const text = JSON.stringify(laidOut(items), undefined, indent);
        const want = JSON.parse(JSON.stringify({ objects: items, metadata }));
        assert.deepEqual(read(...bytesOf(text, cuts)), want);
        assert.deepEqual(read(text), want);
      },
    ),
  );
});

test('an object is there with its last byte, and what the list says of itself before it', () => {
  const reader = new ListReader();
  assert.deepEqual(
    [...reader.add('{"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}')],
    [],
  );
  assert.equal(reader.metadata?.resourceVersion, '9');
  assert.deepEqual([...reader.add('}')], [{ metadata: { name: 'a' } }]);
  assert.deepEqual([...reader.add(',{"metadata":{"name":"b"}},{')], [{ metadata: { name: 'b' } }]);
});

test('what the list says of itself is not known while only its items have come', () => {
  const reader = new ListReader();
  assert.equal([...reader.add('{"items":[{"metadata":{"name":"a"}}]')].length, 1);
  assert.equal(reader.metadata, undefined);
  assert.equal([...reader.add(',"metadata":{"resourceVersion":"9"}}')].length, 0);
  assert.equal(reader.finish().resourceVersion, '9');
});

test('an object may be as large as it likes, but not endless', () => {
  const large = { metadata: { name: 'a' }, data: { a: 'x'.repeat(3_000_000) } };
  const text = JSON.stringify({ metadata: { resourceVersion: '9' }, items: [large, large] });
  const reading = read(...bytesOf(text, [10, 100_000, 2_000_000, 3_500_000]));
  assert.deepEqual(reading.objects, [large, large]);
  const endless = [`${text.slice(0, 100)}`, ...Array.from({ length: 18 }, () => 'x'.repeat(1024 * 1024))];
  assert.throws(() => read(...endless), { code: 'malformed' });
});

describe('malformed, without a quotation, is', () => {
  const head = '{"metadata":{"resourceVersion":"9"},"items":[';
  const named = '{"metadata":{"name":"hunter2"}}';
  const bodies: Record<string, string> = {
    nothing: '',
    'no JSON': 'hunter2',
    'an array': `[${named}]`,
    'a list that is cut between its objects': `${head}${named},`,
    'a list that is cut within an object': `${head}${named.slice(0, -1)}`,
    'a list that is cut within a string': `${head}{"metadata":{"name":"hun`,
    'a list that is cut before its end': `${head}${named}]`,
    'more than a list': `${head}${named}]}]`,
    'an object without a name': `${head}{"data":{"a":"hunter2"}}]}`,
    'an object that is no JSON': `${head}{"data":hunter2}]}`,
    'an item that is no object': `${head}"hunter2"]}`,
    'a list in the list': `${head}[${named}]]}`,
    'items that are no list': '{"metadata":{"resourceVersion":"9"},"items":{"a":"hunter2"}}',
    'a list without a version': `{"metadata":{"a":"hunter2"},"items":[${named}]}`,
  };
  for (const [what, body] of Object.entries(bodies)) {
    test(what, () => {
      assert.throws(
        () => read(body),
        (error: Error & { code?: string }) => {
          assert.equal(error.code, 'malformed');
          assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /hun/);
          return true;
        },
      );
    });
  }
});
