/**
 * The Jobs and CronJobs of a history: what stands in for their controllers, and what an observer writes down. The pods of a
 * Job start a while after it; a CronJob counts as one pod that read what was in force when its last run was started, or when
 * it was resumed, since whatever runs later reads that.
 */

import type { AuditRecord } from '../sandbox/api-server.ts';
import { isObject, type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import { kindOfResource, type LooseObject, NAMESPACE, resourceOf, split } from './api.ts';
import { contentOf } from './contents.ts';
import type { WorkloadName } from './history.ts';
import { type Asked, askedBy, CONFIGS, followsOf } from './manifests.ts';
import type { Fact } from './trace.ts';

/** What a simulated controller and its observer need. */
export interface BatchOptions {
  readonly sandbox: Sandbox;
  readonly add: (fact: Fact, at?: number) => void;
  readonly addIfNew: (fact: Fact, at?: number) => void;
  readonly podStartMs: number;
  /** Whether a Job that has finished runs again. */
  readonly rollsFinished: boolean;
}

/** Whether this is a plural of these kinds. */
export function isBatch(resource: string): boolean {
  return resource === 'jobs' || resource === 'cronjobs';
}

const REPLACES = 'reloader.k8s.collaborne.com/replaces';
const NOTHING: Asked = { names: [], by: 'names', excludes: [] };

/** The pods, or what stands for them. */
interface Started {
  readonly uid: string;
  readonly pod: string;
}

/** See the file's comment. */
export class Batch {
  readonly #options: BatchOptions;
  readonly #started = new Map<WorkloadName, Started>();
  readonly #starting = new Map<WorkloadName, NodeJS.Timeout>();
  readonly #suspended = new Set<WorkloadName>();
  /** Jobs that come back, if their copy is there, as they were when it was made, which may be a while ago. */
  readonly #deletedByPeople = new Set<WorkloadName>();
  /** Each Job as it was last, or is. */
  readonly #last = new Map<WorkloadName, StoredObject>();
  #pods = 0;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /** Takes down what became of a Job or a CronJob, and lets its pods start. */
  note(kind: string, object: LooseObject, isGone: boolean, at: number): void {
    const replaced = replacedBy(object);
    const workload = `${kind}/${replaced ?? object.metadata.name}`;
    if (replaced === undefined) {
      if (kind === 'Job') this.#runJob(workload, object, isGone);
      else this.#noteCronJob(workload, object, isGone);
    }
    const exists = this.#live(workload) !== undefined || this.#copyOf(workload) !== undefined;
    const now = this.#live(workload) ?? object;
    const all = isLeftAlone(now) ? NOTHING : askedBy(now.metadata.annotations);
    const asked = this.#declines(now) ? NOTHING : all;
    const rolling = exists && kind === 'Job' && !this.#declines(now) && !this.#started.has(workload);
    const { addIfNew } = this.#options;
    addIfNew({ type: 'workload', workload, exists, follows: followsOf(all), asked, rollable: true }, at);
    addIfNew({ type: 'rolling', workload, rolling }, at);
  }

  /** Takes down a finished write to one of them; `replica`: the reloader whose it is. */
  audit(record: AuditRecord, replica: number | undefined): void {
    const object = record.after ?? record.before;
    if (object === undefined) return;
    const replaced = replacedBy(object);
    const workload: WorkloadName =
      replaced === undefined
        ? `${kindOfResource(record.resource)}/${object.metadata.name}`
        : `Job/${replaced}`;
    if (record.resource === 'jobs') this.#noteJob(record, object, workload, replica);
    if (replica !== undefined) this.#noteWrite(record, object, workload, replica);
    if (replaced === undefined) this.#last.set(workload, object);
  }

  #noteJob(
    { verb, after }: AuditRecord,
    object: StoredObject,
    workload: WorkloadName,
    by: number | undefined,
  ): void {
    if (verb !== 'create' && after !== undefined) return;
    const owner = ownerOf(object);
    const what =
      `${verb === 'create' ? 'made' : 'deleted'}${replacedBy(object) === undefined ? '' : ' copy'}` as const;
    if (what === 'deleted' && by === undefined) this.#deletedByPeople.add(workload);
    const isOfSuspended = owner !== undefined && this.#live(owner)?.spec.suspend === true;
    this.#options.add({ type: 'job', workload, what, by, isOwned: isLeftAlone(object), isOfSuspended });
  }

  #noteWrite(
    { verb, before, after }: AuditRecord,
    object: StoredObject,
    workload: WorkloadName,
    replica: number,
  ): void {
    const { add } = this.#options;
    if (verb !== 'create') {
      const both = verb === 'delete' ? {} : { before: bare(before), after: bare(after) };
      add({ type: 'write', replica, to: workload, isResume: true, ...both });
      return;
    }
    const write = { type: 'write', replica } as const;
    const owner = ownerOf(object);
    if (replacedBy(object) !== undefined) add({ ...write, to: workload, isResume: true });
    else if (owner === undefined) {
      const former = this.#deletedByPeople.delete(workload) ? undefined : this.#last.get(workload);
      add({ ...write, to: workload, before: bare(former), after: bare(object) });
    } else {
      add({ ...write, to: owner });
      this.#replacePod(owner, this.#live(owner)?.metadata.uid ?? '');
    }
  }

  /** The work of a Job is done. */
  finish(workload: WorkloadName): void {
    if (split(workload).kind !== 'Job' || !this.#started.has(workload)) return;
    const conditions = [{ type: 'Complete', status: 'True' }];
    this.#setStatus(workload, { succeeded: 1, conditions });
  }

  #runJob(workload: WorkloadName, { metadata, spec }: LooseObject, isGone: boolean): void {
    const isRunning = !isGone && spec.suspend !== true;
    const { uid = '' } = metadata;
    if (this.#started.get(workload)?.uid !== uid || !isRunning) this.#end(workload);
    if (!isRunning || this.#started.has(workload) || this.#starting.has(workload)) return;
    const start = (): void => {
      this.#starting.delete(workload);
      this.#replacePod(workload, uid);
      this.#setStatus(workload, { active: 1, ready: 1 });
    };
    this.#starting.set(workload, setTimeout(start, this.#options.podStartMs));
  }

  #noteCronJob(workload: WorkloadName, { metadata, spec }: LooseObject, isGone: boolean): void {
    const isResumed = spec.suspend !== true && this.#suspended.delete(workload);
    if (spec.suspend === true) this.#suspended.add(workload);
    if (isGone) this.#end(workload);
    else if (isResumed || this.#started.get(workload)?.uid !== metadata.uid)
      this.#replacePod(workload, metadata.uid ?? '');
  }

  #end(workload: WorkloadName): void {
    clearTimeout(this.#starting.get(workload));
    this.#starting.delete(workload);
    const started = this.#started.get(workload);
    this.#started.delete(workload);
    if (started !== undefined) this.#options.add({ type: 'pod-gone', pod: started.pod });
  }

  #replacePod(workload: WorkloadName, uid: string): void {
    this.#end(workload);
    this.#pods += 1;
    const pod = `${workload}@${this.#pods}`;
    this.#started.set(workload, { uid, pod });
    const reads = Object.fromEntries(CONFIGS.map((config) => [config, contentOf(this.#live(config)?.data)]));
    this.#options.add({ type: 'pod-started', pod, workload, reads });
  }

  #setStatus(workload: WorkloadName, status: JsonObject): void {
    this.#options.sandbox.setStatus(resourceOf(workload), NAMESPACE, split(workload).name, status);
  }

  #declines({ spec, status }: LooseObject): boolean {
    const isFinished = status?.conditions !== undefined;
    return spec.suspend === true
      ? !isFinished || !this.#options.rollsFinished
      : isFinished && !this.#options.rollsFinished;
  }

  #live(name: string): LooseObject | undefined {
    return this.#options.sandbox.get(resourceOf(name), NAMESPACE, split(name).name) as
      | LooseObject
      | undefined;
  }

  #copyOf(workload: WorkloadName): LooseObject | undefined {
    const copy = this.#live(`${workload}-reload`);
    return copy !== undefined && replacedBy(copy) !== undefined ? copy : undefined;
  }
}

function replacedBy({ metadata }: Pick<StoredObject, 'metadata'> | LooseObject): string | undefined {
  const text = metadata.annotations?.[REPLACES];
  return text === undefined ? undefined : String(JSON.parse(text).name);
}

function ownerOf(object: StoredObject | LooseObject): WorkloadName | undefined {
  const owners = objectsOf(pick(object as unknown as JsonObject, 'metadata', 'ownerReferences'));
  const owner = owners.find(({ kind }) => kind === 'CronJob');
  return owner && `CronJob/${owner['name']}`;
}

function isLeftAlone(object: StoredObject | LooseObject): boolean {
  const finalizers = pick(object as unknown as JsonObject, 'metadata', 'finalizers');
  return ownerOf(object) !== undefined || finalizers !== undefined;
}

const GENERATED = /(^|\/)(controller-uid|job-name)$/;

/** What people wrote of it, with the pod template where that of a Deployment is. */
function bare(object: StoredObject | undefined): LooseObject | undefined {
  if (object === undefined) return undefined;
  const { metadata, spec } = structuredClone(object) as unknown as LooseObject;
  const { selector: _, jobTemplate, template = jobTemplate?.spec?.template, ...rest } = spec;
  if (isObject(template.metadata)) delete template.metadata.creationTimestamp;
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(([key]) => !GENERATED.test(key));
  const { name, labels: own = {}, annotations = {} } = metadata;
  const owned = { ...template, metadata: { ...template.metadata, labels: Object.fromEntries(labels) } };
  return { metadata: { name, labels: own, annotations }, spec: { ...rest, template: owned } };
}
