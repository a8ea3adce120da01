/** Starts a deployment of the present template of a DeploymentConfig. */

import type { WorkloadRef } from '../../model/object-ref.ts';
import type { WriteResult } from '../../model/outcome.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import { workloadKindOf } from '../../model/workload-kind.ts';
import { writeResultOf } from '../api-error.ts';
import { objectPath, writing } from '../api-path.ts';
import { callJson } from '../json-call.ts';
import type { Send } from '../transport.ts';

/**
 * Requests the next version, whatever the triggers say. Not the latest images: `latest` together with `force` would resolve the image
 * triggers first, also those that are not automatic, and might deploy another image. The API server answers with the
 * DeploymentConfig. Never rejects.
 */
export async function instantiate(send: Send, ref: WorkloadRef): Promise<WriteResult<RawWorkload>> {
  const { kind, namespace, name } = ref;
  const row = workloadKindOf(kind);
  const path = `${objectPath(row, namespace, name)}/instantiate`;
  const apiVersion = `${row.group}/${row.version}`;
  const body = { kind: 'DeploymentRequest', apiVersion, name, latest: false, force: true };
  return await writeResultOf(async () => callJson<RawWorkload>(send, writing('POST', path, body)));
}
