/** Whether the reloader has the rights that it needs, and what it says if not. */

import type { Parts } from './assembly.ts';
import { sleep } from './kubernetes/abortable-sleep.ts';
import {
  type MissingPermission,
  missingPermissions,
  type Permission,
  type PermissionPurpose,
  permissionsFor,
} from './kubernetes/permissions.ts';
import { configKindsOf, workloadKindsOf } from './options/options.ts';

/** How long a missing right may be one that was only just granted. */
const RBAC_LAG_MS = 30_000;
const RBAC_RETRY_MS = 3_000;

/**
 * Looks for missing rights until all are there and `isReady`: where the server does not answer, nothing is known to be
 * missing. What is missing for longer than RBAC may lag is said, each with the rule to add. Answers false only if it is
 * essential; else the streams concerned keep trying, and the rest works.
 */
export async function holdRights(
  parts: Parts,
  isReady: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = permissionsOf(parts);
  let missingSince = Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    const missing = await missingPermissions(parts.send, wanted, signal);
    if (missing.length === 0 && isReady()) return true;
    missingSince = missing.length === 0 ? Number.POSITIVE_INFINITY : Math.min(missingSince, Date.now());
    if (Date.now() - missingSince >= RBAC_LAG_MS) {
      for (const { sentence } of missing) parts.log.error(sentence);
      return !isEssential(missing, wanted);
    }
    await sleep(RBAC_RETRY_MS, signal);
  }
  return true;
}

/** Everything that the program asks of the API server with these settings, at this place. */
export function permissionsOf({ options, place }: Pick<Parts, 'options' | 'place'>): Permission[] {
  const certificate = options.admission?.certificate;
  return permissionsFor({
    namespaces: place.namespaces,
    selectsNamespaces: options.namespaceSelector !== undefined,
    stateNamespace: place.stateNamespace,
    stateName: options.stateConfigMap,
    configKinds: configKindsOf(options),
    workloadKinds: workloadKindsOf(options).map(({ kind }) => kind),
    admission: certificate?.type === 'secret' ? certificate : undefined,
    isDryRun: options.dryRun,
    onlyTells: options.webhookUrl !== undefined,
  });
}

/** Without the state, without the namespaces where they are selected, without any kind of object, or without any kind of workload nothing can be done. */
function isEssential(missing: readonly MissingPermission[], wanted: readonly Permission[]): boolean {
  const lacksAll = (purpose: PermissionPurpose): boolean => {
    const lacking = missing.filter(({ permission }) => permission.purpose === purpose).length;
    return lacking > 0 && lacking === wanted.filter((permission) => permission.purpose === purpose).length;
  };
  return lacksAll('state') || lacksAll('scope') || lacksAll('config') || lacksAll('workload');
}
