/**
 * One process takes over from another, by the real rules: the mark on the state, what is looked at, what the new leader is
 * told. The Lease is left out: a standby may take over at any moment, and the leader before may not know of it.
 */

import { handOver } from '../../lib/app/reloader.ts';
import type { ConfigObject } from '../../lib/model/config-object.ts';
import { NO_LOG } from '../../lib/model/log.ts';
import { keyOf, type WorkloadRef } from '../../lib/model/object-ref.ts';
import {
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
  type StateVersion,
} from '../../lib/model/persisted-state.ts';
import { annotationsOf, markIn } from '../../lib/model/shards.ts';
import { formatEntry } from '../../lib/model/state-entry.ts';
import type { Timeline } from '../../lib/model/timeline.ts';
import type { Workload } from '../../lib/model/workload.ts';
import { catchUp } from '../../lib/repair/catch-up.ts';
import { Refetcher } from '../../lib/repair/refetcher.ts';
import { beginTerm } from '../../lib/state/begin-term.ts';
import type { StateClient } from '../../lib/store/state-client.ts';
import { Store } from '../../lib/store/store.ts';
import { observeConfig } from '../../lib/tracking/observe-config.ts';
import { observeWorkload } from '../../lib/tracking/observe-workload.ts';
import { settingsWith } from '../settings.ts';
import { CONFIG_KEY, configView, NAMESPACE, nameOfKey, workloadView } from './cluster.ts';
import { markOf, underWay } from './committer.ts';
import { passAway, supersedeMeanwhile } from './limits.ts';
import { apply, DIALECT, kick, newEdges, newProcess } from './process.ts';
import { keepTime, timelineOf, timeOf } from './time.ts';
import { NAMES, type Stream, type World } from './world.ts';

const IN_LIST = { type: 'present', isInInitialList: true, isRelisted: false } as const;

/** The standby takes over. `goesOn`: the leader before does not know; else only what it has sent may still arrive. */
export async function takeOver(world: World, goesOn: boolean): Promise<void> {
  const standby = standbyOf(world);
  const begun = await beginTerm({
    stateClient: storeOf(world),
    identity: markOf((world.term ?? 0) + 1).writer,
  });
  if (begun.kind === 'failed') throw new Error(begun.message);
  const timeline = timelineOf(world);
  const isSeen = await catchUp(standby, begun.shards, lookOf(world, standby, timeline), () => true);
  if (!isSeen) throw new Error('a look failed');
  keepTime(world, timeline);
  passAway(world);
  const { process, configs, workloads, silent } = world;
  if (process !== undefined) world.former = goesOn ? { process, configs, workloads } : underWay(process);
  forgetIfIdle(world);
  world.silent = {};
  world.configs = goOn(world, silent.configs);
  world.workloads = goOn(world, silent.workloads);
  world.process = newProcess(newEdges(), begun.term);
  lead(world, standby);
  supersedeMeanwhile(world);
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

/** The standby's stream of ConfigMaps, or that of Deployments, falls silent. */
export function silence(world: World, what: 'configs' | 'workloads'): void {
  const silence = { hasListed: true, queue: [], sign: undefined };
  const config = configView(world);
  const seen = {
    configs: { ...silence, seen: config === undefined ? [] : [config] },
    workloads: { ...silence, seen: workloadsOf(world) },
  };
  world.silent = { ...world.silent, [what]: seen[what] };
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
  if (patches.w1 === undefined && patches.w2 === undefined && (write === undefined || isOutrun)) {
    world.former = undefined;
  }
}

function workloadsOf(world: World): readonly Workload[] {
  return NAMES.flatMap((name) => (world.deployments[name] === undefined ? [] : [workloadView(world, name)]));
}

/** What the standby knows: what its streams have told it, as if they had listed it. */
function standbyOf(world: World): Store {
  const edges = new StandbyEdges(world);
  const config = configView(world);
  const { configs, workloads } = world.silent;
  for (const object of configs?.seen ?? (config === undefined ? [] : [config])) {
    observeConfig(edges, { ...IN_LIST, key: CONFIG_KEY, object, span: spanOf(world, object) });
  }
  for (const object of workloads?.seen ?? workloadsOf(world)) {
    observeWorkload(edges, { ...IN_LIST, key: keyOf(object.ref), object, span: spanOf(world, object) });
  }
  return edges;
}

function spanOf(world: World, { resourceVersion }: ConfigObject | Workload) {
  return timeOf(world, (timeline) => timeline.ofListed(resourceVersion, undefined));
}

/** It reads workloads from the world. */
class StandbyEdges extends Store {
  readonly #world: World;

  constructor(world: World) {
    super(settingsWith({ vocabularies: DIALECT, homeNamespace: NAMESPACE }));
    this.#world = world;
  }

  override viewOf(ref: WorkloadRef): Workload {
    return workloadView(this.#world, nameOfKey(keyOf(ref)));
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

function lookOf(world: World, store: Store, timeline: Timeline): Refetcher {
  const config = configView(world);
  const object = { metadata: { name: '' } };
  return new Refetcher({
    store,
    timeline,
    readConfig: () => Promise.resolve(config === undefined ? { kind: 'absent' } : { kind: 'found', object }),
    project: () => config ?? absurd(),
    client: { get: () => Promise.resolve({ kind: 'found', object }) },
    onConfig: (event) => observeConfig(store, event),
    onWorkload: (event) => observeWorkload(store, event),
    random: () => 0,
    log: NO_LOG,
  });
}

function absurd(): never {
  throw new Error('what is not there was found');
}

/** The stream goes on where the standby has left it. */
function goOn<T>(world: World, silence: Stream<T> | undefined): Stream<T> {
  const sign = timeOf(world, (timeline) => timeline.sign(String(world.clock)));
  return { hasListed: true, queue: silence?.queue ?? [], sign };
}

/** The new leader is told what the standby knows, and acts on it. */
function lead(world: World, standby: Store): void {
  const { process } = world;
  if (process === undefined) return;
  const { store } = process;
  store.persisted.takeShard(0, standby.persisted.state.entries);
  handOver(
    { store: standby, others: new Map() },
    {
      onConfig: (event) => apply(world, observeConfig(store, event)),
      onWorkload: (event) => apply(world, observeWorkload(store, event)),
      observeNamespace: () => {},
    },
  );
  process.candidate = true;
  kick(world);
}
