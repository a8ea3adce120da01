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
const ENDS: readonly string[] = [REFUSED, 'Reloaded', 'WebhookNotified'] satisfies EventReason[];
const OWN = { fieldSelector: `source=${FIELD_MANAGER}` };

interface RawEvent extends RawObject, Partial<Omit<ShownEvent, 'time'>> {
  readonly lastTimestamp?: string;
  readonly involvedObject?: { readonly uid?: string };
}

/** Those about each workload, the newest at the end. */
export async function eventsOf(
  send: Send,
  workloads: readonly Workload[],
): Promise<readonly (readonly ShownEvent[])[]> {
  const places = [...new Set(workloads.map(({ ref }) => ref.namespace))];
  const lists = places.map((place) => listObjects<RawEvent>(send, EVENT_OBJECTS, place, OWN));
  const all = (await Promise.all(lists)).flatMap((each) => (each.kind === 'found' ? each.object : []));
  return workloads.map(({ uid }) =>
    all
      .filter(({ involvedObject }) => involvedObject?.uid === uid)
      .map(({ lastTimestamp: time = '', reason = '', message = '' }) => ({ time, reason, message }))
      .sort((one, other) => one.time.localeCompare(other.time)),
  );
}

/** That the last attempt to roll a workload was refused, each a clause. */
export async function refusalsOf(send: Send, workloads: readonly Workload[]): Promise<readonly string[]> {
  const events = await eventsOf(send, workloads);
  return workloads.flatMap(({ ref }, index) => {
    const last = events[index]?.findLast(({ reason }) => ENDS.includes(reason));
    const says = `the last attempt to roll ${placed(ref)} was refused at ${last?.time}`;
    return last?.reason === REFUSED ? [says] : [];
  });
}
