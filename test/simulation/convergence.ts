/** In the end nothing is owed, the state says what is in force, and another start rolls nothing. */

import { isMounted } from './class-laws.ts';
import { isClass } from './contents.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { contentAt, factsOf, inForceAt, isSelectedAt, type Of, workloadAt, workloadsOf } from './timeline.ts';
import type { Trace, Violation, WriteFact } from './trace.ts';

/** See the file's comment. */
export function judgeConvergence(trace: Trace): readonly Violation[] {
  const settled = factsOf(trace, 'settled')[0];
  if (settled === undefined) return [];
  const isRollout = ({ to }: WriteFact) => to !== 'state' && to !== 'mark' && to !== 'keys';
  const rolled = factsOf(trace, 'write').filter((write) => write.at > settled.at && isRollout(write));
  const messages = [
    ...workloadsOf(trace).flatMap((name) => {
      const workload = workloadAt(trace, name, settled.at);
      return (workload?.follows ?? []).flatMap((config) => [
        ...unrestOf(trace, settled, name, config),
        ...(workload?.asked?.names.includes(config) === false ? [] : untoldOf(trace, settled, name, config)),
      ]);
    }),
    ...(wasEditedLast(trace, settled.at) ? [] : settled.state.untidy),
    ...rolled
      .filter(({ to }) => !isRecordedUnderLostKey(settled, to))
      .map(({ to }) => `a restart at rest rolled ${to}`),
  ];
  return messages.map((message) => ({ law: 'convergence', message }));
}

/** Whether the state records something of a workload under a key that people removed: that stays outdated. */
function isRecordedUnderLostKey({ ring, state }: Of<'settled'>, to: string): boolean {
  const isLost = ring !== undefined && ring.own !== 'sha1' && !ring.held.includes(ring.own);
  return isLost && state.overrides[to] !== undefined;
}

/** In the end people are told of exactly those names that do not exist. */
function untoldOf(trace: Trace, settled: Of<'settled'>, name: WorkloadName, config: ConfigName): string[] {
  // A class exists in the end, whether pods have mounted it or not.
  const exists = isClass(config) || contentAt(trace, config, settled.at) !== undefined;
  const isTold = settled.missing.includes(`${name} ${config}`);
  const isHeard = isSelectedAt(trace, settled.at);
  if (isTold === (isHeard && !exists)) return [];
  if (!isHeard) return [`${name} is told of ${config} where nothing is rolled`];
  return [
    exists
      ? `${config} exists, and ${name} is told that it does not`
      : `${name} is not told that ${config} does not exist`,
  ];
}

/** What is unfinished about one edge in the end. */
function unrestOf(trace: Trace, settled: Of<'settled'>, name: WorkloadName, config: ConfigName): string[] {
  const inForce = inForceAt(trace, config, settled.at);
  if (inForce === undefined || !isHeardOf(trace, config, settled.at)) return [];
  const { state, beliefs } = settled;
  const entry = state.entries[config];
  if (isUnknownToPattern(trace, settled, name, config)) return [];
  const belief = beliefs.find((one) => one.workload === name && one.config === config);
  const isSelected = isSelectedAt(trace, settled.at);
  const isUnbegun = !isSelected && entry === undefined;
  // What nobody reads any more may have an entry still.
  const isCommitted = entry === inForce || state.parts?.[config]?.includes(inForce) === true;
  const unrest =
    isCommitted || isUnbegun || wasEditedLast(trace, settled.at)
      ? []
      : [`the entry of ${config} is ${entry}, not ${inForce}`];
  if (belief === undefined) unrest.push(`${name} is not known to follow ${config}`);
  if (workloadAt(trace, name, settled.at)?.rollable !== true || !isSelected) return unrest;
  if (belief?.needsRollout === true) unrest.push(`${name} owes ${config} for ever`);
  const override = state.overrides[name]?.[config];
  if (override !== undefined) unrest.push(`an exception of ${name} is left: ${config} as ${override}`);
  return unrest;
}

/** Whether the reloader is to know of the object. */
function isHeardOf(trace: Trace, config: ConfigName, at: number): boolean {
  return !isClass(config) || isMounted(trace, config, at);
}

/** A pattern means the names that there are: not that of an object which is away, and of which nothing is remembered. */
function isUnknownToPattern(
  trace: Trace,
  { at, state }: Of<'settled'>,
  name: WorkloadName,
  config: ConfigName,
): boolean {
  const { asked } = workloadAt(trace, name, at) ?? {};
  const isRemembered = state.entries[config] !== undefined || state.overrides[name]?.[config] !== undefined;
  const isNamed = asked?.by !== 'pattern' || asked.names.includes(config);
  return !isNamed && !isRemembered && contentAt(trace, config, at) === undefined;
}

/** Whether somebody else wrote the state last, a person or a process that died since, so that the one left cannot know. */
function wasEditedLast(trace: Trace, end: number): boolean {
  const writes = factsOf(trace, 'write').filter(({ to, at }) => to === 'state' && at <= end);
  const write = writes.at(-1);
  const isLast = ({ shards, at }: Of<'state-edited'>) =>
    shards.some((shard) => !writes.some((later) => later.at > at && later.shard === shard));
  const isOfTheDead = factsOf(trace, 'died').some(
    ({ replica, at }) => at < end && replica === write?.replica,
  );
  return isOfTheDead || factsOf(trace, 'state-edited').some(isLast);
}
