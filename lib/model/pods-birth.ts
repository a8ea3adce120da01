/** The ReplicaSet of a Deployment's latest template. */

/** Which one it is, and since when it is there. */
export interface PodsBirth {
  /** As the Deployment calls its template, see WorkloadKind. */
  readonly revision: string;
  /** In ms since 1970, by the API server's clock. */
  readonly createdAt: number | undefined;
}
