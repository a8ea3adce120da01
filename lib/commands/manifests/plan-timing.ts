/** When the rollouts of a plan happen: by the gates, windows and stages of the controller, from which nothing is rolled here. */

import { stagesOf } from '../../annotations/gating.ts';
import type { Controllers } from '../../app/controllers.ts';
import { holdOrPause, pauseWords, whenTaken } from '../../model/hold.ts';
import { type ConfigRef, describe, keyOf } from '../../model/object-ref.ts';
import type { Gate } from '../../model/outcome.ts';
import { formatDuration } from '../../model/time.ts';
import type { Options } from '../../options/options.ts';
import { type Turn, turnsOf } from '../../rollout/stage-plan.ts';
import { WindowLengths } from '../../rollout/window-lengths.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { needsRollout } from '../../tracking/edge-policy.ts';
import { isBroughtByExternalRollout } from '../../tracking/external-rollout.ts';
import { gateOf, isUrgentFor, reloadWindowFor, untilChanged } from '../../tracking/gate.ts';

/** When a workload is rolled, and by whom. */
export interface Timing {
  /** `owner`: the rollout of its own new template brings the content. `person`: it is notify-only. */
  readonly by: 'reloader' | 'owner' | 'person';
  /** In words, for people. */
  readonly when: string;
  /** What keeps the workload although its window has ended. */
  readonly keptBy?: Gate['type'];
}

/** Answers when a workload is rolled that is out of date; `now` in ms since 1970. */
export function timingsOf(
  { store, rollouts }: Pick<Controllers, 'store' | 'rollouts'>,
  options: Pick<Options, 'coalescePeriodMs' | 'coalesceMaxWaitMs' | 'staging'>,
  now: number,
): (record: WorkloadRecord) => Timing {
  const { gates, stages } = rollouts;
  const windows = new WindowLengths({
    store,
    quietMs: options.coalescePeriodMs,
    maxWaitMs: options.coalesceMaxWaitMs,
    onSlowed: () => undefined,
  });
  const outdated = [...store.workloads].filter(([key]) => needsRollout(store, key));
  // As after the first attempt of each one: what anything else keeps is passed over by the stages.
  for (const [key, record] of outdated) {
    const gate = keptOf(store, record, now);
    if (gate !== undefined) gates.close(key, gate);
  }
  const free = outdated.filter(([key]) => gates.of(key) === undefined);
  const staged = new Map(free.map(([key]) => [key, stages.gateOf(key)]));
  const turns = stages.changes().map(({ object, plan }) => {
    const ends = stagesOf(store.configs.get(keyOf(object))?.annotations ?? {}, options.staging.stages);
    return { object, turns: turnsOf(plan, ends ?? []) };
  });
  return (record) => {
    const key = keyOf(record.workload.ref);
    const stage = staged.get(key);
    const gate = gates.of(key) ?? (stage?.type === 'halt' ? stage : undefined);
    if (gate !== undefined) return keptTiming(store, record, gate);
    const own = isUrgentFor(store, record) ? [] : turns.filter((change) => change.turns.has(key));
    const isLater = own.length > 0 && stage !== undefined;
    const places = own.map((change) => turnText(change.object, change.turns.get(key)));
    const soak = `once those before it have stayed ready for ${formatDuration(options.staging.soakMs)}`;
    const when = isLater ? [...places, soak] : [windowText(store, record, windows), ...places];
    return { by: 'reloader', when: when.join(', ') };
  };
}

/** What keeps the workload, its stage aside: also the rollout of its own new template. */
function keptOf(store: Store, record: WorkloadRecord, now: number): Gate | undefined {
  return isBroughtByExternalRollout(store, record)
    ? untilChanged('hold', 'with the rollout of its own change')
    : gateOf(store, record, now);
}

function keptTiming(store: Store, record: WorkloadRecord, { type, message }: Gate): Timing {
  if (isBroughtByExternalRollout(store, record)) return { by: 'owner', when: message };
  const by = type === 'notify-only' ? 'person' : 'reloader';
  // The token is that of the content which is applied then.
  const { kind, namespace, name } = record.workload.ref;
  const approval = `it needs an approval: reloader approve ${kind.toLowerCase()}/${name} -n ${namespace}`;
  return { by, when: type === 'approval' ? approval : message, keptBy: type };
}

/** The window that a change opens, and what else bounds the time of the rollout. */
function windowText(store: Store, record: WorkloadRecord, windows: WindowLengths): string {
  const { vocabularies } = store.settings;
  const isUrgent = isUrgentFor(store, record);
  const { workload } = record;
  const { ref } = workload;
  const { quietMs, maxWaitMs } = windows.opened(keyOf(ref));
  const { minIntervalMs } = vocabularies.paceOf(workload);
  const pause = vocabularies.pausing.pauseOf(workload);
  const hold = holdOrPause(workload.holdInSpec, workload.isPaused);
  const pauseMs = isUrgent ? 0 : vocabularies.pausing.pauseMsOf(workload);
  const bounds = [
    `${formatDuration(quietMs)} after the last change, ${formatDuration(maxWaitMs)} after the first one at the latest`,
    minIntervalMs > 0 && `${formatDuration(minIntervalMs)} after its last rollout at the earliest`,
    !isUrgent && reloadWindowFor(store, record) !== undefined && 'while its reload window is open',
    record.externalRollout !== undefined && 'beside the rollout of its own change, which comes first',
    pause !== undefined ? `its pods when its pause ends: ${pauseWords(pause)}` : hold && whenTaken(hold, ref),
    pauseMs > 0 && `its pods ${formatDuration(pauseMs)} later, when its pause ends`,
  ];
  return bounds.filter((text) => typeof text === 'string').join(', ');
}

function turnText(object: ConfigRef, turn: Turn | undefined): string {
  const change = `of the change of ${describe(object)}`;
  if (turn === undefined) return `after the last stage ${change}`;
  const end = 'percent' in turn.end ? `${turn.end.percent}%` : turn.end.count;
  return `in stage ${turn.stage} of ${turn.stages} (${end}) ${change}`;
}
