/** `reloader state export`: of each edge whether it is up to date. No digest is in it: those of one cluster say nothing in another. */

import { keyOf, type ObjectKey } from '../../model/object-ref.ts';
import { isOutdatedOn, observedBy } from '../../tracking/edge-policy.ts';
import type { Observation } from '../observation.ts';

/** The kind of the document that export writes and import reads. */
export const EXPORT_KIND = 'ReloaderStateExport';
/** Its only version. */
export const EXPORT_VERSION = 1;

/** One workload that follows one object. */
export interface ExportedEdge {
  readonly workload: ObjectKey;
  /** `<namespace>/<kind>/<name>`, and the keys if the workload follows only some. */
  readonly object: ObjectKey;
  readonly upToDate: boolean;
}

/** The document. */
export interface ExportedState {
  readonly kind: typeof EXPORT_KIND;
  readonly version: typeof EXPORT_VERSION;
  readonly edges: readonly ExportedEdge[];
}

/** All edges with objects that exist, ordered by workload and object. */
export function exportedState({ store }: Pick<Observation, 'store'>): ExportedState {
  const edges = [...store.workloads].flatMap(([workload, record]) =>
    [...record.edges].flatMap(([object, edge]): readonly ExportedEdge[] => {
      const config = store.configs.get(object);
      if (config === undefined || observedBy(store, record, config) === undefined) return [];
      const upToDate = !isOutdatedOn(store, record, object, edge);
      return [{ workload, object: keyOf(config.ref), upToDate }];
    }),
  );
  edges.sort(
    (one, other) => one.workload.localeCompare(other.workload) || one.object.localeCompare(other.object),
  );
  return { kind: EXPORT_KIND, version: EXPORT_VERSION, edges };
}
