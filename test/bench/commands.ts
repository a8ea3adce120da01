/** Commands that look at a namespace full of workloads, beside the lists that they need. */

import { listObjects } from '../../lib/commands/reads.ts';
import { run } from '../tour/tour.ts';
import { Admin, numbered } from './admin.ts';
import { type Figure, quantile } from './figures.ts';
import type { Bench, Findings } from './scenario.ts';

const NAMESPACE = 'commands';
const WORKLOADS = 5_000;
const RUNS = 5;
const LINES = [
  'reloader graph -o json',
  'reloader top -o json',
  'reloader migrate --from collaborne -o json',
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
  const timesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < RUNS; index += 1) times.push(await secondsOf(work));
    return quantile(times, 0.5);
  };
  progress.step('commands: only the lists');
  const floor = await timesOf(() =>
    Promise.all([
      listObjects(target.send, { ...APPS, resource: 'deployments' }, NAMESPACE),
      listObjects(target.send, { ...CORE, resource: 'configmaps' }, NAMESPACE),
    ]),
  );
  const figures: Figure[] = [];
  for (const line of LINES) {
    progress.step(`commands: ${line}`);
    const measured = await timesOf(() => run(line, kubeconfig));
    const what = `${line}, ${workloads} workloads, median of ${RUNS} runs`;
    const common = { scenario: 'commands', unit: 's' };
    figures.push(
      { ...common, what, measured, floor },
      { ...common, what: 'the same, beyond the lists', measured: measured - floor, wanted: { atMost: 2 } },
    );
  }
  return { figures, charts: [] };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
