/**
 * Which streams have listed. Decisions that need all workloads or objects of a namespace, such as a commit or the removal of an
 * entry, wait for it.
 */

/** One stream: a kind, in one namespace or (undefined) in all. */
export interface Stream {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly isWorkload: boolean;
  /** Namespaces that a stream of all namespaces leaves out. */
  readonly except?: readonly string[];
}

/**
 * The streams of workloads that a question does not wait for: none; those without the right for so long that it does not just lag
 * (forbidden); those that are left out, for any reason (refused); or also those that fail and have not listed since (failing).
 */
export type LeftOut = 'none' | 'forbidden' | 'refused' | 'failing';

/** See the file's comment. A stream may be failing or refused after it has listed; it stays listed. */
export class SyncGate {
  readonly #streams: readonly Stream[];
  readonly #synced = new Set<Stream>();
  readonly #failing = new Set<Stream>();
  readonly #refused = new Set<Stream>();
  readonly #forbidden = new Set<Stream>();
  readonly #absent = new Set<Stream>();

  constructor(streams: readonly Stream[]) {
    this.#streams = streams;
  }

  /** Records that `stream` has listed; whether for the first time. */
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

  /** Records that a list or watch of the stream failed; whether it did not fail before. */
  markFailing(stream: Stream): boolean {
    const isNews = !this.#failing.has(stream);
    this.#failing.add(stream);
    return isNews;
  }

  /** Records that a list or watch of the stream succeeded; whether it was refused before. */
  markWell(stream: Stream): boolean {
    this.#failing.delete(stream);
    this.#forbidden.delete(stream);
    return this.#refused.delete(stream);
  }

  /**
   * Records that the right to list or watch the stream is missing; whether that changes anything: not if it has succeeded
   * meanwhile.
   */
  markRefused(stream: Stream): boolean {
    if (!this.#failing.has(stream) || this.#refused.has(stream)) return false;
    this.#refused.add(stream);
    this.#absent.delete(stream);
    return true;
  }

  /** Records that the right to the refused stream is missing for good, as far as is known; whether that changes anything. */
  markForbidden(stream: Stream): boolean {
    if (!this.#refused.has(stream) || this.#forbidden.has(stream)) return false;
    this.#forbidden.add(stream);
    return true;
  }

  /**
   * Records that the API server does not serve the kind of the stream: until it is marked as refused, it counts as if it were none
   * of the streams. Whether that changes anything.
   */
  markAbsent(stream: Stream): boolean {
    if (this.#absent.has(stream)) return false;
    this.#absent.add(stream);
    this.markWell(stream);
    return true;
  }

  /** Whether the right to list or watch the stream is known to be missing. */
  isRefused(stream: Stream): boolean {
    return this.#refused.has(stream);
  }

  /**
   * Whether these are listed: all workloads of `namespace`, except those of the streams `leftOut`;
   * the objects of `kind` there, if given; and the Namespaces, if a selector selects some. False for a namespace that no stream
   * covers, and for a kind that is not watched there.
   */
  isSynced(namespace: string, kind?: string, leftOut: LeftOut = 'none'): boolean {
    const covering = this.#present().filter((stream) => covers(stream, namespace));
    const isWatched =
      kind === undefined ? covering.length > 0 : covering.some((stream) => stream.kind === kind);
    const others = covering.filter((stream) => stream.kind === kind || stream.kind === 'Namespace');
    return (
      isWatched &&
      covering.every((stream) => !stream.isWorkload || this.#isDone(stream, leftOut)) &&
      others.every((stream) => this.#synced.has(stream))
    );
  }

  /** Whether the objects or workloads of a kind are listed, in one namespace or (undefined) in all that are watched. */
  lists(kind: string, namespace: string | undefined): boolean {
    const own = this.#present().filter(
      (stream) => stream.kind === kind && (namespace === undefined || covers(stream, namespace)),
    );
    return own.length > 0 && own.every((stream) => this.#isDone(stream, 'none'));
  }

  /** Whether a stream that may be listed shows the objects or workloads of a kind in a namespace. */
  isWatched(namespace: string, kind: string): boolean {
    return this.#present().some(
      (stream) => stream.kind === kind && covers(stream, namespace) && !this.#refused.has(stream),
    );
  }

  /** Whether the workloads of every stream are listed, except those of streams that fail or are refused. */
  get showsWorkloads(): boolean {
    return this.#present().every((stream) => !stream.isWorkload || this.#isDone(stream, 'failing'));
  }

  /**
   * The streams whose first list the program waits for. A refused stream is not awaited, unless no other stream of its sort
   * (workloads, or objects and Namespaces) has listed: then the program has nothing to do without it.
   */
  awaited(): readonly Stream[] {
    const served = new Set([...this.#synced].map(({ isWorkload }) => isWorkload));
    const isAwaited = (stream: Stream): boolean =>
      !this.#synced.has(stream) && !(this.#refused.has(stream) && served.has(stream.isWorkload));
    return this.#present().filter(isAwaited);
  }

  #present(): readonly Stream[] {
    return this.#absent.size === 0
      ? this.#streams
      : this.#streams.filter((stream) => !this.#absent.has(stream));
  }

  #isDone(stream: Stream, leftOut: LeftOut): boolean {
    if (leftOut === 'none') return this.#synced.has(stream) && !this.#refused.has(stream);
    const others = { forbidden: this.#forbidden, refused: this.#refused, failing: this.#failing };
    return this.#synced.has(stream) || others[leftOut].has(stream);
  }
}

/** The name of the stream for log lines and pages. */
export function nameOf({ kind, namespace }: Pick<Stream, 'kind' | 'namespace'>): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}

/** Whether the stream shows objects of `namespace`. */
export function covers({ namespace: own, except = [] }: Stream, namespace: string): boolean {
  return own === undefined ? !except.includes(namespace) : own === namespace;
}
