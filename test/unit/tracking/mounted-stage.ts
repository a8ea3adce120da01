/** One process that follows what the pods of the class `db` have mounted, without an API server. */

import { mountedOf } from '../../../lib/model/config-object.ts';
import { UNKEYED } from '../../../lib/model/digest.ts';
import type { RawPodStatus } from '../../../lib/model/raw-objects.ts';
import type { Stream } from '../../../lib/store/sync-gate.ts';
import { MountedClasses } from '../../../lib/tracking/mounted-classes.ts';

const KIND = 'SecretProviderClass';
const CLASSES: Stream = { kind: KIND, namespace: undefined, isWorkload: false };
/** The stream of statuses. */
export const STATUSES: Stream = { ...CLASSES, kind: 'SecretProviderClassPodStatus' };

interface Pod {
  readonly content: string;
  readonly generation?: number;
  readonly uid?: string;
  readonly mounted?: boolean;
  readonly namespace?: string;
}

/** The digest of a content as a status of it has it. */
function digestOf(content: string, namespace = 'ns'): string | undefined {
  return mountedOf(statusOf('x', { content, namespace }, 1), UNKEYED)?.digest;
}

function statusOf(name: string, pod: Pod, version: number): RawPodStatus {
  const { content, generation = 1, uid = name, mounted = true, namespace = 'ns' } = pod;
  const ownerReferences = [{ kind: 'Pod', uid }];
  return {
    metadata: { name, namespace, generation, resourceVersion: String(version), ownerReferences },
    status: {
      secretProviderClassName: 'db',
      mounted,
      objects: content === 'none' ? [] : [{ id: 'password', version: content === 'empty' ? '' : content }],
    },
  };
}

/**
 * One process: what it publishes, as `<content>` or, if every pod began with it, `<content> begun`; if it is in force already and a pod
 * may have begun with another, `<content> in doubt`.
 */
export class Stage {
  readonly published: string[] = [];
  readonly dynamic: boolean[] = [];
  readonly listedKinds: string[] = [];
  /** The digest that the state names. */
  recorded: string | undefined;
  readonly classes: MountedClasses;
  readonly #generations = new Map<string, number>();
  readonly #inForce = new Map<string, string>();
  #version = 0;
  #isListing = true;

  constructor(entry?: string) {
    this.record(entry);
    this.classes = new MountedClasses({
      recorded: () => this.recorded,
      publish: ({ object: { ref, digest, begunWith }, isRelisted }) => {
        const isDoubt = isRelisted && this.#inForce.get(ref.namespace) === digest;
        this.#inForce.set(ref.namespace, digest);
        const content = [...'ABCDEFGHIJ'].find((one) => digestOf(one, ref.namespace) === digest) ?? '?';
        const place = ref.namespace === 'ns' ? '' : `${ref.namespace} `;
        this.published.push(
          `${place}${content}${begunWith === true ? ' begun' : ''}${isDoubt ? ' in doubt' : ''}`,
        );
      },
      onGone: () => this.published.push('gone'),
      onListed: ({ kind }) => this.listedKinds.push(kind),
      onDynamic: () => this.dynamic.push(this.isDynamic),
    });
  }

  /** The state names this content, or none. */
  record(content: string | undefined): this {
    this.recorded = content === undefined ? undefined : digestOf(content);
    return this;
  }

  /** The content that was published last. */
  get current(): string | undefined {
    return this.published.at(-1)?.[0];
  }

  get isDynamic(): boolean {
    return this.classes.isDynamic(`ns/${KIND}/db`);
  }

  /** The streams have listed. */
  listed(): this {
    this.#isListing = false;
    this.classes.observeClass(CLASSES, { type: 'synced' });
    this.classes.observeStatus(STATUSES, { type: 'synced' });
    return this;
  }

  class(isThere = true): this {
    const key = `ns/${KIND}/db`;
    const ref = { kind: KIND, namespace: 'ns', name: 'db' } as const;
    const span = this.#span();
    this.classes.observeClass(
      CLASSES,
      isThere
        ? { type: 'present', key, object: { ref, annotations: {} }, span, ...this.#how() }
        : { type: 'absent', key, span },
    );
    return this;
  }

  /** A pod mounts, or the driver rotates what it has; without a generation, its next one. */
  set(name: string, content: string, parts: Partial<Pod> & { isRelisted?: boolean } = {}): this {
    const generation = parts.generation ?? (this.#generations.get(name) ?? 0) + 1;
    this.#generations.set(name, generation);
    const span = this.#span();
    const raw = statusOf(name, { ...parts, content, generation }, this.#version);
    const how = { ...this.#how(), isRelisted: parts.isRelisted === true };
    const key = `${parts.namespace ?? 'ns'}/Status/${name}`;
    const object = mountedOf(raw, UNKEYED);
    this.classes.observeStatus(STATUSES, { type: 'present', key, object, span, ...how });
    return this;
  }

  drop(...names: readonly string[]): this {
    for (const name of names) {
      this.#generations.delete(name);
      this.classes.observeStatus(STATUSES, { type: 'absent', key: `ns/Status/${name}`, span: this.#span() });
    }
    return this;
  }

  all(names: readonly string[], content: string, parts: Partial<Pod> = {}): this {
    for (const name of names) this.set(name, content, parts);
    return this;
  }

  #how() {
    return { isInInitialList: this.#isListing, isRelisted: false };
  }

  #span() {
    this.#version += 1;
    return { from: this.#version - 1, to: this.#version };
  }
}

/** The names of so many pods. */
export function pods(count: number, prefix = 'web'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** A process that has listed these pods with the content A. */
export function running(count: number, entry?: string): Stage {
  return new Stage(entry).all(pods(count), 'A').listed();
}
