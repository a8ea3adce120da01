/** What one reloader has seen, told to the next one as if it were listed now: no request is needed for it. */

import type { ConfigObject } from '../model/config-object.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** Who has seen it. */
export interface Former {
  readonly store: Store;
  /** Workloads that follow nothing and say something all the same. */
  readonly others: ReadonlyMap<ObjectKey, Workload>;
}

/** Who is told. */
export interface Heir {
  readonly config: (event: Extract<InformerEvent<ConfigObject>, { type: 'present' }>) => void;
  readonly workload: (event: Extract<InformerEvent<Workload>, { type: 'present' }>) => void;
  readonly namespace: (event: Extract<InformerEvent<string>, { type: 'present' }>) => void;
}

const LISTED = { type: 'present', isInInitialList: true, isRelisted: false } as const;

/** Tells `heir` all that `former` has seen and that is there. */
export function handOver({ store, others }: Former, heir: Heir): void {
  for (const namespace of store.selected) {
    heir.namespace({
      ...LISTED,
      key: namespace,
      object: namespace,
      span: writtenBy(Number.NEGATIVE_INFINITY),
    });
  }
  for (const [key, record] of store.configs) {
    const object = objectOf(record);
    if (object !== undefined) heir.config({ ...LISTED, key, object, span: writtenBy(record.writtenAt) });
  }
  for (const [key, { workload, knownAt }] of store.workloads) {
    heir.workload({ ...LISTED, key, object: workload, span: writtenBy(knownAt) });
  }
  for (const [key, workload] of others) {
    heir.workload({ ...LISTED, key, object: workload, span: writtenBy(Number.NEGATIVE_INFINITY) });
  }
}

/** Whether a workload that follows nothing has to be known all the same: it is a copy, it waits, or its words may be wrong. */
export function saysSomething(workload: Workload): boolean {
  const {
    isCopy,
    isPaused,
    waveLeftovers,
    unknownAnnotations,
    stamps,
    annotations,
    labels,
    templateAnnotations,
  } = workload;
  const words = [annotations, labels, templateAnnotations].some((each) => Object.keys(each).length > 0);
  return (
    isCopy ||
    isPaused === true ||
    waveLeftovers !== undefined ||
    words ||
    unknownAnnotations.length + stamps.length > 0
  );
}

function writtenBy(to: number): { readonly from: number; readonly to: number } {
  return { from: Number.NEGATIVE_INFINITY, to };
}

/** The object as its stream told it; of some keys of one, and of one that is not there, nothing is told. */
function objectOf({ ref, digest, resourceVersion, ...rest }: ConfigRecord): ConfigObject | undefined {
  if (ref.keys !== undefined || resourceVersion === undefined) return undefined;
  const { annotations, lastWrite, otherDigests, keyDigests } = rest;
  return {
    ref,
    uid: '',
    resourceVersion,
    digest: digest ?? '',
    annotations,
    lastWrite,
    otherDigests,
    ...(keyDigests === undefined ? {} : { keyDigests }),
    ...(rest.isState === true ? { isState: true } : {}),
  };
}
