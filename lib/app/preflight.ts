/** Whether the reloader has the rights that it needs, and what it says if not. */

import {
  type MissingPermission,
  missingOf,
  type Question,
  questionsOf,
  type Reviewed,
  review,
} from '../kubernetes/access-reviews.ts';
import { type Permission, type PermissionPurpose, permissionsFor } from '../kubernetes/permissions.ts';
import { StateConfigMap } from '../kubernetes/state-config-map.ts';
import { RBAC_LAG_MS } from '../leader/elector.ts';
import { type BackoffBounds, backoffMs, monotonicMs } from '../model/time.ts';
import { configKindsOf, workloadKindsOf } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Parts } from './assembly.ts';
import { leasePlaceOf } from './election.ts';

const RBAC_RETRY_MS = 3_000;
/** Where the server does not answer. */
const UNANSWERED_BACKOFF: BackoffBounds = { baseMs: RBAC_RETRY_MS, capMs: 30_000 };

/**
 * Looks for missing rights until all are known to be there, or none is known to be missing and `isReady`: where the server
 * does not answer, nothing is known to be missing but what it refused when it answered last. A right that was found is not
 * looked for again. What is missing for longer than RBAC may lag is said, each with the rule to add. Answers false only if it
 * is essential; else the streams concerned keep trying, and the rest works.
 */
export async function preflight(
  parts: Pick<Parts, 'send' | 'options' | 'place' | 'log' | 'random'>,
  isReady: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = permissionsOf(parts);
  let questions = questionsOf(wanted);
  let missing: readonly Question[] = [];
  let missingSince = Number.POSITIVE_INFINITY;
  let failures = 0;
  while (!signal.aborted) {
    const reviewed = await review(parts.send, questions, signal);
    const { refused, unanswered } = reviewed;
    missing = [...refused, ...unanswered.filter((question) => missing.includes(question))];
    if (missing.length === 0 && (unanswered.length === 0 || isReady())) return true;
    missingSince = missing.length === 0 ? Number.POSITIVE_INFINITY : Math.min(missingSince, monotonicMs());
    const untilSaid = missingSince + RBAC_LAG_MS - monotonicMs();
    if (untilSaid <= 0) return await mayGoOn(parts, missingOf(missing), wanted, signal);
    failures = unanswered.length === 0 ? 0 : failures + 1;
    await sleep(Math.min(untilSaid, waitMs(reviewed, failures, parts.random ?? Math.random)), signal);
    questions = [...refused, ...unanswered];
  }
  return true;
}

/** What it means to be without a right that is not essential and of which a warning is enough. */
const WITHOUT: Partial<Record<PermissionPurpose, string>> = {
  age: 'Without it a Deployment that was rolled after a change while the reloader was away is rolled once more.',
  lease:
    'Without it this process acts whether or not another one does; without list and watch it only learns later of a Lease that is free.',
};

/** Says what is missing. A state that exists needs no right to create it. */
async function mayGoOn(
  { send, place, options, log }: Pick<Parts, 'send' | 'options' | 'place' | 'log'>,
  missing: readonly MissingPermission[],
  wanted: readonly Permission[],
  signal: AbortSignal,
): Promise<boolean> {
  const state = new StateConfigMap(send, { namespace: place.stateNamespace, name: options.stateConfigMap });
  const creation = missing.find(
    ({ permission, verbs }) => permission.purpose === 'state' && verbs.join() === 'create',
  );
  const isNeedless = creation !== undefined && (await state.read(signal)).kind === 'found';
  const needed = isNeedless ? missing.filter((one) => one !== creation) : missing;
  for (const { permission, sentence } of needed) {
    const without = WITHOUT[permission.purpose];
    if (without === undefined) log.error(sentence);
    else log.warn(`${sentence}\n${without}`);
  }
  if (isNeedless) {
    log.warn(
      `The state exists, so the reloader works; were it deleted, it could not come back. ${creation.sentence}`,
    );
  }
  return !isEssential(needed, wanted);
}

/** @param failures rounds on end in which something was not answered. */
function waitMs({ retryAfterMs = 0 }: Reviewed, failures: number, random: () => number): number {
  if (failures === 0) return RBAC_RETRY_MS;
  return Math.max(retryAfterMs, backoffMs(failures - 1, UNANSWERED_BACKOFF, random));
}

/** Everything that the program asks of the API server with these settings, at this place. */
export function permissionsOf({ options, place }: Pick<Parts, 'options' | 'place'>): Permission[] {
  const certificate = options.admission?.certificate;
  const { leaderElection: election } = options;
  return permissionsFor({
    namespaces: place.namespaces,
    selectsNamespaces: options.namespaceSelector !== undefined,
    stateNamespace: place.stateNamespace,
    stateName: options.stateConfigMap,
    configKinds: configKindsOf(options),
    workloadKinds: workloadKindsOf(options).map(({ kind }) => kind),
    admission: certificate?.type === 'secret' ? certificate : undefined,
    lease: election && leasePlaceOf(election, place),
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
