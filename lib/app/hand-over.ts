/**
 * Hands the observations of one reloader to the next one at a change of terms, as if they were listed now. So a new term needs
 * no list, and its store is built by the same rules as at a start.
 */

import type { ConfigObject } from '../model/config-object.ts';
import type { Workload } from '../model/workload.ts';
import type { ConfigRecord } from '../store/records.ts';
import type { Controllers, LookTaker } from './controllers.ts';
import type { Reloader } from './reloader.ts';

/** The reloader of the term that ended. */
export type Former = Pick<Reloader, 'store' | 'others'>;

/** The event handlers of the reloader of the new term. */
export type Heir = Pick<LookTaker, 'onConfig' | 'onWorkload'> & Pick<Controllers, 'observeNamespace'>;

const LISTED = { type: 'present', isInInitialList: true, isRelisted: false } as const;

/** Replays every existing namespace, object and workload. Objects precede workloads, whose edges begin with the digests. */
export function handOver({ store, others }: Former, heir: Heir): void {
  for (const namespace of new Set([...store.selected, ...store.namespaceAnnotations.keys()])) {
    heir.observeNamespace({
      ...LISTED,
      key: namespace,
      object: { name: namespace, annotations: store.namespaceAnnotations.get(namespace) ?? {} },
      span: writtenBy(Number.NEGATIVE_INFINITY),
    });
  }
  for (const [key, record] of store.configs) {
    const object = objectOf(record);
    if (object !== undefined) heir.onConfig({ ...LISTED, key, object, span: writtenBy(record.writtenAt) });
  }
  for (const [key, { workload, knownAt }] of store.workloads) {
    heir.onWorkload({ ...LISTED, key, object: workload, span: writtenBy(knownAt) });
  }
  for (const [key, workload] of others) {
    heir.onWorkload({ ...LISTED, key, object: workload, span: writtenBy(Number.NEGATIVE_INFINITY) });
  }
}

/**
 * Whether a workload that follows nothing has to be kept all the same: it is a placeholder Job, is paused, refers to an object that
 * is no workload of its own then, or has annotations or stamps that may lead to a finding or a repair.
 */
export function saysSomething(workload: Workload): boolean {
  const { annotations, labels, templateAnnotations, unknownAnnotations, stamps } = workload;
  const records = [annotations, labels, templateAnnotations];
  return (
    workload.isCopy ||
    workload.isPaused === true ||
    workload.referenced !== undefined ||
    records.some((each) => Object.keys(each).length > 0) ||
    unknownAnnotations.length + stamps.length > 0
  );
}

function writtenBy(to: number): { readonly from: number; readonly to: number } {
  return { from: Number.NEGATIVE_INFINITY, to };
}

/** The object as its stream delivered it; undefined for a key set, which follows from its object, and for a missing object. */
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
