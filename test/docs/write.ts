/** `npm run reference`: writes the tables of docs/reference anew. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withTables } from './tables.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

for (const page of globSync('docs/reference/*.md', { cwd: ROOT })) {
  const file = path.join(ROOT, page);
  const text = readFileSync(file, 'utf8');
  const written = withTables(text);
  if (written === text) continue;
  writeFileSync(file, written);
  console.log(`${page} is written anew`);
}
