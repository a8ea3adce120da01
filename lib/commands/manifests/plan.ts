/** `reloader plan`: which workloads would be rolled if manifests were applied. */

import { isDeepStrictEqual } from 'node:util';
import { collectionPath } from '../../kubernetes/api-path.ts';
import type { Send } from '../../kubernetes/transport.ts';
import { configKindOf, keyOf, type ObjectKey, wholeOf, workloadRefIn } from '../../model/object-ref.ts';
import type { Reading } from '../../model/outcome.ts';
import type { RawConfigObject, RawObject } from '../../model/raw-objects.ts';
import { findWorkloadKind } from '../../model/workload-kind.ts';
import { meets } from '../../options/labels.ts';
import { CommandError } from '../connect.ts';
import type { Cause } from '../explain/cause.ts';
import { notSelected, notWatched, RELOADER_RULES, unwatchedBecause } from '../explain/causes-of-setting.ts';
import { allFollowed, type Followed } from '../explain/causes-of-workload.ts';
import { doubtsOf, podsOf, shownReloader, unrecorded, whatIsUnknown } from '../explain/explanation.ts';
import { assertAnswered, type InstalledReloader, problemOf, watches } from '../installed-reloader.ts';
import { type Observation, type Unread, untilTrue } from '../observation.ts';
import { readObject } from '../reads.ts';
import { commonLacks, rightsKeyOf } from '../reloader-rights.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { observeFor, openScene, type Scene } from '../scene.ts';
import { WatchFeed } from '../watch-feed.ts';
import { changedKeys } from './apply.ts';
import { changedByOthers } from './custom-objects.ts';
import { DIRECTIVE, type Manifest } from './documents.ts';
import { type Applied, appliedIn } from './dropped.ts';
import { clusterOf, type ServedObject, type ServedRow, servedIn } from './manifest-cluster.ts';
import { isGenerated, noObjectIn, notApplied, readManifests, refuse, twinsIn } from './manifests.ts';
import {
  ASSUMED,
  asFoundAtStart,
  deniedSince,
  doneBy,
  openWaits,
  outdatedIn,
  type Plan,
  type PlannedObject,
  racesIn,
  rolloutsOf,
  stampedIn,
  unsettledIn,
  withdrawnIn,
} from './plan-answer.ts';
import { planMarkdown, planText } from './plan-text.ts';

const SOMETHING = 2;

/** Runs the command. */
export async function runPlan(context: CommandContext): Promise<Answered> {
  const { flags, settings, terminal } = context;
  const { file: places = [], against, namespace = 'default' } = flags;
  const manifests = await readManifests(places);
  if (manifests.length === 0) throw noObjectIn(places);
  const other = manifests.find((each) => ![undefined, namespace].includes(each.object.metadata.namespace));
  if (other && against === undefined && flags.namespace !== undefined) {
    const says = `${other.kind}/${other.object.metadata.name} is in ${other.object.metadata.namespace}`;
    throw new CommandError(`-n is ${namespace}, but ${says}`, 'usage');
  }
  const created = manifests.flatMap(({ kind, object }) =>
    kind === 'Namespace' ? [object.metadata.name] : [],
  );
  const answer =
    against === undefined
      ? await plan(await openScene(context, (own) => placesOf(manifests, own), created), manifests)
      : await planAgainst(manifests, await readManifests([against]), namespace, settings);
  const text = (): string =>
    flags.output === 'markdown' ? planMarkdown(answer) : planText(answer, terminal.paint);
  const done = answer.rollouts.length === 0 ? 0 : SOMETHING;
  const code = answer.causes.some(({ rule }) => rule === 'refused') ? 1 : done;
  return { answer, text, unknown: answer.unknown, code };
}

/** The plan between two sets of manifests; what the new one lacks is deleted. */
export async function planAgainst(
  manifests: readonly Manifest[],
  former: readonly Manifest[],
  namespace: string,
  settings: readonly string[],
): Promise<Plan> {
  const places = placesOf([...former, ...manifests], namespace);
  return await plan(await clusterOf(former, { namespace, places, settings }), manifests, former);
}

/** The namespaces that manifests are about; `own` is that of objects without one. */
export function placesOf(manifests: readonly Manifest[], own: string): readonly string[] {
  const places = manifests.flatMap(({ kind, object: { metadata } }) => {
    if (kind === 'Namespace') return [metadata.name];
    const isServed = configKindOf(kind) ?? findWorkloadKind(kind);
    return metadata.namespace ?? (isServed ? [own] : []);
  });
  return places.length === 0 ? [own] : [...new Set(places)];
}

/** One object that changes, before and after. */
export interface Step {
  readonly row: ServedRow;
  /** `after`, or if it is deleted, `before`. */
  readonly object: RawObject;
  readonly before: RawObject | undefined;
  readonly after: RawObject | undefined;
  readonly change: PlannedObject['change'];
}

/** The plan; what `former` alone has is deleted. @throws CommandError if two of one set differ */
export async function plan(
  scene: Scene,
  manifests: readonly Manifest[],
  former?: readonly Manifest[],
): Promise<Plan> {
  for (const all of [former ?? [], manifests]) twinsIn(all, scene.namespace).forEach(refuse);
  if (former !== undefined) return await planOf(scene, manifests, former);
  const { causes, ...answer } = await planOf(
    scene,
    manifests.filter((each) => !isGenerated(each)),
  );
  return { ...answer, causes: [...causes, ...manifests.filter(isGenerated).map(notApplied)] };
}

async function planOf(
  scene: Scene,
  manifests: readonly Manifest[],
  former?: readonly Manifest[],
): Promise<Plan> {
  const isCluster = former === undefined;
  const { send, namespace, reloader } = scene;
  const feed = new WatchFeed();
  const wanted = wantedIn(scene, former ?? [], manifests);
  const places = placesOf([...(former ?? []), ...manifests], namespace);
  const namespaces = isCluster ? places : undefined;
  const observation = await observeFor(scene, namespaces, feed);
  const { store, controllers, isServed } = observation;
  const { applied, mayGo } = appliedIn(store, reloader, !isCluster);
  const read = wanted.filter((each) => isRead(scene, observation, each));
  const { steps, refused, unread } = await stepsOf(send, read, applied);
  const serves = (each: string): boolean => watches(reloader, each) && store.isSelected(each);
  const before = outdatedIn(controllers, serves, reloader.now);
  const stamped = stampedIn(controllers, reloader.now);
  const were = allFollowed(observation).filter(({ workload }) => watches(reloader, workload.ref.namespace));
  const doubted = isCluster ? were.filter((each) => isDoubted(observation, each)) : [];
  await applyIn(feed, steps, namespaces, reloader);
  if (isCluster) asFoundAtStart(scene, observation);
  const objects = steps.flatMap(plannedObject);
  const due = rolloutsOf(controllers, reloader, { serves, before, stamped, objects });
  const known = causesOf(scene, observation, places, steps);
  const { rollouts, causes, unknown } = doneBy(reloader, observation, due, known);
  const after = outdatedIn(controllers, serves, reloader.now);
  const outdated = [...before.keys()].filter((key) => after.has(key));
  const answer: Plan = {
    assumes: ASSUMED,
    reloader: shownReloader(reloader),
    causes: [...causes, ...deniedSince(were, steps, observation), ...refused],
    objects,
    rollouts,
    pending: isServed ? outdated.map(workloadRefIn) : [],
    withdrawn: isServed ? withdrawnIn(before, after, serves) : [],
    unknown: [
      ...unknown,
      ...unknownOf(scene, observation, wanted, steps, { objects, rollouts, outdated, unread }),
      ...unrecordedOf(doubted, steps, isServed ? [] : outdated),
      ...unsettledIn(observation, were, objects),
      ...(await openWaits(scene, observation, rollouts)),
      ...(await changedByOthers(scene, observation, steps, [manifests, former])),
      ...mayGo,
    ],
  };
  await observation.end();
  return answer;
}

function isRead({ reloader }: Scene, { assembly }: Observation, { row, object }: Wanted): boolean {
  const { stream } = row;
  const ignored: readonly string[] = reloader.options.ignoredConfigResourceTypes;
  return ignored.includes(stream) || assembly.observed.reloader().gate.lists(stream, namespaceOf(object));
}

function isDoubted(observation: Observation, each: Followed): boolean {
  return observation.state.is !== 'unknown' && each.verdict.asks && podsOf(observation, each) === 'unknown';
}

function unrecordedOf(
  doubted: readonly Followed[],
  steps: readonly Step[],
  outdated: readonly ObjectKey[],
): readonly string[] {
  const all = new Set([...steps.map(keyOfStep), ...outdated]);
  const concerned = doubted.filter(({ workload, config: { ref } }) =>
    [workload.ref, wholeOf(ref)].some((each) => all.has(keyOf(each))),
  );
  return unrecorded(concerned.map(({ config: { ref: object } }) => ({ object }))).map(
    (each) => `${each} is not recorded`,
  );
}

function causesOf(
  { reloader }: Scene,
  observation: Observation,
  places: readonly string[],
  steps: readonly Step[],
): readonly Cause[] {
  if (reloader.unknown.length > 0) return [];
  const watched = places.filter((each) => watches(reloader, each));
  return [
    ...places.map((each) => notWatched(reloader, each)),
    ...RELOADER_RULES.map((rule) => rule({ reloader })),
    ...watched.map((each) => notSelected(reloader, observation, each)),
    ...steps.map(({ row, after }) => after && unseen(reloader, row, after)),
    ...commonLacks(reloader),
  ].filter((cause) => cause !== undefined);
}

function unseen(reloader: InstalledReloader, row: ServedRow, object: RawConfigObject): Cause | undefined {
  const kind = configKindOf(row.stream);
  const { name, namespace = '' } = object.metadata;
  return kind && unwatchedBecause(reloader, { kind, namespace, name }, object)[0];
}

function refusedIn({ row, before, after }: Step): readonly Cause[] {
  if (before === undefined || after === undefined) return [];
  const [was = {}, is = {}]: readonly Partial<RawConfigObject>[] = [before, after];
  const about = `${row.kind}/${after.metadata.name}`;
  const isKept = is.immutable === true && changedKeys(before, after).length === 0;
  const isTyped = row.kind === 'Secret' && (was.type || 'Opaque') !== (is.type || 'Opaque');
  const why = isTyped ? `keeps its type ${was.type}` : 'is immutable';
  const says = `${about} ${why}: the API server refuses the change`;
  return isTyped || (was.immutable === true && !isKept) ? [{ rule: 'refused', about, says }] : [];
}

/** The step as the streams show it, whose selectors leave objects out. */
function seenBy(reloader: InstalledReloader, { row, ...step }: Step): readonly Step[] {
  const { namespaceSelector: selector } = reloader.options;
  const [before, after] = [step.before, step.after].map((object) => {
    if (object === undefined || unseen(reloader, row, object) !== undefined) return undefined;
    const isOut = row.stream === 'Namespace' && selector && !meets(object.metadata.labels ?? {}, selector);
    return isOut ? undefined : object;
  });
  return stepsFrom(row, before, after);
}

function keyOfStep({ row, object }: Step): ObjectKey {
  return keyOf({ kind: row.stream, namespace: namespaceOf(object), name: object.metadata.name });
}

function stepsFrom(
  row: ServedRow,
  before: RawObject | undefined,
  after: RawObject | undefined,
): readonly Step[] {
  const object = after ?? before;
  if (object === undefined || isDeepStrictEqual(before, after)) return [];
  const change = after === undefined ? 'deleted' : before === undefined ? 'created' : 'changed';
  return [{ row, object, before, after, change }];
}

function unknownOf(
  scene: Scene,
  observation: Observation,
  wanted: readonly Wanted[],
  steps: readonly Step[],
  found: Pick<Plan, 'objects' | 'rollouts'> & Readonly<{ outdated: string[]; unread: readonly Unread[] }>,
): readonly string[] {
  const { objects, rollouts, outdated, unread } = found;
  const { reloader, doubts = [] } = scene;
  const isWatched = (each: string): boolean => watches(reloader, each);
  const kinds = rollouts.flatMap((each) => [
    rightsKeyOf(observation.store, each.workload),
    ...each.objects.map(({ kind }) => kind),
  ]);
  const changed = steps.filter(({ object }) => isWatched(namespaceOf(object)));
  // What pods run counts for rollouts, and for what is out of date already.
  const affected = rollouts.length + outdated.length;
  const asksState = affected > 0 || changed.some(({ row }) => findWorkloadKind(row.stream));
  const unknown = asksState ? whatIsUnknown({ reloader, observation }, kinds) : doubtsOf(reloader);
  const isMeant = (place: string | undefined, own: string): boolean =>
    [undefined, own].includes(place) && isWatched(own);
  const concerned = [...observation.unread, ...unread].filter(
    ({ kind, namespace }) =>
      (kind === 'Namespace' && changed.length > 0) ||
      wanted.some(({ row, object }) => row.stream === kind && isMeant(namespace, namespaceOf(object))) ||
      (findWorkloadKind(kind) && objects.some(({ object }) => isMeant(namespace, object.namespace))),
  );
  return [
    ...(steps.length + affected === 0 ? [] : unknown),
    ...(observation.store.workloads.size === 0 ? doubts : []),
    ...concerned.map(({ says }) => says),
    ...racesIn(reloader, steps.map(keyOfStep), rollouts),
  ];
}

function namespaceOf({ metadata: { namespace = '' } }: RawObject): string {
  return namespace;
}

/** An object that is applied, or else deleted. */
type Wanted = ServedObject & { readonly isKept: boolean };

function wantedIn({ reloader, namespace }: Scene, ...sets: readonly (readonly Manifest[])[]): Wanted[] {
  return sets.flatMap((all, index) =>
    servedIn(all, reloader.options, namespace).map((each) => ({ ...each, isKept: index > 0 })),
  );
}

/** Why it is unknown what an object becomes. @throws CommandError */
function unknownBy(reading: Reading<RawObject>, object: RawObject): string | undefined {
  assertAnswered(reading);
  if (reading.kind === 'failed') return problemOf(reading);
  const directive = DIRECTIVE.exec(JSON.stringify([object, reading]));
  return directive === null ? undefined : `it has the directive ${directive}`;
}

async function stepsOf(
  send: Send,
  wanted: readonly Wanted[],
  applied: Applied,
): Promise<Readonly<{ steps: Step[]; refused: Cause[]; unread: Unread[] }>> {
  const steps: Step[] = [];
  const unread: Unread[] = [];
  const idOf = ({ row, object: { metadata } }: Wanted): string =>
    `${row.resource} ${metadata.namespace}/${metadata.name}`;
  // Of two with one name the last one counts, in its place.
  const last = new Map(wanted.map((each) => [idOf(each), each]));
  for (const { row, object, isKept } of wanted.filter((each) => last.get(idOf(each)) === each)) {
    const { namespace, name } = object.metadata;
    const reading = await readObject(send, row, namespace, name);
    const why = unknownBy(reading, object);
    if (why !== undefined) {
      unread.push({ kind: row.stream, namespace, says: `${row.kind}/${name}: ${why}` });
      continue;
    }
    const before = reading.kind === 'found' ? reading.object : undefined;
    const created = { uid: `new-${namespace}-${name}`, generation: 1, ...object.metadata };
    const after = before ? applied(before, object, row) : { ...object, metadata: created };
    steps.push(...stepsFrom(row, before, isKept ? after : undefined));
  }
  const accepted = steps.filter((step) => refusedIn(step).length === 0);
  return { steps: accepted, refused: steps.flatMap(refusedIn), unread };
}

const EVENTS = { created: 'ADDED', changed: 'MODIFIED', deleted: 'DELETED' } as const;

/** In the order of the documents, as kubectl does. */
async function applyIn(
  feed: WatchFeed,
  all: readonly Step[],
  namespaces: readonly string[] | undefined,
  reloader: InstalledReloader,
): Promise<void> {
  const steps = all.flatMap((step) => seenBy(reloader, step));
  const isObject = ({ row }: Step): boolean => configKindOf(row.kind) !== undefined;
  for (const [index, step] of steps.entries()) {
    const { row, object, change } = step;
    feed.push(collectionPath(row, namespaces && object.metadata.namespace), EVENTS[change], object);
    const next = steps[index + 1];
    if (next !== undefined && isObject(next) === isObject(step)) continue;
    if (!(await untilTrue(() => feed.isDrained)))
      throw new CommandError('a change was not observed in time', 'timed-out');
  }
}

function plannedObject({ row, object, before, after, change }: Step): readonly PlannedObject[] {
  const keys = changedKeys(before, after);
  const { name, namespace = '' } = object.metadata;
  const kind = configKindOf(row.kind);
  if (kind === undefined || (keys.length === 0 && change === 'changed')) return [];
  return [{ object: { kind, namespace, name }, change, keys }];
}
