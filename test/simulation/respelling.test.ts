/**
 * Another version of the API server takes over and spells every pod template another way: a field more, a field less. No
 * pod starts by that, so nothing is settled and nothing is rolled by it.
 */

import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const DB = 'StatefulSet/db';
const LOG = 'DaemonSet/log';
const LONG = wait(120_000);
const RESPELL: Step = { do: 'respell' };
const COMPACT: Step = { do: 'compact' };
const annotate = (workload: string): Step => ({ do: 'annotate', workload, annotations: { note: 'x' } });
const apply = (workload: string): Step => ({ do: 'apply', workload });
const refuse = (workload: string, status: 0 | 403): Step => ({ do: 'refuse', workload, status });
/** WEB owes B, and is refused. */
const OWES: readonly Step[] = [refuse(WEB, 403), change('B'), LONG];
const ACCEPT: readonly Step[] = [refuse(WEB, 0), wait(600_000)];

const CASES: Readonly<Record<string, Case>> = {
  'what is owed stays owed, whatever is written next': {
    steps: [...OWES, RESPELL, annotate(WEB), LONG, ...ACCEPT],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'the same where the number of replicas is written next': {
    steps: [...OWES, RESPELL, { do: 'scale', workload: WEB, replicas: 3 }, LONG, ...ACCEPT],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'the same where everything is listed anew': {
    steps: [...OWES, RESPELL, COMPACT, annotate(WEB), LONG, ...ACCEPT],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'the same for those whose generation no annotation raises': {
    workloads: following(WEB, DB, LOG),
    steps: [
      ...[DB, LOG].map((workload) => refuse(workload, 403)),
      ...OWES,
      RESPELL,
      ...[WEB, DB, LOG].map(annotate),
      LONG,
      ...[DB, LOG].map((workload) => refuse(workload, 0)),
      ...ACCEPT,
    ],
    rollouts: { [WEB]: 1, [DB]: 1, [LOG]: 1 },
    reads: 'B',
  },
  'who owes nothing is not rolled, also while another workload owes': {
    workloads: following(WEB, DB),
    steps: [refuse(DB, 403), change('B'), LONG, RESPELL, LONG, refuse(DB, 0), wait(600_000)],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'nor when it is written without a new generation': {
    workloads: following(WEB, DB),
    settings: { versions: 'per-kind' },
    steps: [...OWES, RESPELL, annotate(DB), LONG, ...ACCEPT],
    rollouts: { [WEB]: 1, [DB]: 1 },
    reads: 'B',
  },
  'who is away meanwhile believes what the state says': {
    steps: [...OWES, crash(60_000), RESPELL, LONG, annotate(WEB), LONG, ...ACCEPT],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'two servers that spell in turns change nothing either': {
    steps: [...OWES, RESPELL, annotate(WEB), wait(1000), RESPELL, annotate(WEB), LONG, ...ACCEPT],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  "an owner's rollout is enough in the new spelling too": {
    workloads: following(WEB, DB, LOG),
    steps: [RESPELL, wait(1000), change('B'), ...[WEB, DB, LOG].map(apply), LONG],
    rollouts: { [WEB]: 0, [DB]: 0, [LOG]: 0 },
    reads: 'B',
  },
  "an owner's rollout in the middle of it is enough": {
    settings: { rolloutMs: 15_000 },
    steps: [change('B'), wait(50), apply(WEB), wait(20_000), RESPELL, LONG],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
};

testCases(CASES);
