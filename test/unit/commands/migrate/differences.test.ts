/** What is different for the workloads of a cluster: each cause is made, and the answer names workload, annotation and what to do. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Source } from '../../../../lib/commands/migrate/other-reloader.ts';
import { type DeploymentParts, podOf, type Words, World } from '../world.ts';
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

/** A workload of another kind that reads the ConfigMap `web`. */
function other(resource: string, annotations: Words, metadata: object = {}): (world: World) => unknown {
  return (world) => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { ...podOf(['web']), restartPolicy: 'Never' },
    };
    const always = { ...template, spec: podOf(['web']) };
    const specs: Readonly<Record<string, object>> = {
      statefulsets: {
        serviceName: 'web',
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: always,
      },
      rollouts: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: always },
      deploymentconfigs: { replicas: 1, selector: { app: 'web' }, template: always },
      cronjobs: { schedule: '0 0 * * *', jobTemplate: { spec: { template } } },
    };
    world.configMap('web', {}, false);
    return world.sandbox.create(resource, {
      metadata: { namespace: 'default', name: 'web', annotations, ...metadata },
      spec: specs[resource],
    });
  };
}

const ROWS: Readonly<Record<string, Row>> = {
  'a list of Stakater Reloader with a bar, which loses an object': {
    from: 'stakater',
    make: (world) => deployed({ annotations: { [LIST]: 'web|other' } })(world.configMap('web-1', {}, false)),
    rule: 'alternatives',
    names:
      /"web\|other" of configmap\.reloader\.stakater\.com\/reload .*: web-1 no longer counts -> to keep it write \(web\)\.\*\|\.\*\(other\)/,
  },
  'a Secret of a type that is left out': {
    from: 'stakater',
    make: (world) => {
      world.sandbox.create('secrets', { metadata: { name: 'token' }, type: 'helm.sh/release.v1', data: {} });
      return deployed({ annotations: { [`secret.${STAKATER}/reload`]: 'token' } })(world);
    },
    rule: 'missing',
    names: /Secret\/token not found, or of a type that is not watched/,
  },
  'a Rollout that was not served': {
    from: 'stakater',
    make: other('rollouts', { [`${STAKATER}/auto`]: 'true' }),
    rule: 'further-kind',
    names: /rolls no Rollouts.* -> take its annotation away, or give no rights to Rollouts/,
  },
  'a DeploymentConfig, which older versions rolled': {
    from: 'stakater',
    make: other('deploymentconfigs', { [`${STAKATER}/auto`]: 'true' }),
    rule: 'further-kind',
    names: /^not every version of the other reloader rolls DeploymentConfigs; this one does/,
  },
  'a kind that Collaborne’s reloader did not know': {
    from: 'collaborne',
    make: other('cronjobs', { [`${NATIVE}/configmap`]: 'web' }),
    settings: ['--cronjob-reload=run-now'],
    rule: 'further-kind',
    names: /rolls no CronJobs; this one does where it has the rights/,
  },
  'words that the other one does not read': {
    from: 'collaborne',
    make: deployed({ annotations: { [`${STAKATER}/auto`]: 'true' } }),
    rule: 'other-words',
    names: /does not read reloader\.stakater\.com\/auto, .* -> remove reloader\.stakater\.com\/auto if/,
  },
  'words of ours beside those of the other one': {
    from: 'stakater',
    make: deployed({ annotations: { [`${STAKATER}/auto`]: 'true', [`${NATIVE}/hold`]: 'true' } }),
    rule: 'other-words',
    names: /^the other reloader does not read \S+\/hold, and this one does/,
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

test('a bar in brackets, or one that loses no object, or a pause that both have, makes no difference', async () => {
  const annotations = {
    [LIST]: '(web|other), [a|b]c, web|other',
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
