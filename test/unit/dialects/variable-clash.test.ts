import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { collaborne } from '../../../lib/dialects/collaborne.ts';

test('a name that spells the variable of a collision does not share it', () => {
  const own = createHash('sha1').update('a-b').digest('hex').slice(0, 6);
  const refs = ['a-b', 'a.b', `a-b-${own}`].map(
    (name) => ({ kind: 'ConfigMap', namespace: 'ns', name }) as const,
  );
  const written = [
    ...collaborne({ alternativeAnnotations: { ConfigMap: [], Secret: [] }, ignoredKinds: [] })
      .stampVariablesOf(refs)
      .values(),
  ].map((v) => v.written);
  assert.equal(new Set(written).size, 3);
});
