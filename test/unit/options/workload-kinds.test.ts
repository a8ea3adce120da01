/** Kinds that only the settings name: which entries are understood, and what an error says. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workloadKindsOf } from '../../../lib/options/options.ts';
import { errorOf, running } from './given.ts';

const FORM =
  'expected group/version/plural:path of a custom resource, such as serving.knative.dev/v1/services:spec.template; the other kinds are Deployment, StatefulSet, DaemonSet, CronJob, Job, Rollout, DeploymentConfig';
const SUCH = 'such as :spec.template';
const APPS = 'acme.example/v1/apps:spec.podTemplate';

test('kinds are a comma list, or repeated, or those of the variable', () => {
  const added = [
    { group: 'acme.example', version: 'v1', resource: 'apps', templatePath: ['podTemplate'] },
    { group: 'x-y.example', version: 'v1beta1', resource: 'my-jobs', templatePath: ['a', 'pod_b', 'c'] },
  ];
  const other = 'x-y.example/v1beta1/my-jobs:spec.a.pod_b.c';
  for (const command of [
    `--workload-kinds=${APPS},${other}`,
    `--workload-kinds=${APPS} --workload-kinds=${other}`,
    `RELOADER_OPT_WORKLOAD_KINDS='${APPS}, ${other}'`,
  ]) {
    const { options } = running(command);
    assert.deepEqual(options.workloadKinds, added);
    const kinds = workloadKindsOf(options).map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(-2), ['apps.acme.example', 'my-jobs.x-y.example']);
  }
});

test('they alone are enough to be watched', () => {
  running(`--workload-kinds=${APPS} --ignored-workload-types=deployments,statefulsets,daemonsets`);
});

const COMPLAINTS: Readonly<Record<string, string>> = {
  '': `${FORM}, got ""`,
  'acme.example/v1/apps': `${FORM}; the path of the pod template is missing: append ${SUCH}, got "acme.example/v1/apps"`,
  'acme.example/v1/apps:': `expected a path that begins with "spec.", ${SUCH}, got `,
  'acme.example/v1/apps:spec': 'expected a path that begins with "spec.", ',
  'acme.example/v1/apps:template': 'expected a path that begins with "spec.", ',
  'acme.example/v1/apps:status.template': 'expected a path that begins with "spec.", ',
  'acme.example/v1/apps:spec.templates[0]': `expected a path of fields alone, ${SUCH}: a pod template in a list cannot be served, got `,
  'acme.example/v1/apps:spec.templates.0': 'expected a path of fields alone, ',
  'acme.example/v1/apps:spec.templates[*].spec': 'expected a path of fields alone, ',
  'acme.example/v1/apps:spec..template': `expected a path of fields with dots between them, ${SUCH}, got `,
  'acme.example/v1/apps:spec.__proto__': 'expected a path of fields with dots between them, ',
  'acme.example/v1/apps:spec.a/b': 'expected a path of fields with dots between them, ',
  'v1/pods:spec': `${FORM}; this one has no group: kinds of the core group are not added, got "v1/pods:spec"`,
  '/v1/pods:spec.template': `${FORM}, got `,
  'apps:spec.template': `${FORM}, got `,
  'acme.example/v1/apps/scale:spec.template': `${FORM}, got `,
  'acme.example/v1/App:spec.template': `${FORM}, got `,
  'acme..example/v1/apps:spec.template': `${FORM}, got `,
  'acme.example//apps:spec.template': `${FORM}, got `,
  'apps/v1/controllerrevisions:spec.template': `${FORM}; apps is a group of Kubernetes itself, no custom resource, got `,
  'apps/v1/replicasets:spec.template': `${FORM}; apps is a group of Kubernetes itself, no custom resource, got `,
  '@/etc/reloader/kinds': `${FORM}, got "@/etc/reloader/kinds"`,
  replicasets: `${FORM}, got "replicasets"`,
  [`${APPS},pods`]: `${FORM}, got "pods"`,
  'apps/v1/deployments:spec.template':
    'expected no Deployments: they are always served; take the entry away, got ',
  'batch/v1/cronjobs:spec.jobTemplate.spec.template':
    'expected no CronJobs: --cronjob-reload=run-now serves them; write that flag in place of the entry, got ',
  'batch/v1/jobs:spec.template': 'expected no Jobs: --job-reload=recreate-running',
  'argoproj.io/v1alpha1/rollouts:spec.template': 'expected no Rollouts: --is-Argo-Rollouts=auto',
  'apps.openshift.io/v1/deploymentconfigs': 'expected no DeploymentConfigs: --is-openshift=auto',
  [`${APPS},${APPS}`]: 'expected each kind once, got apps.acme.example twice; keep one of its entries',
  [`${APPS},acme.example/v2/apps:spec.template`]: 'expected each kind once, got apps.acme.example twice; ',
};

describe('an entry that cannot be served is refused:', () => {
  for (const [entry, complaint] of Object.entries(COMPLAINTS)) {
    test(entry, () => {
      const error = errorOf(`--workload-kinds=${entry}`);
      assert.ok(error.startsWith(`--workload-kinds: ${complaint}`), error);
    });
  }

  test('the variable is named where it gave the text', () => {
    assert.match(errorOf('RELOADER_OPT_WORKLOAD_KINDS=a'), /^RELOADER_OPT_WORKLOAD_KINDS: expected group/);
    assert.match(errorOf(`RELOADER_OPT_WORKLOAD_KINDS=${APPS},${APPS}`), /^RELOADER_OPT_WORKLOAD_KINDS: /);
  });
});
