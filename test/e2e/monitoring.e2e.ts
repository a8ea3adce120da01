/** A real Prometheus beside a leader and a standby: each alert fires after what it is about, and each panel has data. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { prometheusOf } from '../control-plane/assets.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { DEAFNESS } from '../faults/faults.ts';
import { Pair, SHORT_LEASE } from '../faults/pair.ts';
import { isRequired } from '../install/tools.ts';
import { alerts, filledIn, panels } from '../monitoring/files.ts';
import type { Prometheus } from '../monitoring/prometheus.ts';
import { prometheusBeside, type Shortening } from '../monitoring/scrape.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip =
  (!cluster.access.hasAccounts && 'service accounts are needed') ||
  (prometheusOf('prometheus') === undefined &&
    !isRequired() &&
    'Prometheus is not built: npm run control-plane');

/** What a person waits for in minutes, a test waits for in seconds. The unit tests of the rules have the real times. */
const SHORTER: readonly Shortening[] = [
  [/for: \d+m/g, 'for: 0s'],
  [/> 600$/gm, '> 1'],
  [/\[5m\]/g, '[5s]'],
  [/\[1d:5m\]/g, '[1d:1s]'],
];
/** No budget of rollouts is set here. */
const WITHOUT_BUDGET = /reason="budget"/;
const REFUSED = { kind: 'status', code: 422, message: 'changes are frozen' } as const;
const FORBIDDEN = { kind: 'status', code: 403 } as const;
const COMMITS = { verb: 'patch', resource: 'configmaps' } as const;

/** A pair, what scrapes it, and which alerts have fired. */
interface Scene {
  readonly pair: Pair;
  readonly prometheus: Prometheus;
  readonly fired: Set<string>;
}

/** Resolves when the alert fires, with annotations whose labels are filled in. */
async function fires({ pair, prometheus, fired }: Scene, alert: string): Promise<void> {
  await pair.scene.stage.until(`${alert} fires`, async () => {
    const firing = await prometheus.firing();
    const found = firing.find(({ labels }) => labels['alertname'] === alert);
    if (found === undefined) return false;
    const { summary = '', description = '' } = found.annotations;
    assert.ok(summary.includes(pair.scene.stage.namespace), summary);
    assert.doesNotMatch(summary + description, /no value|error|\{\{/);
    return true;
  });
  fired.add(alert);
}

/** Resolves when no alert fires but the one that lasts: a workload is slowed until it has been up to date for a while. */
async function isCalm({ pair, prometheus }: Scene): Promise<void> {
  await pair.scene.stage.until('no alert fires', async () => {
    const names = (await prometheus.firing()).map(({ labels }) => labels['alertname']);
    return names.every((name) => name === 'ReloaderWorkloadsSlowed');
  });
}

async function isSlowed(scene: Scene): Promise<void> {
  const { stage } = scene.pair.scene;
  for (let change = 0; change < 3; change += 1) {
    const before = await stage.stamps({ kind: 'Deployment', name: 'web' });
    await scene.pair.scene.change('web');
    await stage.stampedAfter({ kind: 'Deployment', name: 'web' }, before);
  }
  await fires(scene, 'ReloaderWorkloadsSlowed');
}

async function isRefused(scene: Scene): Promise<void> {
  const { leader } = scene.pair;
  const lift = leader.proxy.add({
    match: { verb: 'patch', resource: 'deployments' },
    times: 'always',
    effect: REFUSED,
  });
  await scene.pair.scene.change('idle');
  await fires(scene, 'ReloaderRolloutsRefused');
  await fires(scene, 'ReloaderOutOfDate');
  await scene.pair.scene.stage.until('the state records what is behind', async () => {
    return (await scene.prometheus.query('reloader_state_marked_workloads > 0')).length > 0;
  });
  lift();
}

async function isAwaited(scene: Scene): Promise<void> {
  const { stage } = scene.pair.scene;
  const notifyOnly = (value: 'true' | null) =>
    stage.patch(
      { kind: 'Deployment', name: 'idle' },
      { metadata: { annotations: { 'reloader.k8s.collaborne.com/notify-only': value } } },
    );
  await notifyOnly('true');
  await scene.pair.scene.change('idle');
  await fires(scene, 'ReloaderPersonAwaited');
  await notifyOnly(null);
}

/** Two Deployments follow an object in stages, and no node takes pods any more: the first one does not get ready. */
async function isHalted(scene: Scene): Promise<void> {
  const { stage } = scene.pair.scene;
  const annotations = { 'reloader.k8s.collaborne.com/stages': '1' };
  await stage.expect('POST', 'configmaps', { metadata: { name: 'staged', annotations }, data: { key: 'A' } });
  for (const app of ['first', 'second'].map((name) => web(name, { follows: { ConfigMap: ['staged'] } }))) {
    await stage.create(app);
    await stage.patch(app, { spec: { progressDeadlineSeconds: 2 } });
  }
  await stage.until('they are followed', async () =>
    Object.keys(await stage.state()).some((key) => key.endsWith('staged')),
  );
  await stage.kubectl(['cordon', '--selector', 'kubernetes.io/os=linux']);
  await stage.expect('PATCH', 'configmaps/staged', { data: { key: 'B' } });
  await fires(scene, 'ReloaderContentHalted');
  await stage.kubectl(['uncordon', '--selector', 'kubernetes.io/os=linux']);
  await stage.expect('PATCH', 'configmaps/staged', { data: { key: 'C' } });
}

async function isUnwritten(scene: Scene): Promise<void> {
  const lift = scene.pair.leader.proxy.add({ match: COMMITS, times: 'always', effect: FORBIDDEN });
  await scene.pair.scene.change('other');
  await fires(scene, 'ReloaderStateNotWritten');
  lift();
}

async function isDeaf(scene: Scene): Promise<void> {
  const end = await DEAFNESS.begin(scene.pair.leader.proxy);
  await fires(scene, 'ReloaderWatchDown');
  await end();
}

/** The standby gets no turn until a scrape of it has failed. */
async function isBlocked(scene: Scene): Promise<void> {
  const { process, pod } = scene.pair.standby;
  process.pause();
  await scene.pair.scene.stage.until('a scrape fails', async () => {
    return (await scene.prometheus.query(`up{pod="${pod}"} == 0`)).length > 0;
  });
  process.resume();
  await fires(scene, 'ReloaderEventLoopBlocked');
}

/** First the leader ends, then the standby that takes over and cannot begin. */
async function isEnded(scene: Scene): Promise<void> {
  const { leader, standby } = scene.pair;
  standby.proxy.add({ match: COMMITS, times: 'always', effect: FORBIDDEN });
  await leader.process.kill();
  await fires(scene, 'ReloaderStandbyMissing');
  await fires(scene, 'ReloaderStateNotWritten');
  await standby.process.kill();
  await fires(scene, 'ReloaderNoLeader');
}

/** The greatest value that any series of an expression had; undefined without data. */
async function greatest(prometheus: Prometheus, expr: string, start: number): Promise<number | undefined> {
  const end = Date.now() / 1000;
  const series = await prometheus.range(filledIn(expr, '10s'), { start, end, step: 1 });
  const values = series.flatMap((each) => each.values.map(([, text]) => Number(text)));
  return values.filter((value) => !Number.isNaN(value)).sort((a, b) => b - a)[0];
}

test('each alert fires after what it is about, and each query of the dashboard shows it', {
  skip,
}, async () => {
  const start = Date.now() / 1000;
  const flags = [...SHORT_LEASE, '--rollout-limit', '2/1h'];
  await using pair = await Pair.open(cluster, { flags });
  await using prometheus = await prometheusBeside(pair, SHORTER);
  const scene: Scene = { pair, prometheus, fired: new Set() };
  await pair.scene.stage.until('both are scraped', async () => {
    return (await prometheus.query('count(reloader_leader) == 2')).length > 0;
  });
  for (const act of [isSlowed, isRefused, isAwaited, isHalted, isUnwritten, isDeaf, isBlocked, isEnded]) {
    await isCalm(scene);
    await act(scene);
  }
  assert.deepEqual(
    [...scene.fired].sort(),
    alerts()
      .map(({ name }) => name)
      .sort(),
  );
  for (const { title, queries } of panels())
    for (const { expr } of queries) {
      const value = await greatest(prometheus, expr, start);
      assert.ok(
        WITHOUT_BUDGET.test(expr) || (value !== undefined && value > 0),
        `${title}: ${expr}: ${value}`,
      );
    }
});
