/** What can be tested with the environment at hand. */

import { findAssets, HOW_TO_HAVE_IT } from './assets.ts';

/** The tests leave namespaces, cluster roles and pods behind: nobody points them at a cluster by accident. */
const FLAG = 'RELOADER_TEST_CLUSTER';
const CONSENT = 'throw-away';

/** What is there. */
export interface Available {
  readonly hasApi: boolean;
  /** Whether pods are made of Deployments, and run. */
  readonly hasPods: boolean;
  /** One line: what is left out, and how to have it; undefined if nothing is. */
  readonly leftOut: string | undefined;
}

/**
 * Looks at the environment and at what was built.
 *
 * @throws when a variable names what is not there
 */
export function availableIn(env: NodeJS.ProcessEnv = process.env): Available {
  if (isExternal(env)) {
    const leftOut =
      'left out: what needs a control plane of its own; the cluster of KUBECONFIG serves the rest';
    return { hasApi: false, hasPods: true, leftOut };
  }
  const assets = findAssets(env);
  if (assets === undefined) {
    const leftOut = `left out: everything that needs a real API server (*.e2e.ts); ${HOW_TO_HAVE_IT}`;
    return { hasApi: false, hasPods: false, leftOut };
  }
  const leftOut = `left out: test/e2e, for ${assets.folder} cannot run pods; without KUBEBUILDER_ASSETS, ${HOW_TO_HAVE_IT}`;
  return { hasApi: true, hasPods: assets.hasPods, leftOut: assets.hasPods ? undefined : leftOut };
}

/** Whether the tests are to use the cluster of KUBECONFIG, which they may spoil. */
export function isExternal(env: NodeJS.ProcessEnv = process.env): boolean {
  const consent = env[FLAG];
  if (consent === undefined || consent === CONSENT) return consent === CONSENT;
  throw new Error(`${FLAG}=${consent}: only '${CONSENT}' is known`);
}
