/**
 * Reads workloads and rolls them: those that replace their pods by one patch, a CronJob by a run and a patch, a Job by its
 * recreation.
 */

import { momentAfter, restartPatch } from '../../model/kinds/argo-rollout.ts';
import { runOf } from '../../model/kinds/jobs.ts';
import type { WorkloadRef } from '../../model/object-ref.ts';
import type { Reading, RollResult, WriteResult } from '../../model/outcome.ts';
import type { RawWorkload, Referenced } from '../../model/raw-objects.ts';
import type { RolloutPlan } from '../../model/rollout-plan.ts';
import type { Operation } from '../../model/template-patch.ts';
import { workloadKindOf } from '../../model/workload-kind.ts';
import { ApiError, failedWrite, readingOf, writeResultOf } from '../api-error.ts';
import { objectPath, writing } from '../api-path.ts';
import { callDated, callJson } from '../json-call.ts';
import type { Send } from '../transport.ts';
import { createJob, type IsGenuine, JobRecreator } from './job-recreator.ts';
import { complete, composed, referencedPath, type TemplateOwner } from './referenced-template.ts';

const JSON_PATCH = 'application/json-patch+json';
const NO_DATE: WriteResult<never> = {
  kind: 'throttled',
  message: 'an answer of the API server has no Date, by which pods are restarted',
};

/** See the file's comment. Its methods never reject. */
export class WorkloadWriter {
  readonly #send: Send;
  readonly #jobs: JobRecreator;

  /** `isGenuine`: whether to trust a placeholder Job of another process; by default never. */
  constructor(send: Send, isGenuine: IsGenuine = () => false) {
    this.#send = send;
    this.#jobs = new JobRecreator(send, isGenuine);
  }

  /** Carries out `plan`; a conflict if a test of its patch fails. */
  async roll(plan: RolloutPlan): Promise<RollResult<RawWorkload>> {
    switch (workloadKindOf(plan.workload.kind).rollout) {
      case 'replace-pods':
        if (plan.referenced !== undefined) return await this.#patchReferenced(plan, plan.referenced);
        return await (plan.isRestart ? this.#restart(plan) : this.patch(plan.workload, plan.operations));
      case 'run-now':
        return await this.#run(plan);
      case 'recreate':
        return await this.#jobs.roll(plan);
    }
  }

  /** Finishes the recreation of a Job that another process left; `ref`: the placeholder Job. */
  async finish(ref: WorkloadRef): Promise<WriteResult<undefined>> {
    return await this.#jobs.finish(ref);
  }

  /** The most recent version of the workload, not one from a cache. */
  async get(ref: WorkloadRef): Promise<Reading<RawWorkload>> {
    return await readingOf(async () => this.#completed(ref, await this.#read(ref)));
  }

  /** Sends one JSON patch; a conflict if one of its tests fails. */
  async patch(
    workload: WorkloadRef,
    operations: readonly Operation[],
    dryRun?: 'All',
  ): Promise<WriteResult<RawWorkload>> {
    return await this.#write<RawWorkload>(pathOf(workload), operations, dryRun);
  }

  /**
   * The template of another object: the answer is the workload with the template that was answered. If the workload itself cannot be
   * read then, the patch is applied all the same, so the result is never a refusal.
   */
  async #patchReferenced(plan: RolloutPlan, referenced: Referenced): Promise<WriteResult<RawWorkload>> {
    const { workload, operations } = plan;
    const path = referencedPath(workload.namespace, referenced);
    const patched = await this.#write<TemplateOwner>(path, operations);
    // The workload may still exist, or refer to another object.
    if (patched.kind === 'gone') return { kind: 'conflict' };
    if (patched.kind !== 'accepted') return patched;
    const reading = await readingOf(async () => this.#read(workload));
    if (reading.kind === 'absent') return { kind: 'gone' };
    if (reading.kind === 'failed') return { ...reading, kind: 'unanswered' };
    const { kind, name } = reading.object.spec?.workloadRef ?? {};
    if (kind !== referenced.kind || name !== referenced.name) return { kind: 'conflict' };
    return { kind: 'accepted', object: composed(reading.object, patched.object) };
  }

  async #read(ref: WorkloadRef): Promise<RawWorkload> {
    return await callJson<RawWorkload>(this.#send, { method: 'GET', path: pathOf(ref) });
  }

  async #completed({ kind }: WorkloadRef, raw: RawWorkload): Promise<RawWorkload> {
    return workloadKindOf(kind).refersToTemplate ? await complete(this.#send, raw) : raw;
  }

  /**
   * Pods that started before the restart's moment are replaced. It has to be after the change by the clock that dates the pods, so
   * it is taken from the answer to a read that is sent now.
   */
  async #restart({ workload, operations }: RolloutPlan): Promise<WriteResult<RawWorkload>> {
    const request = { method: 'GET', path: pathOf(workload) } as const;
    const read = await writeResultOf(async () => callDated<RawWorkload>(this.#send, request));
    // Nothing is sent yet.
    if (read.kind === 'unanswered') return { ...read, kind: 'throttled' };
    if (read.kind !== 'accepted') return read;
    const moment = momentAfter(read.object.date);
    if (moment === undefined) return NO_DATE;
    const result = await this.patch(workload, restartPatch(operations, moment));
    // An answer that cannot be completed is as good as lost.
    return result.kind === 'accepted'
      ? await writeResultOf(async () => this.#completed(workload, result.object))
      : result;
  }

  async #write<T extends object>(
    path: string,
    operations: readonly Operation[],
    dryRun?: 'All',
  ): Promise<WriteResult<T>> {
    try {
      const request = writing('PATCH', path, operations, JSON_PATCH, { dryRun });
      return { kind: 'accepted', object: await callJson<T>(this.#send, request) };
    } catch (thrown) {
      const { code, message } = ApiError.from(thrown);
      return code === 'unmet' ? { kind: 'conflict', message } : failedWrite(thrown);
    }
  }

  /**
   * Rolls a CronJob: starts a run of it, then stamps it. A dry run of the patch comes first, so that a refusal comes before
   * anything runs; its answer is the template of the run. The stamp comes last: after a crash in between the CronJob is still
   * out of date, and the next attempt asks for the run under the same name, which exists already.
   */
  async #run(plan: RolloutPlan): Promise<RollResult<RawWorkload>> {
    const tried = await this.patch(plan.workload, plan.operations, 'All');
    if (tried.kind !== 'accepted') return tried;
    const started = await this.#start(tried.object, plan);
    if (started.kind !== 'accepted') return started;
    const stamped = await this.patch(plan.workload, plan.operations);
    return stamped.kind === 'accepted' ? stamped : { ...stamped, mayHaveRun: true };
  }

  /**
   * Creates the Job of the run. If its name is taken, an earlier attempt has created it. After an answer that does not show the
   * Job, the run may have started, and the next attempt asks for it again.
   */
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
