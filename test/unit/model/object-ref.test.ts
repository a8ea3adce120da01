import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configRefIn, describe, keyOf, wholeKeyOf, wholeOf } from '../../../lib/model/object-ref.ts';
import { fc } from '../../laws.ts';
import { refs, scopedRefs } from './refs.ts';

test('law: two references have one key exactly if they name the same object', () => {
  fc.assert(
    fc.property(refs, refs, (a, b) => {
      const isSame = a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
      assert.equal(keyOf(a) === keyOf(b), isSame);
    }),
  );
});

test('law: so it is with some keys of objects, and the reference can be read back', () => {
  fc.assert(
    fc.property(scopedRefs, scopedRefs, (a, b) => {
      assert.equal(keyOf(a) === keyOf(b), JSON.stringify(a) === JSON.stringify(b));
      assert.deepEqual(configRefIn(keyOf(a)), { ...a });
      assert.equal(wholeKeyOf(keyOf(a)), keyOf(wholeOf(a)));
    }),
  );
});

test('of keys the first few are told', () => {
  const tls = { kind: 'Secret', namespace: 'ns', name: 'tls' } as const;
  assert.equal(describe({ ...tls, keys: ['a'] }), 'Secret/tls (key a)');
  assert.equal(describe({ ...tls, keys: ['a', 'b'] }), 'Secret/tls (keys a, b)');
  assert.equal(describe({ ...tls, keys: [...'abcdefg'] }), 'Secret/tls (keys a, b, c, d, e and 2 more)');
});

test('a reference is described as kubectl writes it', () => {
  assert.equal(describe({ kind: 'Secret', namespace: 'ns', name: 'tls' }), 'Secret/tls');
});
