/** The values of the chart, as values.yaml has them: path, default and meaning. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { CHART_FLAGS, configYaml } from './chart-flags.ts';

const VALUES = path.resolve(import.meta.dirname, '../../k8s/chart/values.yaml');

/** values.yaml with the members of `config` between its two marks. */
export function withConfig(text: string): string {
  return text.replace(/(?<=^ {2}# table: config\n)[\s\S]*?(?=^# end of the table$)/m, () => configYaml());
}

/** The rows of a table: each value that is not a group of others. */
export function valueRows(): string[][] {
  const { contents } = parseDocument(withConfig(readFileSync(VALUES, 'utf8')));
  return isMap(contents) ? rowsOf(contents as YAMLMap<Node, Node>, '') : [];
}

function rowsOf(map: YAMLMap<Node, Node>, prefix: string): string[][] {
  return map.items.flatMap((pair, index) => {
    const { key, value } = pair;
    const name = `${prefix}${String(isScalar(key) ? key.value : key)}`;
    const comment = commentOn(pair, index === 0 ? map : undefined);
    if (isMap(value) && value.items.length > 0) {
      const rows = rowsOf(value as YAMLMap<Node, Node>, `${name}.`);
      return comment === '' ? rows : [[`\`${name}\``, '', comment], ...rows];
    }
    return [[`\`${name}\``, `\`${JSON.stringify(value?.toJSON() ?? null)}\``, meaningOf(name, comment)]];
  });
}

/** The comment that stands above the key; YAML gives that of the first member to the map. */
function commentOn({ key }: Pair<Node, Node>, map: YAMLMap<Node, Node> | undefined): string {
  const text = [map?.commentBefore, key.commentBefore].filter(Boolean).join('\n');
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/^(#|table:|end of the table)/.test(line)).join(' ');
}

function meaningOf(value: string, comment: string): string {
  const flag = CHART_FLAGS.find((each) => each.value.split(/ (?:or|and) /).includes(value));
  const meaning = comment || (flag?.value === value ? flag.help : '');
  return flag === undefined ? meaning : `${meaning} (\`--${flag.flag.name}\`)`.trim();
}
