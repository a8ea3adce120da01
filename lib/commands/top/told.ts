/** Asks the reloader that is installed for its status, through the API server: the right to get `pods/proxy` is enough. */

import { type Reading, readingOf } from '../../kubernetes/api-error.ts';
import { objectPath, PODS } from '../../kubernetes/api-path.ts';
import { callJson } from '../../kubernetes/json-call.ts';
import type { Send } from '../../kubernetes/transport.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import type { StatusReport } from '../../model/status-report.ts';
import { CommandError } from '../connect.ts';
import { type InstalledReloader, problemOf } from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';

/** How long an answer is waited for: the table is to be fresh. */
const PATIENCE_MS = 5_000;

interface RawPod extends RawObject {
  readonly status?: { readonly phase?: string };
}

/** What the reloader tells. */
export interface Told {
  /** The name of the pod that leads. */
  readonly pod: string;
  readonly report: StatusReport;
}

/** The status that the leader tells. @throws CommandError: there is none, or it may not be asked */
export async function askLeader(
  send: Send,
  { installation, options }: Pick<InstalledReloader, 'installation' | 'options'>,
): Promise<Told> {
  if (installation === undefined) throw new CommandError('no reloader was found');
  if (options.secureMetrics !== undefined)
    throw new CommandError(
      'its pages want a token (--secure-metrics), which the API server does not pass on',
    );
  const { namespace, podLabels } = installation;
  const hurried: Send = (request) => send({ ...request, signal: soon(request.signal) });
  const labelSelector = Object.entries(podLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await listObjects<RawPod>(hurried, PODS, namespace, { labelSelector });
  if (pods.kind !== 'found') throw new CommandError(`its list of pods ${problemOf(pods)}`);
  const names = pods.object
    .filter(({ status }) => status?.phase === 'Running')
    .map(({ metadata }) => metadata.name);
  const answers = await Promise.all(
    names.map(async (name) => {
      const path = `${objectPath(PODS, namespace, name)}:${options.port}/proxy/status.json`;
      return { name, answer: await readingOf(() => callJson<object>(hurried, { method: 'GET', path })) };
    }),
  );
  for (const { name: pod, answer } of answers)
    if (answer.kind === 'found' && isOfLeader(answer.object)) return { pod, report: answer.object };
  throw new CommandError(reasonOf(answers.map(({ answer }) => answer)));
}

/** Ends a request of the caller, and one that lasts too long. */
function soon(signal: AbortSignal | undefined): AbortSignal {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  return signal === undefined ? patience : AbortSignal.any([signal, patience]);
}

/** Another version, or another program at the port, may answer otherwise. */
function isOfLeader(answer: object): answer is StatusReport {
  const { workloads, changes, waitingFor, watches, leader }: Partial<StatusReport> = answer;
  return [workloads, changes, waitingFor, watches].every(Array.isArray) && leader?.isThis !== false;
}

function reasonOf(answers: readonly Reading<object>[]): string {
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return `its status ${problemOf(failed)}`;
  if (answers.length === 0) return 'none of its pods runs';
  return answers.some(({ kind }) => kind === 'found') ? 'none of its pods leads' : 'none of its pods answers';
}
