/** Reads workloads, and rolls them as their kind asks for. */

import { runOf } from '../model/jobs.ts';
import type { WorkloadRef } from '../model/object-ref.ts';
import type { RollResult, WriteResult } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { RolloutPlan } from '../model/rollout-plan.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { ApiError, type FailedRead, failedWrite, readingOf, writeResultOf } from './api-error.ts';
import { objectPath, writing } from './api-path.ts';
import { createJob, type IsGenuine, JobRecreator } from './job-recreator.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** A fresh look at a workload. */
export type WorkloadReading =
  | { readonly kind: 'found'; readonly object: RawWorkload }
  | { readonly kind: 'gone' }
  | FailedRead;

const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** Knows how to read and roll a workload of any kind of the table. Never throws. */
export class WorkloadWriter {
  readonly #send: Send;
  readonly #jobs: JobRecreator;

  /** `isGenuine`: by default the copy of a Job that another process made is not acted on. */
  constructor(send: Send, isGenuine: IsGenuine = () => false) {
    this.#send = send;
    this.#jobs = new JobRecreator(send, isGenuine);
  }

  /** Carries out `plan`; refused on any other version of the workload than the one that it was made for. */
  async roll(plan: RolloutPlan): Promise<RollResult<RawWorkload>> {
    switch (workloadKindOf(plan.workload.kind).rollout) {
      case 'replace-pods':
        return await this.patch(plan.workload, plan.body);
      case 'run-now':
        return await this.#run(plan);
      case 'recreate':
        return await this.#jobs.roll(plan);
    }
  }

  /** Goes on where somebody left off who created a Job anew; `ref` is that of the copy. */
  async finish(ref: WorkloadRef): Promise<WriteResult<undefined>> {
    return await this.#jobs.finish(ref);
  }

  /** The workload as it is now, from no cache. */
  async get(ref: WorkloadRef): Promise<WorkloadReading> {
    const reading = await readingOf(async () =>
      callJson<RawWorkload>(this.#send, { method: 'GET', path: pathOf(ref) }),
    );
    return reading.kind === 'absent' ? { kind: 'gone' } : reading;
  }

  /** One strategic merge patch; its body carries its own fence, metadata.resourceVersion. */
  async patch(workload: WorkloadRef, body: object, dryRun?: 'All'): Promise<WriteResult<RawWorkload>> {
    return await writeResultOf(async () => {
      const request = writing('PATCH', pathOf(workload), body, STRATEGIC_MERGE_PATCH, { dryRun });
      return await callJson<RawWorkload>(this.#send, request);
    });
  }

  /**
   * First the patch is tried without effect: whoever would refuse it does so before anything runs, and the answer is the
   * template of the run. Then the run is started. The stamps come last: until they are in force the run is owed, and is
   * asked for by the same name.
   */
  async #run(plan: RolloutPlan): Promise<RollResult<RawWorkload>> {
    const tried = await this.patch(plan.workload, plan.body, 'All');
    if (tried.kind !== 'accepted') return tried;
    const started = await this.#start(tried.object, plan);
    if (started.kind !== 'accepted') return started;
    const stamped = await this.patch(plan.workload, plan.body);
    return stamped.kind === 'accepted' ? stamped : { ...stamped, mayHaveRun: true };
  }

  /** Who finds the name taken was faster than himself. An answer that does not show the run is none: it is asked for again. */
  async #start(stamped: RawWorkload, plan: RolloutPlan): Promise<RollResult<undefined>> {
    const job = runOf(stamped, plan);
    try {
      await createJob(this.#send, job);
      return { kind: 'accepted', object: undefined };
    } catch (thrown) {
      if (ApiError.from(thrown).code === 'already-exists') return { kind: 'accepted', object: undefined };
      const failed = failedWrite(thrown);
      return failed.kind === 'unanswered' ? { ...failed, mayHaveRun: true } : failed;
    }
  }
}

function pathOf({ kind, namespace, name }: WorkloadRef): string {
  return objectPath(workloadKindOf(kind), namespace, name);
}
