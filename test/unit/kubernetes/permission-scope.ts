/** What a reloader of two namespaces is to do, for tests of its rights. */

import type { PermissionScope } from '../../../lib/kubernetes/permissions.ts';

export const SCOPE: PermissionScope = {
  namespaces: ['one', 'two'],
  stateNamespace: 'home',
  stateName: 'reloader-state',
  configKinds: ['ConfigMap', 'Secret'],
  workloadKinds: ['Deployment', 'StatefulSet', 'DaemonSet'],
  isDryRun: false,
};
