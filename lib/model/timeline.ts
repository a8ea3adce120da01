/** One axis for the news of all streams, and the events that informers tell on it. */

import type { ObjectKey } from './object-ref.ts';

/** Something happened after `from` and not after `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stream's last sign of life (event, bookmark or list): what happened before it is known. */
export interface SignOfLife {
  /** Where its resourceVersion lies on the axis, if it does. */
  readonly at: number | undefined;
  /** The arrival, as counted by the Timeline. */
  readonly arrival: number;
}

/** The span of news on a stream that was silent until now. */
export const EVER: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** resourceVersions of one kind: whether `a` is older than `b`. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  return left !== undefined && right !== undefined && left < right;
}

/** The number that a resourceVersion is; undefined for what is none, as an aggregated API may have it. */
export function decimalOf(resourceVersion: string): number | undefined {
  return /^\d{1,15}$/.test(resourceVersion) ? Number(resourceVersion) : undefined;
}

/** Turns signs of life and resourceVersions into spans. One instance serves all streams of a process. */
export class Timeline {
  /** Whether resourceVersions of different kinds come from one counter; set once, before the first list. */
  comparable = false;
  #arrivals = 0;

  /** A sign of life that arrives now. */
  sign(resourceVersion: string): SignOfLife {
    this.#arrivals += 1;
    return { at: this.#placeOf(resourceVersion), arrival: this.#arrivals };
  }

  /** The span of one write whose own resourceVersion is known (a watch event, the answer to a patch). */
  ofWrite(resourceVersion: string, before: SignOfLife | undefined): Span {
    const at = this.#placeOf(resourceVersion);
    return at === undefined ? this.#ofArrival(before) : { from: at - 1, to: at };
  }

  /** The span of what a list shows: any number of writes since the stream's last sign of life. */
  ofListed(resourceVersion: string, before: SignOfLife | undefined): Span {
    const to = this.#placeOf(resourceVersion);
    if (to === undefined) return this.#ofArrival(before);
    return { from: Math.min(before?.at ?? Number.NEGATIVE_INFINITY, to - 1), to };
  }

  #placeOf(resourceVersion: string): number | undefined {
    return this.comparable ? decimalOf(resourceVersion) : undefined;
  }

  #ofArrival(before: SignOfLife | undefined): Span {
    this.#arrivals += 1;
    return { from: before?.arrival ?? Number.NEGATIVE_INFINITY, to: this.#arrivals };
  }
}

/** News of one object of a stream, in the order of the stream, or of the stream itself. */
export type InformerEvent<T> =
  /** The object is there in this version. */
  | {
      readonly type: 'present';
      readonly key: ObjectKey;
      readonly object: T;
      /** The span of its last writes. */
      readonly span: Span;
      /** Whether it is part of the stream's first list, and so was there before this process looked. */
      readonly isInInitialList: boolean;
      /** Whether a later list told it: several writes may hide behind this one. */
      readonly isRelisted: boolean;
    }
  /** The object is not there any more. */
  | { readonly type: 'absent'; readonly key: ObjectKey; readonly span: Span }
  /** A list is complete: all objects of the stream have been told. Comes again after each relist. */
  | { readonly type: 'synced' };
