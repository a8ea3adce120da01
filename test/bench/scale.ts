/** Many objects of which few matter: readiness, memory, irrelevant changes, a restart, idleness. */

import { Admin, numbered } from './admin.ts';
import type { Line } from './chart.ts';
import type { Figure } from './figures.ts';
import type { FloorProcess } from './floor.ts';
import { cpuSeconds, peakBytes } from './process-facts.ts';
import { type Bench, type Findings, pause } from './scenario.ts';
import { StateWatch } from './state-watch.ts';
import { Subject } from './subject.ts';
import { TemplateWatch } from './template-watch.ts';

/** How much there is of everything. */
interface Sizes {
  /** ConfigMaps, and as many Secrets. */
  readonly objects: number;
  /** The same, grown; 0: it does not grow. */
  readonly grown: number;
  /** Each follows one ConfigMap and one Secret. */
  readonly deployments: number;
  readonly irrelevantChanges: number;
  readonly idleMs: number;
}

const FULL: Sizes = {
  objects: 10_000,
  grown: 50_000,
  deployments: 1_000,
  irrelevantChanges: 1_000,
  idleMs: 60_000,
};
const QUICK: Sizes = { objects: 1_000, grown: 0, deployments: 100, irrelevantChanges: 200, idleMs: 5_000 };

const NAMESPACE = 'scale';
const KINDS = ['configmaps', 'secrets', 'deployments', 'statefulsets', 'daemonsets'];
const WRITES = ['create', 'update', 'patch', 'delete'];
const MEGABYTE = 1e6;
const MOST_PEAK = 110;
const MOST_BYTES_EACH = 1024;
const MOST_CPU_PER_THOUSAND = 0.3;
/** Until what a start or a change sets off is over. */
const AFTERWARDS_MS = 3_000;

/** One start of both beside so many objects. */
interface Start {
  readonly figures: readonly Figure[];
  /** After a collection. */
  readonly heap: number;
  readonly line: Line;
}

/** See the file's comment. */
export async function scale(bench: Bench): Promise<Findings> {
  const { target, progress, quick } = bench;
  const sizes = quick ? QUICK : FULL;
  const admin = await Admin.in(target.send, NAMESPACE);
  await fill(bench, admin, 0, sizes.objects);
  progress.step('scale: making Deployments');
  await admin.deployments(
    numbered('web', sizes.deployments).map((name, i) => ({
      name,
      configMaps: numbered('config', 1, i),
      secrets: numbered('secret', 1, i),
    })),
    progress.at,
  );
  await using watch = await TemplateWatch.open(target.send, NAMESPACE);
  await watch.calm();
  await using state = await StateWatch.open(target.send, NAMESPACE);
  const figures: Figure[] = [];
  const first = await started(bench, sizes.objects, async (subject, floor) => {
    figures.push({
      ...figure('state', `the baseline of ${2 * sizes.deployments} objects: written to the state`, 'bytes'),
      measured: state.bytes,
      floor: state.size,
    });
    figures.push(await irrelevantChanges(bench, sizes, admin, subject, floor));
    figures.push(await idleness(bench, sizes, subject));
  });
  figures.unshift(...first.figures);
  figures.push(...(await restart(bench, sizes, watch)));
  const lines = [first.line];
  if (sizes.grown > 0) {
    await fill(bench, admin, sizes.objects, sizes.grown);
    const grown = await started(bench, sizes.grown, async () => undefined);
    const each = (grown.heap - first.heap) / (2 * (sizes.grown - sizes.objects));
    figures.push(...grown.figures, {
      ...figure('memory', 'heap of each further object, after a collection', 'bytes'),
      measured: each,
      wanted: { atMost: MOST_BYTES_EACH },
    });
    lines.push(grown.line);
  }
  const chart = {
    name: 'memory',
    title: 'Memory while the lists are read',
    x: 'seconds since the start',
    y: 'resident MB',
    lines,
  };
  return { figures, charts: [chart] };
}

function figure(scenario: string, what: string, unit: string): Pick<Figure, 'scenario' | 'what' | 'unit'> {
  return { scenario, what, unit };
}

async function fill({ progress }: Bench, admin: Admin, from: number, to: number): Promise<void> {
  progress.step(`scale: making ${to - from} ConfigMaps of 4 KiB`);
  await admin.fill('configmaps', numbered('config', to - from, from), progress.at);
  progress.step(`scale: making ${to - from} Secrets of 4 KiB`);
  await admin.fill('secrets', numbered('secret', to - from, from), progress.at);
}

/** Starts the bare client and the reloader, and does something while both run. */
async function started(
  bench: Bench,
  objects: number,
  then: (subject: Subject, floor: FloorProcess) => Promise<void>,
): Promise<Start> {
  const { target, floor, progress } = bench;
  const beside = `beside ${objects} ConfigMaps and ${objects} Secrets`;
  progress.step(`scale: the bare client lists, ${beside}`);
  await using bare = await floor.start({ connection: target.connection, namespace: NAMESPACE, kinds: KINDS });
  progress.step(`scale: the reloader starts, ${beside}`);
  await using subject = await Subject.start(bench, NAMESPACE);
  await subject.settled();
  await pause(AFTERWARDS_MS);
  const isFirst = objects <= FULL.objects;
  const figures: Figure[] = [
    {
      ...figure('ready', `start → ready, ${beside}`, 's'),
      measured: subject.readySeconds,
      floor: bare.readySeconds,
    },
    {
      ...figure('memory', `peak memory, ${beside}`, 'MB'),
      measured: subject.peakBytes() / MEGABYTE,
      floor: peakBytes(bare.pid) / MEGABYTE,
      ...(isFirst ? { wanted: { atMost: MOST_PEAK } } : {}),
    },
  ];
  await then(subject, bare);
  const heap = await subject.heapBytes();
  figures.push({
    ...figure('memory', `heap after a collection, ${beside}`, 'MB'),
    measured: heap / MEGABYTE,
  });
  const points = subject.memory.map(({ seconds, bytes }) => [seconds, bytes / MEGABYTE] as const);
  return { figures, heap, line: { name: `${2 * objects} objects`, points } };
}

/** What it costs to see changes of objects without followers. */
async function irrelevantChanges(
  { progress }: Bench,
  { irrelevantChanges: count, deployments }: Sizes,
  admin: Admin,
  subject: Subject,
  bare: FloorProcess,
): Promise<Figure> {
  progress.step(`scale: ${count} changes of objects without followers`);
  const before = { own: subject.cpuSeconds(), bare: cpuSeconds(bare.pid) };
  await admin.changeAll(numbered('config', count, deployments), progress.at);
  await pause(AFTERWARDS_MS);
  return {
    ...figure('irrelevant', `${count} changes of objects without followers: computing`, 's'),
    measured: subject.cpuSeconds() - before.own,
    floor: cpuSeconds(bare.pid) - before.bare,
    wanted: { atMost: (MOST_CPU_PER_THOUSAND * count) / 1000 },
  };
}

async function idleness({ progress }: Bench, { idleMs }: Sizes, subject: Subject): Promise<Figure> {
  progress.step('scale: nothing happens');
  const before = await subject.requests();
  await pause(idleMs);
  const requests = (await subject.requests()) - before;
  return { ...figure('idle', 'requests per idle minute', ''), measured: (requests * 60_000) / idleMs };
}

/** A restart beside everything that was followed before: nothing changed, nothing may happen. */
async function restart(bench: Bench, sizes: Sizes, watch: TemplateWatch): Promise<Figure[]> {
  bench.progress.step('scale: the reloader starts again');
  const rollouts = watch.changes.length;
  await using subject = await Subject.start(bench, NAMESPACE);
  await pause(AFTERWARDS_MS);
  const beside = `restart with ${2 * sizes.deployments} followed objects`;
  const none = { floor: 0, wanted: { atMost: 0 } };
  // The mark of its term.
  const one = { floor: 0, wanted: { atMost: 1 } };
  return [
    { ...figure('restart', `${beside}: ready`, 's'), measured: subject.readySeconds },
    { ...figure('restart', `${beside}: writes`, ''), measured: await subject.requests(WRITES), ...one },
    { ...figure('restart', `${beside}: rollouts`, ''), measured: watch.changes.length - rollouts, ...none },
  ];
}
