/** Commands that look at a namespace full of workloads, beside the lists that they need. */

import { listObjects } from '../../lib/commands/reads.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import type { RawObject } from '../../lib/model/raw-objects.ts';
import { run } from '../tour/tour.ts';
import { Admin, numbered } from './admin.ts';
import { type Figure, quantile } from './figures.ts';
import { type Bench, type Findings, pause } from './scenario.ts';

const NAMESPACE = 'commands';
const WORKLOADS = 5_000;
const RUNS = 5;
/** Each with how often it lists the workloads: `migrate` also looks at those that ask for nothing. */
const LINES: readonly (readonly [line: string, lists: number])[] = [
  ['reloader graph -o json', 1],
  ['reloader migrate --from collaborne -o json -- --all-namespaces', 2],
];
const APPS = { group: 'apps', version: 'v1' };
const CORE = { group: '', version: 'v1' };

/** Each workload follows an object of its own; the floor is a client that only lists both. */
export async function commands({ target, progress, quick }: Bench): Promise<Findings> {
  const workloads = quick ? WORKLOADS / 10 : WORKLOADS;
  progress.step(`commands: making ${workloads} Deployments`);
  const admin = await Admin.in(target.send, NAMESPACE);
  const names = numbered('object', workloads);
  await admin.configMaps(names);
  await admin.deployments(names.map((name) => ({ name, configMaps: [name] })));
  const kubeconfig = await target.kubeconfig(NAMESPACE);
  // The controllers of the cluster take the cores for a minute.
  progress.step('commands: waiting for the cluster');
  while (!(await isAtRest(target.send))) await pause(1_000);
  const lists = (): Promise<unknown> =>
    Promise.all([
      listObjects(target.send, { ...APPS, resource: 'deployments' }, NAMESPACE),
      listObjects(target.send, { ...CORE, resource: 'configmaps' }, NAMESPACE),
    ]);
  const figures: Figure[] = [];
  for (const [line, passes] of LINES) {
    progress.step(`commands: ${line}`);
    const [times, floors]: [number[], number[]] = [[], []];
    for (let index = 0; index < RUNS; index += 1) {
      times.push(await secondsOf(() => run(line, kubeconfig)));
      floors.push(await secondsOf(lists));
    }
    const [measured, floor] = [quantile(times, 0.5), passes * quantile(floors, 0.5)];
    const what = `${line}, ${workloads} workloads, median of ${RUNS} runs`;
    const common = { scenario: 'commands', unit: 's' };
    figures.push(
      { ...common, what, measured, floor },
      { ...common, what: 'the same, beyond the lists', measured: measured - floor, wanted: { atMost: 2 } },
    );
  }
  return { figures, charts: [] };
}

interface RawDeployment extends RawObject {
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly observedGeneration?: number; readonly updatedReplicas?: number };
}

async function isAtRest(send: Send): Promise<boolean> {
  const reading = await listObjects<RawDeployment>(send, { ...APPS, resource: 'deployments' }, NAMESPACE);
  if (reading.kind !== 'found') return false;
  return reading.object.every(
    ({ spec, status: { observedGeneration, updatedReplicas = 0 } = {} }) =>
      observedGeneration !== undefined && updatedReplicas === spec.replicas,
  );
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
