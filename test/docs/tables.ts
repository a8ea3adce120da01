/** The tables of docs/reference that follow from tables of the code. */

import { type ErrorCode, exitCodeOf } from '../../lib/commands/connect.ts';
import { NO_LOG } from '../../lib/model/log.ts';
import { REASONS, type Reason } from '../../lib/model/reasons.ts';
import { DEAD_FLAGS, FLAGS, type Flag, variablesOf } from '../../lib/options/flags.ts';
import { Journal } from '../../lib/report/journal.ts';
import { METRICS } from '../../lib/telemetry/metric-table.ts';
import { STORE_TABLE } from '../e2e/external-stores.ts';
import { valueRows } from './values-table.ts';

/** Where a page has a table: its name, then what stands there. */
const PLACE = /(?<begin><!-- table: (?<name>[a-z-]+) -->\n)[\s\S]*?(?<end><!-- end of the table -->)/g;
/** The default of a flag, as its help ends with it. */
const DEFAULT = / \(default: (?<value>.*)\)$/;

/** What the codes of errors mean. */
const ERRORS: Readonly<Record<ErrorCode, string>> = {
  usage: 'the command line, or the kubeconfig, is not understood',
  unknown: 'what the command needs is not known',
  forbidden: 'you may not read what the command is about',
  'not-found': 'the namespace, the object, or the named Deployment does not exist',
  'not-a-reloader': 'the named Deployment does not look like a reloader',
  'not-watched': 'the reloader does not watch the namespace',
  'not-waiting': 'nothing waits for an approval, or is halted',
  'other-content': 'the token is not that of the content that waits',
  'wrong-settings': 'the flags of the reloader’s Deployment are not understood',
  'not-readable': 'a manifest cannot be read, is not valid, or contradicts another one',
  'no-object': 'there is no object in the manifests',
  refused: 'the API server refuses the write',
  unauthorized: 'the API server does not accept the credentials',
  unanswered: 'the API server does not answer',
  'api-error': 'the API server answers with another error',
  'timed-out': 'the state, or a change, could not be observed in time',
};

/** Each table, by the name that pages call it. */
const TABLES: Readonly<Record<string, () => string>> = {
  flags: () => grouped(FLAGS),
  'flags-without-effect': () =>
    table(
      ['flag', 'why'],
      DEAD_FLAGS.map(({ name, group }) => [code(`--${name}`), group]),
    ),
  'chart-values': () => table(['value', 'default', 'meaning'], valueRows()),
  'external-stores': () =>
    table(['program', 'what happens', 'its writes', 'rollouts', 'to have something else'], STORE_TABLE),
  metrics: () =>
    table(
      ['metric', 'type', 'labels', 'meaning'],
      METRICS.map(({ name, type, help, series, labels = [] }) => {
        const all = [...new Set([...series.flatMap((each) => Object.keys(each)), ...labels])];
        return [code(name), type, all.map(code).join(', '), help];
      }),
    ),
  'error-codes': () =>
    table(
      ['code', 'exit code', 'meaning'],
      Object.entries(ERRORS).map(([name, meaning]) => [code(name), `${exitCodeOf(name)}`, meaning]),
    ),
  reasons: () =>
    table(
      ['reason', 'level', 'meaning'],
      Object.entries(REASONS).map(([reason, meaning]) => [code(reason), levelOf(reason as Reason), meaning]),
    ),
};

/** `page` with each of its tables as the code has it now. Throws if it asks for one that does not exist. */
export function withTables(page: string): string {
  return page.replaceAll(PLACE, (...found: readonly unknown[]) => {
    const { begin, name, end } = found.at(-1) as Readonly<Record<'begin' | 'name' | 'end', string>>;
    const make = TABLES[name];
    if (make === undefined)
      throw new Error(`there is no table '${name}', only ${Object.keys(TABLES).join(', ')}`);
    return `${begin}\n${make()}\n${end}`;
  });
}

function grouped(flags: readonly Flag[]): string {
  const groups = Map.groupBy(flags, ({ group }) => group.replace(':', ''));
  return [...groups]
    .map(
      ([group, members]) =>
        `## ${group}\n\n${table(['flag', 'variable', 'default', 'meaning'], members.map(flagRow))}`,
    )
    .join('\n');
}

function flagRow(flag: Flag): string[] {
  const { name, aliases, value, help } = flag;
  const variable = variablesOf(flag).at(-1);
  const forms = [`--${name}${value === undefined ? '' : ` <${value}>`}`, ...aliases];
  const isSwitch = value === undefined && variable !== undefined;
  const given = DEFAULT.exec(help)?.groups?.['value'];
  return [
    forms.map(code).join(', '),
    variable === undefined ? '' : code(variable),
    given ?? (isSwitch ? 'false' : ''),
    help.replace(DEFAULT, ''),
  ];
}

/** The level of the line that a reason is logged with. */
function levelOf(reason: Reason): string {
  let level = '';
  const at = (name: string) => (): void => {
    level = name;
  };
  const log = { ...NO_LOG, debug: at('debug'), info: at('info'), warn: at('warn') };
  new Journal(log).say(reason, '');
  return level;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('').replaceAll('|  |', '| |');
}

/** What Markdown would take for markup of its own. */
function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll(/<(?=[a-z]+>-)/g, '\\<');
}

function code(text: string): string {
  return `\`${text}\``;
}
