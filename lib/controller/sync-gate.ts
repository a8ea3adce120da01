/** Which streams have listed: before all of a namespace have, what is known of it is not complete. */

/** One stream: a kind, in one namespace or (undefined) in all. */
export interface Stream {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly isWorkload: boolean;
  /** Namespaces that a stream of all leaves out. */
  readonly except?: readonly string[];
}

/** Knows the streams and which of them have listed. */
export class SyncGate {
  readonly #streams: readonly Stream[];
  readonly #followsAcross: boolean;
  readonly #synced = new Set<Stream>();

  /** `followsAcross`: whether workloads may follow objects of other namespaces than their own. */
  constructor(streams: readonly Stream[], followsAcross = false) {
    this.#streams = streams;
    this.#followsAcross = followsAcross;
  }

  /** `stream`, one of those given, has listed; answers whether that is news. */
  markSynced(stream: Stream): boolean {
    const isNews = !this.#synced.has(stream);
    this.#synced.add(stream);
    return isNews;
  }

  /**
   * Whether all workloads are listed that may follow what is in `namespace`, the objects of `kind` there if one is given, and
   * the namespaces where they are selected. False for a namespace that no stream covers, and for a kind that is not
   * watched there.
   */
  isSynced(namespace: string, kind?: string): boolean {
    const covering = this.#streams.filter((stream) => covers(stream, namespace));
    const isWatched =
      kind === undefined ? covering.length > 0 : covering.some((stream) => stream.kind === kind);
    const followers = (this.#followsAcross ? this.#streams : covering).filter(({ isWorkload }) => isWorkload);
    const others = covering.filter((stream) => stream.kind === kind || stream.kind === 'Namespace');
    return isWatched && [...followers, ...others].every((stream) => this.#synced.has(stream));
  }

  /** The streams that have not listed yet. */
  awaited(): readonly Stream[] {
    return this.#streams.filter((stream) => !this.#synced.has(stream));
  }
}

/** Whether the stream shows what is in `namespace`. */
export function covers({ namespace: own, except = [] }: Stream, namespace: string): boolean {
  return own === undefined ? !except.includes(namespace) : own === namespace;
}
