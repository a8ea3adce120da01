/**
 * Recreates Jobs, whose template is immutable: creates a suspended placeholder Job that holds the manifest, deletes the Job,
 * creates it again from the placeholder, deletes the placeholder. `nextStep` derives the step from what exists, so any process
 * can finish a recreation that another one left after any step.
 */

import {
  copyNameOf,
  copyOf,
  type JobPair,
  nextStep,
  replacedBy,
  successorOf,
} from '../../model/kinds/jobs.ts';
import type { WorkloadRef } from '../../model/object-ref.ts';
import type { RollResult, WriteResult } from '../../model/outcome.ts';
import type { RawMetadata, RawWorkload } from '../../model/raw-objects.ts';
import type { RolloutPlan } from '../../model/rollout-plan.ts';
import { ApiError, failedWrite } from '../api-error.ts';
import { collectionPath, JOBS, objectPath, writing } from '../api-path.ts';
import { callJson } from '../json-call.ts';
import type { Send } from '../transport.ts';

/** Four steps are enough; more are needed only if other clients write at the same time. */
const MOST_STEPS = 20;

/**
 * Creates a Job.
 *
 * @throws ApiError; `malformed` if the answer is not that Job: then it may have been created or not.
 */
export async function createJob(send: Send, manifest: Pick<RawWorkload, 'metadata'>): Promise<RawWorkload> {
  const { name, namespace = '' } = manifest.metadata;
  const request = writing('POST', collectionPath(JOBS, namespace), manifest);
  const made = await callJson<Partial<RawWorkload>>(send, request);
  if (made.metadata?.name === name && made.metadata.uid !== undefined)
    return { ...made, metadata: made.metadata };
  throw new ApiError('malformed', `the answer to the creation of Job/${name} is not that Job`);
}

/** The namespace and name of the Job that is recreated. */
type Place = Omit<WorkloadRef, 'kind'>;

/**
 * Whether a placeholder Job of another process may be trusted: a Job is deleted and created by it, so a forged one would be an
 * attack. `job`: the Job that the placeholder names; undefined if it does not exist.
 */
export type IsGenuine = (copy: RawWorkload, job: RawWorkload | undefined) => boolean;

/** See the file's comment. Two recreations of one Job at a time only cause conflicts. Its methods never reject. */
export class JobRecreator {
  readonly #send: Send;
  readonly #isGenuine: IsGenuine;
  /** The uids of the placeholders that this process created: these need no check. */
  readonly #own = new Set<string>();

  constructor(send: Send, isGenuine: IsGenuine) {
    this.#send = send;
    this.#isGenuine = isGenuine;
  }

  /** Carries out `plan`. A conflict if the Job is not at the version that the plan was made for. */
  async roll(plan: RolloutPlan): Promise<RollResult<RawWorkload>> {
    return await guarded(() => this.#roll(plan));
  }

  /** Finishes a recreation that another process left; `ref`: the placeholder Job. Accepted: nothing is left to do. */
  async finish(ref: WorkloadRef): Promise<WriteResult<undefined>> {
    return await guarded(async () => {
      const copy = await this.#read(ref);
      const replaced = copy && replacedBy(copy);
      if (replaced === undefined) return { kind: 'accepted', object: undefined };
      const place = { namespace: ref.namespace, name: replaced.name };
      await this.#advance(place, await this.#look(place));
      return { kind: 'accepted', object: undefined };
    });
  }

  async #roll(plan: RolloutPlan): Promise<WriteResult<RawWorkload>> {
    const place = plan.workload;
    const job = await this.#read(place);
    if (job === undefined) return { kind: 'gone' };
    if (job.metadata.resourceVersion !== plan.resourceVersion) return { kind: 'conflict' };
    const copy = await this.#copy(place, job, plan);
    if (copy === 'foreign') {
      const message = `the Job ${copyNameOf(place.name)} is in the way: its name is that of a copy`;
      return { kind: 'rejected', code: 'forbidden', message };
    }
    const made = await this.#advance(place, { job, copy });
    return made === undefined ? { kind: 'conflict' } : { kind: 'accepted', object: made };
  }

  /** Creates the placeholder, or takes an existing one, even of an earlier plan. `foreign`: another Job has its name. */
  async #copy(place: Place, job: RawWorkload, plan: RolloutPlan): Promise<RawWorkload | 'foreign'> {
    try {
      const copy = await createJob(this.#send, copyOf(job, plan));
      this.#own.add(copy.metadata.uid ?? '');
      return copy;
    } catch (thrown) {
      if (ApiError.from(thrown).code !== 'already-exists') throw thrown;
      return (await this.#look(place)).copy ?? 'foreign';
    }
  }

  /** Takes all remaining steps. The result: the Job that it created, if that is still the one that exists. */
  async #advance(place: Place, begin: JobPair): Promise<RawWorkload | undefined> {
    let pair = begin;
    let made: RawWorkload | undefined;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (nextStep(pair) === 'done') return pair.job?.metadata.uid === made?.metadata.uid ? made : undefined;
      const next = await this.#step(place, pair);
      if (next?.job !== undefined && pair.job === undefined) made = next.job;
      pair = next ?? (await this.#look(place));
    }
    throw new ApiError('unavailable', 'others write the Job all the time');
  }

  /** The pair after the next step; undefined if another client was faster, so that both have to be read again. */
  async #step(place: Place, pair: JobPair): Promise<JobPair | undefined> {
    const { job, copy } = pair;
    const copyUid = copy?.metadata.uid ?? '';
    this.#distrust(place, pair);
    try {
      switch (nextStep(pair)) {
        case 'create-job':
          return { copy, job: copy && (await createJob(this.#send, successorOf(copy, place.name))) };
        case 'delete-job':
          await this.#delete(place, job?.metadata);
          return { copy, job: undefined };
        case 'delete-copy':
          await this.#delete({ ...place, name: copyNameOf(place.name) }, { uid: copyUid });
          this.#own.delete(copyUid);
          return { job, copy: undefined };
        case 'done':
          return pair;
      }
    } catch (thrown) {
      const { code } = ApiError.from(thrown);
      if (code === 'already-exists' || code === 'conflict' || code === 'not-found') return undefined;
      throw thrown;
    }
  }

  /** @throws ApiError if the next step would delete or create a Job because of an untrusted placeholder. */
  #distrust({ name }: Place, { job, copy }: JobPair): void {
    const isHarmless = copy === undefined || nextStep({ job, copy }) === 'delete-copy';
    if (isHarmless || this.#own.has(copy.metadata.uid ?? '') || this.#isGenuine(copy, job)) return;
    const message = `the Job ${copy.metadata.name} is not the copy that would be made of ${name}, or ${name} does not ask for reloads: neither is touched`;
    throw new ApiError('forbidden', message);
  }

  async #look(place: Place): Promise<JobPair> {
    // The placeholder first: a Job read after it is at least as new, so the recreated Job is never taken for the old one.
    const copy = await this.#read({ ...place, name: copyNameOf(place.name) });
    const job = await this.#read(place);
    return { job, copy: copy !== undefined && replacedBy(copy)?.name === place.name ? copy : undefined };
  }

  async #read(place: Place): Promise<RawWorkload | undefined> {
    try {
      const path = objectPath(JOBS, place.namespace, place.name);
      return await callJson<RawWorkload>(this.#send, { method: 'GET', path });
    } catch (thrown) {
      if (ApiError.from(thrown).code === 'not-found') return undefined;
      throw thrown;
    }
  }

  /** Deletes a Job that has these values, or fails with a conflict; the garbage collector deletes its pods afterwards. */
  async #delete(
    { namespace, name }: Place,
    { uid, resourceVersion }: Pick<Partial<RawMetadata>, 'uid' | 'resourceVersion'> = {},
  ): Promise<void> {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid, resourceVersion },
    });
    await callJson(this.#send, { method: 'DELETE', path: objectPath(JOBS, namespace, name), body });
  }
}

async function guarded<T>(act: () => Promise<WriteResult<T>>): Promise<WriteResult<T>> {
  try {
    return await act();
  } catch (thrown) {
    return failedWrite(thrown);
  }
}
