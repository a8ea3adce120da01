/** When the rollouts of a plan happen, by the controller's own rules. */

import type { Controllers } from '../../app/controllers.ts';
import { blocksOf } from '../../blockers/blockers.ts';
import { reloadWindowOf } from '../../blockers/closed-window.ts';
import type { StagePlan } from '../../blockers/stage-plan.ts';
import { holdOrPause, pauseWords, whenTaken } from '../../model/hold.ts';
import { type ConfigRef, describe, keyOf } from '../../model/object-ref.ts';
import type { Blocked } from '../../model/outcome.ts';
import { formatDuration } from '../../model/time.ts';
import { type WindowLengthsOptions, windowOf } from '../../rollout/window-lengths.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { isUrgentFor, needsRollout } from '../../tracking/edge-policy.ts';
import type { InstalledReloader } from '../installed-reloader.ts';

/** When a workload is rolled, and by whom. */
export interface Timing {
  /** `owner`: its own rollout brings the content. `person`: it is notify-only. */
  readonly by: 'reloader' | 'webhook' | 'owner' | 'person';
  readonly when: string;
  /** What keeps the workload although its window has ended. */
  readonly keptBy?: string;
  /** The reasons to wait that the running reloader alone knows. */
  readonly unknown?: readonly string[];
}

/** Answers when a workload is rolled that is out of date. */
export function timingsOf(
  { store, rollouts, findings }: Controllers,
  { options, now }: InstalledReloader,
): (record: WorkloadRecord) => Timing {
  const windows = { store, quietMs: options.coalescePeriodMs, maxWaitMs: options.coalesceMaxWaitMs };
  const { stages, waiting } = rollouts;
  const others = rollouts.blockers.filter((each) => each !== stages);
  const outdated = [...store.workloads].filter(([key]) => needsRollout(store, key));
  const blocks = new Map(outdated.map(([key, record]) => [key, plannedBlock(others, record, now)]));
  // What anything else blocks is passed over by the stages.
  for (const [key, block] of blocks) if (block) waiting.set(key, block);
  const free = outdated.filter(([key]) => blocks.get(key) === undefined);
  const staged = new Map(free.map(([key, record]) => [key, stages.check(record)]));
  const turns = stages.changes().map(({ object, plan }) => {
    return new Map([...plan.waiting].map((key, place) => [key, turnText(object, plan, place)]));
  });
  return (record) => {
    const key = keyOf(record.workload.ref);
    const places = isUrgentFor(store, record) ? [] : turns.flatMap((change) => change.get(key) ?? []);
    const stage = staged.get(key);
    const block = blocks.get(key) ?? (typeof stage === 'object' ? stage : undefined);
    if (block) return blockedTiming(findings, record, block);
    const isOpen = stage === 'unknown' || places.some((place) => place.endsWith(OPEN));
    const soak = `once those before it have stayed ready for ${formatDuration(options.staging.soakMs)}`;
    const when = isOpen ? [...places, soak] : [windowText(store, record, windows), ...places];
    const open = others.filter((each) => each.check(record, now) === 'unknown').map(({ name }) => name);
    const unknown = isOpen ? [stages.name, ...open] : open;
    return { by: 'reloader', when: when.join(', '), unknown: [...unknown, ...limitOf(store, record)] };
  };
}

/** A limit that is lower than by default may slow it. */
function limitOf(store: Store, record: WorkloadRecord): readonly string[] {
  const { limit } = store.settings.vocabularies.paceOf(record.workload);
  return !limit || limit.rollouts >= 20 || isUrgentFor(store, record) ? [] : ['rollout-limit'];
}

/** What blocks the workload; no hold stops the rollout of its own change. */
function plannedBlock(...about: Parameters<typeof blocksOf>): Blocked | undefined {
  const all = [...blocksOf(...about)];
  return all.find(({ by }) => by === 'owner') ?? all[0];
}

/** That a pause has begun whose end replaces older pods, whatever blocks the workload. */
export function begunPause(
  findings: Controllers['findings'],
  { workload: { ref, hold } }: WorkloadRecord,
): string | undefined {
  return hold && findings.of(keyOf(ref)).find(({ reason }) => reason === 'paused')?.message;
}

function blockedTiming(
  findings: Controllers['findings'],
  record: WorkloadRecord,
  { reason, message, by, planned: when = message }: Blocked,
): Timing {
  if (by === 'owner') return { by, when };
  const pause = begunPause(findings, record);
  if (pause) return { by: 'reloader', when: `${message}, but ${pause}` };
  return { by: by ?? 'reloader', when, keptBy: reason };
}

function windowText(store: Store, record: WorkloadRecord, windows: WindowLengthsOptions): string {
  const { vocabularies, onlyTells } = store.settings;
  const isUrgent = isUrgentFor(store, record);
  const { workload } = record;
  const { ref } = workload;
  const { quietMs, maxWaitMs } = windowOf(windows, keyOf(ref));
  const minIntervalMs = isUrgent ? 0 : vocabularies.paceOf(workload).minIntervalMs;
  // An eviction or a notification needs no new template.
  const evicts = onlyTells || vocabularies.strategyOf(workload) === 'evict';
  const pause = vocabularies.pausing.pauseOf(workload);
  const hold = holdOrPause(workload.holdInSpec, workload.isPaused);
  const pauseMs = isUrgent || evicts ? 0 : vocabularies.pausing.pauseMsOf(workload);
  const bounds = [
    `${formatDuration(quietMs)} after the last change, ${formatDuration(maxWaitMs)} after the first one at the latest`,
    minIntervalMs > 0 && `${formatDuration(minIntervalMs)} after its last rollout at the earliest`,
    !isUrgent && reloadWindowOf(store, record) !== undefined && 'while its reload window is open',
    record.externalRollout !== undefined && 'beside the rollout of its own change, which comes first',
    !evicts && (pause ? `its pods when its pause ends: ${pauseWords(pause)}` : hold && whenTaken(hold, ref)),
    pauseMs > 0 && `its pods ${formatDuration(pauseMs)} later, when its pause ends`,
  ];
  return bounds.filter((text) => typeof text === 'string').join(', ');
}

/** One look does not show whether pods become ready. */
const OPEN = 'that is not known';

function turnText(object: ConfigRef, { stages, ends, progress, verdicts }: StagePlan, place: number): string {
  const change = `of the change of ${describe(object)}`;
  const members = [...verdicts.values()];
  if (members.some(([verdict, { pods }]) => verdict === 'last' && pods === 'unready'))
    return `in a stage ${change} ${OPEN}`;
  const at = ends.findIndex((end) => progress.begun + place < end);
  if (at === -1) return `after the last stage ${change}`;
  const end = stages[at] ?? { percent: 100 };
  const text = 'percent' in end ? `${end.percent}%` : end.count;
  const isOrdered = members.some(([, { order }]) => order !== members[0]?.[1].order);
  return `in stage ${at + 1} of ${ends.length} (${text}) ${change}${isOrdered ? ' at the earliest' : ''}`;
}
