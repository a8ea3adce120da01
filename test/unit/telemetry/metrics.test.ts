import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { WORKLOAD_KINDS } from '../../../lib/model/workload-kind.ts';
import { METRICS } from '../../../lib/telemetry/metric-table.ts';
import { Metrics, type Snapshot } from '../../../lib/telemetry/metrics.ts';

/** Series of Stakater Reloader that mean something else than anything here: a dashboard must not mix the two. */
const NOT_OFFERED = [
  'reconcile_total',
  'reconcile_duration_seconds',
  'action_total',
  'action_latency_seconds',
  'skipped_total',
  'workqueue_depth',
  'workqueue_adds_total',
  'workqueue_latency_seconds',
  'errors_total',
  'retries_total',
  'events_received_total',
  'events_processed_total',
  'workloads_scanned_total',
  'workloads_matched_total',
].map((name) => `reloader_${name}`);

const SNAPSHOT: Snapshot = {
  byKind: { reloader_config_objects: { ConfigMap: 3, Secret: 2 }, reloader_workloads: { Deployment: 5 } },
  leader: {
    reloader_edges: 7,
    reloader_outdated_edges: 1,
    reloader_oldest_outdated_edge_age_seconds: 12.5,
    reloader_oldest_staged_workload_age_seconds: 8,
    reloader_rollout_slots_used: 5,
    reloader_contents_halted: 0,
    reloader_slowed_workloads: 3,
    reloader_state_entries: 4,
    reloader_state_marked_workloads: 1,
    reloader_state_bytes: 512,
    reloader_state_config_maps: 2,
  },
  waiting: { budget: 7, hold: 0 },
};

/** The value of one series; undefined if there is none. */
async function seriesIn(metrics: Metrics, series: string): Promise<string | undefined> {
  const lines = (await metrics.text()).split('\n');
  return lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
}

describe('the table of metrics', () => {
  for (const { name, type, help, series } of METRICS) {
    test(`${name} follows the conventions of Prometheus`, () => {
      assert.match(name, /^reloader_[a-z_]+$/);
      // What Stakater Reloader counts by namespace has this end.
      assert.equal(/_total(_by_namespace)?$/.test(name), type === 'counter');
      assert.ok(help.length > 10);
      assert.equal(new Set(series.map((labels) => Object.keys(labels).join())).size <= 1, true);
    });
  }

  test('has no name twice, and of those of Stakater Reloader only what means the same', () => {
    const names = METRICS.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      names.filter((name) => NOT_OFFERED.includes(name)),
      [],
    );
  });
});

test('the program counts by the names and labels of the table', () => {
  const calls = globSync('lib/**/*.ts').flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(
      /\.(?:count|measure|set)\(\s*'(reloader_\w+)'(?:,[^,{}()]+(?:\([^()]*\)[^,{}()]*)*)?(?:, \{([^{}]*)\})?/g,
    ),
  ]);
  assert.ok(calls.length > 10);
  for (const [call, name = '', given = ''] of calls) {
    const labels = given.split(',').map((label) => label.split(':')[0]?.trim());
    const row = METRICS.find((each) => each.name === name);
    assert.ok(row, call);
    if (given !== '') assert.deepEqual(labels, row.labels, call);
  }
});

test('every series of the table is there from the start, at 0', async () => {
  const text = await new Metrics('1.2.3', { byNamespace: true }).text();
  for (const { name, type, series } of METRICS) {
    assert.match(text, new RegExp(`^# TYPE ${name} ${type}$`, 'm'));
    for (const labels of series) {
      const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const suffix = type === 'histogram' ? '_count' : '';
      const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
      assert.ok(text.includes(`\n${name}${suffix}${braces} 0\n`), `${name}${suffix}${braces}`);
    }
  }
});

test('a kind that is served only where it is asked for has its series from the start where it is', async () => {
  const own = /kind="CronJob"|cronjobs/;
  assert.doesNotMatch(await new Metrics('1.2.3').text(), own);
  const metrics = new Metrics('1.2.3', { workloadKinds: WORKLOAD_KINDS });
  const lines = async (): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => own.test(line));
  assert.ok((await lines()).includes('reloader_rollouts_total{kind="CronJob",outcome="rolled"} 0'));
  assert.ok((await lines()).includes('reloader_watch_up{kind="CronJob"} 0'));
  metrics.observe(() => ({
    ...SNAPSHOT,
    byKind: { ...SNAPSHOT.byKind, reloader_workloads: { CronJob: 2 } },
  }));
  assert.ok((await lines()).includes('reloader_workloads{kind="CronJob"} 2'));
});

test('a kind that is not watched has no series that an alert would take for a watch that is down', async () => {
  const text = await new Metrics('1.2.3', { watched: ['ConfigMap', 'Deployment'] }).text();
  const kinds = [...text.matchAll(/^reloader_watch_up\{kind="(\w+)"\} 0$/gm)].map(([, kind]) => kind);
  assert.deepEqual(kinds, ['ConfigMap', 'Deployment']);
});

test('all that is reported is counted, and nothing else', async () => {
  const metrics = new Metrics('1.2.3');
  for (const _ of [1, 2]) metrics.count('reloader_changes_total', { kind: 'ConfigMap', type: 'updated' });
  metrics.attempted({ kind: 'Deployment', namespace: 'a' }, 'refused');
  metrics.measure('reloader_change_to_rollout_seconds', 5.2);
  metrics.set('reloader_watch_up', 1, { kind: 'ConfigMap' });
  metrics.set('reloader_watch_up', 0, { kind: 'ConfigMap' });
  metrics.set('reloader_watch_up', 1, { kind: 'Secret' });
  metrics.count('reloader_api_requests_total', { verb: 'patch', resource: 'deployments', code: '409' });
  metrics.count('reloader_api_requests_total', { verb: 'list', resource: 'events', code: 'none' });
  const want: Record<string, string> = {
    'reloader_changes_total{kind="ConfigMap",type="updated"}': '2',
    'reloader_changes_total{kind="Secret",type="updated"}': '0',
    'reloader_rollouts_total{kind="Deployment",outcome="refused"}': '1',
    'reloader_rollouts_total{kind="Deployment",outcome="rolled"}': '0',
    reloader_change_to_rollout_seconds_sum: '5.2',
    'reloader_change_to_rollout_seconds_bucket{le="5"}': '0',
    'reloader_change_to_rollout_seconds_bucket{le="6"}': '1',
    reloader_changes_per_rollout_sum: '0',
    'reloader_watch_up{kind="Secret"}': '1',
    'reloader_watch_up{kind="ConfigMap"}': '0',
    'reloader_api_requests_total{verb="patch",resource="deployments",code="409"}': '1',
    'reloader_api_requests_total{verb="list",resource="events",code="none"}': '1',
    [`reloader_build_info{version="1.2.3",node="${process.version}"}`]: '1',
  };
  for (const [series, value] of Object.entries(want))
    assert.equal(await seriesIn(metrics, series), value, series);
});

describe('what Stakater Reloader counts:', () => {
  const attempts: readonly Parameters<Metrics['attempted']>[] = [
    [{ kind: 'Deployment', namespace: 'a' }, 'rolled'],
    [{ kind: 'StatefulSet', namespace: 'a' }, 'rolled'],
    [{ kind: 'Deployment', namespace: 'b' }, 'refused'],
    [{ kind: 'Deployment', namespace: 'b' }, 'conflict'],
    [{ kind: 'Deployment', namespace: 'c' }, 'unavailable'],
    [{ kind: 'Deployment', namespace: 'c' }, 'gone'],
  ];
  const NAME = 'reloader_reload_executed_total';

  async function reloadSeries(byNamespace: boolean): Promise<string[]> {
    const metrics = new Metrics('1.2.3', { byNamespace });
    for (const attempt of attempts) metrics.attempted(...attempt);
    return (await metrics.text()).split('\n').filter((line) => line.startsWith(NAME));
  }

  test('workloads that were rolled or refused', async () => {
    assert.deepEqual(await reloadSeries(false), [`${NAME}{success="true"} 2`, `${NAME}{success="false"} 1`]);
  });

  test('the same by namespace where that is asked for, with both series of each', async () => {
    const [, , ...series] = await reloadSeries(true);
    assert.deepEqual(series, [
      `${NAME}_by_namespace{success="true",namespace="a"} 2`,
      `${NAME}_by_namespace{success="false",namespace="a"} 0`,
      `${NAME}_by_namespace{success="true",namespace="b"} 0`,
      `${NAME}_by_namespace{success="false",namespace="b"} 1`,
    ]);
  });
});

test('a clock that went back does not spoil a histogram', async () => {
  const metrics = new Metrics('1.2.3');
  metrics.measure('reloader_patch_duration_seconds', -1);
  assert.equal(await seriesIn(metrics, 'reloader_patch_duration_seconds_sum'), '0');
});

test('gauges show what is true at each scrape; a kind that is not told counts as 0', async () => {
  const metrics = new Metrics('1.2.3');
  let now = SNAPSHOT;
  metrics.observe(() => now);
  const ofLeader = Object.entries(SNAPSHOT.leader ?? {}).map(([name, value]) => [name, String(value)]);
  const want: Record<string, string> = {
    ...Object.fromEntries(ofLeader),
    'reloader_config_objects{kind="ConfigMap"}': '3',
    'reloader_config_objects{kind="Secret"}': '2',
    'reloader_workloads{kind="Deployment"}': '5',
    'reloader_workloads{kind="DaemonSet"}': '0',
  };
  for (const [series, value] of Object.entries(want))
    assert.equal(await seriesIn(metrics, series), value, series);
  now = { ...SNAPSHOT, byKind: { ...SNAPSHOT.byKind, reloader_workloads: {} }, leader: undefined };
  assert.equal(await seriesIn(metrics, 'reloader_workloads{kind="Deployment"}'), '0');
  assert.equal(await seriesIn(metrics, 'reloader_outdated_edges'), undefined, 'of a standby');
  now = SNAPSHOT;
  assert.equal(await seriesIn(metrics, 'reloader_outdated_edges'), '1');
});

test('the metrics of the process are there too', async () => {
  assert.match(await new Metrics('1.2.3').text(), /^process_resident_memory_bytes \d+$/m);
});

test('two instances do not count together', async () => {
  const [one, other] = [new Metrics('1.2.3'), new Metrics('1.2.3')];
  one.count('reloader_changes_total', { kind: 'Secret', type: 'created' });
  assert.equal(await seriesIn(other, 'reloader_changes_total{kind="Secret",type="created"}'), '0');
});

test('who leads is a gauge, and each change of it is counted once', async () => {
  const metrics = new Metrics('1');
  const shown = async (): Promise<(string | undefined)[]> => [
    await seriesIn(metrics, 'reloader_leader'),
    await seriesIn(metrics, 'reloader_leader_transitions_total'),
  ];
  assert.deepEqual(await shown(), ['0', '0']);
  for (const isLeader of [false, true, true]) metrics.leads(isLeader);
  assert.deepEqual(await shown(), ['1', '1']);
  metrics.leads(false);
  assert.deepEqual(await shown(), ['0', '2']);
});
