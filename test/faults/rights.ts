/** The rights of `k8s/base`, in any namespace. */

import type { RealCluster } from '../control-plane/cluster.ts';
import { render } from '../install/kustomization.ts';
import { titleOf } from '../install/replacement.ts';
import { pick } from '../sandbox/json.ts';

const PATHS: Readonly<Record<string, string>> = {
  ServiceAccount: 'api/v1',
  Role: 'apis/rbac.authorization.k8s.io/v1',
  RoleBinding: 'apis/rbac.authorization.k8s.io/v1',
};

/** Makes the service account `reloader` and gives it what it has there, and with these components; what is there stays. */
export async function installRights(
  cluster: RealCluster,
  namespace: string,
  components: readonly string[] = [],
): Promise<void> {
  for (const object of render('base', { namespace, components })) {
    const kind = String(object['kind']);
    const root = PATHS[kind];
    if (root === undefined) continue;
    if (pick(object, 'metadata', 'namespace') !== namespace)
      throw new Error(`${titleOf(object)} is not in ${namespace}`);
    const { status } = await cluster.ask(
      'POST',
      `/${root}/namespaces/${namespace}/${kind.toLowerCase()}s`,
      object,
    );
    if (status !== 201 && status !== 409) throw new Error(`${titleOf(object)} is not made: ${status}`);
  }
}
