/** The manifests give the rights that the program asks for, and no others. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { permissionsOf } from '../../lib/rights.ts';
import { BINDINGS, grantedTo, installationIn, rightsOf, roleOf } from './installation.ts';
import { INSTALLATIONS, titleOf } from './kustomization.ts';

for (const folder of INSTALLATIONS) {
  describe(`k8s/${folder}`, () => {
    const installation = installationIn(folder);
    const asked = permissionsOf(installation).flatMap(({ namespace, rule }) => rightsOf(namespace, rule));
    const granted = grantedTo(installation);

    test('gives every right that the program asks for', () => {
      assert.ok(asked.length > 15);
      assert.deepEqual(
        asked.filter((right) => !granted.includes(right)),
        [],
      );
    });

    test('gives no other right, and none twice', () => {
      assert.deepEqual([...granted].sort(), [...new Set(asked)].sort());
    });

    test('has no role that is not bound', () => {
      const { objects } = installation;
      const bound = objects
        .filter(({ kind }) => BINDINGS.includes(String(kind)))
        .map((binding) => roleOf(objects, binding));
      const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
      assert.deepEqual(roles.filter((role) => !bound.includes(role)).map(titleOf), []);
    });
  });
}

test('each installation watches what it is there for', () => {
  const places = Object.fromEntries(INSTALLATIONS.map((folder) => [folder, installationIn(folder).place]));
  assert.deepEqual(places, {
    base: { namespaces: ['default'], stateNamespace: 'default' },
    cluster: { namespaces: undefined, stateNamespace: 'reloader' },
    namespaces: { namespaces: ['web', 'api'], stateNamespace: 'web' },
  });
});
