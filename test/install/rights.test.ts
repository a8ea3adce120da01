/** The manifests give the rights that the program asks for, and no others. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { permissionsOf } from '../../lib/app/preflight.ts';
import { askedBy, BINDINGS, grantedTo, installationIn, roleOf } from './installation.ts';
import { COMPONENTS, INSTALLATIONS } from './kustomization.ts';
import { titleOf } from './replacement.ts';

const EACH = INSTALLATIONS.flatMap((folder) => [
  { folder, components: [] },
  ...COMPONENTS.map((component) => ({ folder, components: [component] })),
]);

for (const { folder, components } of EACH) {
  describe([`k8s/${folder}`, ...components].join(' with '), () => {
    const installation = installationIn(folder, components);
    const asked = askedBy(installation, components.includes('evict'));
    const granted = grantedTo(installation);

    test('gives every right that the program asks for', () => {
      assert.ok(asked.length > 15);
      assert.deepEqual(
        asked.filter((right) => !granted.includes(right)),
        [],
      );
    });

    test('gives no other right, and none twice', () => {
      assert.deepEqual([...granted].sort(), asked.toSorted());
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

test('a component adds to the kinds that the program asks rights for', () => {
  const kindsWith = (...components: string[]): number => {
    const asked = permissionsOf(installationIn('base', components));
    return asked.filter(({ purpose }) => purpose === 'workload').length;
  };
  for (const component of ['argo-rollouts', 'cron-jobs', 'jobs', 'openshift'])
    assert.equal(kindsWith(component), kindsWith() + 1);
});

test('each installation watches what it is there for', () => {
  const places = Object.fromEntries(INSTALLATIONS.map((folder) => [folder, installationIn(folder).place]));
  assert.deepEqual(places, {
    base: { namespaces: ['default'], stateNamespace: 'default' },
    cluster: { namespaces: undefined, stateNamespace: 'reloader' },
    namespaces: { namespaces: ['web', 'api'], stateNamespace: 'reloader' },
  });
});
