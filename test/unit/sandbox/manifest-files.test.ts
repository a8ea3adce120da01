/** Manifests are read as kubectl reads them, and what is no manifest is refused with its place. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseManifests } from '../../sandbox/manifest-files.ts';

describe('manifests', () => {
  const read: Record<string, [text: string, objects: readonly object[]]> = {
    'are the documents of a file, without empty ones': [
      'a: 1\n---\n# nothing\n---\nb: x\n',
      [{ a: 1 }, { b: 'x' }],
    ],
    'are YAML 1.1, as for kubectl': ['a: yes\nb: "yes"\nc: 0644\n', [{ a: true, b: 'yes', c: 0o644 }]],
    'are none in an empty file': ['# nothing\n', []],
  };
  for (const [name, [text, objects]] of Object.entries(read)) {
    test(name, () => assert.deepEqual(parseManifests(text, 'x.yaml'), objects));
  }

  const refused: Record<string, [text: string, words: RegExp]> = {
    'a key that is said twice': ['a: 1\na: 2\n', /^Error: x\.yaml: .*unique.* line 2, column 1/],
    'what is no YAML': ['a: [1\n', /^Error: x\.yaml: .* line 2/],
    'a document that is no object': ['- a\n', /^Error: x\.yaml: a document is no object/],
  };
  for (const [name, [text, words]] of Object.entries(refused)) {
    test(`refuse ${name}`, () => assert.throws(() => parseManifests(text, 'x.yaml'), words));
  }
});
