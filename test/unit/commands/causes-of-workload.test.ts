/** Causes that lie in the workload, in its objects, or in the moment. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { digestOf } from '../../digests.ts';
import { namesEach, type Row, rolledOut, staged, well } from './named-causes.ts';
import { follows, podOf, World } from './world.ts';

const STAKATER = 'reloader.stakater.com';
const NATIVE = 'reloader.k8s.collaborne.com';

/** The number of a month that is far away. */
const IN_HALF_A_YEAR = ((new Date().getMonth() + 6) % 12) + 1;

const CAUSES: Readonly<Record<string, Row>> = {
  'another object manages it, whether or not its kind is served': {
    isAlone: true,
    make: (world) => {
      world.install().configMap();
      world.sandbox.create('jobs', {
        metadata: {
          name: 'web',
          annotations: follows('web'),
          ownerReferences: [
            { apiVersion: 'batch/v1', kind: 'CronJob', name: 'web', uid: 'u', controller: true },
          ],
        },
        spec: { template: { spec: podOf(['web']) } },
      });
    },
    about: 'job/web',
    rule: 'managed',
    names: /annotate the CronJob/,
  },
  'a Job is a placeholder': {
    isAlone: true,
    make: (world) => {
      world.install(['-A', '--job-reload=recreate']).configMap();
      const annotations = { 'reloader.k8s.collaborne.com/replaces': '{}' };
      const spec = { suspend: true, template: { spec: podOf(['web']) } };
      world.sandbox.create('jobs', { metadata: { name: 'web', annotations }, spec });
    },
    about: 'job/web',
    rule: 'managed',
    names: /^it is the placeholder of a Job that the reloader creates anew, and is deleted then -> $/,
  },
  'a Job has a finalizer': {
    isAlone: true,
    make: (world) => {
      world.install(['-A', '--job-reload=recreate']).configMap();
      const metadata = { name: 'web', annotations: follows('web'), finalizers: ['example.com/audit'] };
      world.sandbox.create('jobs', { metadata, spec: { template: { spec: podOf(['web']) } } });
    },
    about: 'job/web',
    rule: 'finalizer',
    names: /^Jobs with a finalizer \(example\.com\/audit\) are left alone -> $/,
  },
  'no annotation asks for anything': {
    make: (world) =>
      world
        .install()
        .configMap()
        .configMap('other')
        .deployment({ reads: ['web', 'other'] }),
    rule: 'not-asked',
    names: /annotate deployment\/web -n default --overwrite reloader\.k8s\.collaborne\.com\/auto=true$/,
  },
  'no annotation asks for anything, and native ones would have no effect': {
    make: (world) => world.install(['-A', '--dialects=wave']).configMap().deployment(),
    rule: 'not-asked',
    names: /-> kubectl annotate \S+ -n default --overwrite wave\.pusher\.com\/update-on-config-change=true$/,
  },
  'no annotation asks for anything, and a flag renames one': {
    make: (world) => world.install(['-A', '--auto-annotation=my/auto']).configMap().deployment(),
    rule: 'not-asked',
    names: /-> kubectl annotate deployment\/web -n default --overwrite my\/auto=true$/,
  },
  'its pods read another object, which it does not ask for by the list of a flag': {
    make: (world) =>
      world
        .install(['-A', '--alternative-configmap-annotation=my/lists'])
        .configMap()
        .configMap('other')
        .deployment({ annotations: follows('web'), reads: ['web', 'other'] }),
    rule: 'not-asked',
    names: /ConfigMap\/other.*add other to my\/lists$/s,
  },
  'a switch says that nothing is asked for': {
    make: well({ [`${NATIVE}/auto`]: 'false', [`${NATIVE}/hold`]: 'true' }),
    rule: 'not-asked',
    names: /asks for anything \(reloader\.k8s\.collaborne\.com\/auto: false\) -> kubectl annotate/,
  },
  'a switch leaves it out of what is asked for everywhere': {
    make: (world) =>
      world
        .install(['-A', '--auto-reload-all'])
        .configMap()
        .deployment({ onTemplate: { [`${STAKATER}/auto`]: 'false' } }),
    rule: 'not-asked',
    names: /asks for anything \(reloader\.stakater\.com\/auto: false \(pod template\)\)/,
  },
  'an annotation is misspelt': {
    make: well({ [`${NATIVE}/confgmap`]: 'web' }),
    rule: 'mistyped',
    names: /confgmap has no effect; write .*configmap/,
  },
  'an annotation is on the pod template': {
    make: (world) =>
      world
        .install()
        .configMap()
        .deployment({ onTemplate: follows('web') }),
    rule: 'misplaced',
    names: /is on the pod template.*on the workload/,
  },
  'an item cannot be a name': {
    make: well(follows('Web App')),
    rule: 'malformed',
    names: /"Web App"/,
  },
  'a switch is neither true nor false': {
    make: well({ [`${NATIVE}/auto`]: 'yes please' }),
    rule: 'malformed',
    names: /auto: "true"/,
  },
  'the named object does not exist': {
    make: (world) =>
      world
        .install()
        .configMap()
        .deployment({ annotations: follows('webb') }),
    rule: 'missing',
    names: /ConfigMap\/webb not found/,
  },
  'the Secret is of a type that is not watched': {
    make: (world) => {
      world.sandbox.create('secrets', { metadata: { name: 'token' }, type: 'helm.sh/release.v1', data: {} });
      well({ [`${NATIVE}/secret`]: 'token' })(world);
    },
    rule: 'missing',
    names: /Secret\/token not found, or of a type that is not watched/,
  },
  'the object lacks the labels that are watched': {
    make: (world) =>
      world
        .install(['-A', '--resource-label-selector=reload=yes'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'missing',
    names: /ConfigMap\/web not found, or without the labels that are watched \(reload=yes\)/,
  },
  'an object that its pods read lacks the labels that are watched': {
    make: (world) =>
      world
        .install(['-A', '--resource-label-selector=reload=yes'])
        .configMap()
        .deployment({ annotations: { [`${NATIVE}/auto`]: 'true' } }),
    rule: 'unselected-object',
    names: /ConfigMap\/web does not have the labels of --resource-label-selector \(reload=yes\)/,
  },
  'an object that its pods read does not exist': {
    isStuck: true,
    make: (world) => world.install().deployment({ annotations: { [`${NATIVE}/auto`]: 'true' } }),
    rule: 'missing',
    names: /^ConfigMap\/web does not exist -> $/,
  },
  'the object is of another namespace': {
    make: well(follows('shared/ca')),
    rule: 'malformed',
    names: /"shared\/ca" .*copy the object/,
  },
  'an annotation excludes the object': {
    make: well({ [`${NATIVE}/auto`]: 'true', [`${NATIVE}/exclude-configmap`]: 'web' }),
    rule: 'excluded',
    names: /ConfigMap\/web.*take web out of reloader\.k8s\.collaborne\.com\/exclude-configmap/s,
  },
  'the object is marked to be ignored': {
    make: (world) =>
      world
        .install()
        .configMap('web', { annotations: { [`${STAKATER}/ignore`]: 'true' } })
        .deployment({ annotations: { [`${STAKATER}/auto`]: 'true' } }),
    rule: 'ignored',
    names: /take the annotation reloader\.stakater\.com\/ignore away from ConfigMap\/web/,
  },
  'a label disables rollouts': {
    make: (world) =>
      world
        .install(['-A', '--dialects=sap'])
        .configMap()
        .deployment({
          labels: { 'pod-reloader.cs.sap.com/disabled': 'true' },
          annotations: { 'pod-reloader.cs.sap.com/configmaps': 'web' },
        }),
    rule: 'disabled',
    names: /take the label .* away/,
  },
  'it searches for a mark that the object lacks': {
    make: well({ [`${STAKATER}/search`]: 'true' }),
    rule: 'not-matched',
    names: /write reloader\.stakater\.com\/match: "true" on ConfigMap\/web/,
  },
  'it asks for all that its pods refer to, and they refer to nothing': {
    make: (world) =>
      world
        .install()
        .configMap()
        .deployment({ annotations: { [`${NATIVE}/auto`]: 'true' }, reads: [] }),
    rule: 'no-reference',
    names: /reloader\.k8s\.collaborne\.com\/auto.*name the objects/s,
  },
  'it has an annotation that asks for nothing by itself': {
    make: (world) =>
      world
        .install(['-A', '--dialects=wave'])
        .configMap()
        .deployment({ annotations: { 'wave.pusher.com/extra-configmaps': 'default/web' } }),
    rule: 'no-reference',
    names: /extra-configmaps: its pods refer to no object/,
  },
  'it asks for all that its pods refer to, and such objects are not watched': {
    make: (world) =>
      world
        .install(['-A', '--resources-to-ignore=configmaps'])
        .configMap()
        .deployment({ annotations: { [`${NATIVE}/auto`]: 'true' } }),
    rule: 'kind-of-object-ignored',
    names: /ConfigMap/,
  },
  'its pods read another object, which it does not ask for': {
    make: (world) =>
      world
        .install()
        .configMap()
        .configMap('other')
        .deployment({ annotations: follows('web'), reads: ['web', 'other'] }),
    rule: 'not-asked',
    names: /ConfigMap\/other.*add other to reloader\.k8s\.collaborne\.com\/configmap/s,
  },
  'it is suspended': {
    make: (world) => {
      world.install(['-A', '--cronjob-reload=run-now']).configMap();
      world.sandbox.create('cronjobs', {
        metadata: { name: 'web', annotations: follows('web') },
        spec: {
          suspend: true,
          schedule: '* * * * *',
          jobTemplate: { spec: { template: { spec: podOf(['web']) } } },
        },
      });
    },
    about: 'cj/web',
    rule: 'suspended',
    names: /pods that start later read/,
  },
  'it is held': {
    make: (world) => well({ ...follows('web'), [`${NATIVE}/hold`]: 'true' })(world).change(),
    rule: 'hold',
    names: /it is held until its annotation hold is taken away/,
  },
  'the object is held': {
    make: (world) =>
      world
        .install()
        .configMap('web', { annotations: { [`${NATIVE}/hold`]: 'true' } })
        .deployment({ annotations: follows('web') })
        .change(),
    rule: 'hold',
    names: /ConfigMap\/web is held/,
  },
  'its reload window is closed': {
    make: (world) =>
      well({ ...follows('web'), [`${NATIVE}/reload-window`]: `0 0 1 ${IN_HALF_A_YEAR} * 1m` })(
        world,
      ).change(),
    rule: 'window',
    names: /its reload window is closed, at least until/,
  },
  'it needs an approval': {
    make: (world) => well({ ...follows('web'), [`${NATIVE}/approval`]: 'required' })(world).change(),
    rule: 'approval',
    names: /it needs an approval: kubectl annotate .*approved=[0-9a-f]{10}/s,
  },
  'people roll it': {
    make: (world) => well({ ...follows('web'), [`${NATIVE}/notify-only`]: 'true' })(world).change(),
    rule: 'notify-only',
    names: /it is notify-only, and out of date with ConfigMap\/web/,
  },
  'the change is halted': {
    make: (world) => {
      const digestOfB = digestOf('ConfigMap', { metadata: { name: 'web' }, data: { value: 'B' } });
      staged(world).change().commit('web', digestOfB);
      const halted = `${digestOfB}.1!0a0b=default/Deployment/first?Deployment/web`;
      world.sandbox.patch('configmaps', 'reloader', 'reloader-state', {
        data: { 'default_v1.ConfigMap_web': halted },
      });
    },
    rule: 'halt',
    names: /ConfigMap\/web is halted, since Deployment\/first did not get ready.*resume=0a0b/s,
  },
  'it is paused by a person': {
    make: async (world) => {
      await rolledOut(well()(world));
      world.sandbox.patch('deployments', 'default', 'web', { spec: { paused: true } });
      world.change();
    },
    rule: 'pods-not-replaced',
    names: /kubectl rollout resume deployment\/web/,
  },
  'it is paused by a reloader': {
    make: (world) =>
      world
        .install()
        .configMap()
        .deployment({
          annotations: {
            ...follows('web'),
            'deployment.reloader.stakater.com/pause-period': '24h',
            'deployment.reloader.stakater.com/paused-at': new Date().toISOString(),
          },
          spec: { paused: true },
        })
        .change(),
    rule: 'paused',
    names: /older pods are replaced then, even if it is held/,
  },
  'its rollout does not complete': {
    isStuck: true,
    make: (world) => {
      world.sandbox.setRolloutDelay({ kind: 'Deployment', namespace: 'default', name: 'web' }, 'frozen');
      well()(world);
    },
    rule: 'rolling-out',
    names: /describe deployment\/web/,
  },
  'the object is new to the reloader': {
    make: (world) =>
      world
        .install()
        .configMap('other')
        .configMap('web', {}, false)
        .deployment({ annotations: follows('web') }),
    rule: 'baseline',
    names: /no entry of ConfigMap\/web.*kubectl rollout restart/s,
  },
  'it is about to be rolled': {
    make: (world) => well()(world).change(),
    rule: 'needs-rollout',
    names: /^it is out of date -> $/,
  },
  'it is not about to be rolled in a dry run': {
    make: (world) =>
      world
        .install(['-A', '--dry-run'])
        .configMap()
        .deployment({ annotations: follows('web') })
        .change(),
    rule: 'needs-rollout',
    names: /^what it follows has changed since what its pods run was recorded/,
  },
};

describe('the answer names the cause where', { concurrency: 4 }, () => namesEach(CAUSES));

test('a value of auto that is bad asks for nothing, and not for what its pods lack', async () => {
  const world = new World().install().configMap();
  world.deployment({ annotations: { [`${NATIVE}/auto`]: '' } });
  const { causes } = await world.explained();
  world.sandbox.close();
  const rules = causes.map(({ rule }) => rule);
  assert.deepEqual([rules.includes('malformed'), rules.includes('no-reference')], [true, false]);
});
