/**
 * One process takes over from another, by the real rules: it marks the state, and lists everything as at a start. The Lease is
 * left out: a standby may take over at any moment, and the leader before may not know of it.
 */

import {
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
  type StateVersion,
} from '../../lib/model/persisted-state.ts';
import { annotationsOf, markIn } from '../../lib/model/shards.ts';
import { formatEntry } from '../../lib/model/state-entry.ts';
import { beginTerm } from '../../lib/state/begin-term.ts';
import type { StateClient } from '../../lib/store/state-client.ts';
import { NAMESPACE } from './cluster.ts';
import { markOf, underWay } from './committer.ts';
import { passAway } from './limits.ts';
import { begin, nowhere } from './process.ts';
import { listConfigs, listWorkloads } from './streams.ts';
import { NAMES, type World } from './world.ts';

/** What the new leader lists at once. */
export type Listed = 'everything' | 'the ConfigMaps only' | 'the Deployments only';

/** The standby takes over. `goesOn`: the leader before does not know; else only what it has sent may still arrive. */
export async function takeOver(world: World, goesOn: boolean, listed: Listed = 'everything'): Promise<void> {
  const identity = markOf((world.term ?? 0) + 1).writer;
  const begun = await beginTerm(storeOf(world), identity, NAMESPACE);
  if (begun.kind === 'failed') throw new Error(begun.message);
  passAway(world);
  const { process, configs, workloads } = world;
  if (process !== undefined) world.former = goesOn ? { process, configs, workloads } : underWay(process);
  forgetIfIdle(world);
  Object.assign(world, nowhere());
  begin(world, begun.mark.term);
  if (listed !== 'the Deployments only') listConfigs(world);
  if (listed !== 'the ConfigMaps only') listWorkloads(world);
}

/** What `act` does is done by the leader before. */
export function asFormer(world: World, act: (world: World) => void): void {
  exchange(world);
  act(world);
  exchange(world);
  forgetIfIdle(world);
}

/** The world as the leader before has it; a copy of the surface alone. */
export function seenByFormer(world: World): World {
  const seen = { ...world };
  exchange(seen);
  return seen;
}

function exchange(world: World): void {
  const { former, process, configs, workloads } = world;
  if (former === undefined) throw new Error('nobody led before');
  Object.assign(world, former);
  world.former = { process, configs, workloads };
}

/** Of a leader before that acts no longer, and of which nothing is under way, nothing is left. */
function forgetIfIdle(world: World): void {
  const { process, configs } = world.former ?? {};
  if (process === undefined || configs?.hasListed === true) return;
  const { patches, write, isOutrun } = process;
  if (isOutrun) process.write = undefined;
  if (NAMES.every((name) => patches[name] === undefined) && (write === undefined || isOutrun)) {
    world.former = undefined;
  }
}

/** The ConfigMap of the state. A write of it makes every other writer's fence out of date. */
function storeOf(world: World): StateClient {
  const isOfVersion = { [STATE_VERSION_ANNOTATION]: STATE_VERSION };
  const version = (): StateVersion => ({
    resourceVersion: '1',
    data: dataOf(world),
    annotations: { ...isOfVersion, ...annotationsOf(markOf(world.term)) },
  });
  return {
    read: (shard) => Promise.resolve(shard === 0 ? { kind: 'found', object: version() } : { kind: 'absent' }),
    create: () => Promise.resolve({ kind: 'gone' }),
    patch: (_, { annotations }) => {
      world.term = markIn(annotations).term;
      for (const one of [world.process, world.former?.process]) if (one !== undefined) one.isOutrun = true;
      return Promise.resolve({ kind: 'accepted', object: version() });
    },
  };
}

function dataOf({ stored: { entries } }: World): Record<string, string> {
  return Object.fromEntries([...entries].map(([key, entry]) => [key, formatEntry(entry)]));
}
