/**
 * What keeps an outdated workload from being rolled now although nothing failed: a hold, an approval that is not given, or a window that
 * is closed. It follows from the present annotations, contents and the time alone, so that a restart finds the same. A list of rules,
 * the first one counts. Pure.
 */

import { heldUntil, isNotifyOnly, isUrgent, needsApproval, tokenOf } from '../annotations/gating.ts';
import { describe, describeAll, keyOf, type WorkloadRef } from '../model/object-ref.ts';
import type { Gate } from '../model/outcome.ts';
import type { ReloadWindow } from '../model/reload-window.ts';
import { type Annotations, APPROVED_ANNOTATION } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, observedBy } from './edge-policy.ts';

type Rule = (store: Store, record: WorkloadRecord, now: number) => Gate | undefined;

/** An approval comes before a window: people give it while they work, for a rollout at night. */
const RULES: readonly Rule[] = [
  ({ settings, areNamespacesListed }) =>
    settings.readsNamespaces === true && !areNamespacesListed
      ? untilChanged('hold', 'the annotations of its namespace are not known yet')
      : undefined,
  (store, record) => {
    if (!isNotifyOnly(levelsOf(store, record))) return undefined;
    const { token, what } = waitingOf(store, record);
    return untilChanged('notify-only', `it is notify-only, and out of date with ${what} (${token})`);
  },
  (_, { workload }, now) => holdOf(workload.annotations, 'it', now),
  (store, { workload: { ref } }, now) =>
    holdOf(store.namespaceAnnotations.get(ref.namespace) ?? {}, `namespace ${ref.namespace}`, now),
  (store, record, now) =>
    outdatedObjects(store, record)
      .map(({ ref, annotations }) => holdOf(annotations, describe(ref), now))
      .find((gate) => gate !== undefined),
  (store, record) => {
    const approval = approvalOf(store, record);
    const given = record.workload.annotations[APPROVED_ANNOTATION];
    if (approval === undefined || given === approval.token) return undefined;
    const { token, what, target } = approval;
    const why = given === undefined ? 'it needs an approval' : 'its approval is for another content';
    const object = `${target.kind.toLowerCase()}/${target.name}`;
    const command = `kubectl annotate -n ${record.workload.ref.namespace} ${object} ${APPROVED_ANNOTATION}=${token} --overwrite`;
    return { ...untilChanged('approval', `${why}: ${command} lets ${what} go`), token };
  },
  (store, record, now) => {
    const until = reloadWindowFor(store, record)?.closedUntil(now);
    if (until === undefined || isUrgentFor(store, record)) return undefined;
    return {
      type: 'window',
      until,
      message: `its reload window is closed, at least until ${timeText(until)}`,
    };
  },
];

/** What keeps the workload from being rolled at `now`, in ms since 1970; undefined: nothing. */
export function gateOf(store: Store, record: WorkloadRecord, now: number): Gate | undefined {
  for (const rule of RULES) {
    const gate = rule(store, record, now);
    if (gate !== undefined) return gate;
  }
  return undefined;
}

/** Whether a change that the workload needs a rollout for is urgent: it waits for no window and no pause. */
export function isUrgentFor(store: Store, record: WorkloadRecord): boolean {
  return outdatedObjects(store, record).some(({ annotations }) => isUrgent(annotations));
}

/** The reload window of the workload; undefined: it may be rolled at any time. */
export function reloadWindowFor(store: Store, record: WorkloadRecord): ReloadWindow | undefined {
  return store.settings.vocabularies.reloadWindowOf(levelsOf(store, record));
}

/** The annotations of the workload, which come first, and those of its namespace. */
function levelsOf({ namespaceAnnotations }: Store, { workload }: WorkloadRecord): readonly Annotations[] {
  return [workload.annotations, namespaceAnnotations.get(workload.ref.namespace) ?? {}];
}

/** The objects that the workload is out of date with. */
export function outdatedObjects(store: Store, record: WorkloadRecord): readonly ConfigRecord[] {
  return [...record.edges]
    .filter(([config, edge]) => isOutdatedOn(store, record, config, edge))
    .flatMap(([config]) => store.configs.get(config) ?? []);
}

/** What the next rollout of the workload brings, for people, and the token of exactly that. */
function waitingOf(store: Store, record: WorkloadRecord): { readonly what: string; readonly token: string } {
  const objects = outdatedObjects(store, record);
  const digests = objects.map((each) => [keyOf(each.ref), observedBy(store, record, each) ?? ''] as const);
  return { what: describeAll(objects.map(({ ref }) => ref)), token: tokenOf(digests) };
}

/** The approval that the next rollout of the workload needs; undefined: none. `target` is what the patch is sent to that removes it. */
export function approvalOf(
  store: Store,
  record: WorkloadRecord,
): (ReturnType<typeof waitingOf> & { readonly target: Pick<WorkloadRef, 'kind' | 'name'> }) | undefined {
  const { workload } = record;
  if (!needsApproval(levelsOf(store, record))) return undefined;
  const target = (!store.settings.vocabularies.restarts(workload) && workload.referenced) || workload.ref;
  return { ...waitingOf(store, record), target };
}

/** Whether the annotations hold `who`. */
export function holdOf(annotations: Annotations, who: string, now: number): Gate | undefined {
  const until = heldUntil(annotations);
  if (until === undefined || until <= now) return undefined;
  const end = until === Number.POSITIVE_INFINITY ? 'its annotation hold is taken away' : timeText(until);
  return { type: 'hold', until, message: `${who} is held until ${end}` };
}

/** A gate that only another annotation, content or workload opens. */
export function untilChanged(type: Gate['type'], message: string): Gate {
  return { type, until: Number.POSITIVE_INFINITY, message };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
