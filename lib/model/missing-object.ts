/** An object that workloads name and that no stream shows, once it was looked into. */

import type { ConfigRef } from './object-ref.ts';

/** What was found out. */
export interface MissingObject {
  readonly ref: ConfigRef;
  /** The type of a Secret that is there after all, but of a type that is not watched. */
  readonly leftOutType: string | undefined;
  /** It is there after all, but without the labels that are watched. */
  readonly isUnselected: boolean;
  /** It is there after all, but a reloader keeps its state in it. @default false */
  readonly isState?: boolean;
  /** The labels of the objects that are watched; undefined: all are. */
  readonly selector: string | undefined;
  /** Objects that are there and may be meant, the likeliest first. */
  readonly similar: readonly ConfigRef[];
}
