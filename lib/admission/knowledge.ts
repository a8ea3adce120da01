/** What the program knows, as reviews ask for it. Nothing is remembered of the question. */

import type { Edges } from '../controller/edges.ts';
import type { SyncGate } from '../controller/sync-gate.ts';
import { keyOf } from '../model/object-ref.ts';
import { WORKLOAD_KINDS } from '../model/workload-kind.ts';
import type { Knowledge } from './keep-stamps.ts';

/** The number of an object that has no entry yet: its baseline will have at least this one. */
const FIRST_NUMBER = 1;

/** Reads `edges`, as far as `gate` says that they are complete. */
export function knowledgeOf(edges: Edges, gate: SyncGate, ownManager: string): Knowledge {
  const { dialect } = edges;
  const served = new Set(
    WORKLOAD_KINDS.filter(({ rollout }) => rollout === 'replace-pods').map(({ kind }) => kind),
  );
  return {
    dialect,
    ownManager,
    isServed: (kind) => served.has(kind),
    isListed: (namespace, kind) => gate.isSynced(namespace, kind),
    follows: (workload) => dialect.follows(workload, edges.namesIn(workload.ref.namespace)),
    currentStamp: (workload, ref) => {
      const config = edges.configs.get(keyOf(ref));
      if (config?.digest === undefined || config.isUnread === true) return undefined;
      if (edges.isUnbegun(ref, workload.ref.namespace)) return undefined;
      const { digest, annotations } = config;
      if (!dialect.judge(workload, ref, annotations).asks) return undefined;
      const number = edges.entryOf(ref)?.number ?? FIRST_NUMBER;
      return { stamp: { digest, number }, annotations };
    },
  };
}
