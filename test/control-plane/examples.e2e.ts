/** The manifests that people copy, as a real API server judges them: no unknown field, and pods for the strictest namespace. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { objectOf, pick } from '../sandbox/json.ts';
import { readManifests } from '../sandbox/manifest-files.ts';
import { rowOfKind } from '../sandbox/resource-table.ts';
import { ControlPlane } from './control-plane.ts';

const EXAMPLES = readManifests(path.resolve(import.meta.dirname, '../../k8s/examples'));
const NAMESPACE = 'strict';
const STRICT = '?fieldValidation=Strict';

const plane = await ControlPlane.start({ withPods: false });
after(() => plane[Symbol.asyncDispose]());
const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
await plane.expect('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE, labels } });
// There are no controllers here that would make it.
await plane.expect('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
  metadata: { name: 'default' },
});

describe('of the examples', () => {
  for (const { object } of EXAMPLES) {
    const name = `${String(object['kind'])}/${String(pick(object, 'metadata', 'name'))}`;
    test(`${name} is accepted`, async () => {
      const { apiVersion, resource } = rowOfKind(String(object['kind']));
      const root = apiVersion === 'v1' ? '/api' : '/apis';
      const { status, body } = await plane.ask(
        'POST',
        `${root}/${apiVersion}/namespaces/${NAMESPACE}/${resource}${STRICT}`,
        object,
      );
      assert.equal(status, 201, String(body['message']));
    });

    const template = objectOf(pick(object, 'spec', 'template'));
    if (template['spec'] === undefined) continue;
    test(`the pods of ${name} are admitted where the restricted standard is enforced`, async () => {
      const pod = { metadata: { name: 'pod' }, spec: template['spec'] };
      const { status, body } = await plane.ask(
        'POST',
        `/api/v1/namespaces/${NAMESPACE}/pods${STRICT}&dryRun=All`,
        pod,
      );
      assert.equal(status, 201, String(body['message']));
    });
  }

  test('one with a field that does not exist would be refused', async () => {
    const { status } = await plane.ask('POST', `/api/v1/namespaces/${NAMESPACE}/configmaps${STRICT}`, {
      metadata: { name: 'mistyped' },
      dato: { a: '1' },
    });
    assert.equal(status, 400);
  });
});
