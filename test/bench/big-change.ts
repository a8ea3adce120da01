/**
 * `npm run big-change`: 200 Deployments of one pod each follow one ConfigMap, which changes on a control plane: to a good content, and to
 * one with which pods crash; with no rule, with a budget, with stages. Prints how long it took, and how many were down at a time.
 */

import { ControlPlane } from '../control-plane/control-plane.ts';
import { podStage } from '../control-plane/pod-stages.ts';
import { BUNDLE, Crowd, digestOfContent } from '../e2e/crowd.ts';
import { Stage } from '../e2e/stage.ts';
import { until } from '../integration/reloader-process.ts';
import { Progress } from './progress.ts';
import { pause } from './scenario.ts';

const COUNT = 200;
const CRASH = 'crash';
/** For how long what crashes is looked at. */
const CRASH_MS = 120_000;
const PATIENCE_MS = 600_000;

const BUDGET = '--max-concurrent-rollouts=10';
const STAGES = '--stages=1,10%,50%,100%';
const RULES: Readonly<Record<string, readonly string[]>> = {
  'no rule': [],
  [BUDGET]: [BUDGET],
  [STAGES]: [STAGES],
  both: [BUDGET, STAGES],
};

/** What one rule made of both contents. */
interface Measured {
  readonly seconds: number;
  readonly mostDown: number;
  readonly mostDownOfCrash: number;
  /** Until the content was halted; undefined: it was not. */
  readonly haltedAfter: number | undefined;
}

async function main(): Promise<void> {
  using progress = new Progress(false);
  const rows: string[] = [];
  for (const [name, flags] of Object.entries(RULES)) {
    progress.step(name);
    const { seconds, mostDown, mostDownOfCrash, haltedAfter } = await measured(flags);
    const halt = haltedAfter === undefined ? '' : `, halted after ${haltedAfter.toFixed(0)} s`;
    rows.push(`| ${name} | ${seconds.toFixed(1)} s | ${mostDown} | ${mostDownOfCrash}${halt} |`);
  }
  const head = `| | good content: until all are ready | down at a time, at most | content that crashes: down after ${CRASH_MS / 60_000} minutes |`;
  process.stdout.write(`\n${[head, '| --- | ---: | ---: | ---: |', ...rows].join('\n')}\n`);
}

async function measured(flags: readonly string[]): Promise<Measured> {
  const crash = podStage({ digest: digestOfContent(CRASH), found: 'pending', becomes: 'crashing' });
  await using cluster = await ControlPlane.start({ stages: [crash] });
  await using stage = await Stage.open(cluster);
  using crowd = await Crowd.create(stage, COUNT);
  const as = await stage.rights(['evict']);
  const reloader = await stage.reloader({ flags: [...flags, '--digests=sha1'], as });
  crowd.forget();
  const begin = performance.now();
  const elapsed = (from: number): number => (performance.now() - from) / 1000;
  await stage.put(BUNDLE, 'B');
  await until('all are rolled', () => crowd.isRolled(), PATIENCE_MS);
  const seconds = elapsed(begin);
  const { mostDown } = crowd;
  await until('the change is over', async () => (await reloader.status()).changes.length === 0, PATIENCE_MS);
  crowd.forget();
  const crashedAt = performance.now();
  await stage.put(BUNDLE, CRASH);
  let haltedAfter: number | undefined;
  while (elapsed(crashedAt) * 1000 < CRASH_MS) {
    await pause(500);
    const isHalted =
      haltedAfter === undefined && ((await reloader.metric('reloader_contents_halted')) ?? 0) > 0;
    if (isHalted) haltedAfter = elapsed(crashedAt);
  }
  return { seconds, mostDown, mostDownOfCrash: crowd.mostDown, haltedAfter };
}

await main();
