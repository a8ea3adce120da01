/** `reloader plan`: which workloads would be rolled if manifests were applied, to the cluster or to another set of manifests. */

import { isDeepStrictEqual } from 'node:util';
import { collectionPath } from '../../kubernetes/api-path.ts';
import { configKindOf } from '../../model/object-ref.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import { connect } from '../connect.ts';
import { reloaderText } from '../explain/explanation.ts';
import { findReloader, problemOf, unreachable } from '../installed-reloader.ts';
import type { Unread } from '../observation.ts';
import { readObject } from '../reads.ts';
import type { CommandContext } from '../run-command.ts';
import { moment, observeFor, type Scene } from '../scene.ts';
import { formatted, withProgress } from '../terminal.ts';
import { WatchFeed } from '../watch-feed.ts';
import { appliedTo, changedKeys } from './apply.ts';
import { clusterOf, completed, rowOf, type ServedRow, servedRows } from './manifest-cluster.ts';
import { type Manifest, readManifests } from './manifests.ts';
import { outdatedIn, type Plan, type PlannedObject, pendingOf, rolloutsOf } from './plan-answer.ts';
import { planMarkdown, planText } from './plan-text.ts';
import { timingsOf } from './plan-timing.ts';

/** The exit code if something would be rolled. */
const SOMETHING = 2;

/** Runs the command. */
export async function runPlan({ flags, settings, env, terminal }: CommandContext): Promise<number> {
  const { file: places = [], against } = flags;
  const manifests = readManifests(places);
  const answer = await withProgress(terminal, `comparing ${manifests.length} objects …`, async () => {
    if (against !== undefined)
      return await planAgainst(manifests, readManifests([against]), flags.namespace ?? 'default', settings);
    const { send, namespace } = connect(flags, env);
    const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
    return await plan({ send, namespace, reloader, isEverywhere: false }, manifests, []);
  });
  const text = (): string => planText(answer, terminal.paint);
  await terminal.write(
    flags.output === 'markdown' ? planMarkdown(answer) : formatted(flags.output, answer, text),
  );
  return answer.rollouts.length === 0 ? 0 : SOMETHING;
}

/** The plan between two sets of manifests; what the new one lacks is deleted. */
export async function planAgainst(
  manifests: readonly Manifest[],
  former: readonly Manifest[],
  namespace: string,
  settings: readonly string[],
): Promise<Plan> {
  const scene = await clusterOf(former, { namespace, settings });
  return await plan({ ...scene, isEverywhere: true }, manifests, former);
}

/** Where something is applied. */
interface Target extends Scene {
  readonly isEverywhere: boolean;
}

/** One object before and after. */
interface Step {
  readonly row: ServedRow;
  readonly before: RawObject | undefined;
  /** Undefined: it is deleted. */
  readonly after: RawObject | undefined;
}

/** The plan; those of `former` that are not among the manifests are deleted. */
export async function plan(
  target: Target,
  manifests: readonly Manifest[],
  former: readonly Manifest[],
): Promise<Plan> {
  const { namespace, reloader } = target;
  const feed = new WatchFeed();
  const own = manifests.map(({ object }) => object.metadata.namespace ?? namespace);
  const namespaces = target.isEverywhere ? undefined : [...new Set([namespace, ...own])];
  const observation = await observeFor(target, namespaces, feed);
  const { store } = observation;
  const { isStampVariable } = store.settings.vocabularies;
  const { steps, unread } = await stepsOf(target, manifests, former, isStampVariable);
  const before = outdatedIn(store);
  // Objects first, as kubectl and Helm do: a template that changes after them reads what is new.
  for (const isObject of [true, false]) {
    for (const step of steps)
      if (isObject === (configKindOf(step.row.kind) !== undefined)) pushTo(feed, step, namespaces);
    await feed.drained();
  }
  const objects = steps.flatMap(plannedObject);
  const timings = timingsOf(observation.reloader, reloader.options, moment());
  const rollouts = rolloutsOf(store, before, objects, timings);
  void observation.end();
  return {
    reloader: reloaderText({ reloader }),
    objects,
    rollouts,
    pending: pendingOf(before),
    unread: [...observation.unread, ...unread],
  };
}

/** An object that is applied, or (if it is not kept) deleted. */
interface Wanted {
  readonly row: ServedRow;
  readonly object: RawObject;
  readonly isKept: boolean;
}

async function stepsOf(
  { send, namespace, reloader }: Target,
  manifests: readonly Manifest[],
  former: readonly Manifest[],
  isStamp: (variable: string) => boolean,
): Promise<{ readonly steps: readonly Step[]; readonly unread: readonly Unread[] }> {
  const rows = servedRows(reloader.options);
  const wanted = [...wantedOf(former, rows, namespace, false), ...wantedOf(manifests, rows, namespace, true)];
  const steps: Step[] = [];
  const unread: Unread[] = [];
  // Of two with one name the last one counts: a manifest comes after the former one.
  for (const { row, object, isKept } of new Map(wanted.map((each) => [idOf(each), each])).values()) {
    const { namespace: own = '', name } = object.metadata;
    const reading = await readObject(send, row, own, name);
    if (reading.kind === 'failed') {
      if (reading.isForbidden !== true) throw unreachable(reading);
      unread.push({ kind: row.kind, what: `${row.kind}/${name}`, why: problemOf(reading) });
      continue;
    }
    const before = reading.kind === 'found' ? reading.object : undefined;
    const after = before === undefined ? asNew(object) : appliedTo(before, object, isStamp);
    steps.push({ row, before, after: isKept ? after : undefined });
  }
  return { steps, unread };
}

function wantedOf(
  manifests: readonly Manifest[],
  rows: readonly ServedRow[],
  namespace: string,
  isKept: boolean,
): readonly Wanted[] {
  return manifests.flatMap((manifest) => {
    const row = rowOf(rows, manifest);
    return row === undefined ? [] : [{ row, object: completed(manifest.object, namespace), isKept }];
  });
}

function idOf({ row, object: { metadata } }: Wanted): string {
  return `${row.resource} ${metadata.namespace}/${metadata.name}`;
}

function asNew(object: RawObject): RawObject {
  const { namespace, name } = object.metadata;
  return { ...object, metadata: { uid: `new-${namespace}-${name}`, generation: 1, ...object.metadata } };
}

function pushTo(feed: WatchFeed, step: Step, namespaces: readonly string[] | undefined): void {
  const { row, before, after } = step;
  const object = after ?? before;
  if (object === undefined || isDeepStrictEqual(before, after)) return;
  const path = collectionPath(row, namespaces === undefined ? undefined : object.metadata.namespace);
  feed.push(path, after === undefined ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED', object);
}

/** An object whose content changes. */
function plannedObject({ row, before, after }: Step): readonly PlannedObject[] {
  const keys = changedKeys(before, after);
  const { name, namespace = '' } = (after ?? before)?.metadata ?? { name: '' };
  const change = after === undefined ? 'deleted' : before === undefined ? 'created' : 'changed';
  if (configKindOf(row.kind) === undefined || (keys.length === 0 && change === 'changed')) return [];
  return [{ object: `${row.kind}/${name}`, namespace, change, keys }];
}
