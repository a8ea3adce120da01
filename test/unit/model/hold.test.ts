import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hold, whenTaken } from '../../../lib/model/hold.ts';

const SENTENCES: Record<string, Hold> = {
  'it is paused: its pods take it after kubectl rollout resume deployment/web': { type: 'paused' },
  'its updateStrategy is OnDelete: each pod takes it when it is deleted': { type: 'on-delete' },
  'its updateStrategy has a partition of 2: pods of a lower ordinal take it when the partition is lowered': {
    type: 'partition',
    partition: 2,
  },
};

for (const [sentence, hold] of Object.entries(SENTENCES)) {
  test(`a person reads: ${sentence}`, () => {
    assert.equal(whenTaken(hold, { kind: 'Deployment', namespace: 'ns', name: 'web' }), sentence);
  });
}
