/** One ConfigMap changes that many Deployments follow. */

import { Admin, numbered } from './admin.ts';
import type { Point } from './chart.ts';
import { quantile } from './figures.ts';
import type { Bench, Findings } from './scenario.ts';
import { Subject } from './subject.ts';
import { TemplateWatch } from './template-watch.ts';

const FOLLOWERS = 500;
const QUICK_FOLLOWERS = 100;
const ROUNDS = 5;
const QUICK_ROUNDS = 1;
const SOURCE = 'source';

/** One round: when each of the Deployments was patched, in seconds since the change. */
type Round = readonly number[];

/** The reloader and the bare client in turns. */
export async function fanOut(bench: Bench): Promise<Findings> {
  const { target, floor, progress, quick } = bench;
  const followers = numbered('web', quick ? QUICK_FOLLOWERS : FOLLOWERS);
  progress.step('fan-out: making Deployments');
  const lane = async (namespace: string): Promise<Admin> => {
    const admin = await Admin.in(target.send, namespace);
    await admin.configMaps([SOURCE]);
    await admin.deployments(
      followers.map((name) => ({ name, configMaps: [SOURCE] })),
      progress.at,
    );
    return admin;
  };
  const admins = { own: await lane('fan-out'), bare: await lane('fan-out-floor') };
  await using own = await TemplateWatch.open(target.send, 'fan-out');
  await using bare = await TemplateWatch.open(target.send, 'fan-out-floor');
  await using subject = await Subject.start(bench, 'fan-out', ['--coalesce-period', '0']);
  await subject.settled();
  await using _floor = await floor.start({
    connection: target.connection,
    namespace: 'fan-out-floor',
    kinds: ['configmaps'],
    rolls: { [SOURCE]: followers },
  });
  const round = async (admin: Admin, watch: TemplateWatch): Promise<Round> => {
    await Promise.all([own.calm(), bare.calm()]);
    const from = watch.changes.length;
    const startedAt = performance.now();
    await admin.change(SOURCE);
    return (await watch.next(from, followers.length)).map((at) => (at - startedAt) / 1000);
  };
  const rounds = { own: [] as Round[], bare: [] as Round[] };
  const count = quick ? QUICK_ROUNDS : ROUNDS;
  // The first round of each is not counted: connections are opened, code is compiled.
  for (let i = 0; i <= count; i += 1) {
    progress.step(`fan-out: round ${i} of ${count}`);
    rounds.own.push(await round(admins.own, own));
    rounds.bare.push(await round(admins.bare, bare));
  }
  const seconds = (all: readonly Round[]): number =>
    quantile(
      all.slice(1).map((each) => each.at(-1) ?? 0),
      0.5,
    );
  return {
    figures: [
      {
        scenario: 'fan-out',
        what: `one ConfigMap of ${followers.length} Deployments changed → all patched`,
        unit: 's',
        measured: seconds(rounds.own),
        floor: seconds(rounds.bare),
        wanted: { timesFloor: 1.15 },
      },
      {
        scenario: 'fan-out',
        what: 'the same: rollouts that were too many',
        unit: '',
        measured: own.changes.length - (count + 1) * followers.length,
        floor: 0,
        wanted: { atMost: 0 },
      },
    ],
    charts: [
      {
        name: 'fan-out',
        title: `One ConfigMap of ${followers.length} Deployments changes`,
        x: 'seconds',
        y: 'Deployments patched',
        lines: [
          { name: 'reloader', points: medianRound(rounds.own) },
          { name: 'bare client', points: medianRound(rounds.bare) },
        ],
      },
    ],
  };
}

/** The round whose end is the median of all. */
function medianRound(rounds: readonly Round[]): Point[] {
  const sorted = rounds.slice(1).toSorted((a, b) => (a.at(-1) ?? 0) - (b.at(-1) ?? 0));
  const round = sorted[Math.floor(sorted.length / 2)] ?? [];
  return [[0, 0], ...round.map((at, index): Point => [at, index + 1])];
}
