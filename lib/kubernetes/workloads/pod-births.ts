/** How old the pods of Deployments are at the most: the creation of the ReplicaSet of their template. */

import type { BirthsReading, PodsBirth } from '../../model/outcome.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import { createdAtOf } from '../../model/time.ts';
import { workloadKindOf } from '../../model/workload-kind.ts';
import { failedRead } from '../api-error.ts';
import { collectionPath, REPLICA_SETS, withQuery } from '../api-path.ts';
import { callJson, METADATA_ALONE } from '../json-call.ts';
import type { Send } from '../transport.ts';

const PAGE = 500;
/** Beyond 50,000 objects the lists would cost more than the rollouts that they may save. */
const MOST_PAGES = 100;

/** Of each Deployment in `namespace` the ReplicaSet of the highest revision, by the Deployment's uid. Never rejects. */
export async function readBirths(send: Send, namespace: string): Promise<BirthsReading> {
  const births = new Map<string, PodsBirth>();
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    try {
      next = await readPage(send, { namespace, from: next }, births);
    } catch (thrown) {
      return failedRead(thrown);
    }
    if (next === undefined || next === '') return { kind: 'listed', births };
  }
  return { kind: 'listed', births: new Map() };
}

/** Reads one page into `births`; the result is the token for the next page. */
async function readPage(
  send: Send,
  { namespace, from }: { readonly namespace: string; readonly from: string | undefined },
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
  const birth = { revision, createdAt: createdAtOf(raw.metadata) };
  const known = births.get(owner);
  if (known === undefined || Number(revision) > Number(known.revision)) births.set(owner, birth);
}
