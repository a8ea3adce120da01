/** The settings of the admission webhook, and what becomes of one review. */

/** Where the webhook has its serving certificate from. */
export type AdmissionCertificate =
  /** A folder with the files tls.crt and tls.key, which somebody else renews. */
  | { readonly type: 'files'; readonly directory: string }
  /** A Secret beside the state, which the program fills and renews, and a MutatingWebhookConfiguration that it has trust it. */
  | { readonly type: 'secret'; readonly secret: string; readonly configuration: string };

/** How the admission webhook is served. */
export interface AdmissionOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly certificate: AdmissionCertificate;
  /** Whether it refuses writes that carry another hash, in the words of SAP's pod-reloader, than that of what is in force. */
  readonly checksHashes: boolean;
}

/** What becomes of a review, and what that means. */
export const ADMISSION_RESULTS = {
  kept: 'Nothing but stamps was missing in the update: they are put back as they were, and no pod starts anew.',
  renewed:
    'The pod template was changed by its owner, who left stamps out: they are put back with what is in force.',
  stamped: 'A new workload is stamped with what is in force.',
  refused: 'The write carries a hash of other contents than those that are in force.',
  complete: 'No stamp is missing.',
  unclaimed: 'The workload follows nothing, or is not one that is rolled.',
  undo: 'kubectl rollout undo: what it brings back stays.',
  own: 'A write of the reloader itself.',
  unknown: 'Not everything is listed yet, or this namespace or kind is not watched.',
  malformed: 'What was sent is no review.',
  failed: 'An error of the program: the request goes through as it is.',
} as const;

/** See ADMISSION_RESULTS. */
export type AdmissionResult = keyof typeof ADMISSION_RESULTS;
