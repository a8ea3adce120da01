/** The leader election of this process: by a Lease, or none, with which the process leads for as long as it runs. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { KubernetesLease } from '../kubernetes/lease-client.ts';
import { CONTESTED_MS, Elector, type LeadEnd, type Leadership } from '../leader/elector.ts';
import { leaderIdentity } from '../leader/lease.ts';
import type { StatusReport } from '../model/status-report.ts';
import { monotonicMs, secondsOf } from '../model/time.ts';
import type { LeaderElection } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Parts, Place } from './assembly.ts';
import type { TermsOptions } from './terms.ts';

/** An election, or the lack of one. */
export interface Election {
  /** The identity of this process in the Lease and in the state, which no other process has. */
  readonly identity: string;
  /** Whether this process may be a standby. */
  readonly hasStandby: boolean;
  readonly run: TermsOptions['elect'];
  /** The leader, as far as this process knows. */
  readonly status: () => Pick<StatusReport, 'leader'>;
}

/** The election that the options ask for. `onTurnedBack` is called if the resourceVersion of the Lease has gone back. */
export function electionOf(parts: Parts, onTurnedBack: () => void): Election {
  const { options, place, send, log, metrics, podName = hostname(), podUid, random } = parts;
  const token = parts.token ?? randomBytes(4).toString('hex');
  const { leaderElection } = options;
  const identity = leaderIdentity(podName, podUid, token);
  if (leaderElection === undefined) {
    metrics?.leads(true);
    return { identity, hasStandby: false, run: leadAlone, status: () => ({}) };
  }
  const elector = new Elector({
    ...leaderElection,
    ...(podUid === undefined ? {} : { podUid }),
    lease: new KubernetesLease(send, leasePlaceOf(leaderElection, place)),
    identity,
    random,
    log,
    onTurnedBack,
    onChange: ({ isLeader, holder }) => {
      metrics?.leads(isLeader);
      if (!isLeader && holder !== undefined) log.info('standing by', { leader: holder });
    },
  });
  return {
    identity,
    hasStandby: true,
    run: (signal, lead, onStandby) => elector.run(signal, lead, onStandby),
    status: () => {
      const { isLeader, holder, sinceMs } = elector.status;
      const since = sinceMs === undefined ? {} : { sinceSeconds: secondsOf(monotonicMs() - sinceMs) };
      return { leader: { isThis: isLeader, identity: holder, ...since } };
    },
  };
}

/** Where the Lease is. */
export function leasePlaceOf(
  { id, namespace }: LeaderElection,
  { stateNamespace }: Place,
): { readonly namespace: string; readonly name: string } {
  return { namespace: namespace ?? stateNamespace, name: id };
}

/** Leads for as long as the process runs; after a contest it pauses, so that two such processes do not race for the state. */
async function leadAlone(
  signal: AbortSignal,
  lead: (leadership: Leadership) => Promise<LeadEnd>,
): Promise<void> {
  while (!signal.aborted) {
    const end = await lead({ signal, isValid: () => true });
    if (end === 'contested') await sleep(CONTESTED_MS, signal);
  }
}
