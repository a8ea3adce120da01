/** The time of day where the API server and the pods are: it goes on as it should, whatever is done to the clock of a reloader. */

/** Milliseconds since 1970. */
export function serverNow(): number {
  return performance.timeOrigin + performance.now();
}
