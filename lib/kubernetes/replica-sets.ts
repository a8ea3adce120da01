/** Reads the age of the present ReplicaSet of each Deployment: no pod of a rolled-out Deployment is older. */

import type { PodsBirth } from '../model/outcome.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { createdAtOf } from '../model/time.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { collectionPath, REPLICA_SETS, withQuery } from './api-path.ts';
import { callJson, METADATA_ALONE } from './json-call.ts';
import type { Send } from './transport.ts';

const PAGE = 500;
/** Beyond 50,000 ReplicaSets the lists would cost more than the rollouts that they may save. */
const MOST_PAGES = 100;

const NONE: ReadonlyMap<string, PodsBirth> = new Map();

/**
 * The ReplicaSet with the highest revision of each Deployment in `namespace`, by the Deployment's uid. An empty map if the list
 * fails for any reason, which costs at most one rollout more. Never rejects.
 */
export async function listBirths(send: Send, namespace: string): Promise<ReadonlyMap<string, PodsBirth>> {
  const births = new Map<string, PodsBirth>();
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    try {
      next = await readPage(send, namespace, next, births);
    } catch {
      return NONE;
    }
    if (next === undefined || next === '') return births;
  }
  return NONE;
}

/** Reads one page into `births`; the result is the token for the next page. */
async function readPage(
  send: Send,
  namespace: string,
  from: string | undefined,
  births: Map<string, PodsBirth>,
): Promise<string | undefined> {
  const list = await callJson<{
    readonly items?: readonly RawObject[] | null;
    readonly metadata?: { readonly continue?: string };
  }>(send, {
    method: 'GET',
    path: withQuery(collectionPath(REPLICA_SETS, namespace), { limit: PAGE, continue: from }),
    headers: { accept: METADATA_ALONE },
  });
  for (const item of list.items ?? []) take(births, item);
  return list.metadata?.continue;
}

function take(births: Map<string, PodsBirth>, raw: RawObject): void {
  const owner = raw.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  const revision = workloadKindOf('Deployment').revision(raw);
  if (owner === undefined || revision === undefined) return;
  const known = births.get(owner);
  if (known !== undefined && Number(known.revision) >= Number(revision)) return;
  births.set(owner, { revision, createdAt: createdAtOf(raw.metadata) });
}
