/** Causes, and the facts from which they are found. */

import type { Finding } from '../../model/finding.ts';
import type { Blocked } from '../../model/outcome.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import type { State } from '../../model/status-report.ts';
import type { Workload } from '../../model/workload.ts';
import type { WorkloadKind } from '../../model/workload-kind.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import type { InstalledReloader } from '../installed-reloader.ts';
import type { Observation } from '../observation.ts';

/** One answer to "why did nothing happen?". */
export interface Cause {
  /** The rule that applies: a reason, or one of causes-of-*.ts. */
  readonly rule: string;
  /** The object, annotation or flag that it is about. */
  readonly about: string;
  readonly says: string;
  /** What a person can do; absent if that stands in `says`, or there is nothing to do. */
  readonly todo?: string;
  /** It keeps the reloader from rolling what is out of date. */
  readonly blocks?: true;
}

/** One Event about a workload. */
export interface ShownEvent {
  readonly time: string;
  readonly reason: string;
  readonly message: string;
}

/** Why a workload is not rolled now. */
export type Block = Pick<Blocked, 'reason' | 'message'> & { readonly state?: State | undefined };

/** All that is known about one workload. */
export interface Facts {
  readonly row: WorkloadKind;
  readonly raw: RawWorkload;
  readonly workload: Workload;
  /** Undefined: it follows nothing. */
  readonly record: WorkloadRecord | undefined;
  readonly findings: readonly Finding[];
  /** Why the reloader does not see objects that it follows; of one workload alone. */
  readonly unseen: readonly Cause[];
  /** Why the leader does not roll it now; a clause: why that is not known. */
  readonly leader: Block | string;
  readonly observation: Observation;
  readonly reloader: InstalledReloader;
}

/** Finds causes; none or undefined if the rule does not apply. */
export type CauseRule = (facts: Facts) => readonly Cause[] | Cause | undefined;
