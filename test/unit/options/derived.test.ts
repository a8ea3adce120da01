/** What follows from several options together. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { placeOf } from '../../../lib/app/assembly.ts';
import { workloadKindsOf } from '../../../lib/options/options.ts';
import { running } from './given.ts';

describe('the state is in the namespace', () => {
  const places: Record<string, string> = {
    '--state-namespace=s --namespace=a': 's',
    '--namespace=a': 'a',
    '--namespace=a,b': 'own',
    '-A': 'own',
    'RELOADER_NAMESPACE=reloader': 'own',
    '': 'own',
  };
  for (const [command, place] of Object.entries(places))
    test(`${place} with ${command}`, () =>
      assert.equal(placeOf(running(command).options, 'own').stateNamespace, place));
});

describe('the kinds of workload that are served are', () => {
  const served: Record<string, string> = {
    '': 'Deployment,StatefulSet,DaemonSet,Rollout,DeploymentConfig',
    '--is-Argo-Rollouts=false --is-openshift=true': 'Deployment,StatefulSet,DaemonSet,DeploymentConfig',
    '--cronjob-reload=run-now --ignored-workload-types=rollouts --is-openshift=false':
      'Deployment,StatefulSet,DaemonSet,CronJob',
    '--job-reload=recreate-running': 'Deployment,StatefulSet,DaemonSet,Job,Rollout,DeploymentConfig',
    '--cronjob-reload=run-now --ignored-workload-types=jobs,cronjobs,daemonsets':
      'Deployment,StatefulSet,Rollout,DeploymentConfig',
  };
  for (const [command, kinds] of Object.entries(served)) {
    test(`${kinds} with ${command}`, () => {
      const all = workloadKindsOf(running(command).options).map(({ kind }) => kind);
      assert.equal(all.join(), kinds);
    });
  }
});
