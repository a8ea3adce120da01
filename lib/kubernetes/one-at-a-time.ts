/**
 * Serializes the writes of each workload over all callers: the next one is sent when the previous one is answered. So a repair
 * and a rollout never conflict with each other.
 */

import { keyOf, type ObjectKey, type WorkloadRef } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';

/** Wraps `client`; reads and writes of different workloads are not delayed. A failed write does not stop the next one. */
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
