/** Gathers the facts about workloads. */

import { readingOf } from '../kubernetes/api-error.ts';
import { NAMESPACES, objectPath, PODS } from '../kubernetes/api-path.ts';
import { callJson } from '../kubernetes/json-call.ts';
import type { Send } from '../kubernetes/transport.ts';
import { complete } from '../kubernetes/workloads/referenced-template.ts';
import {
  configRefIn,
  describe,
  isMountedKind,
  keyOf,
  namespaceIn,
  SOURCE_KINDS,
  type WorkloadRef,
  wholeKeyOf,
} from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { STATES, type StatusReport } from '../model/status-report.ts';
import { plain } from '../model/text.ts';
import { workloadOf } from '../model/workload.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { needsRollout } from '../tracking/edge-policy.ts';
import { CommandError, connect } from './connect.ts';
import type { Facts } from './explain/cause.ts';
import { unseenBecause } from './explain/causes-of-setting.ts';
import {
  assertAnswered,
  findReloader,
  type InstalledReloader,
  problemOf,
  unreadable,
} from './installed-reloader.ts';
import { type Observation, observe, untilTrue } from './observation.ts';
import { isNotServed, listObjects, notServed, readObject } from './reads.ts';
import type { CommandContext } from './run-command.ts';
import { rowsOf, type Subject } from './subject.ts';
import type { WatchFeed } from './watch-feed.ts';

/** How long findings about missing objects are waited for. */
const MISSING_MS = 2_000;

/** Where something is explained. */
export interface Scene {
  readonly send: Send;
  readonly namespace: string;
  readonly reloader: InstalledReloader;
  /** What is not known where nothing is found, each a sentence. @default none */
  readonly doubts?: readonly string[];
}

/** What a command asks about; the `created` places need not exist yet. @throws CommandError */
export async function openScene(
  { flags, settings, env }: Pick<CommandContext, 'flags' | 'settings' | 'env'>,
  placesOf: (own: string) => readonly string[] = (own) => [own],
  created: readonly string[] = [],
): Promise<Scene> {
  const { send, namespace } = connect(flags, env);
  const places = flags.allNamespaces === true ? 'all' : placesOf(namespace);
  const asked = places === 'all' ? [] : places.filter((each) => !created.includes(each));
  const doubts = await Promise.all(asked.map((each) => doubtsAbout(send, each)));
  const reloader = await findReloader(send, { asked: flags.reloader, namespace, places, settings });
  return { send, namespace, reloader, doubts: doubts.flat() };
}

/** Whether the namespace exists, if the person may not know. @throws CommandError */
export async function doubtsAbout(send: Send, namespace: string): Promise<readonly string[]> {
  const reading = await readObject(send, NAMESPACES, undefined, namespace);
  if (reading.kind === 'found') return [];
  if (reading.kind === 'absent') throw new CommandError(`namespace ${namespace} does not exist`, 'not-found');
  assertAnswered(reading);
  // Kubernetes puts one into each namespace.
  const listed = await listObjects(send, SOURCE_KINDS.ConfigMap, namespace);
  if (listed.kind === 'found' && listed.object.length > 0) return [];
  return [`you may not read namespace ${namespace}, and nothing was found in it: it may not exist`];
}

/** @throws CommandError if the API server says that the object does not exist */
export async function assertExists({ send, namespace }: Scene, { kind, row, name }: Subject): Promise<void> {
  const reading = await readObject(send, row, namespace, name);
  if (reading.kind === 'absent') throw unreadable(`${kind}/${name} in namespace ${namespace}`, reading);
}

/** All that is known about the workload of this name. @throws CommandError if it cannot be read */
export async function factsOf(scene: Scene, row: WorkloadKind, name: string): Promise<Facts> {
  await workloadIn(scene, row, name);
  const observation = await observeFor(scene, [scene.namespace]);
  // Read after the lists: a rollout that has begun since is seen.
  const raw = await workloadIn(scene, row, name);
  return await withUnseen(scene, await factsIn(scene, observation, row, raw));
}

async function workloadIn({ send, namespace }: Scene, row: WorkloadKind, name: string): Promise<RawWorkload> {
  const reading = await readObject<RawWorkload>(send, row, namespace, name);
  if (reading.kind === 'found') return reading.object;
  if (reading.kind === 'failed' && (await isNotServed(send, row)))
    throw new CommandError(notServed(row), 'not-found');
  assertAnswered(reading);
  throw unreadable(`${row.kind}/${name} in namespace ${namespace}`, reading);
}

/** The facts, and why objects are unseen that the workload follows. */
export async function withUnseen(scene: Scene, facts: Facts): Promise<Facts> {
  const missing = missingOf(facts.observation, keyOf(facts.workload.ref)).map(wholeKeyOf);
  const objects = [...new Set(missing)].map(configRefIn);
  const unseen = await Promise.all(objects.map((object) => unseenBecause(scene, object)));
  return { ...facts, unseen: unseen.flat() };
}

/** The namespaces as the reloader sees them; `feed` says what happens afterwards. */
export async function observeFor(
  { send, reloader }: Scene,
  namespaces: readonly string[] | undefined,
  feed?: WatchFeed,
): Promise<Observation> {
  const { options, place, unknown, installation, isGiven = false, silence } = reloader;
  // Of flags that a person gives, a reloader runs with them. A dry run records nothing.
  const runs = installation === undefined ? isGiven : installation.readyReplicas > 0 && !silence;
  const isServed = runs && !options.dryRun;
  return await observe({ send, options, place: { ...place, namespaces }, unknown, isServed, feed });
}

/** All workloads; `onHidden` is called for a kind that may not be listed. */
export async function* workloadsIn(
  { send, reloader }: Scene,
  namespaces: readonly string[] | undefined,
  onHidden: (row: WorkloadKind, why: string) => unknown,
): AsyncGenerator<readonly [WorkloadKind, RawWorkload]> {
  const rows = rowsOf(reloader.options);
  const lists = rows.flatMap((row) => (namespaces ?? [undefined]).map((place) => [row, place] as const));
  for (const [row, place] of lists) {
    const reading = await listObjects<RawWorkload>(send, row, place);
    if (reading.kind === 'failed') onHidden(row, problemOf(reading));
    for (const raw of reading.kind === 'found' ? reading.object : []) yield [row, raw];
  }
}

/** The facts about a workload that was read. */
export async function factsIn(
  { send, reloader }: Scene,
  observation: Observation,
  row: WorkloadKind,
  read: RawWorkload,
): Promise<Facts> {
  const raw = row.refersToTemplate ? await complete(send, read) : read;
  const { store, controllers, assembly } = observation;
  const { vocabularies } = store.settings;
  const seen = workloadOf(row, raw, vocabularies);
  const key = keyOf(seen.ref);
  const missing = missingOf(observation, key);
  await untilTrue(() => missing.every((config) => controllers.missingObjects.has(config)), MISSING_MS);
  const listed = store.workloads.get(key);
  // One moment: the status is that of the workload that was read.
  const record = listed && { ...listed, workload: seen };
  const isObserved = assembly.observed.streams.some(
    ({ isWorkload, kind }) => isWorkload && kind === row.kind,
  );
  const findings = isObserved ? controllers.findings.of(key) : vocabularies.mistakesOf(seen);
  const found = { row, raw, workload: seen, record, findings };
  return { ...found, unseen: [], leader: 'it is not asked', observation, reloader };
}

/** The facts; of what is out of date with what the leader says of it. */
export async function withLeader(scene: Scene, all: readonly Facts[]): Promise<readonly Facts[]> {
  const isLate = ({ observation: { store }, workload: { ref } }: Facts): boolean =>
    needsRollout(store, keyOf(ref));
  if (!all.some(isLate)) return all;
  const answer = await leaderOf(scene);
  return all.map((facts) => ({ ...facts, leader: answer(facts.workload.ref) }));
}

/** Answers what the leader says of a workload that is out of date. */
async function leaderOf({ send, reloader }: Scene): Promise<(ref: WorkloadRef) => Facts['leader']> {
  const { installation, leader: pod, options } = reloader;
  if (installation === undefined || pod === undefined) return () => 'which pod leads is not known';
  const { namespace } = installation;
  const what = `/status.json of Pod/${plain(pod)} in ${namespace}`;
  const path = `${objectPath(PODS, namespace, pod)}:${options.port}/proxy/status.json`;
  const reading = await readingOf(() => callJson<Partial<StatusReport>>(send, { method: 'GET', path }));
  if (reading.kind !== 'found') return () => `${what} ${problemOf(reading)} (get pods/proxy)`;
  const { workloads = [] } = reading.object;
  const rows = new Map(workloads.map((each) => [`${each.namespace} ${each.workload}`, each]));
  return (ref) => {
    const { waiting, state: own } = rows.get(`${ref.namespace} ${describe(ref)}`) ?? {};
    if (waiting === undefined) return `${what} does not say that it waits`;
    const state = STATES.find((each) => each === own);
    return { reason: plain(waiting.reason), message: plain(waiting.message), state };
  };
}

function missingOf({ store, assembly }: Observation, workload: string): readonly string[] {
  const followed = [...(store.workloads.get(workload)?.edges.keys() ?? [])];
  return followed.filter((config) => {
    const { kind } = configRefIn(config);
    const isListed = assembly.observed.reloader().gate.isSynced(namespaceIn(config), kind, 'refused');
    return store.configs.get(config)?.digest === undefined && isListed && !isMountedKind(kind);
  });
}
