/** What became of a write, told without a status number: all that the rest of the program needs to decide what is next. */

/** The answer to one fenced write of a `T`. */
export type WriteResult<T> =
  /** It is in force; `object` is what the server answered. */
  | { readonly kind: 'accepted'; readonly object: T }
  /** Somebody else wrote first (409): read again, decide again. */
  | { readonly kind: 'conflict' }
  /** The object itself no longer exists (404). */
  | { readonly kind: 'gone' }
  /** The server will not have this write (400, 403, 405, 413, 415, 422). */
  | { readonly kind: 'rejected'; readonly code: 'forbidden' | 'invalid'; readonly message: string }
  /** Not carried out, try again later (429). */
  | { readonly kind: 'throttled'; readonly message: string; readonly retryAfterMs?: number }
  /** No answer, or a 5xx: it may have taken effect. */
  | { readonly kind: 'unanswered'; readonly message: string; readonly retryAfterMs?: number };

/** The answer to an attempt to roll a workload; `mayHaveRun`: what it starts may have been started although it failed. */
export type RollResult<T> = WriteResult<T> & { readonly mayHaveRun?: true };
