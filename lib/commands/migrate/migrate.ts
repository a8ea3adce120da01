/** `reloader migrate`: what taking over from another reloader needs, and what would be different in this cluster. */

import { UNKNOWN_EXIT_CODE } from '../../options/options.ts';
import { connect } from '../connect.ts';
import type { CommandContext } from '../run-command.ts';
import { formatted, withProgress } from '../terminal.ts';
import { migrationText } from './migrate-text.ts';
import { migrationFrom } from './migration.ts';
import { SOURCES, type Source } from './other-reloader.ts';

const NOT_READY = 2;

/** Runs the command. */
export async function runMigrate({ flags, settings, env, terminal }: CommandContext): Promise<number> {
  const source = SOURCES[flags.from as Source['name']];
  const { send, namespace } = connect(flags, env);
  const migration = await withProgress(terminal, 'reading the cluster …', () =>
    migrationFrom({ source, send, namespace, flags, settings }),
  );
  await terminal.write(formatted(flags.output, migration, () => migrationText(migration, terminal.paint)));
  if (migration.unknown.length > 0) return UNKNOWN_EXIT_CODE;
  return migration.isReady ? 0 : NOT_READY;
}
