/** Asks `migrate` about a world. */

import type { Migration, Question } from '../../../../lib/commands/migrate/migration.ts';
import { migrationFrom } from '../../../../lib/commands/migrate/migration.ts';
import { SOURCES, type Source } from '../../../../lib/commands/migrate/other-reloader.ts';
import { rolledOut } from '../named-causes.ts';
import type { World } from '../world.ts';

/** What is asked beside the flags of the command. */
export interface Asked extends Partial<Pick<Question, 'settings' | 'send'>> {
  readonly from: Source['name'];
}

/** The answer about a world, which ends. */
export async function migrate(
  world: World,
  { from, ...question }: Asked,
  flags: Question['flags'] = {},
): Promise<Migration> {
  await rolledOut(world);
  const { send } = world;
  const source = SOURCES[from];
  const asked = { source, send, namespace: 'default', flags, settings: [], ...question };
  const migration = await migrationFrom(asked);
  world.sandbox.close();
  return migration;
}

/** The parts of another reloader that differ. */
export interface OtherParts {
  readonly args?: readonly string[];
  readonly replicas?: number;
  readonly env?: readonly object[];
  readonly envFrom?: readonly object[];
  readonly command?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Puts another reloader into the world: `other` in the namespace `reloader`. */
export function withOther(
  world: World,
  image: string,
  { replicas = 1, labels = {}, annotations = {}, ...program }: OtherParts = {},
): World {
  const own = { app: 'other' };
  world.sandbox.create('deployments', {
    metadata: { namespace: 'reloader', name: 'other', labels, annotations },
    spec: {
      replicas,
      selector: { matchLabels: own },
      template: {
        metadata: { labels: own },
        spec: { containers: [{ name: 'other', image, ...program }] },
      },
    },
  });
  return world;
}
