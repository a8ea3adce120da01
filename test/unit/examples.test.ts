/** The manifests that people copy: each workload follows exactly what its pods read. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { describe as named } from '../../lib/model/object-ref.ts';
import type { RawWorkload } from '../../lib/model/raw-objects.ts';
import { workloadOf } from '../../lib/model/workload.ts';
import { WORKLOAD_KINDS, workloadKindOf } from '../../lib/model/workload-kind.ts';
import { type JsonObject, objectOf, pick, stringOf } from '../sandbox/json.ts';
import { readManifests } from '../sandbox/manifest-files.ts';
import { mountsOf } from '../sandbox/pod.ts';
import { vocabulary } from './annotations/defaults.ts';

const EXAMPLES = readManifests(path.resolve(import.meta.dirname, '../../k8s/examples')).map(
  ({ object }) => object,
);
const NAMES = EXAMPLES.map((object) => `${object['kind']}/${nameOf(object)}`);
const NATIVE = vocabulary();

function nameOf(object: JsonObject): string {
  return stringOf(pick(object, 'metadata', 'name')) ?? '';
}

describe('of the examples', () => {
  for (const { kind } of WORKLOAD_KINDS.filter(({ rollout }) => rollout === 'replace-pods')) {
    const workload = EXAMPLES.find((object) => object['kind'] === kind) ?? {};

    test(`the ${kind} follows exactly what its pods read`, () => {
      const template = objectOf(pick(workload, 'spec', 'template'));
      const read = mountsOf(template, 'default').map(({ ref }) => named(ref));
      const view = workloadOf(workloadKindOf(kind), workload as unknown as RawWorkload, NATIVE);
      const refs = NATIVE.follows(view, () => []);
      assert.deepEqual(NATIVE.mistakesOf(view), []);
      assert.ok(refs.length > 2);
      assert.deepEqual(refs.map(named).sort(), read.sort());
    });

    test(`the ${kind} finds all that it follows`, () => {
      const template = objectOf(pick(workload, 'spec', 'template'));
      for (const { ref } of mountsOf(template, 'default'))
        assert.ok(NAMES.includes(`${ref.kind}/${ref.name}`), ref.name);
    });
  }

  test('no object is there twice, and none names a namespace', () => {
    assert.equal(new Set(NAMES).size, NAMES.length);
    assert.ok(EXAMPLES.every((object) => pick(object, 'metadata', 'namespace') === undefined));
  });
});
