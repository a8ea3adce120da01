/** `reloader plan` of objects of custom kinds, whose controllers may write what a workload follows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { plan, planAgainst } from '../../../lib/commands/manifests/plan.ts';
import { answerOf } from '../../../lib/commands/reads.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { configMap, deployment, manifestsOf } from './plans.ts';
import { follows, World } from './world.ts';

const WEB = deployment('app:1');

/** An object of a custom kind; a target is what it names. */
function custom(version: string, target = 'web', kind = 'ExternalSecret', name = 'own'): object {
  const spec = { target: { name: target }, version };
  return { apiVersion: 'external-secrets.io/v1', kind, metadata: { name }, spec };
}

const CHANGES = ['ExternalSecret/own changes, and may change ConfigMap/web'];
const ROWS: Readonly<
  Record<string, readonly [from: readonly object[], to: readonly object[], unknown: readonly string[]]>
> = {
  'it names what a workload follows': [[WEB, custom('a')], [WEB, custom('b')], CHANGES],
  'it has the name of that': [
    [WEB, custom('a', 'x', 'Sealed', 'web')],
    [WEB, custom('b', 'x', 'Sealed', 'web')],
    ['Sealed/web changes, and may change ConfigMap/web'],
  ],
  'it is created, or deleted': [[WEB], [WEB, custom('a')], CHANGES],
  'it does not change': [[WEB, custom('a')], [WEB, custom('a')], []],
  'it names nothing that is followed': [[WEB, custom('a', 'api')], [WEB, custom('b', 'api')], []],
  'the manifests have that object': [[WEB, configMap(), custom('a')], [WEB, configMap(), custom('b')], []],
  'the workload is new': [[configMap({}, 'api')], [WEB, custom('a')], []],
  'Kubernetes serves the kind': [
    [WEB, { ...custom('a'), apiVersion: 'gateway.networking.k8s.io/v1' }],
    [WEB, { ...custom('b'), apiVersion: 'gateway.networking.k8s.io/v1' }],
    [],
  ],
};

for (const [name, [from, to, unknown]] of Object.entries(ROWS))
  test(`a custom object of two trees: ${name}`, async () => {
    const answers = [await planAgainst(manifestsOf(to), manifestsOf(from), 'default', [])];
    if (unknown.length === 1)
      answers.push(await planAgainst(manifestsOf(from), manifestsOf(to), 'default', []));
    for (const answer of answers) assert.deepEqual([answer.rollouts, answer.unknown], [[], unknown]);
  });

test('a custom object that the cluster has does not count', async () => {
  const world = new World()
    .install()
    .configMap()
    .deployment({ annotations: follows('web') });
  const send: Send = async (request) =>
    request.path.endsWith('/externalsecrets/own')
      ? answerOf(200, { ...custom('a'), metadata: { name: 'own', uid: '1' } })
      : await world.send(request);
  const reloader = await findReloader(send, { namespace: 'default', settings: [] });
  const answers = ['a', 'b'].map(async (version) => {
    const { unknown } = await plan({ send, namespace: 'default', reloader }, manifestsOf([custom(version)]));
    return unknown.filter((each) => each.startsWith('ExternalSecret'));
  });
  assert.deepEqual(await Promise.all(answers), [[], CHANGES]);
  world.sandbox.close();
});
