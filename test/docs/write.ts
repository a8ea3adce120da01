/** `npm run reference`: writes anew what follows from tables of the code in docs/reference and in k8s/chart, and from other manifests in k8s. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writtenFiles } from './written.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

for (const { file, text, expected } of writtenFiles()) {
  if (text === expected) continue;
  writeFileSync(path.join(ROOT, file), expected);
  console.log(`${file} is written anew`);
}
