/** What is different for the workloads of a cluster: each cause is made, and the answer names workload, annotation and what to do. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../../lib/commands/migrate/other-reloader.ts';
import { type DeploymentParts, World } from '../world.ts';
import { migrate, withOther } from './asked.ts';

const STAKATER = 'reloader.stakater.com';
/** Images of the other reloaders. */
const IMAGES = { stakater: 'stakater/reloader:v1.4.21', collaborne: 'collaborne/kubernetes-reloader:1' };
const LIST = `configmap.${STAKATER}/reload`;
const NATIVE = 'reloader.k8s.collaborne.com';

interface Row {
  readonly from: Source['name'];
  readonly make: (world: World) => unknown;
  readonly rule: string;
  /** What the sentence, or what to do, has to name. */
  readonly names: RegExp;
  readonly settings?: readonly string[];
}

function deployed(parts: DeploymentParts): (world: World) => World {
  return (world) => world.configMap('web', {}, false).deployment(parts);
}

const ROWS: Readonly<Record<string, Row>> = {
  'a Secret of a type that is left out': {
    from: 'stakater',
    make: (world) => {
      world.sandbox.create('secrets', { metadata: { name: 'token' }, type: 'helm.sh/release.v1', data: {} });
      return deployed({ annotations: { [`secret.${STAKATER}/reload`]: 'token' } })(world);
    },
    rule: 'missing',
    names: /Secret\/token not found, or of a type that is not watched/,
  },
  'words that the other one does not read': {
    from: 'collaborne',
    make: deployed({ annotations: { [`${STAKATER}/auto`]: 'true' } }),
    rule: 'other-words',
    names: /does not read reloader\.stakater\.com\/auto, .* -> remove reloader\.stakater\.com\/auto if/,
  },
  'words with the prefix of the other one, which reads lists alone': {
    from: 'collaborne',
    make: deployed({ annotations: { [`${NATIVE}/auto`]: 'true' } }),
    rule: 'other-words',
    names: /does not read reloader\.k8s\.collaborne\.com\/auto, and this one does/,
  },
  'words of ours beside those of the other one': {
    from: 'stakater',
    make: deployed({ annotations: { [`${STAKATER}/auto`]: 'true', [`${NATIVE}/hold`]: 'true' } }),
    rule: 'other-words',
    names: /^the other reloader does not read \S+\/hold, and this one does/,
  },
  'words of ours on an object': {
    from: 'stakater',
    make: (world) =>
      world
        .configMap('web', { annotations: { [`${NATIVE}/ignore`]: 'true', [`${STAKATER}/match`]: 'true' } })
        .deployment({ annotations: { [LIST]: 'web' } }),
    rule: 'other-words',
    names: /^the other reloader does not read \S+collaborne.com\/ignore of ConfigMap\/web, and this one does/,
  },
  'words on an object that Collaborne does not read': {
    from: 'collaborne',
    make: (world) =>
      world
        .configMap('web', { annotations: { [`${NATIVE}/stages`]: '1' } })
        .deployment({ annotations: { [`${NATIVE}/configmap`]: 'web' } }),
    rule: 'other-words',
    names: /^the other reloader does not read \S+\/stages of ConfigMap\/web, and this one does/,
  },
  'an item that matches the beginning and the end of names there': {
    from: 'stakater',
    make: deployed({ annotations: { [LIST]: 'we|b, (x|y), [|], web' } }),
    rule: 'other-names',
    names: /^to the other reloader configmap\.\S+: we\|b, .* names also what begins or ends so/,
  },
};

describe('the answer names', { concurrency: 4 }, () => {
  for (const [name, { from, make, rule, names, settings = [] }] of Object.entries(ROWS))
    test(name, async () => {
      const world = withOther(new World({ extensions: ['rollouts', 'deploymentconfigs'] }), IMAGES[from], {
        args: ['--namespace=default'],
      });
      await make(world);
      const { differences } = await migrate(world, { from, settings });
      const found = differences.filter((each) => each.rule === rule);
      const text = found.map(({ says, todo = '' }) => `${says} -> ${todo}`).join('\n');
      assert.match(text, names, JSON.stringify(differences, undefined, 1));
      assert.equal(found[0]?.workload.name, 'web');
    });
});

test('words on an object that both read make no difference', async () => {
  const metadata = { annotations: { [`${STAKATER}/match`]: 'true', [`${NATIVE}/unknown`]: 'true' } };
  const search = { [`${STAKATER}/search`]: 'true' };
  const world = new World().configMap('web', metadata, false).deployment({ annotations: search });
  const { differences } = await migrate(withOther(world, IMAGES.stakater), { from: 'stakater' });
  assert.deepEqual(differences, []);
});

test('workloads in namespaces that its selector leaves out are not counted', async () => {
  const one = (): World =>
    withOther(deployed({ annotations: { [LIST]: 'web' } })(new World()), IMAGES.stakater, {
      args: ['--namespace-selector=team=a'],
    });
  const selected = one();
  selected.sandbox.patch('namespaces', '', 'default', { metadata: { labels: { team: 'a' } } });
  const hidden = one();
  hidden.refuses = ({ path }) => path.startsWith('/api/v1/namespaces?');
  const answers = [one(), selected, hidden].map((world) => migrate(world, { from: 'stakater' }));
  const [none, all, open] = await Promise.all(answers);
  assert.deepEqual([none?.workloads, none?.unknown, all?.workloads, all?.unknown], [0, [], 1, []]);
  assert.deepEqual(open?.workloads, undefined);
  assert.match(open?.unknown.join() ?? '', /Namespace/);
});

test('a pause that both have makes no difference', async () => {
  const annotations = {
    [LIST]: 'web',
    [`deployment.${STAKATER}/pause-period`]: '5m',
    [`deployment.${STAKATER}/paused-at`]: '2030-01-31T18:00:00Z',
  };
  const world = withOther(deployed({ annotations })(new World()), IMAGES.stakater);
  const { differences } = await migrate(world, { from: 'stakater' });
  assert.deepEqual(differences, []);
});

test('a workload that asks for nothing is no subject', async () => {
  const world = withOther(deployed({})(new World()), IMAGES.stakater);
  const { workloads, differences, isReady } = await migrate(world, { from: 'stakater' });
  assert.deepEqual([workloads, differences, isReady], [0, [], true]);
});
