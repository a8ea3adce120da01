/** `reloader migrate`: what taking over from another reloader needs, what would be different, and whether it rolls anything. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { CommandError, connect } from '../connect.ts';
import type { CommandContext } from '../run-command.ts';
import { formatted, withProgress } from '../terminal.ts';
import { migrationText } from './migrate-text.ts';
import { migrationFrom } from './migration.ts';
import { SOURCES, type Source } from './others.ts';

const NOT_READY = 2;

/** Runs the command. */
export async function runMigrate({ flags, settings, env, terminal }: CommandContext): Promise<number> {
  const { values: file, overlay: folder } = flags;
  const source = SOURCES[flags.from as Source['name']];
  const overlayFile = folder === undefined ? undefined : path.join(folder, 'kustomization.yaml');
  for (const each of [file, overlayFile])
    if (each !== undefined && each !== '-' && existsSync(each) && flags.force !== true)
      throw new CommandError(`${each} exists: --force overwrites it`);
  const { send, namespace } = connect(flags, env);
  const question = { source, send, namespace, flags, settings };
  const { migration, overlay } = await withProgress(
    terminal,
    () => 'reading the cluster …',
    () => migrationFrom(question),
  );
  const values = `# Written by reloader migrate --from ${source.name}\n${stringify(migration.values, { lineWidth: 0 })}`;
  if (file !== undefined && file !== '-') write(file, values);
  if (overlayFile !== undefined) write(overlayFile, overlay ?? '');
  await terminal.write(
    file === '-'
      ? values
      : formatted(flags.output, migration, () => migrationText(migration, terminal.paint)),
  );
  return migration.isReady ? 0 : NOT_READY;
}

function write(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
