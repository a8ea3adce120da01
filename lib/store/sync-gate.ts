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

/** What hinders a stream; each includes those before it. */
const TROUBLES = ['failing', 'refused', 'forbidden'] as const;
type Trouble = (typeof TROUBLES)[number];

/**
 * The streams of workloads that a question does not wait for: none; those without the right for so long that it does not just lag
 * (forbidden); those that are left out, for any reason (refused); or also those that fail and have not listed since (failing).
 */
export type LeftOut = 'none' | Trouble;

/** See the file's comment. A stream may be failing or refused after it has listed; it stays listed. */
export class SyncGate {
  readonly #streams: readonly Stream[];
  readonly #synced = new Set<Stream>();
  /** Places in TROUBLES. */
  readonly #troubles = new Map<Stream, number>();
  readonly #absent = new Set<Stream>();

  constructor(streams: readonly Stream[]) {
    this.#streams = streams;
  }

  /** Records that `stream` has listed; whether for the first time. */
  markSynced(stream: Stream): boolean {
    this.markWell(stream);
    return this.#synced.size < this.#synced.add(stream).size;
  }

  /** Records that a list or watch of the stream succeeded; whether it was refused before. */
  markWell(stream: Stream): boolean {
    const wasRefused = this.isRefused(stream);
    this.#troubles.delete(stream);
    return wasRefused;
  }

  /**
   * Records that a list or watch failed, then that its right is missing, then that it is missing for good, as far as is known.
   * Whether that changes anything: not if it has succeeded meanwhile.
   */
  mark(stream: Stream, trouble: Trouble): boolean {
    const place = TROUBLES.indexOf(trouble);
    if (this.#placeOf(stream) !== place - 1) return false;
    this.#troubles.set(stream, place);
    if (trouble === 'refused') this.#absent.delete(stream);
    return true;
  }

  /**
   * Records that the API server does not serve the kind of the stream: until it is marked as refused, it counts as if it were none
   * of the streams. Whether that changes anything.
   */
  markAbsent(stream: Stream): boolean {
    this.markWell(stream);
    return this.#absent.size < this.#absent.add(stream).size;
  }

  /** Whether the right to list or watch the stream is known to be missing. */
  isRefused(stream: Stream): boolean {
    return this.#isIn('refused', stream);
  }

  /**
   * Whether these are listed: all workloads of `namespace`, except those of the streams `leftOut`;
   * the objects of `kind` there, if given; and the Namespaces, if a selector selects some. False for a namespace that no stream
   * covers, and for a kind that is not watched there.
   */
  isSynced(namespace: string, kind?: string, leftOut: LeftOut = 'none'): boolean {
    const covering = this.#present().filter((stream) => covers(stream, namespace));
    const isWatched = covering.some((stream) => kind === undefined || stream.kind === kind);
    const isListed = (stream: Stream): boolean => {
      if (stream.isWorkload && !this.#isDone(stream, leftOut)) return false;
      return (stream.kind !== kind && stream.kind !== 'Namespace') || this.#synced.has(stream);
    };
    return isWatched && covering.every(isListed);
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
      (stream) => stream.kind === kind && covers(stream, namespace) && !this.isRefused(stream),
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
      !this.#synced.has(stream) && !(this.isRefused(stream) && served.has(stream.isWorkload));
    return this.#present().filter(isAwaited);
  }

  #present(): readonly Stream[] {
    if (this.#absent.size === 0) return this.#streams;
    return this.#streams.filter((stream) => !this.#absent.has(stream));
  }

  #placeOf(stream: Stream): number {
    return this.#troubles.get(stream) ?? -1;
  }

  #isIn(trouble: Trouble, stream: Stream): boolean {
    return this.#placeOf(stream) >= TROUBLES.indexOf(trouble);
  }

  #isDone(stream: Stream, leftOut: LeftOut): boolean {
    if (leftOut === 'none') return this.#synced.has(stream) && !this.isRefused(stream);
    return this.#synced.has(stream) || this.#isIn(leftOut, stream);
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
