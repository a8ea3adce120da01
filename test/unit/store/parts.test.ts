/** The objects of a store and the sets of their keys, by name. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigRef, keyOf } from '../../../lib/model/object-ref.ts';
import { Store } from '../../../lib/store/store.ts';
import { settingsWith } from '../../settings.ts';

const WHOLE: ConfigRef = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' };
const PART: ConfigRef = { ...WHOLE, keys: ['a', 'b'] };
const OTHER: ConfigRef = { ...WHOLE, keys: ['c'] };
const NEIGHBOUR: ConfigRef = { ...WHOLE, name: 'cfg-2', keys: ['a'] };

function storeOf(...refs: ConfigRef[]): Store {
  const store = new Store(settingsWith({ ownState: new Set(['home/ConfigMap/state']) }));
  for (const ref of refs) store.configRecordOf(ref);
  return store;
}

test('names are found by namespace and kind, each once, until they are forgotten', () => {
  const secret: ConfigRef = { ...WHOLE, kind: 'Secret', name: 'tls' };
  const store = storeOf(PART, OTHER, NEIGHBOUR, secret, { ...WHOLE, namespace: 'two', name: 'd' });
  const names = store.namesIn('home');
  assert.deepEqual([names('ConfigMap'), names('Secret')], [['cfg', 'cfg-2'], ['tls']]);
  store.forgetConfig(keyOf(NEIGHBOUR));
  store.forgetConfig(keyOf({ ...WHOLE, namespace: 'two', name: 'd' }));
  assert.deepEqual([names('ConfigMap'), store.namesIn('two')('ConfigMap')], [['cfg'], []]);
});

test('so are the names in the state, which are read once for each state, but not that of the state itself', () => {
  const store = storeOf(WHOLE);
  const keys = ['v1.ConfigMap_cfg', 'v1.ConfigMap_web', 'v1.ConfigMap_state', 'other_v1.Secret_tls'];
  store.persisted.takeShard(0, new Map(keys.map((key) => [key, { digest: '' }])));
  assert.deepEqual(store.namesIn('home')('ConfigMap'), ['cfg', 'web']);
  assert.deepEqual(store.namesIn('other')('Secret'), ['tls']);
  assert.equal(store.persisted.names, store.persisted.names);
});

test('the sets of keys of one object are found together, and none of its neighbours', () => {
  const store = storeOf(PART, NEIGHBOUR, OTHER, PART);
  assert.deepEqual(store.partsOf(keyOf(WHOLE)), [WHOLE, PART, OTHER].map(keyOf));
});

test('of what is forgotten nothing is kept', () => {
  const store = storeOf(OTHER, PART);
  store.forgetConfig(keyOf(PART));
  assert.deepEqual(store.partsOf(keyOf(WHOLE)), [WHOLE, OTHER].map(keyOf));
  assert.equal(store.configs.has(keyOf(WHOLE)), true);
  store.forgetConfig(keyOf(OTHER));
  assert.deepEqual([[...store.configs.keys()], [...store.parts.keys()]], [[], []]);
});
