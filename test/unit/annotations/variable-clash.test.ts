import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { stampVariablesOf } from '../../../lib/annotations/stamp-variables.ts';

test('a name that spells the variable of a collision does not share it', () => {
  const own = createHash('sha1').update('a-b').digest('hex').slice(0, 6);
  const refs = ['a-b', 'a.b', `a-b-${own}`].map(
    (name) => ({ kind: 'ConfigMap', namespace: 'ns', name }) as const,
  );
  const written = [...stampVariablesOf(refs).values()].map((variables) => variables.written);
  assert.equal(new Set(written.map(({ collaborne }) => collaborne)).size, 3);
  assert.equal(new Set(written.map(({ stakater }) => stakater)).size, 3);
});
