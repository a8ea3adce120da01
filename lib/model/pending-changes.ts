/** What a workload that owes something is owed for, and what it waits for. */

/** What waits to be rolled out to one workload. */
export interface PendingChanges {
  /** Changes since the last rollout, reverts included. */
  readonly changes: number;
  /** When the first of them was seen, by monotonicMs. */
  readonly since: number;
}

/** Why a workload that owes something is not being patched at this moment. */
export type PendingReason =
  | { readonly type: 'quiet'; readonly until: number }
  | { readonly type: 'queued' }
  | { readonly type: 'backoff'; readonly until: number; readonly message: string }
  /** Its stamp was taken back too often for one content: what it follows, or its own template, has to change. */
  | { readonly type: 'change'; readonly message: string }
  /** Its owner's rollout brings what is owed, if it comes further until then. */
  | { readonly type: 'owner'; readonly until: number }
  /** Something that its pods need is not there. */
  | { readonly type: 'needs' }
  /** Its namespace is not selected. */
  | { readonly type: 'selection' };
