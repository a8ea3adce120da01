/**
 * `reloader state import`: writes the present content as the baseline of what was up to date elsewhere, and a doubt for the rest.
 * The entries are planned and written by the controller's own committer, so every write is fenced, and a second run goes on where
 * the first one ended.
 */

import { writeGate } from '../../app/controllers.ts';
import { digestKeysOf } from '../../app/keys.ts';
import { type Digest, SHA1 } from '../../model/digest.ts';
import type { Edge } from '../../model/edge.ts';
import { Heartbeat } from '../../model/health.ts';
import { NO_LOG } from '../../model/log.ts';
import {
  configRefIn,
  describe,
  keyOf,
  namespaceIn,
  type ObjectKey,
  workloadRefIn,
} from '../../model/object-ref.ts';
import { NO_STATE, SHARD_BYTES } from '../../model/shards.ts';
import type { Refusal } from '../../state/refusal.ts';
import { StateCommitter } from '../../state/state-committer.ts';
import { keySecretOf } from '../../store/state-client.ts';
import { isOutdatedOn, observedBy, putEdge } from '../../tracking/edge-policy.ts';
import { nextEdge } from '../../tracking/edge-state.ts';
import { CommandError } from '../connect.ts';
import { type Observation, observe, untilCompared } from '../observation.ts';
import type { Scene } from '../scene.ts';
import type { ExportedEdge, ExportedState } from './export-state.ts';
import { refusedText, type StoredState } from './stored-state.ts';

/** What became of the document. */
export interface ImportedState {
  /** Edges whose present content is the baseline. */
  readonly upToDate: number;
  /** Edges that are out of date, and will be rolled. */
  readonly doubted: number;
  /** Edges that were left alone, and why. */
  readonly skipped: readonly {
    readonly workload: ObjectKey;
    readonly object: ObjectKey;
    readonly why: string;
  }[];
}

/** @throws CommandError if something cannot be read or written; what was written before counts */
export async function importState(
  scene: Scene,
  stored: StoredState,
  { edges }: ExportedState,
): Promise<ImportedState> {
  const digests = await chosenDigests(scene, stored);
  const namespaces = [
    ...new Set(edges.flatMap(({ workload, object }) => [workload, object]).map(namespaceIn)),
  ];
  const place = { namespaces, stateNamespace: stored.home };
  const observation = await observe({ send: scene.send, options: scene.reloader.options, place, digests });
  try {
    return await importInto(observation, stored, edges);
  } finally {
    void observation.end();
  }
}

async function importInto(
  observation: Observation,
  stored: StoredState,
  edges: readonly ExportedEdge[],
): Promise<ImportedState> {
  await untilCompared(observation);
  const judged = edges.map((edge) => ({ ...edge, why: reasonToSkip(observation, stored, edge) }));
  const taken = judged.filter(({ why }) => why === undefined);
  const objects = new Set(taken.map(({ object }) => object));
  believe(observation, objects, taken);
  await commit(observation, stored, objects);
  const isWritten = ({ object }: ExportedEdge): boolean =>
    observation.store.persisted.entryOf(configRefIn(object)) !== undefined;
  const written = taken.filter(isWritten);
  const left = [
    ...judged.filter(({ why }) => why !== undefined),
    ...taken.filter((edge) => !isWritten(edge)),
  ];
  return {
    upToDate: written.filter(({ upToDate }) => upToDate).length,
    doubted: written.filter(({ upToDate }) => !upToDate).length,
    skipped: left.map(({ workload, object, why }) => ({
      workload,
      object,
      why: why ?? 'not every workload that may follow it can be listed, or its stamp compared',
    })),
  };
}

/** Makes the key of the digests if there is none, as the first start of a reloader does. */
async function chosenDigests(
  { reloader: { options } }: Scene,
  { client, shards, home }: StoredState,
): Promise<'keyed' | 'sha1'> {
  const { keys, keyring } = digestKeysOf({ options: { ...options, dryRun: false }, log: NO_LOG });
  const reading = await keys.read(client.keys, shards, new AbortController().signal);
  const { name } = keySecretOf(options.stateConfigMap, home);
  if (reading.kind === 'failed') throw new CommandError(`Secret/${name} in ${home}: ${reading.message}`);
  if (options.digests === 'keyed' && keyring.own === SHA1)
    throw new CommandError(
      `you may not read or create Secret/${name} in ${home}, the key of the digests: with the rights of the reloader it can be imported`,
    );
  return options.digests;
}

function reasonToSkip(
  { store }: Observation,
  { all }: StoredState,
  { workload, object }: ExportedEdge,
): string | undefined {
  const record = store.workloads.get(workload);
  const ref = configRefIn(object);
  if (record?.edges.has(object) !== true)
    return `${describe(workloadRefIn(workload))} does not follow ${describe(ref)} here`;
  const config = store.configs.get(object);
  if (config === undefined || observedBy(store, record, config) === undefined)
    return `${describe(ref)} does not exist here`;
  return all.entries.has(store.persisted.entryKeyOf(ref))
    ? `the state here has an entry of ${describe(ref)} already`
    : undefined;
}

function pairOf(workload: ObjectKey, object: ObjectKey): string {
  return `${workload} ${object}`;
}

/** Every edge of these objects begins as the document says; one that it lacks is doubted if it is now. */
function believe(
  { store }: Observation,
  objects: ReadonlySet<ObjectKey>,
  taken: readonly ExportedEdge[],
): void {
  const told = new Map(taken.map(({ workload, object, upToDate }) => [pairOf(workload, object), upToDate]));
  for (const object of objects)
    for (const [record, edge] of store.edgesOf(object)) {
      const config = store.configs.get(object);
      const observed = config && observedBy(store, record, config);
      const isTold = told.get(pairOf(keyOf(record.workload.ref), object));
      // What another reloader has stamped, and cannot be compared, holds the entry up.
      if (isTold !== undefined) record.uncompared?.delete(object);
      const isTrue = isTold ?? !isOutdatedOn(store, record, object, edge);
      putEdge(store, record, object, begun(edge, isTrue, observed));
    }
}

/** The edge with pods that run what is in force, or with unknown ones; of an absent object as it is. */
function begun(edge: Edge, isTrue: boolean, observed: Digest | undefined): Edge {
  if (observed === undefined) return edge;
  return nextEdge(edge, isTrue ? { type: 'pods-younger', observed } : { type: 'doubted' });
}

async function commit(
  { store, assembly }: Observation,
  { client, shards, parts }: StoredState,
  objects: ReadonlySet<ObjectKey>,
): Promise<void> {
  const refusals: Refusal[] = [];
  const name = parts[0]?.name ?? '';
  const committer = new StateCommitter({
    store,
    stateClient: client,
    gate: writeGate(assembly.observed.gate, () => false),
    name,
    shardBytes: SHARD_BYTES,
    journal: { note: ignore, say: ignore },
    apply: ignore,
    readKeys: () => Promise.resolve(undefined),
    onUnknownVersion: ignore,
    heartbeat: new Heartbeat(),
    random: Math.random,
    onCommit: (result) => {
      if (result.kind !== 'accepted') refusals.push(result);
    },
  });
  // What a dry run has committed in memory alone is not there.
  store.persisted.state = NO_STATE;
  store.persisted.places.clear();
  committer.begin(shards);
  committer.request(objects, new Set());
  await committer.close(() => Promise.resolve(false));
  const [refusal] = refusals;
  if (refusal === undefined) return;
  throw new CommandError(
    `the state, ConfigMap/${name}, is not written: ${refusedText(refusal)}; import it again`,
  );
}

function ignore(): void {
  // A person reads the result.
}
