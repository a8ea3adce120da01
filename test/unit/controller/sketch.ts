/** What a test says of the small world of `world.ts`. */

/** What a test says of a live workload; what it leaves out stays as it was. */
export interface Sketch {
  readonly follows?: readonly string[];
  /** The Secrets that it follows. */
  readonly secrets?: readonly string[];
  /** Config → stamp in the live template, e.g. `b.2`. */
  readonly stamps?: Readonly<Record<string, string>>;
  /** Stands for all of the template that is not ours. */
  readonly image?: string;
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly isRolledOut?: boolean;
  readonly uid?: string;
  readonly manager?: string;
}

/** How news arrives. */
export interface Arrival {
  /** Part of the stream's first list. */
  readonly initial?: boolean;
  /** Told by a later list: several writes may hide behind it. */
  readonly relisted?: boolean;
  /** The axis position of the stream's last sign of life; of the write itself unless told. */
  readonly since?: number;
}
