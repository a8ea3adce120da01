/** What the stamps of the reloader before tell of pods, at the first list of a reloader that does not know the objects. */

import { EPOCH_MS } from './clock.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { CONFIGS } from './manifests.ts';
import { baselineOf, contentAt, factsOf, isFollowing, type Of, type Pod, writesOf } from './timeline.ts';
import type { Trace } from './trace.ts';

/** Times are to the second, and of two clocks. */
const DOUBT_S = 1;

/**
 * Whether the pod runs an earlier content than the baseline of its workload's edge, and the stamp tells: it is of another content, and
 * the newest template is not certainly younger than the last write of the object.
 */
export function isMissedByImport(
  trace: Trace,
  { workload, started }: Pod,
  config: ConfigName,
  end: number,
): boolean {
  if (factsOf(trace, 'inherited').length === 0) return false;
  const baseline = baselineOf(trace, workload, config, end);
  const listed = factsOf(trace, 'listed').findLast(
    ({ at, lost }) => at <= baseline && lost.configs.includes(config),
  );
  if (listed?.at !== baseline || started >= baseline) return false;
  return isToldBy(trace, workload, config, listed);
}

/** How many processes found, as they listed, that a stamp tells of a change; one may die before it is seen that it has listed. */
export function importsOf(trace: Trace, workload: WorkloadName): number {
  const moments = factsOf(trace, 'started').map(({ replica }) => {
    const listed = factsOf(trace, 'listed').find((fact) => fact.replica === replica);
    const died = factsOf(trace, 'died').find((fact) => fact.replica === replica);
    const isKnown = (config: ConfigName) => listed?.lost.configs.includes(config) === false;
    return {
      replica,
      at: listed?.at ?? died?.at ?? 0,
      configs: CONFIGS.filter((config) => !isKnown(config)),
    };
  });
  return moments.filter((moment) =>
    moment.configs.some(
      (config) =>
        isFollowing(trace, workload, config, moment.at) &&
        (isToldBy(trace, workload, config, moment) || isToldByNamesake(trace, workload, config, moment)),
    ),
  ).length;
}

type Moment = Pick<Of<'listed'>, 'replica' | 'at'>;

function isToldBy(trace: Trace, workload: WorkloadName, config: ConfigName, moment: Moment): boolean {
  const stamp = stampBelieved(trace, workload, config, moment);
  if (stamp === undefined || Object.keys(stamp.says).length === 0) return false;
  const told = stamp.by.startsWith('stakater') ? [config] : CONFIGS;
  return told.some((one) => isAnother(trace, stamp, one, moment.at));
}

/** Objects whose names are one to a variable: its stamp is of the one that changed last, which the name does not tell. */
const NAMESAKES = ['ConfigMap/a-b', 'ConfigMap/a.b'];

function isToldByNamesake(trace: Trace, workload: WorkloadName, config: ConfigName, moment: Moment): boolean {
  const stamp = stampBelieved(trace, workload, config, moment);
  if (stamp?.by !== 'stakater' || !NAMESAKES.includes(config)) return false;
  return NAMESAKES.some((other) => {
    const said = stamp.says[other];
    return said !== undefined && said.content !== contentAt(trace, config, moment.at);
  });
}

/** The stamps of the workload, if it may have pods that are older than the last write of the object. */
function stampBelieved(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  { replica, at }: Moment,
): Of<'inherited'> | undefined {
  const stamp = factsOf(trace, 'inherited').find(
    (fact) => fact.replica === replica && fact.workload === workload,
  );
  const written = writesOf(trace, config).findLast((fact) => fact.at <= at);
  if (stamp?.bornS === undefined || written?.content === undefined) return undefined;
  return stamp.bornS - Math.floor((EPOCH_MS + written.ms) / 1000) > DOUBT_S ? undefined : stamp;
}

function isAnother(trace: Trace, { by, says }: Of<'inherited'>, config: ConfigName, at: number): boolean {
  const said = says[config];
  if (said === undefined) return false;
  if (by === 'sap') return writesOf(trace, config).some((fact) => fact.at > said.at && fact.at <= at);
  return said.content !== contentAt(trace, config, at);
}
