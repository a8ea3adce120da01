/** Texts of others: what steers is escaped, what is long is cut. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutToBytes, listedText, MOST_BYTES, plain } from '../../../lib/model/text.ts';
import { fc } from '../../laws.ts';

const STEERING: Record<string, string> = {
  'a new line': '\n',
  'an escape of C0': '\u001b',
  'an introducer of C1': '\u009b',
  'the first and the last of C1': '\u0080\u009f',
  'an override of the direction': '\u202e',
  'an isolate of the direction': '\u2066',
  'an Arabic mark of the direction': '\u061c',
  'a separator of lines': '\u2028',
  'a separator of paragraphs': '\u2029',
  'a tag outside of the first plane': '\u{e0041}',
};

for (const [what, text] of Object.entries(STEERING)) {
  test(`${what} is escaped, and JSON reads it back`, () => {
    const shown = plain(text);
    assert.match(shown, /^[\x20-\x7e]+$/);
    assert.equal(JSON.parse(`"${shown}"`), text);
  });
}

test('what people write stays as it is', () => {
  for (const text of ['Deployment/web', 'ä–…„“', '日本', '👍']) assert.equal(plain(text), text);
});

test('a text is cut at bytes, between characters, and says so', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 3, max: 60 }),
      (text, most) => {
        const short = cutToBytes(text, most);
        assert.ok(Buffer.byteLength(short) <= most);
        if (Buffer.byteLength(text) <= most) assert.equal(short, text);
        else assert.ok(short.endsWith('…') && text.startsWith(short.slice(0, -1)));
      },
    ),
  );
});

test('of many items some are named, and the others counted', () => {
  assert.equal(listedText(['a', 'b']), 'a, b');
  assert.equal(listedText(['a', 'b', 'c', 'd'], 2), 'a, b and 2 more');
});

test('the limit is that of a line', () => {
  assert.equal(Buffer.byteLength(cutToBytes('x'.repeat(10_000))), MOST_BYTES);
});
