/** The rules by which Argo CD is told what to ignore, as docs/guides/gitops.md writes them down. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { raw } from 'jq-wasm';
import { parse } from 'yaml';
import { type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import type { Comparison } from './drift.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/guides/gitops.md');
/** A piece of YAML on the page. */
const PIECE = /^```yaml\n(.*?)^```/gms;

/** Without what the rule by name ignores: Argo CD deletes it on both sides before it compares. */
export async function withoutNames({ live, predicted }: Comparison): Promise<Comparison> {
  return { live: await cleared(live), predicted: await cleared(predicted) };
}

async function cleared(workload: JsonObject): Promise<JsonObject> {
  const deletions = expressions().map((expression) => `del(${expression})`);
  return objectOf(JSON.parse(await raw(workload, deletions.join(' | '), ['-c'])));
}

function expressions(): readonly string[] {
  const found = [...readFileSync(PAGE, 'utf8').matchAll(PIECE)]
    .flatMap(([, yaml]) => rulesIn(parse(yaml ?? '') as JsonObject))
    .flatMap((rule) => rule['jqPathExpressions'] ?? [])
    .map(String);
  if (found.length === 0) throw new Error(`${PAGE} has no rule by name`);
  return found;
}

/** A piece is an Application or a part of its spec. */
function rulesIn(piece: JsonObject): readonly JsonObject[] {
  return objectsOf(piece['ignoreDifferences'] ?? pick(piece, 'spec', 'ignoreDifferences'));
}
