/** The pods of a workload by its status. */

/** The number of pods of the present template and of older ones; `all`: both together. */
export function podsOf(all = 0, updated = 0): { updated: number; old: number } {
  return { updated, old: all - updated };
}
