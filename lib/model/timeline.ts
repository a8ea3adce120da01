/** One time axis for the events of all streams, and the events that informers deliver on it. */

import type { ObjectKey } from './object-ref.ts';

/** A bound on the time of a write: after `from` and not after `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stream's last sign of life (event, bookmark or list): all earlier writes have been delivered. */
export interface SignOfLife {
  /** Its resourceVersion on the axis; undefined if versions are not comparable. */
  readonly at: number | undefined;
  /** The arrival, as counted by the Timeline. */
  readonly arrival: number;
}

/** The span of the first event of a stream: any time. */
export const EVER: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Whether the resourceVersion `a` is older than `b`, of the same kind. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  return left !== undefined && right !== undefined && left < right;
}

/** A resourceVersion as an integer; undefined for another form, which an aggregated API may have. */
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

  /** The span of an object in a list: any number of writes since the stream's last sign of life. */
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

/** An event of one object of a stream, in the order of the stream, or of the stream itself. */
export type InformerEvent<T> =
  /** The object exists in this version. */
  | {
      readonly type: 'present';
      readonly key: ObjectKey;
      readonly object: T;
      /** The span of its last writes. */
      readonly span: Span;
      /** Whether it is part of the stream's first list, so that it existed before this process started to watch. */
      readonly isInInitialList: boolean;
      /** Whether a later list delivered it: several writes may lie between this version and the one before. */
      readonly isRelisted: boolean;
    }
  /** The object no longer exists. */
  | { readonly type: 'absent'; readonly key: ObjectKey; readonly span: Span }
  /** A list is complete: all objects of the stream were delivered. Repeated after each relist. */
  | { readonly type: 'synced' };
