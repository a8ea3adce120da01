/** The name under which a process holds the Lease. */

const SEPARATOR = '_';

/**
 * The identity of a process, unique among all that may hold the Lease.
 *
 * @param name of the pod, or of the host.
 * @param token a random text, different in each process.
 */
export function leaderIdentity(name: string, podUid: string | undefined, token: string): string {
  return [name, podUid, token].filter((part) => part !== undefined && part !== '').join(SEPARATOR);
}

/** Whether `holder` is a process in the pod with that uid: a container that was there before this one. */
export function isInPod(holder: string, podUid: string): boolean {
  return holder.split(SEPARATOR).at(-2) === podUid;
}
