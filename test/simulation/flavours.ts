/** The flavours of histories. */

/**
 * What may happen in a history: `calm` nobody but people editing content and workloads, and clocks that jump, `owners` also those who write pod
 * templates, `faults` a bad API server, `crashes` processes that die, `replicas` up to three that elect a leader, `everything`; `shards`
 * everything, with a state in several ConfigMaps that people remove and edit; `policies` objects with marks, workloads
 * that ask for what they refer to, and processes that die; `presence` objects whose coming and going counts; `selection` a
 * namespace that is selected and deselected; `admission` owners' writes that pass the admission webhook, which is away at
 * times; `keys` pods that read single keys, some of which they do not start without; `rights` a kind that may not be listed for
 * a while; `pauses` Deployments that ask for a pause; `jobs` Jobs that are created anew and CronJobs that are run; `rotations` keys of digests that come and go; `evictions` pods that are evicted in place of a stamp; `rollouts` Rollouts
 * of Argo; `budgets` rollouts that have a budget; `holds` workloads that are held, or have reload windows; `stages` changes in stages, of contents with which workloads fail;
 * `classes` what the Secrets Store CSI driver mounts into pods, which a rotation reaches one by one; `together` stages, a budget, holds, windows,
 * approvals, pauses, urgent and held objects, evictions, the admission webhook, stamps in annotations and take-overs at once.
 * In half of the other histories digests are keyed. Those from `presence` on have a little of everything else.
 */
export const FLAVOURS = [
  'calm',
  'owners',
  'faults',
  'crashes',
  'replicas',
  'everything',
  'shards',
  'policies',
  'presence',
  'selection',
  'admission',
  'keys',
  'rights',
  'pauses',
  'jobs',
  'rotations',
  'evictions',
  'rollouts',
  'budgets',
  'holds',
  'classes',
  'stages',
  'together',
] as const;

/** One of FLAVOURS. */
export type Flavour = (typeof FLAVOURS)[number];
