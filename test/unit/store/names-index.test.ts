/** The index of names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { NamesIndex, namesOfEntries } from '../../../lib/store/parts-index.ts';

function ref(namespace: string, kind: ConfigRef['kind'], name: string): ConfigRef {
  return { namespace, kind, name };
}

test('names are found by namespace and kind, each once, until they are forgotten', () => {
  const names = new NamesIndex();
  for (const name of ['a', 'b', 'a']) names.add(ref('one', 'ConfigMap', name));
  names.add(ref('one', 'Secret', 'c'));
  names.add(ref('two', 'ConfigMap', 'd'));
  assert.deepEqual([...names.of('one', 'ConfigMap')], ['a', 'b']);
  assert.deepEqual([...names.of('one', 'Secret')], ['c']);
  names.delete(ref('one', 'ConfigMap', 'a'));
  names.delete(ref('two', 'ConfigMap', 'd'));
  names.delete(ref('three', 'ConfigMap', 'd'));
  assert.deepEqual([...names.of('one', 'ConfigMap')], ['b']);
  assert.deepEqual([...names.of('two', 'ConfigMap')], []);
});

test('the names in a state are parsed once for each state', () => {
  const entries = new Map([
    ['v1.ConfigMap_web', { digest: '' }],
    ['other_v1.Secret_tls', { digest: '' }],
  ]);
  const names = namesOfEntries(entries, 'home');
  assert.deepEqual([...names.of('home', 'ConfigMap')], ['web']);
  assert.deepEqual([...names.of('other', 'Secret')], ['tls']);
  assert.equal(namesOfEntries(entries, 'home'), names);
});
