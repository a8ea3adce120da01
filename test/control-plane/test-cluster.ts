/** The cluster that a test file uses. */

import { isExternal } from './availability.ts';
import type { RealCluster } from './cluster.ts';
import { ControlPlane, type StartOptions } from './control-plane.ts';
import { ExternalCluster } from './external-cluster.ts';

/** A control plane of one's own, which the options are about, or the cluster of KUBECONFIG where the environment allows it. */
export async function startCluster(options: StartOptions = {}): Promise<RealCluster> {
  return isExternal() ? await ExternalCluster.connect() : await ControlPlane.start(options);
}
