/** One write of a workload at a time, from all callers: a second one is sent when the first is answered. */

import { keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';

/** The same client, which keeps writes of one workload in line. */
export function oneAtATime(client: WorkloadClient): WorkloadClient {
  const lines = new Map<ObjectKey, Promise<unknown>>();
  const inLine = async <T>(ref: WorkloadRef, send: () => Promise<T>): Promise<T> => {
    const key = keyOf(ref);
    const answer = lines.get(key)?.then(send) ?? send();
    lines.set(key, answer);
    try {
      return await answer;
    } finally {
      if (lines.get(key) === answer) lines.delete(key);
    }
  };
  const { patch } = client;
  return {
    roll: (plan) => inLine(plan.workload, () => client.roll(plan)),
    get: (ref) => client.get(ref),
    ...(patch && { patch: (ref, body) => inLine(ref, () => patch.call(client, ref, body)) }),
  };
}
