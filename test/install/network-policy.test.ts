/** The network policy of the component fits the pod: its labels, and all its ports and no other one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { installationIn } from './installation.ts';
import { INSTALLATIONS } from './kustomization.ts';

for (const folder of INSTALLATIONS)
  test(`the network policy of k8s/${folder} fits its pod`, () => {
    const { objects, deployment, container } = installationIn(folder, ['network-policy', 'webhook']);
    const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
    assert.equal(pick(policy, 'metadata', 'namespace'), pick(deployment, 'metadata', 'namespace'));
    const labels = objectOf(pick(deployment, 'spec', 'template', 'metadata', 'labels'));
    const selector = Object.entries(objectOf(pick(policy, 'spec', 'podSelector', 'matchLabels')));
    assert.ok(selector.length > 0);
    for (const [key, value] of selector) assert.equal(labels[key], value);
    const open = objectsOf(pick(policy, 'spec', 'ingress')).flatMap(({ ports }) =>
      objectsOf(ports).map(({ port }) => port),
    );
    const ports = objectsOf(container['ports']).map(({ containerPort }) => containerPort);
    assert.deepEqual(open.toSorted(), ports.toSorted());
    const [metrics] = objectsOf(pick(policy, 'spec', 'ingress'));
    assert.equal(objectsOf(metrics?.['from']).length, 1);
  });
