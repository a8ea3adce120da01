/**
 * OpenShift's controllers of DeploymentConfigs, imitated: a trigger controller that raises the version, and a controller that makes a ReplicationController of it and writes the status. One step of one object at a time, so that
 * each state in between is seen.
 */

import { type JsonObject, objectOf, objectsOf, pick, sameJson, stringOf } from '../sandbox/json.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import type { Cluster } from './harness.ts';

/** A ReplicationController: a version, its template, and what its pods have read. */
interface Version {
  readonly number: number;
  readonly template: JsonObject;
  phase: 'New' | 'Complete' | 'Failed';
  reason: string;
}

/** What becomes of the deployments that begin from now on. */
export type Fate = 'Complete' | 'ProgressDeadlineExceeded' | 'RolloutCancelled';

const STEP_MS = 10;
const REPLICAS = 2;

/** See the file's comment. All objects are in the namespace `default`. */
export class DeploymentConfigs implements Disposable {
  /** What each deployed version's pods read of the ConfigMap of the DeploymentConfig's name, by name. */
  readonly reads: Map<string, string> = new Map();
  fate: Fate = 'Complete';
  /** Whether the trigger controller acts. */
  triggers = true;
  readonly #cluster: Cluster;
  readonly #versions = new Map<string, Version[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => {
      for (const object of cluster.sandbox.list('deploymentconfigs')) this.#step(object);
    }, STEP_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** The live object. */
  live(name: string): StoredObject {
    const object = this.#cluster.sandbox.get('deploymentconfigs', 'default', name);
    if (object === undefined) throw new Error(`no DeploymentConfig ${name}`);
    return object;
  }

  /** Its latest version. */
  latest(name: string): number {
    return Number(pick(this.live(name), 'status', 'latestVersion') ?? 0);
  }

  /** The stamps in its template, by variable. */
  stamps(name: string): Record<string, unknown> {
    return Object.fromEntries(stampsIn(objectOf(pick(this.live(name), 'spec', 'template'))));
  }

  /** Whether its deployment is complete and observed, so that it stays as it is. */
  isAtRest(name: string): boolean {
    const { metadata } = this.live(name);
    const last = this.#versionsOf(name).at(-1);
    return (
      last?.number === this.latest(name) &&
      last.phase !== 'New' &&
      pick(this.live(name), 'status', 'observedGeneration') === metadata.generation
    );
  }

  /** Whether its pods run the present content of the ConfigMap of its name. */
  isCurrent(name: string): boolean {
    return this.isAtRest(name) && this.reads.get(name) === this.#content(name);
  }

  /** `oc rollout latest`: the next version, and perhaps another image by the same write. */
  next(name: string, image?: string): void {
    const template = { spec: { containers: [{ name: 'app', image }] } };
    const { sandbox } = this.#cluster;
    const latestVersion = this.latest(name) + 1;
    const spec = { revisionHistoryLimit: latestVersion, ...(image === undefined ? {} : { template }) };
    sandbox.patch('deploymentconfigs', 'default', name, { spec }, 'strategic', 'openshift-apiserver');
    this.#setStatus(name, { latestVersion });
  }

  /** The deployment that failed is tried again. */
  retry(name: string): void {
    const last = this.#versionsOf(name).at(-1);
    if (last?.phase === 'Failed') last.phase = 'New';
  }

  /** One step: a new version's controller, its status, its end, or the next version, in that order. */
  #step(object: StoredObject): void {
    const { name } = object.metadata;
    const versions = this.#versionsOf(name);
    const last = versions.at(-1);
    const template = objectOf(pick(object, 'spec', 'template'));
    const number = this.latest(name);
    if (number > (last?.number ?? 0)) versions.push({ number, template, phase: 'New', reason: '' });
    else if (pick(object, 'status', 'observedGeneration') !== object.metadata.generation)
      this.#report(object);
    else if (last?.phase === 'New') this.#end(object, last);
    else if (this.triggers && isTriggered(object, last)) this.next(name);
  }

  #end(object: StoredObject, version: Version): void {
    version.phase = this.fate === 'Complete' ? 'Complete' : 'Failed';
    version.reason = this.fate === 'Complete' ? 'NewReplicationControllerAvailable' : this.fate;
    if (version.phase === 'Complete')
      this.reads.set(object.metadata.name, this.#content(object.metadata.name));
    this.#report(object);
  }

  #report(object: StoredObject): void {
    const { name, generation = 0 } = object.metadata;
    const versions = this.#versionsOf(name);
    const last = versions.at(-1);
    const isThere = versions.some(({ phase }) => phase === 'Complete');
    const isNew = last?.phase === 'Complete';
    const replicas = isThere ? REPLICAS : 0;
    this.#setStatus(name, {
      observedGeneration: generation,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: isNew ? REPLICAS : 0,
      conditions: [
        {
          type: 'Progressing',
          status: last?.phase === 'Failed' ? 'False' : isNew ? 'True' : 'Unknown',
          reason: last?.phase === 'New' ? 'ReplicationControllerUpdated' : (last?.reason ?? ''),
        },
      ],
    });
  }

  #setStatus(name: string, fields: JsonObject): void {
    const status = { ...objectOf(this.live(name)['status']), ...fields };
    this.#cluster.sandbox.setStatus('deploymentconfigs', 'default', name, status);
  }

  #versionsOf(name: string): Version[] {
    const versions = this.#versions.get(name) ?? [];
    this.#versions.set(name, versions);
    return versions;
  }

  #content(name: string): string {
    const object = this.#cluster.sandbox.get('configmaps', 'default', name);
    return stringOf(pick(object, 'data', 'value')) ?? '';
  }
}

/** Whether a change of the template makes a version by itself. */
function isTriggered(object: StoredObject, last: Version | undefined): boolean {
  const spec = objectOf(object['spec']);
  const { triggers, paused } = spec;
  const isAsked =
    triggers === undefined ||
    triggers === null ||
    objectsOf(triggers).some(({ type }) => type === 'ConfigChange');
  if (last === undefined) return paused !== true;
  return isAsked && paused !== true && !sameJson(last.template, objectOf(spec['template']));
}

function stampsIn(template: JsonObject): [string, unknown][] {
  const [container] = objectsOf(pick(template, 'spec', 'containers'));
  return objectsOf(container?.['env']).map(({ name, value }) => [String(name), value]);
}
