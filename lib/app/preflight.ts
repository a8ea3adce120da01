/** Checks at the start whether the reloader has the rights that it needs, and logs the rules to add for those that it lacks. */

import {
  type MissingPermission,
  missingOf,
  type Question,
  questionsOf,
  review,
} from '../kubernetes/access-reviews.ts';
import { type Permission, type PermissionPurpose, permissionsFor } from '../kubernetes/permissions.ts';
import { RBAC_LAG_MS } from '../leader/elector.ts';
import type { Log } from '../model/log.ts';
import { type ConfigKind, configKindOf } from '../model/object-ref.ts';
import { monotonicMs } from '../model/time.ts';
import { configKindsOf, isAutomatic, watchesNamespaces, workloadKindsOf } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Parts } from './assembly.ts';
import { leasePlaceOf } from './terms.ts';

/** A right may lag behind its RoleBinding. */
export const RBAC_RETRY_MS = 3_000;
/** Between reviews that are not answered. */
const UNANSWERED_MS = 10_000;

/**
 * Reviews the rights until all are confirmed, or until `isReady` and none is known to be missing. A review without an answer
 * keeps the result of the one before; a confirmed right is not reviewed again. Rights that are missing for longer than RBAC
 * may lag behind are logged, each with the rule to add. The result is false only if the program cannot work without them;
 * otherwise the streams concerned keep retrying. It runs beside the informers and delays nothing.
 */
export async function preflight(
  parts: Pick<Parts, 'send' | 'options' | 'place' | 'log'>,
  isReady: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = permissionsOf(parts);
  let questions = questionsOf(wanted);
  let missing: readonly Question[] = [];
  let missingSince = Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    const { refused, unanswered } = await review(parts.send, questions, signal);
    missing = [...refused, ...unanswered.filter((question) => missing.includes(question))];
    if (missing.length === 0 && (unanswered.length === 0 || isReady())) return true;
    missingSince = missing.length === 0 ? Number.POSITIVE_INFINITY : Math.min(missingSince, monotonicMs());
    const untilSaid = missingSince + RBAC_LAG_MS - monotonicMs();
    if (untilSaid <= 0) return mayGoOn(parts.log, missingOf(missing), wanted);
    const waitMs = unanswered.length === 0 ? RBAC_RETRY_MS : UNANSWERED_MS;
    await sleep(Math.min(untilSaid, waitMs), signal);
    questions = [...refused, ...unanswered];
  }
  return true;
}

const WITHOUT_CREATION = 'Without it nothing is rolled while there is no state.';
/** The consequence of lacking a right for which a warning is enough. */
const WITHOUT: Partial<Record<PermissionPurpose, string>> = {
  key: 'Without it digests are plain SHA-1, which tell a content that can be guessed; where the state has digests under a key, nothing is decided.',
  pages: 'Without it requests for the status page, /status.json and /metrics get 503.',
  lease: 'Without it this process acts whether or not another one does.',
};

/** Logs the missing rights; whether the program can work without them. A state that exists need not be created. */
function mayGoOn(log: Log, missing: readonly MissingPermission[], wanted: readonly Permission[]): boolean {
  const isOfState = ({ permission, verbs }: MissingPermission): boolean =>
    permission.purpose === 'state' && verbs.join() === 'create';
  for (const each of missing) {
    const without = isOfState(each) ? WITHOUT_CREATION : WITHOUT[each.permission.purpose];
    if (without === undefined) log.error(each.sentence);
    else log.warn(`${each.sentence}. ${without}`);
  }
  return !isEssential(
    missing.filter((each) => !isOfState(each)),
    wanted,
  );
}

/** The permissions for a kind that is served only where there are these rights; undefined for any other kind. */
export function permissionsOfAutomatic(
  parts: Pick<Parts, 'options' | 'place'>,
  kind: string,
): Permission[] | undefined {
  if (!isAutomatic(parts.options, kind)) return undefined;
  const source = configKindOf(kind);
  if (source !== undefined)
    return permissionsOf(parts, [], [source]).filter(({ purpose }) => purpose === 'config');
  return permissionsOf(parts, [kind]).filter((each) => each.purpose === 'workload' && each.kind === kind);
}

/** All permissions that the program needs with these options in these namespaces. */
export function permissionsOf(
  { options, place }: Pick<Parts, 'options' | 'place'>,
  workloadKinds?: readonly string[],
  configKinds?: readonly ConfigKind[],
): Permission[] {
  const { leaderElection: election } = options;
  const isNeeded = (kind: string): boolean => !isAutomatic(options, kind);
  const ofWorkloads = workloadKindsOf(options).map(({ kind }) => kind);
  return permissionsFor({
    namespaces: place.namespaces,
    watchesNamespaces: watchesNamespaces(options),
    stateNamespace: place.stateNamespace,
    stateName: options.configmap,
    configKinds: configKinds ?? configKindsOf(options).filter(isNeeded),
    workloadKinds: workloadKinds ?? ofWorkloads.filter(isNeeded),
    lease: election && leasePlaceOf(election, place),
    isDryRun: options.dryRun,
    reviewsReaders: options.metricsTlsDirectory !== undefined,
    evicts: options.reloadStrategy === 'evict',
    onlyTells: options.webhookUrl !== undefined,
  });
}

/**
 * Whether nothing can be done: the state or the selected namespaces cannot be read, or no kind of object or no kind of workload
 * can.
 */
function isEssential(missing: readonly MissingPermission[], wanted: readonly Permission[]): boolean {
  const lacksAll = (purpose: PermissionPurpose): boolean => {
    const count = missing.filter(({ permission }) => permission.purpose === purpose).length;
    return count > 0 && count === wanted.filter((permission) => permission.purpose === purpose).length;
  };
  return lacksAll('state') || lacksAll('scope') || lacksAll('config') || lacksAll('workload');
}
