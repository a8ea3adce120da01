/** Asks the API server whether it serves a kind of workload that a cluster may lack. */

import type { ApiResource } from '../../model/object-ref.ts';
import type { WorkloadKind } from '../../model/workload-kind.ts';
import { ApiError } from '../api-error.ts';
import { callJson, IdleDeadline } from '../json-call.ts';
import type { Send } from '../transport.ts';

/** The answer of the API server about one kind. */
export type Discovered =
  /** `objectKind`: the kind as its objects name it. */
  | { readonly is: 'served'; readonly objectKind: string }
  | { readonly is: 'absent' }
  /** There is no answer, such as of an aggregated API server that is down: the kind may have workloads. */
  | { readonly is: 'unknown'; readonly problem: string };

/** An answer that takes longer counts as none: the lists of a start wait for it. */
const PATIENCE_MS = 10_000;

/** Every field may be absent. */
interface RawResources {
  readonly kind?: string;
  readonly resources?: readonly {
    readonly name?: string;
    readonly kind?: string;
    readonly namespaced?: boolean;
  }[];
}
interface RawGroups {
  readonly kind?: string;
  readonly groups?: readonly { readonly versions?: readonly { readonly groupVersion?: string }[] }[];
}

/**
 * Reads the list of the group version. The API server answers 404 without a Status for one that it does not know, as a proxy in
 * front of it does for any path: therefore the kind is absent only if the list of all groups lacks the version as well. Never
 * rejects.
 */
export async function discover(
  send: Send,
  row: ApiResource & Pick<WorkloadKind, 'kind'>,
  signal: AbortSignal,
): Promise<Discovered> {
  const late = (): ApiError => new ApiError('silent', `no answer within ${PATIENCE_MS / 1000} s`);
  const deadline = new IdleDeadline(PATIENCE_MS, signal, late);
  const get = <T extends object>(path: string): Promise<T> =>
    callJson<T>(send, { method: 'GET', path, signal: deadline.signal });
  const groupVersion = `${row.group}/${row.version}`;
  try {
    const { kind, resources = [] } = await get<RawResources>(`/apis/${groupVersion}`);
    if (kind !== 'APIResourceList') return unknown('the answer is no list of resources');
    const found = resources.find(({ name }) => name === row.resource);
    if (found?.namespaced === false)
      return unknown('its objects are in no namespace, so they cannot be rolled');
    return found === undefined ? { is: 'absent' } : { is: 'served', objectKind: found.kind ?? row.kind };
  } catch (thrown) {
    const { status, code, message } = ApiError.from(thrown);
    if (status !== 404) return unknown(message);
    return (await isUnknownGroup(get, groupVersion)) ? { is: 'absent' } : unknown(`${code}: ${message}`);
  } finally {
    deadline.end();
  }
}

/** Whether the list of groups says that there is no such version. Without an answer: false. */
async function isUnknownGroup(
  get: (path: string) => Promise<RawGroups>,
  groupVersion: string,
): Promise<boolean> {
  try {
    const { kind, groups = [] } = await get('/apis');
    const versions = groups.flatMap((group) => group.versions ?? []);
    return kind === 'APIGroupList' && versions.every((version) => version.groupVersion !== groupVersion);
  } catch {
    return false; // no proof
  }
}

function unknown(problem: string): Discovered {
  return { is: 'unknown', problem };
}
