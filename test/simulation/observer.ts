/** Stands beside the cluster and writes down what happens: contents, workloads, pods, writes. */

import { keyOf } from '../../lib/model/object-ref.ts';
import { TERM_ANNOTATION } from '../../lib/model/shards.ts';
import { STAMPS_ANNOTATION } from '../../lib/model/workload.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import { rowOfResource } from '../sandbox/resource-table.ts';
import { type VersionStyle, versionCodec } from '../sandbox/resource-versions.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { serverNow } from '../sandbox/server-clock.ts';
import {
  kindOfResource,
  type LooseObject,
  NAMESPACE,
  refOf,
  SELECTED_LABEL,
  STATE_NAMES,
  split,
  WATCHED,
} from './api.ts';
import { Batch, isBatch } from './batch.ts';
import { ClassContent } from './class-content.ts';
import { contentOf, contentOfText } from './contents.ts';
import { APPROVAL, HOLD, NOTIFY_ONLY, WINDOW } from './held.ts';
import type { ConfigName, Content, Resource, Settings, WorkloadName } from './history.ts';
import {
  askedBy,
  CLASS,
  CONFIGS,
  followsOf,
  markOf,
  templateOwnerOf,
  workloadOfTemplate,
} from './manifests.ts';
import { PERIOD, pauseOf } from './pausing.ts';
import { KEY_SECRET } from './ring.ts';
import { healthOf, stagesOf } from './stage-facts.ts';
import type { Fact, Recorded } from './trace.ts';

/** An object as it was at the last look. */
interface Seen {
  readonly version: string;
  readonly object: LooseObject;
}

/** What a reloader writes about itself. */
const NOT_ITS_WORK = ['events', 'leases'];
const STRATEGY = 'reloader.k8s.collaborne.com/reload-strategy';
/** What else keeps a workload from being rolled at once. */
const GATED = [HOLD, WINDOW, APPROVAL, NOTIFY_ONLY, PERIOD];
const NO_PAUSE = { since: undefined, periodMs: undefined };

/** Makes a trace. Positions are the sandbox's counter of writes. */
export class Observer {
  readonly facts: Recorded[] = [];
  /** Jobs and CronJobs. */
  readonly batch: Batch;
  readonly #class: ClassContent;
  readonly #sandbox: Sandbox;
  readonly #style: VersionStyle;
  readonly #evicts: boolean;
  readonly #isStaged: boolean;
  readonly #now: () => number;
  readonly #mounted: () => Content | undefined;
  readonly #seen = new Map<Resource, Map<string, Seen>>(WATCHED.map((resource) => [resource, new Map()]));
  readonly #written = new Map<Resource, number[]>(WATCHED.map((resource) => [resource, []]));
  readonly #said = new Map<string, string>();
  readonly #running = new Set<string>();

  /** `mounted`: what a pod mounts of the class that starts now. */
  constructor(
    sandbox: Sandbox,
    { versions, rolloutMs, batch, evictions, staging }: Settings,
    now: () => number,
    mounted: () => Content | undefined,
  ) {
    this.#evicts = evictions !== undefined;
    this.#isStaged = staging !== undefined;
    this.#sandbox = sandbox;
    this.#style = versions;
    this.#now = now;
    this.#mounted = mounted;
    this.#class = new ClassContent((fact, at) => this.add(fact, at));
    this.batch = new Batch({
      sandbox,
      add: (fact, at) => this.add(fact, at),
      addIfNew: (fact, at) => this.#addIfNew(fact, at),
      podStartMs: rolloutMs,
      rollsFinished: batch?.jobs === 'recreate',
    });
  }

  /** Adds a fact that happens now, or at the write number `at`. */
  add(fact: Fact, at: number = this.#sandbox.writes): void {
    this.facts.push({ ...fact, at, ms: this.#now() });
    if (fact.type === 'listed') this.#class.noteStart(fact.recorded);
  }

  /** Which write a resourceVersion stands for. */
  positionOf(resource: string, version: string): number {
    return versionCodec(this.#style).decode(rowOfResource(resource), version) ?? 0;
  }

  /** The first write to a resource that was seen from here and came after position `at`. */
  firstAfter(resource: Resource, at: number): number | undefined {
    return this.#written.get(resource)?.find((position) => position > at);
  }

  /** Compares what is there with the last look. */
  look(): void {
    for (const resource of WATCHED) this.#lookAt(resource);
    this.#lookAtPods();
  }

  #lookAt(resource: Resource): void {
    const seen = this.#seen.get(resource) ?? new Map<string, Seen>();
    const live = this.#sandbox.list(resource) as unknown as readonly LooseObject[];
    const keyOf = ({ metadata }: LooseObject) => `${resource}/${metadata.name}`;
    for (const [name, { object }] of seen) {
      if (live.some((one) => keyOf(one) === name)) continue;
      seen.delete(name);
      this.#note(resource, object, true, this.#sandbox.writes);
    }
    for (const object of live) {
      const { name, resourceVersion: version = '' } = object.metadata;
      const key = keyOf(object);
      if (seen.get(key)?.version === version || STATE_NAMES.includes(name) || name === KEY_SECRET) continue;
      seen.set(key, { version, object });
      this.#note(resource, object, false, this.positionOf(resource, version));
    }
  }

  #note(resource: Resource, object: LooseObject, isGone: boolean, at: number): void {
    this.#written.get(resource)?.push(at);
    const name = `${kindOfResource(resource)}/${object.metadata.name}`;
    if (resource === 'configmaps' || resource === 'secrets') {
      this.#noteContent(name, object, isGone, at);
      if (this.#isStaged) this.#addIfNew(stagesOf(name, object), at);
    } else if (resource === 'secretproviderclasses') {
      this.#class.noteClass(object, isGone, at);
    } else if (resource === 'secretproviderclasspodstatuses') {
      this.#class.noteStatus(object, isGone, at);
    } else if (resource === 'namespaces') {
      if (object.metadata.name === NAMESPACE) this.#noteSelection(object, at);
    } else if (isBatch(resource)) {
      this.batch.note(kindOfResource(resource), object, isGone, at);
    } else if (workloadOfTemplate(name) === name) {
      this.#noteWorkload(name, object, isGone, at);
    }
  }

  #noteContent(config: ConfigName, { data, metadata }: LooseObject, isGone: boolean, at: number): void {
    const content = isGone ? undefined : contentOf(data);
    const mark = markOf(metadata.annotations);
    this.add({ type: 'content', config, content, mark }, at);
  }

  #noteSelection({ metadata }: LooseObject, at: number): void {
    this.#addIfNew({ type: 'selection', selected: metadata.labels?.[SELECTED_LABEL] !== undefined }, at);
  }

  #noteWorkload(workload: WorkloadName, object: LooseObject, isGone: boolean, at: number): void {
    const asked = askedBy(object.metadata.annotations);
    const [follows, rollable] = [followsOf(asked), this.#evicts || isRollable(object)];
    const exists = !isGone && object.metadata.deletionTimestamp === undefined;
    const isHeld = GATED.some((key) => object.metadata.annotations?.[key] !== undefined);
    const evicts = object.metadata.annotations?.[STRATEGY] === 'evict';
    const own = { isHeld, ...(evicts && { evicts }) };
    this.#addIfNew({ type: 'workload', workload, exists, follows, asked, rollable, ...own }, at);
    this.#addIfNew({ type: 'pause', workload, ...(isGone ? NO_PAUSE : pauseOf(object)) }, at);
    const isDone =
      split(workload).kind === 'Rollout' ? this.#isHealthy(workload, object) : isRolledOut(object);
    this.#addIfNew({ type: 'rolling', workload, rolling: !isGone && !isDone }, at);
    if (this.#isStaged && !isGone) this.#addIfNew(healthOf(workload, object), at);
    if (split(workload).kind !== 'Rollout') return;
    this.#addIfNew({ type: 'aborted', workload, aborted: !isGone && object.status?.abort === true }, at);
  }

  #isHealthy(workload: WorkloadName, { metadata, status = {} }: LooseObject): boolean {
    const owner = split(templateOwnerOf(workload));
    const generation = this.#sandbox.get('deployments', NAMESPACE, owner.name)?.metadata.generation;
    const isSeen =
      status.observedGeneration === String(metadata.generation) &&
      (owner.kind === 'Rollout' || status.workloadObservedGeneration === String(generation));
    return isSeen && status.phase === 'Healthy' && status.replicas === status.updatedReplicas;
  }

  #addIfNew(fact: Fact, at?: number): void {
    const about = 'workload' in fact ? fact.workload : fact.type === 'staged' ? fact.config : '';
    const [key, text] = [`${fact.type} ${about}`, JSON.stringify(fact)];
    if (this.#said.get(key) !== text) this.add(fact, at);
    this.#said.set(key, text);
  }

  #lookAtPods(): void {
    const live = this.#sandbox.pods().filter(({ phase }) => phase === 'Running');
    const ids = new Set(live.map(({ name, startedAtVersion }) => `${name}@${startedAtVersion}`));
    for (const pod of this.#running) {
      if (ids.has(pod)) continue;
      this.#running.delete(pod);
      this.add({ type: 'pod-gone', pod });
    }
    for (const { name, workload, reads, startedAtVersion = 0 } of live) {
      const pod = `${name}@${startedAtVersion}`;
      if (this.#running.has(pod)) continue;
      this.#running.add(pod);
      const owner = `${workload.kind}/${workload.name}`;
      const mounted = { ...readsOf(reads), [CLASS]: this.#mounted() };
      this.add({ type: 'pod-started', pod, workload: owner, reads: mounted }, startedAtVersion);
    }
  }

  /** Takes down a finished write: of a reloader, or of somebody else to a pod template. */
  audit(record: AuditRecord): void {
    const replica = /^replica-(\d+)/.exec(record.userAgent)?.[1];
    if (record.before === record.after) return;
    if (isBatch(record.resource))
      this.batch.audit(record, replica === undefined ? undefined : Number(replica));
    else if (replica === undefined) this.#noteOwner(record);
    else if (record.resource === 'pods') this.#noteEviction(record, Number(replica));
    else if (record.name === KEY_SECRET) this.add({ type: 'write', replica: Number(replica), to: 'keys' });
    else if (!NOT_ITS_WORK.includes(record.resource)) this.#noteWrite(record, Number(replica));
    this.look();
  }

  #noteWrite({ resource, name = '', before, after }: AuditRecord, replica: number): void {
    const isState = resource === 'configmaps' && STATE_NAMES.includes(name);
    const isRestart = restartOf(before) !== restartOf(after);
    const isResume = !isState && !isRestart && templateTextOf(before) === templateTextOf(after);
    this.add({
      type: 'write',
      replica,
      to: isState ? stateOrMark(before, after) : workloadOfTemplate(`${kindOfResource(resource)}/${name}`),
      ...(isResume ? { isResume } : {}),
      before,
      after,
    });
  }

  #noteEviction({ before }: AuditRecord, replica: number): void {
    const { metadata, status } = before as unknown as LooseObject;
    const owner = metadata.ownerReferences?.[0]?.kind ?? '';
    const kind = owner === 'ReplicaSet' ? 'Deployment' : owner;
    const name = metadata.labels?.['app'] ?? '';
    const workload = `${kind}/${name}`;
    const live = this.#sandbox.list(`${kind.toLowerCase()}s`) as unknown as readonly LooseObject[];
    const { spec, status: counts } = live.find((one) => one.metadata.name === name) ?? {};
    const desired = counts?.desiredNumberScheduled ?? spec?.replicas ?? 1;
    const pods = this.#sandbox.podsOf({ kind, namespace: NAMESPACE, name });
    const ready = pods.filter(({ phase, name: pod }) => phase === 'Running' && pod !== metadata.name).length;
    this.add({
      type: 'evicted',
      replica,
      workload,
      pod: metadata.name,
      createdMs: this.#now() - (serverNow() - Date.parse(metadata.creationTimestamp ?? '')),
      wasReady: status?.phase === 'Running',
      away: Math.max(0, desired - ready),
    });
  }

  #noteOwner({ resource, name, before, after }: AuditRecord): void {
    const [old, now] = [templateTextOf(before), templateTextOf(after)];
    if (now === undefined || old === now) return;
    const copied = old === undefined;
    if (copied && !/_RELOADER_|STAKATER_/.test(now)) return;
    // A request that creates names the object only in its body.
    const owner: WorkloadName = `${kindOfResource(resource)}/${name ?? after?.metadata.name ?? ''}`;
    const workload = workloadOfTemplate(owner);
    this.add({ type: 'owner-write', workload, copied });
  }
}

function readsOf(reads: ReadonlyMap<string, string>): Record<ConfigName, Content | undefined> {
  return Object.fromEntries(
    CONFIGS.map((config) => [config, contentOfText(reads.get(keyOf(refOf(config))) ?? '')]),
  );
}

/** A term begins with a mark, which records nothing. */
function stateOrMark(before: unknown, after: unknown): 'state' | 'mark' {
  const [old, now] = [before, after].map((object) => object as LooseObject | undefined);
  const isMark = (key: string): boolean =>
    old?.metadata.annotations?.[key] !== now?.metadata.annotations?.[key];
  const isSame = JSON.stringify(old?.data ?? {}) === JSON.stringify(now?.data ?? {});
  return isSame && (old === undefined || isMark(TERM_ANNOTATION)) ? 'mark' : 'state';
}

function isRollable({ spec }: LooseObject): boolean {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return spec.paused !== true && type !== 'OnDelete' && (rollingUpdate?.partition ?? 0) === 0;
}

function isRolledOut({ metadata, spec, status = {} }: LooseObject): boolean {
  const wanted = status.desiredNumberScheduled ?? spec.replicas ?? 1;
  const total = status.currentNumberScheduled ?? status.replicas ?? 0;
  const updated = status.updatedNumberScheduled ?? status.updatedReplicas ?? 0;
  const ready = status.numberReady ?? status.readyReplicas ?? 0;
  const isSeen = status.observedGeneration === metadata.generation;
  return isSeen && total === wanted && updated === wanted && ready === wanted;
}

/** The moment by which all pods of a Rollout are to be replaced, and for what: two changes in one second have one moment. */
function restartOf(object: unknown): string {
  const { metadata, spec } = (object ?? {}) as Partial<LooseObject>;
  return `${spec?.restartAt} ${metadata?.annotations?.[STAMPS_ANNOTATION]}`;
}

function templateTextOf(object: unknown): string | undefined {
  const template = (object as LooseObject | undefined)?.spec?.template;
  return template === undefined ? undefined : JSON.stringify(template);
}
