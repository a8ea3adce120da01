/** The numbers of one moment, for those who measure. */

/** What is true at the moment of a scrape. Kinds that are missing count as 0. */
export interface Snapshot {
  readonly configObjects: Readonly<Record<string, number>>;
  readonly workloads: Readonly<Record<string, number>>;
  /** Undefined: a standby, which does not know what is owed. */
  readonly work: WorkSnapshot | undefined;
}

/** What a leader knows besides. */
export interface WorkSnapshot {
  readonly edges: number;
  readonly outdatedEdges: number;
  /** 0 if nothing is owed. */
  readonly oldestOutdatedAgeSeconds: number;
  /** Workloads that are rolled so often that they wait longer. */
  readonly slowedWorkloads: number;
  readonly stateEntries: number;
  readonly stateOverrides: number;
  readonly stateBytes: number;
  /** How many ConfigMaps the state lies in. */
  readonly stateShards: number;
}
