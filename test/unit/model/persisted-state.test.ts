import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ParsedState,
  parseState,
  STATE_VERSION_ANNOTATION,
} from '../../../lib/model/persisted-state.ts';
import { knows } from '../../settings.ts';

const A = 'a'.repeat(40);
const OURS = { [STATE_VERSION_ANNOTATION]: '1' };

interface Case {
  readonly data: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly entries?: Record<string, unknown>;
  readonly unreadable?: readonly string[];
}

const CASES: Record<string, Case> = {
  'nothing is nothing': { data: {} },
  'keys that are not ours are left alone': { data: { note: 'by hand', 'v2.ConfigMap_cfg': 'x' } },
  'what does not parse is reported by its key and treated as absent': {
    data: { 'v1.ConfigMap_cfg': 'garbage', 'v1.Secret_s': `${A}.1` },
    entries: { 'v1.Secret_s': { digest: A } },
    unreadable: ['v1.ConfigMap_cfg'],
  },
  'a bare digest is of the formula of Collaborne, whatever else is there': {
    data: { 'v1.ConfigMap_cfg': A, 'v1.Secret_s': `${A}.1` },
    entries: {
      'v1.ConfigMap_cfg': { digest: `collaborne:${A}` },
      'v1.Secret_s': { digest: A },
    },
  },
};

function parsed({ data, annotations = OURS }: Case): ParsedState {
  return parseState(data, annotations, 'home', knows);
}

for (const [sentence, entry] of Object.entries(CASES)) {
  test(sentence, () => {
    const result = parsed(entry);
    assert.ok(result.type === 'state');
    assert.deepEqual(Object.fromEntries(result.entries), entry.entries ?? {});
    assert.deepEqual(result.unreadable, entry.unreadable ?? []);
  });
}

test('the halts beside an entry are read', () => {
  const result = parsed({ data: { 'v1.ConfigMap_cfg': `${A}.1!0a=home/Deployment/web` } });
  assert.ok(result.type === 'state');
  const halts = [{ token: '0a', workload: 'home/Deployment/web' }];
  assert.deepEqual([...result.entries.values()], [{ digest: A, halts }]);
});

for (const version of ['2', '0', '', '1.0']) {
  test(`version '${version}' is not read at all`, () => {
    const annotations = { [STATE_VERSION_ANNOTATION]: version };
    const result = parsed({ data: { 'v1.ConfigMap_cfg': `${A}.1` }, annotations });
    assert.deepEqual(result, { type: 'unknown-version', version });
  });
}
