/** The alerts and the dashboard of k8s/monitoring, which are the source, and the copies that the chart has. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type JsonObject, objectsOf, pick, stringOf } from '../sandbox/json.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = 'k8s/monitoring';

/** The plain file of rules, which Prometheus itself and promtool read. */
export const RULES: string = path.join(ROOT, 'k8s/chart/files/rules.yaml');

/** One alert. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
}

/** One query of a panel. */
export interface Query {
  readonly expr: string;
  /** The name of each series: `{{pod}} heap`. */
  readonly legend: string;
}

/** One panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly unit: string;
  readonly place: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly queries: readonly Query[];
  /** From which value on a number has which colour; the first one has no value. */
  readonly steps: readonly { readonly color: string; readonly value: number | null }[];
}

/** The files of the chart, by their path below the repository's root. */
export function chartFiles(): Readonly<Record<string, string>> {
  const rule = read(`${FOLDER}/prometheus-rule.yaml`);
  return {
    'k8s/chart/files/rules.yaml': rule.slice(rule.indexOf('  groups:\n')).replaceAll(/^ {2}/gm, ''),
    'k8s/chart/files/dashboard.json': read(`${FOLDER}/dashboard.json`),
  };
}

/** The text of a file below the repository's root. */
export function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** All alerts. */
export function alerts(): readonly Alert[] {
  const rule = parse(read(`${FOLDER}/prometheus-rule.yaml`)) as JsonObject;
  return objectsOf(pick(rule, 'spec', 'groups'))
    .flatMap(({ rules }) => objectsOf(rules))
    .map(({ alert, ...others }) => ({ ...others, name: alert }) as unknown as Alert);
}

/** All panels. */
export function panels(): readonly Panel[] {
  const dashboard = JSON.parse(read(`${FOLDER}/dashboard.json`)) as JsonObject;
  return objectsOf(dashboard['panels']).map((panel) => ({
    title: stringOf(panel['title']) ?? '',
    type: stringOf(panel['type']) ?? '',
    unit: stringOf(pick(panel, 'fieldConfig', 'defaults', 'unit')) ?? '',
    place: panel['gridPos'] as unknown as Panel['place'],
    queries: objectsOf(panel['targets']).map(({ expr, legendFormat }) => ({
      expr: stringOf(expr) ?? '',
      legend: stringOf(legendFormat) ?? '',
    })),
    steps: objectsOf(
      pick(panel, 'fieldConfig', 'defaults', 'thresholds', 'steps'),
    ) as unknown as Panel['steps'],
  }));
}

/** A query with what Grafana would fill in: all namespaces, and this interval. */
export function filledIn(expr: string, interval: string): string {
  return expr.replaceAll(/\$(?:cluster|namespace)/g, '.*').replaceAll('$__rate_interval', interval);
}
