/** The Events of a reloader; none where they cannot be read. */

import { EVENT_OBJECTS, FIELD_MANAGER } from '../kubernetes/api-path.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { RawObject } from '../model/raw-objects.ts';
import type { EventReason } from '../model/reasons.ts';
import type { Workload } from '../model/workload.ts';
import type { ShownEvent } from './explain/cause.ts';
import { placed } from './explain/explanation-text.ts';
import { listObjects } from './reads.ts';

const REFUSED: EventReason = 'ReloadRefused';
const DONE: readonly string[] = ['Reloaded', 'WebhookNotified'] satisfies EventReason[];

interface RawEvent extends RawObject, Partial<Omit<ShownEvent, 'time'>> {
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly uid?: string };
}

/** Those about a workload, the newest at the end. */
export async function eventsOf(send: Send, { ref, uid }: Workload): Promise<readonly ShownEvent[]> {
  const events = await listed(send, ref.namespace, `involvedObject.uid=${uid}`);
  return events
    .filter(({ source }) => source?.component === FIELD_MANAGER)
    .map(({ lastTimestamp: time = '', reason = '', message = '' }) => ({ time, reason, message }))
    .sort((one, other) => one.time.localeCompare(other.time));
}

/** That the last attempt to roll a workload was refused, each a clause. */
export async function refusalsOf(send: Send, workloads: readonly Workload[]): Promise<readonly string[]> {
  const places = [...new Set(workloads.map(({ ref }) => ref.namespace))];
  const refused = await Promise.all(places.map((place) => listed(send, place, `reason=${REFUSED}`)));
  const uids = new Set(refused.flat().map(({ involvedObject }) => involvedObject?.uid));
  const clauses = workloads.map(async (workload) => {
    const events = uids.has(workload.uid) ? await eventsOf(send, workload) : [];
    const last = events.findLast(({ reason }) => reason === REFUSED || DONE.includes(reason));
    const says = `the last attempt to roll ${placed(workload.ref)} was refused at ${last?.time}`;
    return last?.reason === REFUSED ? [says] : [];
  });
  return (await Promise.all(clauses)).flat();
}

async function listed(send: Send, namespace: string, fieldSelector: string): Promise<readonly RawEvent[]> {
  const reading = await listObjects<RawEvent>(send, EVENT_OBJECTS, namespace, { fieldSelector });
  return reading.kind === 'found' ? reading.object : [];
}
