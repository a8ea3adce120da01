/** OpenShift's DeploymentConfig, which an aggregated API server serves. */

import type { WorkloadKind } from '../workload-kind.ts';
import { podsOf } from './pods.ts';

/** The row of DeploymentConfigs. */
export const DEPLOYMENT_CONFIG: WorkloadKind = {
  kind: 'DeploymentConfig',
  group: 'apps.openshift.io',
  version: 'v1',
  resource: 'deploymentconfigs',
  rollout: 'replace-pods',
  patch: 'strategic',
  isOptional: true,
  done: 'rolled',
  templatePath: ['template'],
  declines: () => undefined,
  isLeftAlone: () => false,
  isObserved: ({ metadata, status }) => Number(status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
  hold: ({ spec }) => (spec?.paused === true ? { type: 'paused' } : undefined),
  rolledOut: ({ spec, status }) => {
    const replicas = spec?.replicas ?? 0;
    return (
      (status?.updatedReplicas ?? 0) === replicas &&
      (status?.readyReplicas ?? 0) === replicas &&
      (status?.replicas ?? 0) === replicas
    );
  },
  revision: ({ status }) => status?.latestVersion?.toString(),
  pods: ({ status }) => podsOf(status?.replicas, status?.updatedReplicas),
};
