/** `npm run reference`: writes the tables of docs/reference anew, and the chart's copies of the alerts and the dashboard. */

import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chartFiles, read } from '../monitoring/files.ts';
import { withTables } from './tables.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const pages = globSync('docs/reference/*.md', { cwd: ROOT }).map((page) => [page, withTables(read(page))]);

for (const [page = '', text = ''] of [...pages, ...Object.entries(chartFiles())]) {
  if (existsSync(path.join(ROOT, page)) && text === read(page)) continue;
  mkdirSync(path.dirname(path.join(ROOT, page)), { recursive: true });
  writeFileSync(path.join(ROOT, page), text);
  console.log(`${page} is written anew`);
}
