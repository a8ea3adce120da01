/** Runs the streams of one term after the other: each reloader lists everything anew. */

import { areVersionsComparable, type ComparableVersionsOptions } from '../kubernetes/comparable-versions.ts';
import { collectionsOf } from '../kubernetes/sources.ts';
import type { OptionalKindStatus } from '../model/status-report.ts';
import { monotonicMs } from '../model/time.ts';
import type { Stream } from '../store/sync-gate.ts';
import { Informers, type InformersOptions } from './informers.ts';
import { ServedKinds, type ServedKindsOptions } from './served-kinds.ts';
import type { Terms } from './terms.ts';

/** The collaborators. */
export interface TermStreamsOptions
  extends Omit<InformersOptions, 'reloader' | 'servedKinds' | 'withoutRight'>,
    Pick<ServedKindsOptions, 'kinds'>,
    Pick<ComparableVersionsOptions, 'mayLag'> {
  readonly terms: Pick<Terms, 'current' | 'replaced'>;
}

const NOT_COMPARABLE =
  'the versions of different kinds are not of one counter, or could not be listed: no external rollout replaces one of ours';

/** See the file's comment. */
export class TermStreams {
  readonly #options: TermStreamsOptions;
  readonly #since = monotonicMs();
  readonly #withoutRight = new Map<Stream, number>();
  #servedKinds: ServedKinds;

  constructor(options: TermStreamsOptions) {
    this.#options = options;
    this.#servedKinds = this.#newServedKinds();
  }

  /** The kinds that a cluster may lack. */
  statuses(): readonly OptionalKindStatus[] {
    return this.#servedKinds.statuses();
  }

  /** Resolves when `signal` is aborted and all streams have ended; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const { current: reloader, replaced } = this.#options.terms;
      const ends = AbortSignal.any([signal, replaced]);
      const servedKinds = this.#newServedKinds();
      this.#servedKinds = servedKinds;
      const looking = servedKinds.run(ends);
      if (isFirst) await this.#compare(await servedKinds.served(), signal);
      const ofTerm = { reloader, servedKinds, withoutRight: this.#withoutRight };
      const informers = new Informers({ ...this.#options, ...ofTerm });
      await Promise.all([looking, ...this.#options.streams.map((each) => informers.run(each, ends))]);
    }
  }

  #newServedKinds(): ServedKinds {
    const { listing } = this.#options.terms.current;
    return new ServedKinds({ ...this.#options, listing, since: this.#since });
  }

  async #compare(served: readonly Stream[], signal: AbortSignal): Promise<void> {
    const { timeline, log } = this.#options;
    const kinds = collectionsOf(served);
    timeline.comparable = await areVersionsComparable({ ...this.#options, kinds, signal });
    if (!timeline.comparable && !signal.aborted) log.info(NOT_COMPARABLE);
  }
}
