import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describe, keyOf } from '../../../lib/model/object-ref.ts';
import { refs } from './refs.ts';

test('law: two references have one key exactly if they name the same object', () => {
  fc.assert(
    fc.property(refs, refs, (a, b) => {
      const isSame = a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
      assert.equal(keyOf(a) === keyOf(b), isSame);
    }),
  );
});

test('a reference is described as kubectl writes it', () => {
  assert.equal(describe({ kind: 'Secret', namespace: 'ns', name: 'tls' }), 'Secret/tls');
});
