/** How often a workload may be rolled: what its annotations say, and what cannot be read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pace } from '../../../lib/model/settings.ts';
import { deployment, vocabulary } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const USUAL: Pace = { minIntervalMs: 1000, limit: { rollouts: 20, withinMs: 3_600_000 } };
const vocabularies = vocabulary({ pace: USUAL });

const PACES: Readonly<
  Record<string, { readonly says: Readonly<Record<string, string>>; readonly pace: Pace }>
> = {
  'who says nothing has what the flags say': { says: {}, pace: USUAL },
  'a limit of its own wins': {
    says: { 'rollout-limit': '3/10m' },
    pace: { ...USUAL, limit: { rollouts: 3, withinMs: 600_000 } },
  },
  'off is no limit': { says: { 'rollout-limit': 'off' }, pace: { ...USUAL, limit: undefined } },
  'an interval of its own wins, be it none': {
    says: { 'min-rollout-interval': '0' },
    pace: { ...USUAL, minIntervalMs: 0 },
  },
  'what cannot be read does not count': {
    says: { 'rollout-limit': '0/1h', 'min-rollout-interval': 'soon' },
    pace: USUAL,
  },
};

for (const [name, { says, pace }] of Object.entries(PACES)) {
  test(name, () => assert.deepEqual(vocabularies.paceOf(deployment(vocabularies, prefixed(says))), pace));
}

for (const limit of [
  '',
  '20',
  '20/',
  '/1h',
  '0/1h',
  '-1/1h',
  '1.5/1h',
  '20/0',
  '20/soon',
  'on',
  '99999/1h',
]) {
  test(`"${limit}" is no limit, which people are told`, () => {
    const [finding] = vocabularies.mistakesOf(deployment(vocabularies, prefixed({ 'rollout-limit': limit })));
    assert.equal(finding?.reason, 'malformed');
    assert.match(finding?.message ?? '', /is no limit; write such as 20\/1h, or off$/);
  });
}

test('an interval that is no duration is told', () => {
  const [finding] = vocabularies.mistakesOf(
    deployment(vocabularies, prefixed({ 'min-rollout-interval': '5 minutes' })),
  );
  assert.match(finding?.message ?? '', /^"5 minutes" of .*min-rollout-interval is no duration; /);
  for (const [key, value] of Object.entries({ 'min-rollout-interval': '10', 'rollout-limit': '20/60' })) {
    const [unitless] = vocabularies.mistakesOf(deployment(vocabularies, prefixed({ [key]: value })));
    assert.match(unitless?.message ?? '', /^"[20/16]+" of .* counts as milliseconds; write a unit, as in /);
  }
});

function prefixed(says: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(says).map(([key, value]) => [`${PREFIX}/${key}`, value]));
}
