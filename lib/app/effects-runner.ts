/** Carries out the effects that the rules in tracking have decided, and holds the order in which a leader does so. */

import type { ObjectKey } from '../model/object-ref.ts';
import type { Due } from '../report/reporter.ts';
import type { Effects } from '../tracking/effects.ts';
import type { Controllers } from './controllers.ts';

/** Windows that end within so many ms of each other are reported together. */
const TOGETHER_MS = 100;

/**
 * Carries out all effects as a leader. The order matters: workloads are forgotten first, since the same effects may begin to
 * follow them again; windows begin before the commit is requested, since a commit waits for the workloads in a window.
 */
export function carryOut(targets: Controllers, effects: Effects): void {
  const { rollouts, committer, reporter, counters, fence } = targets;
  const fenced = (workload: ObjectKey, handle: () => void): void =>
    fence.run('its rollout', workload, handle);
  for (const [workload] of effects.enqueuedFor('forgotten')) {
    fenced(workload, () => rollouts.forget(workload));
    reporter.forget(workload);
  }
  reporter.notes(effects.reported('note'));
  for (const { config, change } of effects.reported('change')) counters.changed(config.kind, change);
  const reverted = new Map(effects.enqueuedFor('stamp-reverted'));
  for (const [workload] of effects.enqueuedFor('retry-now'))
    if (!reverted.has(workload)) fenced(workload, () => rollouts.retryNow(workload));
  touch(targets, effects);
  for (const [workload] of effects.enqueuedFor('external-rollout-over'))
    fenced(workload, () => rollouts.resume(workload));
  for (const [workload, { times }] of reverted) fenced(workload, () => rollouts.contest(workload, times));
  committer.request(effects.toPersist('now'), effects.toPersist('soon'));
  inquire(targets, effects);
}

/** As a standby: reads what the store lacks, and forgets objects without followers, which a leader's commit would do. */
export function keepUp({ store, refetcher }: Controllers, effects: Effects): void {
  for (const { config } of effects.reported('unread')) refetcher.later(config);
  for (const config of [...effects.toPersist('now'), ...effects.toPersist('soon')]) {
    if (store.dependents.dependentsOf(config).size > 0) continue;
    store.abandoned.delete(config);
    store.persisted.minSequences.delete(config);
  }
}

/** Begins or prolongs the windows of changed workloads, and reports when they end: once for those of an object that end together. */
function touch(targets: Controllers, effects: Effects): void {
  const { store, rollouts, committer, fence } = targets;
  const changed = Map.groupBy(effects.enqueuedFor('changed'), ([workload]) => workload);
  const dues = [...changed].flatMap(([workload, reasons]) => {
    const ref = store.workloads.get(workload)?.workload.ref;
    if (ref === undefined) return [];
    const configs = new Set(reasons.map(([, { config }]) => config));
    let ms = Number.POSITIVE_INFINITY;
    fence.run('its rollout', workload, () => {
      ms = rollouts.touch(workload, configs.size);
      if (!rollouts.isWaiting(workload)) committer.kick();
    });
    return [...configs].map((config) => ({ config, ref, ms }));
  });
  const together = Map.groupBy(dues, ({ config, ms }) => `${config} ${Math.round(ms / TOGETHER_MS)}`);
  for (const [first, ...others] of together.values())
    if (first !== undefined)
      tellDue(targets, first.config, { ms: first.ms, refs: [first, ...others].map(({ ref }) => ref) });
}

/** Reports when the workloads of a change are rolled, or that they wait for their namespace to be selected. */
function tellDue({ store, reporter, namespaces }: Controllers, config: ObjectKey, due: Due): void {
  const record = store.configs.get(config);
  if (record === undefined) return;
  const { ref } = record;
  const isHeldBack = due.refs.some(({ namespace }) => !store.isSelected(namespace));
  if (Number.isFinite(due.ms)) reporter.due(ref, due);
  else if (isHeldBack && namespaces.hasListed) reporter.heldBack(ref, due.refs);
}

/** Passes on findings, and objects that have to be looked up. */
function inquire({ findings, missingObjects, refetcher }: Controllers, effects: Effects): void {
  for (const { lostOptIn } of effects.reported('lost-opt-in')) findings.lose(lostOptIn);
  for (const { competitor } of effects.reported('competitor')) findings.meet(competitor);
  for (const { config } of effects.reported('found')) missingObjects.clear(config);
  for (const { config } of effects.reported('missing')) missingObjects.suspect(config);
  for (const { config } of effects.reported('unread')) refetcher.later(config);
}
