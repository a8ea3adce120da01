/** What a soak runs on. */

import { findAssets, HOW_TO_HAVE_IT } from '../control-plane/assets.ts';
import type { RealCluster } from '../control-plane/cluster.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { SandboxCluster } from '../faults/sandbox-cluster.ts';

/** A cluster of one's own. */
export interface SoakCluster {
  readonly cluster: RealCluster & { readonly compact: () => Promise<void> };
  /** As the table calls it. */
  readonly name: string;
  /** Undefined where there is no API server that could be killed. */
  readonly plane: ControlPlane | undefined;
}

/** A control plane with pods where it is built and not refused, else a sandbox over HTTP. */
export async function startSoakCluster(
  wanted: 'control-plane' | 'sandbox' | undefined,
): Promise<SoakCluster> {
  const isBuilt = findAssets()?.hasPods === true;
  if (wanted === 'control-plane' || (wanted === undefined && isBuilt)) {
    const plane = await ControlPlane.start();
    return { cluster: plane, name: 'a control plane', plane };
  }
  const why = wanted === 'sandbox' ? '' : `; no control plane is built: ${HOW_TO_HAVE_IT}`;
  return { cluster: await SandboxCluster.start(), name: `the sandbox over HTTP${why}`, plane: undefined };
}
