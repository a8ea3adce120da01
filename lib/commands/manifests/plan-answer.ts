/** What `plan` answers: the rollouts that would follow, by whom and when. */

import type { Controllers } from '../../app/controllers.ts';
import { blockOf, newBlockers } from '../../blockers/blockers.ts';
import { UNKNOWN } from '../../model/edge.ts';
import { remainingMs } from '../../model/hold.ts';
import {
  type ConfigRef,
  configRefIn,
  describe,
  keyOf,
  namespaceIn,
  type ObjectKey,
  type WorkloadRef,
  wholeOf,
  workloadRefIn,
} from '../../model/object-ref.ts';
import { POLICIES } from '../../model/reasons.ts';
import { listedText } from '../../model/text.ts';
import { formatDuration } from '../../model/time.ts';
import { referenceOf, workloadOf } from '../../model/workload.ts';
import { findWorkloadKind } from '../../model/workload-kind.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { judge, observedBy, outdatedObjects, putEdge, recovered } from '../../tracking/edge-policy.ts';
import { nextEdge } from '../../tracking/edge-state.ts';
import type { Cause } from '../explain/cause.ts';
import { allFollowed, type Followed } from '../explain/causes-of-workload.ts';
import type { Explanation } from '../explain/explanation.ts';
import { placed } from '../explain/explanation-text.ts';
import type { InstalledReloader } from '../installed-reloader.ts';
import type { Observation } from '../observation.ts';
import { refusalsOf } from '../reloader-events.ts';
import { rightsKeyOf } from '../reloader-rights.ts';
import type { Scene } from '../scene.ts';
import type { Step } from './plan.ts';
import { begunPause, type Timing, timingsOf } from './plan-timing.ts';

/** An object whose content would change. */
export interface PlannedObject {
  readonly object: ConfigRef;
  readonly change: 'changed' | 'created' | 'deleted';
  /** The names of the keys that differ. */
  readonly keys: readonly string[];
}

/** A workload that would be rolled. */
export interface PlannedRollout extends Timing {
  readonly workload: WorkloadRef;
  /** The objects for which, with the keys that changed. */
  readonly objects: readonly ConfigRef[];
  /** Whether it is out of date already. */
  readonly isPending: boolean;
}

/** The condition of each plan. */
export const ASSUMED = 'the API server accepts the manifests';

/** The answer. */
export interface Plan extends Pick<Explanation, 'reloader' | 'causes' | 'unknown'> {
  readonly assumes: typeof ASSUMED;
  readonly objects: readonly PlannedObject[];
  readonly rollouts: readonly PlannedRollout[];
  /** Workloads that are out of date already, and stay so. */
  readonly pending: readonly WorkloadRef[];
  /** Workloads whose pending rollout goes: they would no longer be out of date. */
  readonly withdrawn: readonly WorkloadRef[];
}

/** By workload that is out of date, with which objects, and whether anything keeps it. */
export type Outdated = ReadonlyMap<ObjectKey, { configs: readonly ObjectKey[]; isKept: boolean }>;

/** Whether the reloader rolls workloads of a namespace. */
export type Serves = (namespace: string) => boolean;

/** Which workloads are out of date; `now` in ms since 1970. */
export function outdatedIn({ store, findings }: Controllers, serves: Serves, now: number): Outdated {
  const blockers = newBlockers({ store });
  const served = workloadsOf(store).filter(([key]) => serves(namespaceIn(key)));
  const all = served.map(([key, record]) => {
    const configs = outdatedObjects(store, record).map(({ ref }) => keyOf(ref));
    const isKept = !begunPause(findings, record) && blockOf(blockers, record, now) !== undefined;
    return [key, { configs, isKept }] as const;
  });
  return new Map(all.filter(([, { configs }]) => configs.length > 0));
}

/** By their names. */
function workloadsOf({ workloads }: Store): readonly (readonly [ObjectKey, WorkloadRecord])[] {
  return [...workloads].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The workloads that are out of date no more. */
export function withdrawnIn(before: Outdated, after: Outdated, serves: Serves): readonly WorkloadRef[] {
  return [...before.keys()].filter((key) => !after.has(key) && serves(namespaceIn(key))).map(workloadRefIn);
}

/** Begins each edge with what the state says, as a start does. */
export function asFoundAtStart({ reloader }: Scene, { store, state, isServed }: Observation): void {
  const { installation, options } = reloader;
  if (isServed || installation === undefined || options.dryRun || state.is === 'unknown') return;
  for (const { record, config, verdict } of allFollowed({ store })) {
    const key = keyOf(config.ref);
    const edge = record.edges.get(key);
    const observed = observedBy(store, record, config);
    if (edge === undefined || observed === undefined || !verdict.asks) continue;
    const running = recovered(store.persisted.entryOf(config.ref), record, config, edge) ?? observed;
    putEdge(store, record, key, nextEdge(edge, { type: 'began', running }));
    record.externalRollout = undefined;
  }
}

/** How long the API server may need for one manifest. */
const MANIFEST_MS = 100;

/** Whether the reloader is faster than the workload's own change; `changed`: in order. */
export function racesIn(
  { options: { coalescePeriodMs: quietMs } }: InstalledReloader,
  changed: readonly ObjectKey[],
  rollouts: Plan['rollouts'],
): readonly string[] {
  return rollouts.flatMap(({ by, workload, objects }) => {
    const places = objects.map((each) => changed.indexOf(keyOf(wholeOf(each)))).filter((place) => place >= 0);
    const applyMs = (changed.indexOf(keyOf(workload)) - Math.min(...places)) * MANIFEST_MS;
    const what = `whether the reloader rolls ${placed(workload)} before its own change is applied`;
    if (by !== 'owner' || applyMs <= quietMs) return [];
    return [`${what}: its quiet period is ${formatDuration(quietMs)}`];
  });
}

/** What changes, and what was before. */
interface Planned {
  readonly serves: Serves;
  readonly before: Outdated;
  readonly stamped: ReadonlySet<ObjectKey>;
  readonly objects: Plan['objects'];
}

/** The rollouts that the changes cause. */
export function rolloutsOf(
  controllers: Controllers,
  reloader: InstalledReloader,
  { serves, before, stamped, objects }: Planned,
): Plan['rollouts'] {
  const { store } = controllers;
  const timingOf = timingsOf(controllers, reloader);
  const still = stampedIn(controllers, reloader.now);
  return workloadsOf(store).flatMap(([key, record]): Plan['rollouts'] => {
    const { workload } = record;
    const released = stamped.has(key) && !still.has(key) ? [releasedOf(record)] : [];
    const was = before.get(key);
    const outdated = outdatedObjects(store, record).map(({ ref }) => ref);
    if (outdated.length === 0 || !serves(workload.ref.namespace)) return released;
    const timing = timingOf(record);
    const isLetGo = was?.isKept === true && timing.keptBy === undefined && timing.by !== 'owner';
    const brought = outdated.flatMap((ref) => {
      const planned = objects.find(({ object }) => keyOf(object) === keyOf(wholeOf(ref)));
      const keys = planned?.keys.filter((key) => ref.keys?.includes(key) ?? true) ?? [];
      if (keys.length > 0) return [{ ...ref, keys }];
      return isLetGo || was?.configs.includes(keyOf(ref)) !== true ? [ref] : [];
    });
    if (brought.length === 0) return released;
    const planned = { workload: workload.ref, objects: brought, isPending: was !== undefined, ...timing };
    return [...released.filter(({ by }) => by !== timing.by), planned];
  });
}

/** Of a workload that was kept, and is not any more. */
function releasedOf({ workload, edges }: WorkloadRecord): PlannedRollout {
  const objects = [...edges].flatMap(([key, edge]) => (edge.rolloutInProgress ? [configRefIn(key)] : []));
  const by = workload.isPaused === true ? 'reloader' : 'owner';
  const when = 'at once: the manifest ends what keeps its older pods';
  return { workload: workload.ref, objects, isPending: false, by, when };
}

/** The workloads with older pods that a pause or a strategy keeps from our stamp. */
export function stampedIn({ store, findings }: Controllers, now: number): ReadonlySet<ObjectKey> {
  const all = [...store.workloads].filter(([key, { workload }]) => {
    const pause = store.settings.vocabularies.pausing.pauseOf(workload);
    if (pause) return workload.hold && remainingMs(pause, now) > 0;
    return findings.of(key).some(({ reason }) => reason === 'pods-not-replaced');
  });
  return new Set(all.map(([key]) => key));
}

/** The rollouts that the reloader does, and why it does no others. */
export function doneBy(
  reloader: InstalledReloader,
  { store, isServed }: Observation,
  rollouts: Plan['rollouts'],
  causes: Plan['causes'],
): Pick<Plan, 'rollouts' | 'causes' | 'unknown'> {
  const has = (...rules: readonly string[]): boolean => causes.some(({ rule }) => rules.includes(rule));
  const by = has('webhook') ? 'webhook' : 'reloader';
  const isAbsent = reloader.installation === undefined && reloader.isGiven !== true;
  const isLate = isAbsent || has('reloader-scaled-down', 'reloader-not-ready');
  const isOpen = reloader.unknown.length > 0 || reloader.silence !== undefined;
  const time = isOpen ? 'at a time that is not known' : isLate && 'once the reloader runs';
  const lacks: Cause[] = [];
  const done = rollouts.flatMap((due) => {
    const each = { ...due, isPending: due.isPending && isServed };
    if (each.by !== 'reloader') return [each];
    const lack = reloader.lacks?.get(rightsKeyOf(store, each.workload));
    if (lack !== undefined) lacks.push(lack);
    if (lack !== undefined || has('dry-run')) return [];
    const when = (each.keptBy === undefined && time) || each.when;
    return [{ ...each, by, when } as const];
  });
  const all = new Map([...causes, ...lacks].map((cause) => [cause.says, cause]));
  return { rollouts: done, causes: [...all.values()], unknown: [...new Set(lacks.map(({ says }) => says))] };
}

/** What may keep rollouts, each a clause. */
export async function openWaits(
  { send, reloader }: Scene,
  { store }: Observation,
  rollouts: Plan['rollouts'],
): Promise<readonly string[]> {
  const tried = rollouts.flatMap(
    ({ by, workload: ref }) => (by === 'reloader' && store.workloads.get(keyOf(ref))?.workload) || [],
  );
  const all = Map.groupBy(rollouts, ({ isPending, keptBy, by, unknown = [] }) => {
    const isTried = isPending && keptBy === undefined && by !== 'owner';
    return [...(isTried ? ['failed attempts'] : []), ...unknown].join(', ');
  });
  const waits = [...all].flatMap(([reasons, waiting]) => {
    const who = listedText(waiting.map(({ workload }) => placed(workload)));
    return reasons ? [`the running reloader alone knows whether ${who} waits (${reasons})`] : [];
  });
  return [...(reloader.installation ? waits : []), ...(await refusalsOf(send, tried))];
}

/** Whether pods that the state marks run the new contents. */
export function unsettledIn(
  { store, isServed }: Observation,
  were: readonly Followed[],
  objects: Plan['objects'],
): readonly string[] {
  const changed = new Set(objects.map(({ object }) => keyOf(object)));
  const open = were.filter(({ record, config, verdict }) => {
    const edge = record.edges.get(keyOf(config.ref));
    const isMarked = edge && recovered(store.persisted.entryOf(config.ref), record, config, edge) === UNKNOWN;
    return isServed && isMarked && verdict.asks && changed.has(keyOf(wholeOf(config.ref)));
  });
  return [...Map.groupBy(open, ({ config }) => describe(config.ref))].map(([object, all]) => {
    const pods = `pods of ${listedText(all.map(({ workload }) => placed(workload.ref)))}`;
    return `the running reloader alone knows whether ${pods} run the new content of ${object}`;
  });
}

/** What is no longer rolled for an object that it refers to. */
export function deniedSince(
  were: readonly Followed[],
  steps: readonly Step[],
  { store }: Observation,
): readonly Cause[] {
  const changed = steps.flatMap(({ row, after }) => {
    const kind = findWorkloadKind(row.stream);
    return kind && after ? workloadOf(kind, after, store.settings.vocabularies) : [];
  });
  return were.flatMap(({ record, workload: was, config, verdict }) => {
    const { ref } = config;
    const is = changed.find((each) => keyOf(each.ref) === keyOf(was.ref)) ?? was;
    if (!verdict.asks || (referenceOf(was, ref) && !referenceOf(is, ref))) return [];
    const next = { ...record, workload: is };
    const { asks, because: rule } = judge(store, next, store.configs.get(keyOf(ref)) ?? config);
    const says = `${placed(is.ref)} is no longer rolled for ${describe(ref)}: ${POLICIES[rule]}`;
    return asks || rule === 'unselected' ? [] : [{ rule, about: rule, says }];
  });
}
