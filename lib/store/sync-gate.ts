/** Which streams have listed: before all of a namespace have, what is known of it is not complete. */

/** One stream: a kind, in one namespace or (undefined) in all. */
export interface Stream {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly isWorkload: boolean;
  /** Namespaces that a stream of all leaves out. */
  readonly except?: readonly string[];
}

/**
 * Which streams of workloads are not waited for: none; those that the right is missing for; or each that failed and has not
 * listed since, for whatever reason.
 */
export type LeftOut = 'none' | 'refused' | 'failing';

/** Knows the streams, which of them have listed, and which of them may not. */
export class SyncGate {
  readonly #streams: readonly Stream[];
  readonly #followsAcross: boolean;
  readonly #synced = new Set<Stream>();
  readonly #failing = new Set<Stream>();
  readonly #refused = new Set<Stream>();

  /** `followsAcross`: whether workloads may follow objects of other namespaces than their own. */
  constructor(streams: readonly Stream[], followsAcross = false) {
    this.#streams = streams;
    this.#followsAcross = followsAcross;
  }

  /** `stream`, one of those given, has listed; answers whether that is news. */
  markSynced(stream: Stream): boolean {
    const isNews = !this.#synced.has(stream);
    this.#synced.add(stream);
    this.markWell(stream);
    return isNews;
  }

  /** The streams that have listed. */
  synced(): readonly Stream[] {
    return [...this.#synced];
  }

  /** A list or watch of the stream failed; answers whether that is news. */
  markFailing(stream: Stream): boolean {
    const isNews = !this.#failing.has(stream);
    this.#failing.add(stream);
    return isNews;
  }

  /** A list or watch of the stream succeeded; answers whether it was refused before. */
  markWell(stream: Stream): boolean {
    this.#failing.delete(stream);
    return this.#refused.delete(stream);
  }

  /** The right to list or watch the stream is missing; answers whether that is news. Not if it has succeeded meanwhile. */
  markRefused(stream: Stream): boolean {
    if (!this.#failing.has(stream) || this.#refused.has(stream)) return false;
    this.#refused.add(stream);
    return true;
  }

  /** Whether the right to list or watch the stream is known to be missing. */
  isRefused(stream: Stream): boolean {
    return this.#refused.has(stream);
  }

  /**
   * Whether all workloads are listed that may follow what is in `namespace`, but for those of the streams `leftOut`, the
   * objects of `kind` there if one is given, and the namespaces where they are selected. False for a namespace that no stream
   * covers, and for a kind that is not watched there.
   */
  isSynced(namespace: string, kind?: string, leftOut: LeftOut = 'none'): boolean {
    const covering = this.#streams.filter((stream) => covers(stream, namespace));
    const isWatched =
      kind === undefined ? covering.length > 0 : covering.some((stream) => stream.kind === kind);
    const others = covering.filter((stream) => stream.kind === kind || stream.kind === 'Namespace');
    return (
      isWatched &&
      this.#followersOf(namespace).every((stream) => this.#isDone(stream, leftOut)) &&
      others.every((stream) => this.#synced.has(stream))
    );
  }

  /** Whether all workloads of a kind are listed and watched, in one namespace or (undefined) wherever they are. */
  lists(kind: string, namespace: string | undefined): boolean {
    const own = this.#streams.filter(
      (stream) => stream.kind === kind && (namespace === undefined || covers(stream, namespace)),
    );
    return own.length > 0 && own.every((stream) => this.#isDone(stream, 'none'));
  }

  /** The streams of workloads that may follow what is in `namespace`, and that the right is missing for. */
  refused(namespace: string): readonly Stream[] {
    if (this.#refused.size === 0) return [];
    return this.#followersOf(namespace).filter((stream) => this.#refused.has(stream));
  }

  /**
   * The streams that have not listed yet and may. Where nothing of its sort, workload or object, has listed, what is refused is
   * awaited too: there is nothing to serve.
   */
  awaited(): readonly Stream[] {
    const served = new Set([...this.#synced].map(({ isWorkload }) => isWorkload));
    const isAwaited = (stream: Stream): boolean =>
      !this.#synced.has(stream) && !(this.#refused.has(stream) && served.has(stream.isWorkload));
    return this.#streams.filter(isAwaited);
  }

  #followersOf(namespace: string): readonly Stream[] {
    return this.#streams.filter(
      (stream) => stream.isWorkload && (this.#followsAcross || covers(stream, namespace)),
    );
  }

  #isDone(stream: Stream, leftOut: LeftOut): boolean {
    if (this.#refused.has(stream)) return leftOut !== 'none';
    return this.#synced.has(stream) || (leftOut === 'failing' && this.#failing.has(stream));
  }
}

/** The stream as people call it. */
export function nameOf({ kind, namespace }: Stream): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}

/** Whether the stream shows what is in `namespace`. */
export function covers({ namespace: own, except = [] }: Stream, namespace: string): boolean {
  return own === undefined ? !except.includes(namespace) : own === namespace;
}
