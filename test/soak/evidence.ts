/** What is kept of a soak in which something was wrong: the logs of all processes, and all writes. */

import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Column } from './tally.ts';

/** Writes it down; resolves with the folder. */
export async function evidenceOf(columns: readonly Column[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'soak-'));
  for (const { heading, pair } of columns) {
    const at = path.join(folder, heading.replaceAll(' ', '-'));
    for (const [index, { log }] of pair.scene.stage.processes.entries())
      await writeFile(`${at}-${index}.log`, log);
    const writes = pair.writes.toSorted((one, other) => one.at - other.at);
    await writeFile(`${at}-writes.jsonl`, writes.map((write) => `${JSON.stringify(write)}\n`).join(''));
  }
  return folder;
}
