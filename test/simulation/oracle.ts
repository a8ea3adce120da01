/**
 * Judges a run by what anybody could see who stands beside the cluster: pods, contents, writes. It checks the promises, and does
 * not know how they are kept.
 */

import { markIn, type TermMark } from '../../lib/model/shards.ts';
import type { LooseObject } from './api.ts';
import { EPOCH_MS } from './clock.ts';
import { isClass, UNKEYED_DIGESTS } from './contents.ts';
import { foreignChange } from './foreign-change.ts';
import { COPIED_WRITER } from './foreign-leases.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { judgeBlockers, judgeReasons } from './oracle-rollouts.ts';
import {
  about,
  absencesOf,
  changedUnlisted,
  contentAt,
  countsCreation,
  doubtMsOf,
  endOf,
  factsOf,
  inForceAt,
  isFollowing,
  isRollingAt,
  isSelectedAt,
  isTroubledAt,
  LATE_MS,
  lastInForceAt,
  type Of,
  type Pod,
  podsOf,
  readBy,
  rolloutsOf,
  stampedIn,
  troublesOf,
  wasBrief,
  workloadAt,
  workloadsOf,
  writesOf,
} from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

/** Whoever is taken back so often is given up, until there is another content. */
const MOST_TRIES = 10;
/** Which of two came first in one moment, no two streams tell. */
const SLACK_MS = 100;
/** Times in metadata are to the second, and those of two servers may differ by one. */
const DOUBT_MS = 2_500;

/** Every law that the run breaks; empty: it is as it must be. */
export function judge(trace: Trace): readonly Violation[] {
  const ofStamps = trace.settings.evictions === undefined ? [judgeReasons, judgeDoubt] : [judgeEvictions];
  const laws = [judgeNever, judgeSecrecy, judgeLeads, judgeBlockers, judgeLoss, ...ofStamps, judgeRest];
  return laws.flatMap((law) => law(trace));
}

/** In the end each pod has read the current content, and each Job that was created anew is there. */
function judgeLoss(trace: Trace): readonly Violation[] {
  const end = endOf(trace);
  const lost = podsOf(trace).flatMap((pod) => {
    const workload = workloadAt(trace, pod.workload, end);
    if (pod.started > end || pod.gone <= end || workload?.rollable !== true || !isSelectedAt(trace, end))
      return [];
    if (about(trace, 'taken-back', pod.workload).length >= MOST_TRIES) return [];
    return workload.follows
      .filter((config) => isFollowing(trace, pod.workload, config, end) && isLost(trace, pod, config))
      .map((config) => `${pod.name} of ${pod.workload} runs ${config} as ${readBy(trace, pod, config)}`);
  });
  const jobs = Map.groupBy(factsOf(trace, 'job'), ({ workload }) => workload);
  const lostJobs = [...jobs].flatMap(([workload, facts]) => {
    const job = facts.findLast(({ what }) => !what.endsWith('copy'));
    const isCopyLeft = facts.findLast(({ what }) => what.endsWith('copy'))?.what === 'made copy';
    return isCopyLeft || (job?.what === 'deleted' && job.by !== undefined) ? [`${workload} is lost`] : [];
  });
  return [...lost, ...lostJobs].map((message) => ({ law: 'safety', message }));
}

function isLost(trace: Trace, pod: Pod, config: ConfigName): boolean {
  const current = inForceAt(trace, config, endOf(trace));
  const isAbsent = pod.reads[config] === undefined;
  if (current === undefined || readBy(trace, pod, config) === current || (current === '-' && isAbsent))
    return false;
  // The provider of a class reported no version, or it was ready without the object, and it does not count that this comes to be.
  if (isAbsent && (isClass(config) || !countsCreation(trace, config))) return false;
  if (changedUnlisted(trace, pod.workload, config)) return false;
  return !(ranAtBaseline(trace, pod, config) || readUnseen(trace, pod, config) || hasRun(trace, pod, config));
}

/** What its workload ran as it began to follow the object, or as that was recorded, is the baseline, whatever the pod had read; of what is absent what was there last, too. */
function ranAtBaseline(trace: Trace, pod: Pod, config: ConfigName): boolean {
  const { from, to } = baselineOf(trace, pod.workload, config);
  const current = inForceAt(trace, config, endOf(trace));
  const soonMs = (trace.facts.find(({ at }) => at >= from)?.ms ?? 0) + SLACK_MS;
  const between = writesOf(trace, config).filter(({ at, ms }) => at > from && (at <= to || ms <= soonMs));
  return [from, to, ...between.map(({ at }) => at)].some((at) => {
    const first = writesOf(trace, config).find((write) => write.at > at && write.content !== undefined);
    const absent = countsCreation(trace, config) ? '-' : (first?.content ?? inForceAt(trace, config, at));
    const last = at === from && !countsCreation(trace, config) ? lastInForceAt(trace, config, at) : undefined;
    const values = [contentAt(trace, config, at) ?? absent, last];
    return pod.started < Math.max(to, from + 1) && values.includes(current);
  });
}

/** From when the workload began to ask for the object, or the state was lost, until a process had recorded it; a class once some pod has mounted it, and nothing where nothing is selected, or until that is over before it is recorded. */
function baselineOf(trace: Trace, workload: WorkloadName, config: ConfigName): { from: number; to: number } {
  const asks = [...about(trace, 'workload', workload), ...writesOf(trace, config)]
    .filter(({ at }) => at <= endOf(trace) && isFollowing(trace, workload, config, at))
    .filter(({ at }) => !isFollowing(trace, workload, config, at - 1))
    // A mark that comes with new content asks for that.
    .map(({ at, type }) =>
      type === 'content' && contentAt(trace, config, at - 1) !== undefined ? at - 1 : at,
    );
  const listed = factsOf(trace, 'listed').map(({ at }) => at);
  const lost = listed.filter((at, index) =>
    factsOf(trace, 'state-edited').some((edit) => edit.at <= at && edit.at > (listed[index - 1] ?? -1)),
  );
  const asked = Math.max(0, listed[0] ?? 0, ...asks, ...lost);
  const selections = factsOf(trace, 'selection');
  const selected = selections.find((fact, index) => {
    const isLong = (selections[index + 1]?.ms ?? Number.POSITIVE_INFINITY) - fact.ms > DOUBT_MS;
    return fact.at > asked && fact.selected && isLong && isFollowing(trace, workload, config, fact.at);
  });
  const unselected = selections.find((fact) => fact.at > asked && !fact.selected)?.at;
  const writes = factsOf(trace, 'write').filter(({ to, at }) => to === 'state' && at > asked);
  const isBegun = unselected === undefined || writes.some(({ at }) => at < unselected);
  const from = isBegun && isSelectedAt(trace, asked) ? asked : (selected?.at ?? endOf(trace));
  const looked =
    factsOf(trace, 'listed')
      .filter(({ at }) => at <= from)
      .at(-1)?.at ?? 0;
  const isUnknown = ({ at, recorded }: Of<'listed'>): boolean => at >= looked && recorded === undefined;
  const blind = isClass(config) ? factsOf(trace, 'listed').findLast(isUnknown) : undefined;
  const mounted = blind && factsOf(trace, 'mounted').find(({ at }) => at >= blind.at);
  return { from, to: Math.max(recordedAfter(trace, from), mounted?.at ?? 0) };
}

/** By when a process that looks, and lived on, has recorded what there was at a position. */
function recordedAfter(trace: Trace, at: number): number {
  const looked = absencesOf(trace).find(({ from, to }) => from < at && at < to)?.to ?? at;
  const next = absencesOf(trace).find(({ from, to }) => from >= looked && to > looked);
  const written = factsOf(trace, 'write').find((write) => write.to === 'state' && write.at > looked);
  const isWritten = next === undefined || (written !== undefined && written.at <= next.from);
  return isWritten ? looked : recordedAfter(trace, next.to);
}

/** It read what came, or it started, while no process watched, and what it read went then, too. */
function readUnseen(trace: Trace, pod: Pod, config: ConfigName): boolean {
  const read = readBy(trace, pod, config);
  const changes = writesOf(trace, config).filter(
    ({ at }) => lastInForceAt(trace, config, at) !== lastInForceAt(trace, config, at - 1),
  );
  const first = changes.findLast(({ at }) => at <= pod.started && lastInForceAt(trace, config, at) === read);
  const came = first?.at ?? 0;
  const last = changes.find(({ at }) => at > Math.max(pod.started, came));
  const gone = last?.at ?? Number.POSITIVE_INFINITY;
  if (first && last && wasBrief(trace, first, last, config)) return true;
  return absencesOf(trace).some(({ from, to }) => {
    const isDeleted = came > from && pod.started <= to && contentAt(trace, config, to) === undefined;
    return isDeleted || (gone > from && gone <= to && (came > from || pod.started > from));
  });
}

/** Where the creation of runs is not answered the last run may be one of between, and one of what is in force was before. */
function hasRun(trace: Trace, { workload }: Pod, config: ConfigName): boolean {
  const current = inForceAt(trace, config, endOf(trace));
  const runs = podsOf(trace).filter((run) => run.workload === workload && workload.startsWith('CronJob/'));
  const isRun = runs.slice(1).some((run) => readBy(trace, run, config) === current);
  return isRun && isTroubledAt(trace, endOf(trace));
}

/** Pods that start while a content changes may have read either: the workload is rolled after that, whatever it becomes. */
function judgeDoubt(trace: Trace): readonly Violation[] {
  if (trace.settings.selected !== undefined || factsOf(trace, 'rights').length > 0) return [];
  return stampedIn(trace).flatMap((workload) =>
    factsOf(trace, 'content')
      .filter(({ config }) => !isClass(config))
      .filter((change) => isStarting(trace, workload, change) && !isRolledAfter(trace, workload, change))
      .map(({ config, ms }): Violation => {
        return { law: 'safety', message: `${workload} started around the change of ${config} at ${ms} ms` };
      }),
  );
}

/** Whether some process sees in time that one content becomes another while pods of the workload start. */
function isStarting(trace: Trace, workload: WorkloadName, change: Of<'content'>): boolean {
  const { config, at, content } = change;
  const before = contentAt(trace, config, at - 1);
  const isChange = ![undefined, content].includes(before) && content !== undefined;
  const isSeen = at <= endOf(trace) && !absencesOf(trace).some(({ from, to }) => from < at && at <= to);
  const isLate = troublesOf(trace).some((fact) => fact.at <= at && change.ms - fact.ms < LATE_MS);
  return isChange && isSeen && !isLate && isRollingAt(trace, workload, at - 1);
}

/** Whether it is rolled by anybody after the change, or need not be: it or the object was not there all the time. */
function isRolledAfter(trace: Trace, workload: WorkloadName, { config, at: since }: Of<'content'>): boolean {
  const end = endOf(trace);
  const isAfter = ({ at }: Recorded): boolean => at > since && at <= end;
  const looks = [...about(trace, 'workload', workload), ...writesOf(trace, config)].filter(isAfter);
  const isSteady = [since - 1, since, ...looks.map(({ at }) => at), end].every((at) => {
    return isFollowing(trace, workload, config, at) && workloadAt(trace, workload, at)?.rollable === true;
  });
  const rollouts = [...rolloutsOf(trace, workload), ...about(trace, 'owner-write', workload)];
  const isDeleted = writesOf(trace, config).some((write) => isAfter(write) && write.content === undefined);
  const edits = factsOf(trace, 'state-edited');
  return !isSteady || isDeleted || [...rollouts, ...edits].some(isAfter);
}

/** At rest a restart rolls nothing, and no pause of ours goes on that is over. */
function judgeRest(trace: Trace): readonly Violation[] {
  const [settled] = factsOf(trace, 'settled');
  if (settled === undefined) return [];
  const isRolled = ({ at, to, isResume }: Of<'write'>): boolean =>
    at > settled.at && to.includes('/') && isResume !== true && settled.isKeyLost !== true;
  const paused = workloadsOf(trace).filter((workload) => {
    const pause = about(trace, 'pause', workload).findLast(({ at }) => at <= settled.at);
    if (pause?.since === undefined || factsOf(trace, 'jumped').length > 0) return false;
    const endMs = Math.max(pause.ms, Date.parse(pause.since) + (pause.periodMs ?? 0) - EPOCH_MS);
    return settled.ms > endMs + LATE_MS + trace.settings.maxWaitMs;
  });
  const rolled = factsOf(trace, 'write').filter(isRolled);
  const messages = [
    ...rolled.map(({ to }) => `a restart at rest rolled ${to}`),
    ...paused.map((workload) => `the pause of ${workload} is over, and goes on`),
  ];
  return messages.map((message) => ({ law: 'convergence', message }));
}

/** Pods are evicted for a reason, and no more of them at a time than is allowed. */
function judgeEvictions(trace: Trace): readonly Violation[] {
  const messages = factsOf(trace, 'evicted').flatMap(
    ({ pod, workload, createdMs, at, ms, wasReady, away }) => {
      const isExcuse = (fact: Recorded): boolean =>
        fact.at < at && (['died', 'owner-write'].includes(fact.type) || ('exists' in fact && !fact.exists));
      if (isTroubledAt(trace, at) || trace.facts.some(isExcuse)) return [];
      const names = about(trace, 'workload', workload).flatMap(({ follows }) => follows);
      const isNews = (fact: Of<'content'>): boolean =>
        fact.at <= at && fact.ms >= createdMs - Math.max(DOUBT_MS, doubtMsOf(trace));
      const hasReason = factsOf(trace, 'content').some((fact) => names.includes(fact.config) && isNews(fact));
      const isAllowed = !wasReady || away <= (trace.settings.evictions?.max ?? 1);
      return hasReason && isAllowed
        ? []
        : [`${pod} of ${workload} was evicted at ${ms} ms, ${away} are away`];
    },
  );
  return messages.map((message) => ({ law: 'economy', message }));
}

/** What no write and no process may ever do. */
function judgeNever(trace: Trace): readonly Violation[] {
  const messages = trace.facts.flatMap((fact): string[] => {
    if (fact.type === 'write') {
      const changed = foreignChange(fact.to, fact.before, fact.after);
      return changed === undefined ? [] : [`a write to ${fact.to} changed what is not ours: ${changed}`];
    }
    const isForeign = fact.type === 'job' && fact.by !== undefined && fact.isOwned && fact.what !== 'made';
    const isWrong = isForeign || ['two-in-flight', 'runaway', 'stuck'].includes(fact.type);
    return isWrong ? [`${fact.type}: ${JSON.stringify(fact)}`] : [];
  });
  return messages.map((message) => ({ law: 'never', message }));
}

/** No output has a content or a key, nor one of a keyed process a digest without a key that did not stand there before. */
function judgeSecrecy(trace: Trace): readonly Violation[] {
  const keyed = new Set(factsOf(trace, 'keyed').map(({ replica }) => replica));
  const unkeyed = keyed.size === 0 ? [] : UNKEYED_DIGESTS;
  const stood = new Set<string>();
  return factsOf(trace, 'output').flatMap(({ where, text }): Violation[] => {
    const digests = unkeyed.filter((digest) => text.includes(digest) && !stood.has(digest));
    const isKeyed = keyed.has(Number(/\d+$/.exec(where)?.[0]));
    if (!isKeyed) for (const digest of digests) stood.add(digest);
    const texts = [...trace.markers, ...(where.startsWith('keys') ? [] : (trace.keyTexts ?? []))];
    const isTold = (isKeyed && digests.length > 0) || texts.some((each) => text.includes(each));
    return isTold ? [{ law: 'never', message: `${where} holds a secret: ${text.slice(0, 200)}` }] : [];
  });
}

/** Nothing is written without a lead, or over what another process wrote in its term. */
function judgeLeads(trace: Trace): readonly Violation[] {
  const unled = factsOf(trace, 'unled').map(({ replica, path, sinceMs }) => {
    return `replica ${replica} wrote ${path} ${sinceMs ?? 'no'} ms after it sent its last renewal`;
  });
  const overwritten = factsOf(trace, 'write').filter(({ to, replica, before, after }) => {
    const { writer, term } = markOf(before);
    const isCopied = writer === COPIED_WRITER && term < markOf(after).term;
    return to === 'state' && writer !== '' && !writer.endsWith(`_${replica}`) && !isCopied;
  });
  const over = overwritten.map(({ replica }) => `replica ${replica} wrote in the term of another`);
  return [...unled, ...over].map((message) => ({ law: 'never', message }));
}

function markOf(state: unknown): TermMark {
  return markIn((state as Partial<LooseObject> | undefined)?.metadata?.annotations ?? {});
}
