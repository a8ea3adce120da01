/** The files that follow from tables of the code, as they are and as they should be. */

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { VERSION } from '../../lib/options/version.ts';
import { fenceFiles } from '../install/fences.ts';
import { oneFiles } from '../install/one-file.ts';
import { chartFiles } from '../monitoring/files.ts';
import { type JsonObject, objectOf } from '../sandbox/json.ts';
import { configSchema, ELSEWHERE_BY_KEY, SECRET_KEYS } from './chart-flags.ts';
import { CUSTOM_ANNOTATIONS } from './chart-values.ts';
import { withTables } from './tables.ts';
import { withConfig } from './values-table.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CHART = 'k8s/chart';
const GUIDES = ['docs/guides/external-secrets.md', 'docs/guides/commands.md'];
const SCHEMA = `${CHART}/values.schema.json`;

/** A file with something in it that follows from the code. */
export interface Written {
  /** Its path from the root. */
  readonly file: string;
  readonly text: string;
  /** What it should be. */
  readonly expected: string;
}

/** All of them. */
export function writtenFiles(): Written[] {
  const pages = [...globSync('docs/reference/*.md', { cwd: ROOT }), ...GUIDES, `${CHART}/README.md`];
  return [
    ...pages.map((page) => writtenBy(page, withTables)),
    writtenBy(`${CHART}/Chart.yaml`, (text) =>
      text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${VERSION}`),
    ),
    writtenBy(`${CHART}/values.yaml`, withConfig),
    writtenBy(SCHEMA, withConfigSchema),
    writtenBy(`${CHART}/files/tables.yaml`, templateTables),
    ...Object.entries({ ...chartFiles(), ...fenceFiles(), ...oneFiles() }).map(([file, text]) =>
      writtenBy(file, () => text),
    ),
  ];
}

function writtenBy(file: string, write: (text: string) => string): Written {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return { file, text, expected: write(text) };
}

/** The schema with that of `config`, which stands two objects deep; the rest is written by hand. */
function withConfigSchema(text: string): string {
  const member = JSON.stringify(configSchema(), undefined, 2)
    .replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s*\n\s*/g, ' ')}]`)
    .replaceAll('\n', '\n    ');
  return text.replace(/(?<=^ {4}"config": )\{[\s\S]*?^ {4}\}/m, () => member);
}

/** What the templates have to know of the flags, and of the values of Stakater Reloader's chart. */
function templateTables(): string {
  const schema = JSON.parse(readFileSync(path.join(ROOT, SCHEMA), 'utf8')) as JsonObject;
  const tables = {
    secret: SECRET_KEYS,
    elsewhere: ELSEWHERE_BY_KEY,
    annotations: CUSTOM_ANNOTATIONS,
    known: knownIn(schema),
  };
  return `# Written by npm run reference. Members of config that stand in a Secret; those that another value sets; the flags of
# reloader.custom_annotations; and the values that there are.
${stringify(tables, { lineWidth: 0 })}`;
}

/** The members that a schema names, deep; null where it names none, or refuses others itself. */
function knownIn({ properties, additionalProperties }: JsonObject): JsonObject | null {
  if (properties === undefined || additionalProperties === false) return null;
  const members = Object.entries(objectOf(properties));
  return Object.fromEntries(members.map(([name, member]) => [name, knownIn(objectOf(member))]));
}
