/** From a changed ConfigMap to the patched Deployment, one at a time, without a quiet period. */

import { Admin } from './admin.ts';
import { distributionOf } from './chart.ts';
import { quantile } from './figures.ts';
import { type Bench, type Findings, pause } from './scenario.ts';
import { Subject } from './subject.ts';
import { TemplateWatch } from './template-watch.ts';

const SAMPLES = 300;
const QUICK_SAMPLES = 30;
/** Not counted: connections are opened, code is compiled. */
const WARM_UP = 20;
/** From one sample to the next. */
const PAUSE_MS = 40;
const SOURCE = 'source';
const FOLLOWER = 'web';

/** Changes one object for the reloader and one for the bare client, in turns, so that both meet the same noise. */
export async function latency(bench: Bench): Promise<Findings> {
  const { target, floor, progress, quick } = bench;
  progress.step('latency: making two namespaces');
  await using own = await Lane.in(target.send, 'latency');
  await using bare = await Lane.in(target.send, 'latency-floor');
  const flags = ['--coalesce-period', '0', '--rollout-limit', 'off'];
  await using _subject = await Subject.start(bench, 'latency', flags);
  await using _floor = await floor.start({
    connection: target.connection,
    namespace: 'latency-floor',
    kinds: ['configmaps'],
    rolls: { [SOURCE]: [FOLLOWER] },
  });
  const samples = { own: [] as number[], bare: [] as number[] };
  const count = quick ? QUICK_SAMPLES : SAMPLES;
  progress.step('latency: changing one object after the other');
  for (let i = -WARM_UP; i < count; i += 1) {
    const [ownMs, bareMs] = [await own.sample(), await bare.sample()];
    if (i < 0) continue;
    samples.own.push(ownMs);
    samples.bare.push(bareMs);
    progress.at(i + 1, count);
  }
  const figure = (what: string, share: number) => ({
    scenario: 'latency',
    what,
    unit: 'ms',
    measured: quantile(samples.own, share),
    floor: quantile(samples.bare, share),
  });
  return {
    figures: [
      { ...figure('a ConfigMap changed → the Deployment patched, median', 0.5), wanted: { timesFloor: 1.2 } },
      figure('the same, 95th percentile', 0.95),
    ],
    charts: [
      {
        name: 'latency',
        title: 'From a changed ConfigMap to the patched Deployment',
        x: 'milliseconds',
        y: 'share of the changes',
        lines: [
          { name: 'reloader', points: distributionOf(samples.own) },
          { name: 'bare client', points: distributionOf(samples.bare) },
        ],
      },
    ],
  };
}

/** One ConfigMap and its Deployment. */
class Lane implements AsyncDisposable {
  readonly #admin: Admin;
  readonly #watch: TemplateWatch;

  private constructor(admin: Admin, watch: TemplateWatch) {
    this.#admin = admin;
    this.#watch = watch;
  }

  static async in(send: Bench['target']['send'], namespace: string): Promise<Lane> {
    const admin = await Admin.in(send, namespace);
    await admin.configMaps([SOURCE]);
    await admin.deployments([{ name: FOLLOWER, configMaps: [SOURCE] }]);
    return new Lane(admin, await TemplateWatch.open(send, namespace));
  }

  /** In ms. */
  async sample(): Promise<number> {
    const from = this.#watch.changes.length;
    const startedAt = performance.now();
    const changing = this.#admin.change(SOURCE);
    const [at = Number.NaN] = await this.#watch.next(from, 1);
    await changing;
    await pause(PAUSE_MS);
    return at - startedAt;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
  }
}
