/** Sabotages of how one process of several comes to lead. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const ELECTOR = ['test/unit/leader/elector.test.ts', 'test/unit/leader/lead-end.test.ts'];
const LAW = ['test/unit/leader/election-law.test.ts'];

/** Every one of them must be noticed. */
export const LEADER_MUTANTS: readonly Mutant[] = [
  {
    name: 'leader: a lead is valid from the answer on',
    edit: change('Elector.#write', "{ kind: 'held', sentMs }", "{ kind: 'held', sentMs: monotonicMs() }"),
    tests: LAW,
  },
  {
    name: 'leader: a recorded duration that is longer is not kept to',
    edit: change('ObservedLease.expiryMs', 'Math.max(ownDurationMs, waitMs)', 'ownDurationMs'),
    tests: LAW,
  },
  {
    name: 'leader: a recorded duration is waited for, however long it is',
    edit: change('ObservedLease.expiryMs', 'Math.min(recordedMs, LONGEST_LEASE_MS)', 'recordedMs'),
    tests: ELECTOR,
  },
  {
    name: 'leader: a renewal that is seen does not prolong the lead of another',
    edit: change(
      'ObservedLease.see',
      'lease?.resourceVersion !== this.#lease?.resourceVersion',
      'this.#lease === undefined',
    ),
    tests: LAW,
  },
  {
    name: 'leader: the lead of another ends by the times in its Lease',
    edit: change(
      'ObservedLease.expiryMs',
      'this.#seenMs',
      "monotonicMs() + Date.parse(this.#lease?.record?.renewTime ?? '') - Date.now()",
    ),
    tests: ['test/simulation/take-overs.test.ts'],
  },
  {
    name: 'leader: the lead of another is taken before its time',
    edit: change('Elector.#mayTakeFrom', 'monotonicMs() >= this.#observed.expiryMs(leaseDurationMs)', 'true'),
    tests: LAW,
  },
  {
    name: 'leader: who was stopped goes on as if it led',
    edit: drop('Elector.#renew', '!term.isValid()'),
    tests: ELECTOR,
  },
  {
    name: 'leader: who has lost the lead is taken for the leader',
    edit: drop('Elector.status', '!isLeader && holder === identity'),
    tests: ELECTOR,
  },
  {
    name: 'leader: a lead that is over may be valid again',
    edit: drop('Term.isValid', '!this.#over.signal.aborted'),
    tests: ELECTOR,
  },
  {
    name: 'leader: an answer that comes too late counts',
    edit: change('within', 'await Promise.race([work(late.signal), stopped])', 'await work(late.signal)'),
    tests: ['test/unit/leader/within.test.ts'],
  },
  {
    name: 'leader: after a write without answer the Lease is not read',
    edit: drop('Elector.#send', 'this.#written = undefined;'),
    tests: ELECTOR,
  },
  {
    name: 'leader: one refusal is enough to lead alone',
    edit: change(
      'Elector.#lacksRight',
      'monotonicMs() - this.#forbiddenSinceMs >= RBAC_LAG_MS',
      'isForbidden',
    ),
    tests: ELECTOR,
  },
  {
    name: 'leader: no Lease is released',
    edit: change('Elector.#release', '!this.#options.releaseOnCancel', 'true'),
    tests: ELECTOR,
  },
  {
    name: 'leader: the Lease is released before the work has ended',
    edit: change('Elector.#hold', 'await work', "'ended' as const"),
    tests: ELECTOR,
  },
  {
    name: 'leader: who is in the same pod is never waited for',
    edit: change(
      'Elector.#mayTakeFrom',
      'const isFirstLook = this.#isFirstLook;',
      'const isFirstLook = true;',
    ),
    tests: ELECTOR,
  },
  {
    name: 'leader: who leads alone stays away for a lease',
    edit: change('Elector.run', 'term.isAlone', 'false'),
    tests: ELECTOR,
  },
  {
    name: 'leader: a lead that is contested is sought again at once',
    edit: change('Elector.run', "end === 'contested'", 'false'),
    tests: ELECTOR,
  },
  {
    name: 'leader: a watch that ends at once is begun again without pause',
    edit: drop('Elector.#awaitTurn', 'version !== this.#watchedFrom'),
    tests: ELECTOR,
  },
  {
    name: 'leader: the next renewal waits for the answer to the last one',
    edit: change('Elector.#renew', 'nextMs = monotonicMs() + this.#pauseMs();', 'void 0;'),
    tests: ELECTOR,
  },
  {
    name: 'leader: the Lease is written over whatever is there',
    edit: change('KubernetesLease.update', '{ ...metadata, resourceVersion }', '{ ...metadata }'),
    tests: ['test/unit/kubernetes/lease-client.test.ts'],
  },
  {
    name: 'leader: each renewal ends the watch of the Lease',
    edit: drop('KubernetesLease.changed', 'spec?.holderIdentity !== holder'),
    tests: ['test/unit/kubernetes/lease-client.test.ts'],
  },
  {
    name: 'leader: the right to create a Lease is asked for by its name',
    edit: change(
      'leasePermissions',
      "permission('lease', 'Lease', namespace, LEASES, ['create'])",
      "permission('lease', 'Lease', namespace, LEASES, ['create'], [name])",
    ),
    tests: ['test/unit/kubernetes/permissions.test.ts'],
  },
  {
    name: 'leader: who is told again is counted again',
    edit: drop('Metrics.leads', 'isLeader !== this.#isLeader'),
    tests: ['test/unit/telemetry/metrics.test.ts'],
  },
  {
    name: 'leader: two renewals may be the same',
    edit: change('ObservedLease.recordFor', 'timeOfDay(this.#records)', 'timeOfDay(0)'),
    tests: ['test/unit/leader/observed-lease.test.ts'],
  },
];
