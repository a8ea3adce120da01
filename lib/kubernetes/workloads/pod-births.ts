/** How old pods are at the most: the creation of the ReplicaSet or ControllerRevision of their template. */

import type { BirthsReading, PodsBirth } from '../../model/outcome.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import { createdAtOf } from '../../model/time.ts';
import { workloadKindOf } from '../../model/workload-kind.ts';
import { failedRead } from '../api-error.ts';
import {
  type ApiResource,
  CONTROLLER_REVISIONS,
  collectionPath,
  REPLICA_SETS,
  withQuery,
} from '../api-path.ts';
import { callJson, METADATA_ALONE } from '../json-call.ts';
import type { Send } from '../transport.ts';

const PAGE = 500;
/** Beyond 50,000 objects the lists would cost more than the rollouts that they may save. */
const MOST_PAGES = 100;

/** What is kept of one kind. */
interface Source {
  readonly resource: ApiResource;
  /** What names a template; undefined: the object is none of a workload that is watched. */
  readonly revisionOf: (raw: RawObject) => string | undefined;
  readonly isNewer: (one: PodsBirth, other: PodsBirth) => boolean;
}

/** The revision of one is no part of its metadata: the one created last counts. */
const REVISIONS: Source = {
  resource: CONTROLLER_REVISIONS,
  revisionOf: ({ metadata }) => metadata.name,
  isNewer: (one, other) => (one.createdAt ?? 0) > (other.createdAt ?? 0),
};

const SOURCES: Readonly<Record<string, Source>> = {
  Deployment: {
    resource: REPLICA_SETS,
    revisionOf: (raw) => workloadKindOf('Deployment').revision(raw),
    isNewer: (one, other) => Number(one.revision) > Number(other.revision),
  },
  StatefulSet: REVISIONS,
  DaemonSet: REVISIONS,
};

/**
 * Of each workload of `kind` in `namespace` the newest template, by the workload's uid: of a Deployment the one of the highest
 * revision. Nothing of kinds that keep none. Never rejects.
 */
export async function readBirths(send: Send, namespace: string, kind: string): Promise<BirthsReading> {
  const births = new Map<string, PodsBirth>();
  const source = SOURCES[kind];
  let next: string | undefined;
  for (let page = 0; source !== undefined && page < MOST_PAGES; page += 1) {
    try {
      next = await readPage(send, source, { namespace, from: next }, births);
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
  source: Source,
  { namespace, from }: { readonly namespace: string; readonly from: string | undefined },
  births: Map<string, PodsBirth>,
): Promise<string | undefined> {
  const list = await callJson<{
    readonly items?: readonly RawObject[] | null;
    readonly metadata?: { readonly continue?: string };
  }>(send, {
    method: 'GET',
    path: withQuery(collectionPath(source.resource, namespace), { limit: PAGE, continue: from }),
    headers: { accept: METADATA_ALONE },
  });
  for (const item of list.items ?? []) take(births, source, item);
  return list.metadata?.continue;
}

function take(births: Map<string, PodsBirth>, { revisionOf, isNewer }: Source, raw: RawObject): void {
  const owner = raw.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  const revision = revisionOf(raw);
  if (owner === undefined || revision === undefined) return;
  const birth = { revision, createdAt: createdAtOf(raw.metadata) };
  const known = births.get(owner);
  if (known === undefined || isNewer(birth, known)) births.set(owner, birth);
}
