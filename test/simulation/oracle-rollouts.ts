/**
 * Nothing is rolled without a reason: since the rollout before, what the workload follows has become another content, or its pods
 * may have started with another one. Each event that affects the workload excuses one rollout. Nor while a blocker holds it.
 */

import { isDeepStrictEqual } from 'node:util';
import type { LooseObject } from './api.ts';
import { EPOCH_MS } from './clock.ts';
import { isClass } from './contents.ts';
import { heldBy } from './held.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { pauseOf, periodMsOf } from './pausing.ts';
import { contentsStamped } from './stamped-contents.ts';
import {
  type Absence,
  about,
  absencesOf,
  beginningsOf,
  contentAt,
  doubtMsOf,
  endOf,
  factsOf,
  hasUrgent,
  isAffected,
  isRollingAt,
  isSelectedAt,
  isTroubledAt,
  isWrittenNear,
  lastInForceAt,
  mayWait,
  type Of,
  positionAt,
  rolloutsOf,
  runsOther,
  troublesOf,
  workloadAt,
  workloadsOf,
  writesOf,
} from './timeline.ts';
import type { Fact, Read, Recorded, Trace, Violation } from './trace.ts';

type Rollout = Of<'write'>;
type Moment = Pick<Recorded, 'at' | 'ms'>;
type Span = Pick<Absence, 'from' | 'to' | 'toMs'>;

/** For a request and its answer. */
const SLACK_MS = 100;
/** To hear of a blocker, and what is on its way then. */
const ENOUGH_MS = 5000;
/** An event excuses no rollout after so long, where nothing makes it wait: the longest backoff, and some. */
const EXCUSED_MS = 180_000;
/** Without progress for so long a rollout has no slot any more. */
const DEADLINE_MS = 600_000;
/** Until what came late has had its effect. */
const AFTER_HINDRANCE_MS = 60_000;

/** The rollouts without a reason. */
export function judgeReasons(trace: Trace): readonly Violation[] {
  return workloadsOf(trace).flatMap((workload) => {
    const events = eventsOf(trace, workload);
    const rollouts = rolloutsOf(trace, workload).filter(({ at }) => at <= endOf(trace));
    const needless = rollouts.filter((now, index) => !hasNews(trace, workload, rollouts[index - 1], now));
    const wrong = [
      ...unexcused(needless, events, mayWait(trace, workload) ? Number.POSITIVE_INFINITY : EXCUSED_MS),
      ...rollouts.filter((now, index) => isSecond(trace, events, rollouts[index - 1], now)),
    ];
    return wrong.map(({ ms }): Violation => {
      return { law: 'economy', message: `${workload} was rolled at ${ms} ms without a reason` };
    });
  });
}

/** Each event excuses one rollout, soon after it. */
function unexcused(needless: readonly Rollout[], events: readonly Span[], forMs: number): readonly Rollout[] {
  const left = new Set(events);
  return needless.filter((now) => {
    const excuse = [...left].find(({ from, toMs }) => from <= now.at && now.ms - toMs <= forMs);
    return excuse === undefined || !left.delete(excuse);
  });
}

/** Whether it is the second one in a window, and nothing but changes was in it. */
function isSecond(trace: Trace, events: readonly Span[], before: Moment | undefined, now: Moment): boolean {
  if (before === undefined || isTroubledAt(trace, now.at)) return false;
  const isExcused = events.some(({ from, to }) => to >= before.at && from <= now.at);
  return !isExcused && now.ms - before.ms < trace.settings.coalescePeriodMs - SLACK_MS;
}

/** Whether something that the workload follows is another than at the rollout before, or may be in some pod. */
function hasNews(trace: Trace, workload: WorkloadName, before: Moment | undefined, now: Moment): boolean {
  const then = workloadAt(trace, workload, positionAt(trace, now.ms - SLACK_MS));
  const since = about(trace, 'workload', workload).filter(
    (fact) => fact.ms >= now.ms - SLACK_MS && fact.at <= now.at,
  );
  const configs = new Set([then, ...since].flatMap((fact) => fact?.follows ?? []));
  return [...configs].some((config) => isNews(trace, workload, config, before, now));
}

function isNews(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  before: Moment | undefined,
  now: Moment,
): boolean {
  return beginningsOf(trace, workload, config, now).some((since) => {
    const isAgain = before !== undefined && before.at >= since.at;
    const from = isAgain ? before : since;
    const had = ranAt(trace, config, from, isAgain);
    const [old, present] = [from, now].map(({ at }) => contentAt(trace, config, at));
    const all = new Set([...had, ...contentsNear(trace, config, now, SLACK_MS)]);
    const changes = changesBetween(trace, config, from, now);
    return (
      (had.size > 0 && all.size > 1) ||
      // What is absent and comes to be counts, and so does its second deletion.
      (isAgain && old === undefined && (present !== undefined || changes.length > 0)) ||
      (!isAgain && isWrittenNear(trace, config, since)) ||
      // Who begins to read a key does not know which keys the last edit was of.
      (!isAgain && trace.settings.keys?.noise === true) ||
      (changes.length > 0 && mayHaveStarted(trace, workload, changes)) ||
      // Without pods of its own it counts as begun with what the others have mounted: each window with changes has its rollout.
      (isClass(config) &&
        changes.some(({ ms }) => ms > (changes[0]?.ms ?? 0) + trace.settings.coalescePeriodMs)) ||
      runsOther(trace, workload, config, before?.at ?? -1, now.at)
    );
  });
}

/** What its pods may run: after a rollout, or as it begins to follow the object; of one that is absent what comes to be, too. */
function ranAt(trace: Trace, config: ConfigName, from: Moment, isAgain: boolean): Set<Read> {
  const near = contentsNear(trace, config, from, isAgain ? SLACK_MS : doubtMsOf(trace));
  const comes = writesOf(trace, config).find(({ at, content }) => at > from.at && content !== undefined);
  const isAbsent = contentAt(trace, config, from.at) === undefined;
  if (!isAgain && isAbsent && comes?.content !== undefined) near.add(comes.content);
  return near;
}

/** What was in force in the last `slackMs` until the moment. */
function contentsNear(trace: Trace, config: ConfigName, { at, ms }: Moment, slackMs: number): Set<Read> {
  const near = writesOf(trace, config).filter((write) => write.at <= at && write.ms >= ms - slackMs);
  const all = [at, ...near.flatMap((write) => [write.at - 1, write.at])];
  return new Set(all.map((each) => lastInForceAt(trace, config, each)).filter((each) => each !== undefined));
}

function changesBetween(trace: Trace, config: ConfigName, from: Moment, to: Moment): readonly Moment[] {
  const valueAt = (at: number): Read => contentAt(trace, config, at) ?? '-';
  return writesOf(trace, config).filter(({ at, ms }) => {
    const [old, now] = [valueAt(at - 1), valueAt(at)];
    return ms >= from.ms - SLACK_MS && at <= to.at && old !== now;
  });
}

/** Whether pods may have started between the changes, as far as one can know who hears of both on two streams. */
function mayHaveStarted(trace: Trace, workload: WorkloadName, changes: readonly Moment[]): boolean {
  const doubtMs = Math.max(SLACK_MS, doubtMsOf(trace));
  const [begin, end] = [changes[0], changes.at(-1)].map((change) => change?.ms ?? 0) as [number, number];
  const rolling = about(trace, 'rolling', workload);
  const at = changes[0]?.at ?? 0;
  return (
    [...rolling, ...about(trace, 'pod-started', workload), ...about(trace, 'workload', workload)].some(
      ({ ms }) => ms >= begin - doubtMs && ms <= end + doubtMs,
    ) ||
    rolling.findLast((fact) => fact.at <= at)?.rolling === true ||
    workloadAt(trace, workload, at)?.rollable === false
  );
}

/** The events that affect the workload; each excuses one rollout, but none that it is new with the stamps of another. What comes late may look like a change of its own. */
function eventsOf(trace: Trace, workload: WorkloadName): readonly Span[] {
  const isAffectedIn = (from: number, to: number): boolean => {
    const last = rolloutsOf(trace, workload).findLast((rollout) => rollout.at <= from);
    const now = { at: from, ms: trace.facts.findLast((fact) => fact.at <= from)?.ms ?? 0 };
    return isAffected(trace, workload, from, to) || hasNews(trace, workload, last, now);
  };
  const gaps = troublesOf(trace).filter((fact) => {
    if (fact.type === 'rights' && !fact.allowed) return false;
    return isAffectedIn(fact.at, positionAt(trace, fact.ms + lastsMs(fact) + AFTER_HINDRANCE_MS));
  });
  const named = about(trace, 'workload', workload).flatMap(({ follows }) => follows);
  const changes = factsOf(trace, 'content').filter(({ config }) => named.includes(config));
  const late = changes.filter(({ at }) => isTroubledAt(trace, at));
  const [, ...absences] = absencesOf(trace);
  const starts = absences.filter(({ from, to, toMs }) =>
    isAffectedIn(from, Math.max(to, positionAt(trace, toMs + SLACK_MS))),
  );
  const written = about(trace, 'owner-write', workload).filter(({ copied }) => !copied);
  const aborted = about(trace, 'aborted', workload).filter((fact) => fact.aborted);
  const others = [...written, ...aborted, ...gaps, ...late].map((fact) => {
    return { from: fact.at, to: fact.at, toMs: fact.ms + lastsMs(fact) };
  });
  return [...starts, ...others].toSorted((a, b) => a.toMs - b.toMs);
}

function lastsMs(fact: Fact): number {
  return 'forMs' in fact ? fact.forMs : 0;
}

/** The writes of what a blocker holds, as the version says that they replace, or as the cluster was before. */
export function judgeBlockers(trace: Trace): readonly Violation[] {
  const messages = factsOf(trace, 'write').flatMap((write) => {
    const { to, ms, isResume } = write;
    const reasons = hasUrgent(trace) ? [] : [...pausedBy(trace, write)];
    if (to.includes('/') && isResume !== true)
      reasons.push(...heldBy(trace, write), ...blockedBy(trace, write));
    return reasons.map((why) => `${to} was rolled at ${ms} ms, ${why}`);
  });
  return messages.map((message) => ({ law: 'never', message }));
}

/** A pause that a workload asks for begins with its rollout, and nobody but people ends it before its time. */
function pausedBy(trace: Trace, { to, ms, before, after, isResume }: Rollout): string[] {
  const [old, now] = [before, after] as (LooseObject | undefined)[];
  if (old === undefined || now === undefined || !to.startsWith('Deployment/')) return [];
  if (factsOf(trace, 'jumped').length > 0) return [];
  const [{ since, periodMs = 0 }, later] = [pauseOf(old), pauseOf(now).since];
  const asks = old.spec.paused !== true && isResume !== true && (periodMsOf(old) ?? 0) > 0;
  if (since === undefined) return asks && later === undefined ? ['without its pause'] : [];
  const isEarly = later === undefined && EPOCH_MS + ms < Date.parse(since) + periodMs;
  return isEarly || ![undefined, since].includes(later) ? ['and its pause was ended or begun again'] : [];
}

/** Judged where news comes at once: who has not heard of something cannot heed it. */
function blockedBy(trace: Trace, rollout: Rollout): string[] {
  if (isTroubledAt(trace, rollout.at)) return [];
  const isLong = (fact: Moment | undefined): boolean => rollout.ms - (fact?.ms ?? 0) > ENOUGH_MS;
  const selection = factsOf(trace, 'selection').findLast(({ at }) => at <= rollout.at);
  const stages = factsOf(trace, 'staged').filter(({ at }) => at <= rollout.at);
  const aborted = about(trace, 'aborted', rollout.to).findLast(({ at }) => at < rollout.at);
  const isForced = aborted?.aborted === true && isLong(aborted) && !isRestart(rollout);
  return [
    ...(!isSelectedAt(trace, rollout.at) && isLong(selection) ? ['where nothing is selected'] : []),
    ...(isForced ? ['during an abort'] : []),
    ...withoutSlot(trace, rollout),
    ...stages.flatMap(({ config }) => staged(trace, rollout, config)),
  ];
}

/** A restart of a Rollout brings no new revision. */
function isRestart({ before, after }: Rollout): boolean {
  const [old, now] = [before, after].map((object) => (object as LooseObject | undefined)?.spec.template);
  return isDeepStrictEqual(old, now);
}

/** A rollout begins only into a free slot: beside others whose pods are still being replaced a moment later, and that nobody has changed. */
function withoutSlot(trace: Trace, rollout: Rollout): string[] {
  const most = trace.settings.budget?.slots ?? 0;
  const takesSlot = ({ to, isResume, after }: Rollout): boolean =>
    /^Deploy|Set\//.test(to) && !isResume && (after as LooseObject | undefined)?.spec.replicas !== 0;
  if (most === 0 || !takesSlot(rollout) || isRollingAt(trace, rollout.to, rollout.at - 1)) return [];
  // It was let begin in its quiet period, in which its owner rolled it anyway.
  const letBegin = positionAt(trace, rollout.ms - trace.settings.coalescePeriodMs - SLACK_MS);
  if (isTouched(trace, rollout.to, letBegin, rollout.at)) return [];
  const until = rollout.ms + SLACK_MS;
  const begun = factsOf(trace, 'write').filter((other) => {
    const looks = about(trace, 'rolling', other.to).filter(({ at, ms }) => at >= other.at && ms <= until);
    const isRolling =
      looks.every(({ rolling }) => rolling) && !isTouched(trace, other.to, other.at, rollout.at);
    const isNew = mustKnow(trace, other, rollout) && takesSlot(other) && rollout.ms - other.ms < DEADLINE_MS;
    const isBegun = (name: WorkloadName): boolean => workloadAt(trace, name, rollout.at)?.rollable === true;
    const health = about(trace, 'health', other.to).findLast(({ at }) => at < rollout.at);
    if (health?.isGivenUp === true || health?.hasPods === false) return false;
    return isNew && isRolling && [other.to, rollout.to].every((name) => isBegun(name as WorkloadName));
  });
  const others = new Set(begun.map(({ to }) => to));
  return others.size < most ? [] : [`beside ${[...others].join()}, of ${most} slots`];
}

/** Whether who began the second one has to know of the first. */
function mustKnow(trace: Trace, first: Rollout, second: Rollout): boolean {
  if (first.to === second.to || first.at >= second.at) return false;
  const listed = factsOf(trace, 'listed').find(({ replica }) => replica === second.replica);
  return first.replica === second.replica || first.at < (listed?.at ?? 0);
}

/** Whether others changed the workload between two positions. */
function isTouched(trace: Trace, workload: WorkloadName, from: number, to: number): boolean {
  const touches = (['workload', 'owner-write'] as const).flatMap((type) => about(trace, type, workload));
  return touches.some(({ at }) => at > from && at <= to);
}

/** Nobody begins with a new content before enough others are ready with it. Judged where the stages are counts, and stay. */
function staged(trace: Trace, rollout: Rollout, config: ConfigName): string[] {
  const content = contentAt(trace, config, rollout.at);
  const [since, again] = writesOf(trace, config).filter((write) => write.content === content);
  const facts = factsOf(trace, 'staged').filter((fact) => fact.config === config);
  const usual = trace.settings.staging?.stages?.map((end) => ('percent' in end ? '%' : end.count));
  const [ends = '%', ...others] = new Set(facts.map(({ stages }) => stages ?? usual?.join()));
  const isPassed = facts.some(({ resume, isUrgent }) => resume ?? isUrgent);
  // An urgent change of another object that it follows lets it pass too.
  const { follows = [] } = workloadAt(trace, rollout.to, rollout.at) ?? {};
  const isUrgentBeside = factsOf(trace, 'staged').some(
    (fact) => fact.at < rollout.at && fact.isUrgent === true && follows.includes(fact.config),
  );
  if (others.length > 0 || ends.includes('%') || isPassed || isUrgentBeside) return [];
  const carries = (object: unknown): boolean =>
    contentsStamped(object, config).some((each) => each === content);
  const brings = ({ before, after }: Rollout): boolean => carries(after) && !carries(before);
  if (content === undefined || since === undefined || again !== undefined || !brings(rollout)) return [];
  if (!isEvidence(trace, rollout, since.at, rollout.at)) return [];
  // Whom another, urgent object lets pass begins beside the first one.
  const isBeside = ({ ms }: Rollout): boolean => hasUrgent(trace) && rollout.ms - ms <= SLACK_MS;
  const all = factsOf(trace, 'write').filter(
    (other) =>
      other.at > since.at && mustKnow(trace, other, rollout) && !isBeside(other) && carries(other.after),
  );
  // A leader may repeat a rollout of a former one, of which it does not know.
  const begun = all.filter((other) => all.find(({ to }) => to === other.to) === other);
  const counted = begun.filter((other) => isEvidence(trace, other, other.at, rollout.at)).length;
  const ready = begun.filter(({ to, at }) =>
    about(trace, 'rolling', to).some((fact) => fact.at > at && fact.at <= rollout.at && !fact.rolling),
  ).length;
  const needed = ends.split(',').findLast((end) => Number(end) <= counted);
  return ready < Number(needed ?? 0) ? [`with ${config}, with which ${ready} were ready`] : [];
}

/** Whether the workload was ready before its rollout, and nobody else has changed it. */
function isEvidence(trace: Trace, { to, at }: Rollout, from: number, until: number): boolean {
  const isReady = !isRollingAt(trace, to, at - 1) && workloadAt(trace, to, at)?.rollable === true;
  const hasPods = about(trace, 'health', to).every((fact) => fact.hasPods);
  return isReady && hasPods && !isTouched(trace, to, from, until);
}
