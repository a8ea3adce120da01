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
 * Reads the list of all groups, which alone proves that a kind is absent: a proxy in front of the API server may answer 404 for any
 * path. Then it reads the resources of the group version. Never rejects.
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
    const { kind: listed, groups = [] } = await get<RawGroups>('/apis');
    if (listed !== 'APIGroupList') return unknown('the answer is no list of groups');
    const versions = groups.flatMap((group) => group.versions ?? []);
    if (!versions.some((version) => version.groupVersion === groupVersion)) return { is: 'absent' };
    const { kind, resources = [] } = await get<RawResources>(`/apis/${groupVersion}`);
    if (kind !== 'APIResourceList') return unknown('the answer is no list of resources');
    const found = resources.find(({ name }) => name === row.resource);
    if (found?.namespaced === false)
      return unknown('its objects are in no namespace, so they cannot be rolled');
    return found === undefined ? { is: 'absent' } : { is: 'served', objectKind: found.kind ?? row.kind };
  } catch (thrown) {
    const { code, message } = ApiError.from(thrown);
    return unknown(`${code}: ${message}`);
  } finally {
    deadline.end();
  }
}

function unknown(problem: string): Discovered {
  return { is: 'unknown', problem };
}
