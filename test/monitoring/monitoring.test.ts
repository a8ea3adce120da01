/** The alerts and the dashboard: what they ask for exists, each alert fires when it is to, and each has its page. */

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { newBlockers } from '../../lib/blockers/blockers.ts';
import { type Labels, METRICS } from '../../lib/telemetry/metric-table.ts';
import { Metrics } from '../../lib/telemetry/metrics.ts';
import { prometheusOf } from '../control-plane/assets.ts';
import { isRequired, outputOf } from '../install/tools.ts';
import { alerts, panels, RULES, read } from './files.ts';

const TESTS = 'test/monitoring/alerts.yaml';
const ALERTS = alerts();
const NAMES = ALERTS.map(({ name }) => name).sort();
/** Each expression, by where it stands. */
const EXPRESSIONS: readonly (readonly [where: string, expr: string])[] = [
  ...ALERTS.map(({ name, expr }) => [name, expr] as const),
  ...panels().flatMap(({ title, queries }) => queries.map(({ expr }) => [title, expr] as const)),
];

/** One expression and the samples that promtool is told to expect of it. */
interface Expectation {
  readonly expr: string;
  readonly exp_samples?: readonly unknown[];
}

/** How a selector matches a value. */
const MATCHES: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '=~': (value, wanted) => new RegExp(`^(?:${wanted})$`).test(value),
  '!~': (value, wanted) => !new RegExp(`^(?:${wanted})$`).test(value),
};

/** The metric, the label, the operator and each wanted value of all selectors of an expression but those of a target. */
function conditionsIn(
  expr: string,
): (readonly [metric: string, label: string, sign: string, value: string])[] {
  return [...expr.matchAll(/(?<metric>\w+)\{(?<inner>[^}]*)\}/g)].flatMap(({ groups = {} }) =>
    [...(groups['inner'] ?? '').matchAll(/(?<label>\w+)(?<sign>=~|!~|!=|=)"(?<value>[^"]*)"/g)]
      .map((found) => found.groups ?? {})
      .filter(({ label }) => label !== 'namespace' && label !== 'cluster')
      .flatMap(({ label = '', sign = '', value = '' }) =>
        value.split('|').map((each) => [groups['metric'] ?? '', label, sign, each] as const),
      ),
  );
}

function seriesOf(metric: string): readonly Labels[] {
  if (metric === 'reloader_api_requests_total') return [{ code: '200' }, { code: '409' }];
  if (metric !== 'reloader_workloads_waiting')
    return METRICS.find(({ name }) => name === metric)?.series ?? [];
  const names = newBlockers({} as Parameters<typeof newBlockers>[0]).map(({ name }) => name);
  return [...names, 'stage', 'halt', 'budget'].map((reason) => ({ reason }));
}

describe('the alerts and the dashboard', () => {
  test('ask for metrics that the program has', async () => {
    const text = await new Metrics('1.2.3').text();
    const known = new Set([...text.matchAll(/^# TYPE (?<name>\w+)/gm)].map(({ groups }) => groups?.['name']));
    const asked = EXPRESSIONS.flatMap(([where, expr]) =>
      [...expr.matchAll(/\b(?:reloader|nodejs|process)_\w+/g)].map(([name]) => ({ where, name })),
    );
    assert.ok(asked.length > EXPRESSIONS.length);
    const isKnown = (name: string): boolean =>
      known.has(name) || known.has(name.replace(/_(?:bucket|sum|count)$/, ''));
    const unknown = asked.filter(({ name }) => !isKnown(name));
    assert.deepEqual(unknown, []);
  });

  test('ask for values that labels have', () => {
    const conditions = EXPRESSIONS.flatMap(([, expr]) => conditionsIn(expr));
    assert.ok(conditions.some(([, label]) => label === 'outcome') && conditions.length > 5);
    const isMet = ([metric, label, sign, value]: (typeof conditions)[0]): boolean =>
      seriesOf(metric).some(({ [label]: own }) => own !== undefined && MATCHES[sign]?.(own, value));
    const unmet = conditions.filter((condition) => !isMet(condition));
    assert.deepEqual(unmet, []);
  });

  test('keep the label of the cluster in every aggregation', () => {
    const without = ALERTS.filter(({ expr }) => /\b(?:by|on) \((?!cluster, )/.test(expr));
    assert.deepEqual(without, []);
  });

  test('name no namespace and no job', () => {
    assert.deepEqual(
      EXPRESSIONS.filter(([, expr]) => /(?:namespace|job|pod)!?=~?"(?!\$namespace")/.test(expr)),
      [],
    );
  });

  test('are in the chart, all of them', () => {
    assert.equal(parse(read('k8s/chart/files/rules.yaml')).groups[0].rules.length, ALERTS.length);
  });
});

test('the picture of the dashboard has every panel', () => {
  const picture = read('docs/explanation/images/dashboard.svg');
  const missing = panels().filter(({ title }) => !picture.includes(`>${title}</text>`));
  assert.deepEqual(missing, [], 'npm run dashboard draws it anew');
});

describe('each alert', () => {
  test('has a severity, and tells what is wrong, what to look at first, and its page', () => {
    for (const { name, labels, annotations } of ALERTS) {
      assert.match(String(labels['severity']), /^(?:critical|warning|info)$/, name);
      assert.match(String(annotations['summary']), /\w/, name);
      assert.match(String(annotations['description']), /^Look at .+ first/, name);
      assert.equal(annotations['runbook'], `docs/runbooks/${name}.md`);
    }
  });

  test('has a page that begins with what to look at, and each page its alert', () => {
    const pages = globSync('docs/runbooks/Reloader*.md', { cwd: path.resolve(import.meta.dirname, '../..') });
    assert.deepEqual(pages.map((page) => path.basename(page, '.md')).sort(), NAMES);
    for (const page of pages)
      assert.match(read(page), new RegExp(`^# ${path.basename(page, '.md')}\n\n## Look at\n\n1\\. `), page);
  });

  test('is tested where it fires and where it does not', () => {
    const { tests } = parse(read(TESTS)) as {
      tests: readonly { promql_expr_test: readonly Expectation[] }[];
    };
    const expected = tests.flatMap((each) => each.promql_expr_test);
    const about = (those: readonly Expectation[]): string[] =>
      [
        ...new Set(those.map(({ expr }) => /alertname="(\w+)", alertstate="firing"/.exec(expr)?.[1] ?? expr)),
      ].sort();
    const fires = ({ exp_samples: samples = [] }: Expectation): boolean => samples.length > 0;
    assert.deepEqual(about(expected.filter(fires)), NAMES);
    assert.deepEqual(about(expected.filter((each) => !fires(each))), NAMES);
  });
});

describe('promtool', () => {
  const promtool = prometheusOf('promtool');
  const skip = promtool === undefined && !isRequired() && 'promtool is not built: npm run control-plane';

  test('finds no fault with the rules', { skip }, () => {
    const said = outputOf(promtool, 'check', 'rules', '--lint=all', '--lint-fatal', RULES);
    assert.match(said, new RegExp(`SUCCESS: ${ALERTS.length} rules found`));
  });

  test('sees each alert fire when it is to, and not else', { skip }, () => {
    const said = outputOf(promtool, 'test', 'rules', path.resolve(import.meta.dirname, '../..', TESTS));
    assert.match(said, /SUCCESS/);
  });
});
