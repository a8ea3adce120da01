/** The chart and the manifests for kustomize are the same installation: arguments, rights, pod and security, by other names. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Json, objectsOf, pick } from '../sandbox/json.ts';
import { render as renderChart, skipWithoutHelm, type Values } from './chart.ts';
import { grantedTo, type Installed, installedBy } from './installation.ts';
import { render } from './kustomization.ts';

/** What the program does without an argument. */
const ALONE = {
  ignoreJobs: true,
  ignoreCronJobs: true,
  isArgoRollouts: null,
  isOpenshift: null,
  enableCSIIntegration: null,
};
/** The scope of each folder as values of the chart. */
const SCOPES: Readonly<Record<string, { readonly namespace: string; readonly reloader: Values } & Values>> = {
  base: { namespace: 'default', reloader: { watchGlobally: false } },
  cluster: { namespace: 'reloader', reloader: {} },
  namespaces: {
    namespace: 'reloader',
    watchOwnNamespace: false,
    reloader: { watchGlobally: false, namespaces: ['api', 'web'] },
  },
};
/** Each component as values of the chart. */
const COMPONENTS: Readonly<Record<string, Values>> = {
  'argo-rollouts': { reloader: { isArgoRollouts: true } },
  'secrets-store-csi': { reloader: { enableCSIIntegration: true } },
  'cron-jobs': { reloader: { ignoreCronJobs: false } },
  evict: { evictions: { enabled: true } },
  ha: { ha: { enabled: true } },
  jobs: { reloader: { ignoreJobs: false } },
  labelled: { reloader: { resourceLabelSelector: 'reloader.k8s.collaborne.com/watched=true' } },
  openshift: { reloader: { isOpenshift: true } },
  'no-secrets': { reloader: { ignoreSecrets: true } },
  webhook: { admission: { enabled: true, certificate: 'cert-manager' } },
};

/** What is the same in both, though names differ. */
function sameIn(installed: Installed): Readonly<Record<string, unknown>> {
  const { objects, deployment, pod, container, options, notices, place } = installed;
  const neutral = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(/(?:tools|kubernetes)-reloader/g, 'NAME'));
  const withoutSelectors = (value: Json | undefined): unknown =>
    JSON.parse(JSON.stringify(value ?? null, (key, member) => (key === 'labelSelector' ? null : member)));
  const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget');
  return {
    // The port is that of Stakater Reloader in the chart; what scope and state come to is the place.
    options: neutral({ ...options, port: 0, scope: null, namespace: null, stateNamespace: null }),
    notices,
    namespaces: place.namespaces?.toSorted(),
    stateNamespace: place.stateNamespace,
    rights: grantedTo(installed).map(neutral).sort(),
    replicas: pick(deployment, 'spec', 'replicas'),
    strategy: pick(deployment, 'spec', 'strategy'),
    budget: pick(budget, 'spec', 'minAvailable'),
    security: [pod['securityContext'], container['securityContext']],
    grace: pod['terminationGracePeriodSeconds'],
    links: pod['enableServiceLinks'],
    token: pod['automountServiceAccountToken'],
    affinity: withoutSelectors(pod['affinity']),
    spread: withoutSelectors(pod['topologySpreadConstraints']),
    resources: container['resources'],
    heap: installed.env['NODE_OPTIONS'],
    ports: objectsOf(container['ports']).map((port) => port['name']),
  };
}

function both(
  folder: string,
  component: string | undefined,
): readonly [chart: Installed, manifests: Installed] {
  const { namespace, reloader, ...scope } = SCOPES[folder] ?? assert.fail();
  const { reloader: more, ...others } =
    component === undefined ? {} : (COMPONENTS[component] ?? assert.fail());
  const values = { ...scope, ...others, reloader: { ...ALONE, ...reloader, ...(more as Values) } };
  const components = component === undefined ? [] : [component];
  return [
    installedBy(renderChart(values, { release: 'tools', namespace })),
    installedBy(render(folder, { components })),
  ];
}

for (const folder of Object.keys(SCOPES))
  for (const component of [undefined, ...Object.keys(COMPONENTS)]) {
    const name = component === undefined ? `k8s/${folder}` : `k8s/${folder} with ${component}`;
    describe(`the chart and ${name}`, { skip: skipWithoutHelm() }, () => {
      let chart: Readonly<Record<string, unknown>> = {};
      let manifests: Readonly<Record<string, unknown>> = {};
      before(() => {
        [chart = {}, manifests = {}] = both(folder, component).map(sameIn);
      });
      test('are the same installation', () => {
        assert.ok(JSON.stringify(manifests['rights']).length > 500);
        assert.deepEqual(chart, manifests);
      });
    });
  }
