/**
 * What stands in for the Secrets Store CSI driver on all nodes: a pod that starts mounts what the store holds then; what is rotated
 * later reaches the pods one by one, each at a moment of its own within the poll interval. Of a pod that is gone the status goes
 * at once or after a while, unless another pod of its name took it over.
 */

import type { Sandbox } from '../sandbox/sandbox.ts';
import { NAMESPACE, resourceOf, split } from './api.ts';
import { mountOf } from './contents.ts';
import type { Content, DriverStep } from './history.ts';
import { CLASS } from './manifests.ts';
import type { SecretsStore } from './people.ts';

const STATUSES = 'secretproviderclasspodstatuses';
/** After so long the garbage collector removes what is left of every second pod; of the others at once. */
const COLLECT_MS = 3000;
const AT_ONCE_MS = 20;

/** What the driver needs of the world. */
export interface DriverOptions {
  readonly sandbox: Sandbox;
  readonly store: SecretsStore;
  /** Within which time every pod gets what the store holds. */
  readonly pollMs: number;
  /** Called after each of its writes. */
  readonly onWritten: () => void;
}

/** A pod that has mounted the class. */
interface Mounted {
  readonly number: number;
  readonly name: string;
  isGone: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** See the file's comment. */
export class Driver {
  is: DriverStep['is'] = 'well';
  readonly #options: DriverOptions;
  readonly #mounted = new Map<string, Mounted>();
  /** The pod whose status has a name, and the version that it tells. */
  readonly #statuses = new Map<string, { readonly owner: Mounted; readonly told: Content | undefined }>();
  #count = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /** What a pod mounts that starts now; undefined: nothing that the provider tells. */
  get present(): Content | undefined {
    return this.is === 'mute' ? undefined : this.#options.store.get(CLASS);
  }

  /** Called whenever the world has come to rest for a moment. */
  look(): void {
    const running = this.#options.sandbox.pods().filter(({ phase }) => phase === 'Running');
    const pods = new Map(running.map((pod) => [`${pod.name}@${pod.startedAtVersion}`, pod.name]));
    for (const [id, pod] of this.#mounted) if (!pods.has(id)) this.#lose(id, pod);
    for (const [id, name] of pods) if (!this.#mounted.has(id)) this.#mount(id, name);
    for (const pod of this.#mounted.values()) this.#pollLater(pod);
  }

  #mount(id: string, name: string): void {
    this.#count += 1;
    const pod: Mounted = { number: this.#count, name, isGone: false, timer: undefined };
    this.#mounted.set(id, pod);
    this.#tell(pod);
  }

  #lose(id: string, pod: Mounted): void {
    this.#mounted.delete(id);
    clearTimeout(pod.timer);
    pod.isGone = true;
    setTimeout(() => this.#collect(pod), pod.number % 2 === 0 ? AT_ONCE_MS : COLLECT_MS);
  }

  #collect(pod: Mounted): void {
    if (this.#statuses.get(pod.name)?.owner !== pod) return;
    this.#statuses.delete(pod.name);
    this.#options.sandbox.remove(STATUSES, NAMESPACE, statusOf(pod.name));
    this.#options.onWritten();
  }

  #isOutdated(pod: Mounted): boolean {
    const isServed = this.is !== 'stuck' || pod.number % 2 === 0;
    const isThere = this.#options.sandbox.get(resourceOf(CLASS), NAMESPACE, split(CLASS).name) !== undefined;
    return isServed && isThere && this.#statuses.get(pod.name)?.told !== this.present;
  }

  #pollLater(pod: Mounted): void {
    if (pod.timer !== undefined || !this.#isOutdated(pod)) return;
    const phase = ((pod.number * 7) % 10) / 10;
    pod.timer = setTimeout(
      () => {
        pod.timer = undefined;
        if (!pod.isGone && this.#isOutdated(pod)) this.#tell(pod);
      },
      AT_ONCE_MS + phase * this.#options.pollMs,
    );
  }

  /** Writes the status of a pod. */
  #tell(pod: Mounted): void {
    const { sandbox } = this.#options;
    const told = this.present;
    const uid = String(pod.number).padStart(8, '0');
    const isThere = this.#statuses.has(pod.name);
    this.#statuses.set(pod.name, { owner: pod, told });
    const object = {
      metadata: {
        namespace: NAMESPACE,
        name: statusOf(pod.name),
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.name, uid }],
      },
      status: { ...mountOf(CLASS, told), podName: pod.name, targetPath: `/pods/${uid}/mount` },
    };
    if (isThere) sandbox.patch(STATUSES, NAMESPACE, object.metadata.name, object);
    else sandbox.create(STATUSES, object);
    this.#options.onWritten();
  }
}

function statusOf(pod: string): string {
  return `${pod}-${NAMESPACE}-${split(CLASS).name}`;
}
