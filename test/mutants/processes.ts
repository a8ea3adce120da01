/** Sabotages of what two processes make of each other, and one of a cluster that was restored. */

import type { Mutant } from './table.ts';

const ROLLOUTS = 'test/unit/controller/rollout-controller.test.ts';
const RACES = 'test/unit/controller/rollout-races.test.ts';
const FOREIGN = 'test/unit/controller/foreign-state.test.ts';
const RESTORED = 'test/unit/controller/restored.test.ts';

/** Every one of them must be noticed. */
export const PROCESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'processes: a stamp that the other one has committed already is taken for an owner’s change',
    file: 'lib/controller/follow.ts',
    find: 'return isCommitted || stamp.number > edges.floorOf(config.ref);',
    replace: 'return stamp.number > edges.floorOf(config.ref);',
    tests: [FOREIGN],
  },
  {
    name: 'processes: any stamp of the committed number is the other one’s',
    file: 'lib/controller/follow.ts',
    find: 'committed?.number === stamp.number && committed.digest === stamp.digest;',
    replace: 'committed?.number === stamp.number;',
    tests: [FOREIGN],
  },
  {
    name: 'processes: an entry stays the other one’s after this one wrote it',
    file: 'lib/controller/state-write.ts',
    find: 'edges.elsewhere.delete(config);',
    replace: '',
    tests: [FOREIGN],
  },
  {
    name: 'processes: an entry is contradicted before the workloads are looked at',
    file: 'lib/controller/fresh-look.ts',
    find: 'for (const ref of this.#disputed(config)) {',
    replace: 'for (const ref of this.#disputed(config).slice(99)) {',
    tests: [FOREIGN],
  },
  {
    name: 'processes: every dependent is looked at, whatever it is known to have run',
    file: 'lib/controller/fresh-look.ts',
    find: 'edges.wouldForget(workload, observed, edge)',
    replace: 'workload.edges.size > 0',
    tests: [FOREIGN],
  },
  {
    name: 'restores: an object is compared with what was known of it in another history',
    file: 'lib/controller/config-controller.ts',
    find: 'return !isRestored && isOlder(seen, known);',
    replace: 'return isOlder(seen, known);',
    tests: [RESTORED],
  },
  {
    name: 'restores: a workload is patched with the fence of another history',
    file: 'lib/controller/workload-controller.ts',
    find: 'if (isRestored) return false;',
    replace: '',
    tests: [RESTORED],
  },
  {
    name: 'restores: what happened before is still to come',
    file: 'lib/model/timeline.ts',
    find: 'this.#origin = this.#furthest;',
    replace: 'this.#origin = 0;',
    tests: ['test/unit/model/timeline.test.ts'],
  },
  {
    name: 'restores: the state is not read again',
    file: 'lib/controller/known-state.ts',
    find: 'if (isRestored) this.#stale.add(shard);',
    replace: '',
    tests: [RESTORED],
  },
  {
    name: 'processes: a look that the stream overtook is taken for news',
    file: 'lib/controller/fresh-look.ts',
    find: 'known !== since && known !== workload.resourceVersion) return false;',
    replace: 'known !== since && known !== workload.resourceVersion) record.takeBacks += 0;',
    tests: ['test/unit/controller/fresh-look.test.ts'],
  },
  {
    name: 'processes: after a look that was overtaken one goes on as if it had been news',
    file: 'lib/controller/rollout-attempt.ts',
    find: 'if (!observe(ref, workload, since))',
    replace: 'if (!observe(ref, workload, since) && since === "never")',
    tests: [ROLLOUTS],
  },
  {
    name: 'processes: a workload that cannot be looked at is left out',
    file: 'lib/controller/fresh-look.ts',
    find: "if (reading.kind === 'failed') return false;",
    replace: "if (reading.kind === 'failed') continue;",
    tests: [FOREIGN],
  },
  {
    name: 'processes: a workload whose patch is under way is not looked at',
    file: 'lib/controller/fresh-look.ts',
    find: 'numberOnItsWay(workload, config) > 0 || edges',
    replace: 'edges',
    tests: [FOREIGN],
  },
  {
    name: 'processes: one whose time to end is over goes on with the state',
    file: 'lib/controller/ending.ts',
    find: 'committer.halt();',
    replace: '',
    tests: ['test/unit/controller/guards.test.ts'],
  },
  {
    name: 'processes: what is under way at the end is waited for',
    file: 'lib/kubernetes/https-transport.ts',
    find: 'for (const cut of this.#underWay) cut(closed());',
    replace: '',
    tests: ['test/unit/kubernetes/transport-end.test.ts'],
  },
  {
    name: 'processes: the number of a patch whose answer was lost is used again',
    file: 'lib/controller/rollout-attempt.ts',
    find: 'if (isUnanswered) spendNumbers(edges, plan);',
    replace: '',
    tests: [RACES],
  },
  {
    name: 'processes: the number of a patch under way is used again once it is followed again',
    file: 'lib/controller/workload-controller.ts',
    find: 'Math.max(edge.highestNumber, numberOnItsWay(record, config))',
    replace: 'edge.highestNumber',
    tests: ['test/unit/controller/rollout.test.ts'],
  },
  {
    name: 'processes: the number of a patch whose answer was lost is used again once the workload is made anew',
    file: 'lib/controller/rollout-attempt.ts',
    find: 'if (isUnanswered) spendNumbers(edges, plan, true);',
    replace: '',
    tests: [RACES],
  },
];
