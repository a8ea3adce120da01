import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseState } from '../../../lib/model/persisted-state.ts';
import { Store } from '../../../lib/store/store.ts';
import { namedAlgorithms } from '../../../lib/tracking/named-algorithms.ts';
import { knows, settingsWith } from '../../settings.ts';

const OWN = `${'a'.repeat(40)}.1`;
const OTHER = `collaborne:${'b'.repeat(40)}`;
const OVERRIDE = JSON.stringify({ 'v1.ConfigMap_cfg': OTHER });

const STATES: Record<string, readonly [Record<string, string>, readonly string[]]> = {
  'none, where nothing names one': [{ 'v1.ConfigMap_cfg': OWN }, []],
  'none of an object of which the state says nothing': [{ 'v1.ConfigMap_other': `${OTHER}.1` }, []],
  'that of the entry of another object': [
    { 'v1.ConfigMap_cfg': OWN, 'v1.ConfigMap_other': `${OTHER}.1` },
    ['collaborne'],
  ],
  'that of the entry': [{ 'v1.ConfigMap_cfg': `${OTHER}.1` }, ['collaborne']],
  'that of an override, though the entry is of today': [
    { 'v1.ConfigMap_cfg': OWN, 'ran.Deployment_web': OVERRIDE },
    ['collaborne'],
  ],
  'none of an object of another namespace': [
    { 'v1.ConfigMap_cfg': OWN, 'else_ran.Deployment_web': OVERRIDE },
    [],
  ],
};

for (const [sentence, [data, algorithms]] of Object.entries(STATES)) {
  test(`the algorithms by which an object is compared: ${sentence}`, () => {
    const store = new Store(settingsWith({ homeNamespace: 'home' }));
    const parsed = parseState(data, { 'reloader.k8s.collaborne.com/state-version': '1' }, 'home', knows);
    assert.ok(parsed.type === 'state');
    store.persisted.takeShard(0, parsed.state);
    const ref = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' } as const;
    assert.deepEqual(namedAlgorithms(store, ref), algorithms);
  });
}
