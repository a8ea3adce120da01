/** What an informer tells its handler. */

import type { ObjectKey } from './object-ref.ts';
import type { Span } from './timeline.ts';

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
