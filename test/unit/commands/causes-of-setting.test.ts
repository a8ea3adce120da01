/** Causes that lie in the installation. */

import { describe } from 'node:test';
import { WIDGETS } from '../../sandbox/api-rules-extensions.ts';
import { namesEach, type Row, well } from './named-causes.ts';
import { follows, podOf, type World } from './world.ts';

const CAUSES: Readonly<Record<string, Row>> = {
  'no reloader is installed': {
    make: (world) => world.configMap().deployment({ annotations: follows('web') }),
    rule: 'no-reloader',
    names: /app\.kubernetes\.io\/part-of=kubernetes-reloader, and none is seen to renew a Lease/,
  },
  'the reloader is scaled to zero': {
    make: (world) =>
      world
        .install(['-A'], 0)
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'reloader-scaled-down',
    names: /scale deployment\/reloader --replicas=1/,
  },
  'no pod of the reloader is ready': {
    isStuck: true,
    make: (world) => {
      world.sandbox.setRolloutDelay(
        { kind: 'Deployment', namespace: 'reloader', name: 'reloader' },
        'frozen',
      );
      well()(world);
    },
    rule: 'reloader-not-ready',
    names: /logs deployment\/reloader/,
  },
  'it runs as a dry run': {
    make: (world) =>
      world
        .install(['-A', '--dry-run'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'dry-run',
    names: /--dry-run/,
  },
  'it notifies a webhook': {
    make: (world) =>
      world
        .install(['-A', '--webhook-url=https://hooks.invalid'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'webhook',
    names: /--webhook-url/,
  },
  'it watches another namespace': {
    make: (world) =>
      world
        .install(['--namespace=shared'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'namespace-not-watched',
    names: /watches shared \(--namespace\), and not default.*add default to --namespace/s,
  },
  'it leaves the namespace out': {
    make: (world) =>
      world
        .install(['-A', '--namespaces-to-ignore=default'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'namespace-not-watched',
    names: /take default out of --namespaces-to-ignore/,
  },
  'the namespace is not selected': {
    make: (world) =>
      world
        .install(['-A', '--namespace-selector=tier=web'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'unselected-namespace',
    names: /kubectl label namespace default tier=web/,
  },
  'the kind is not served by default': {
    make: (world) => {
      world.install().configMap();
      world.sandbox.create('cronjobs', {
        metadata: { name: 'web', annotations: follows('web') },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: podOf(['web']) } } } },
      });
    },
    about: 'cronjob/web',
    rule: 'kind-not-served',
    names: /--cronjob-reload=run-now/,
  },
  'the kind of an object that an annotation alone names is not watched': {
    make: (world) =>
      world
        .install(['-A', '--resources-to-ignore=secrets'])
        .deployment({ annotations: { 'reloader.k8s.collaborne.com/secret': 'tls' }, reads: [] }),
    rule: 'kind-of-object-ignored',
    names:
      /^the reloader does not watch Secrets, so reloader\S+\/secret rolls nothing -> take secrets out of/,
    isAlone: true,
  },
  'the kind is left alone': {
    make: (world) =>
      world
        .install(['-A', '--ignored-workload-types=deployments'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'kind-not-served',
    names: /take deployments out of --ignored-workload-types/,
  },
  'objects of the kind are not watched': {
    make: (world) =>
      world
        .install(['-A', '--ignored-config-resource-types=configmaps'])
        .configMap()
        .deployment({ annotations: follows('web') }),
    rule: 'kind-of-object-ignored',
    names: /does not watch ConfigMaps.*ConfigMap\/web/,
  },
  ...Object.fromEntries(
    [
      ['deployments', 'kind-not-permitted'],
      ['configmaps', 'kind-of-object-ignored'],
    ].map(([resource = '', rule = '']) => [
      `the account of the reloader may not list ${resource}`,
      {
        make: (world: World): unknown => {
          world.mayDo = (each) => each !== resource;
          return well()(world);
        },
        rule,
        names: new RegExp(`may not list ${resource}.*grant the right to ServiceAccount/default in reloader`),
      },
    ]),
  ),
  'the account of the reloader may not list a kind that only its flags name': {
    extensions: [WIDGETS],
    make: (world) => {
      world.install(['-A', '--workload-kinds=rules.example/v1/widgets:spec.template']);
      world.mayDo = (resource) => resource !== 'widgets';
      const template = { metadata: {}, spec: podOf(['web']) };
      world.sandbox.create('widgets', {
        metadata: { namespace: 'default', name: 'web', annotations: follows('web') },
        spec: { template },
      });
    },
    about: 'widgets/web',
    rule: 'kind-not-permitted',
    names: /may not list widgets/,
  },
  'the vocabulary of its annotation is off': {
    make: (world) => well({ 'wave.pusher.com/update-on-config-change': 'true' })(world),
    rule: 'vocabulary-off',
    names: /wave\.pusher\.com\/update-on-config-change.*--dialects=collaborne,stakater,wave/s,
  },
};

describe('the answer names the cause where', { concurrency: 4 }, () => namesEach(CAUSES));
