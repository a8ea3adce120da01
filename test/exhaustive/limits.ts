/**
 * The limits of the model: what a reloader cannot know after it died. Each changes what pods count as having read, so that
 * only what no process could know is forgiven, and nothing after it.
 */

import { type RunningDigest, recover, UNKNOWN } from '../../lib/model/edge.ts';
import { carries } from '../../lib/model/rollout-plan.ts';
import { parseStamp } from '../../lib/model/stamp.ts';
import { markOfFollower } from '../../lib/model/state-entry.ts';
import { CONFIG, CONFIG_KEY, contentOfDigest, deploymentOf, keyOfName, workloadView } from './cluster.ts';
import { type Content, NAMES, type Name, type Pod, type World } from './world.ts';

/** The process is about to die: what dies with it is forgiven. */
export function passAway(world: World): void {
  for (const name of NAMES) {
    changePods(world, name, (pod) => (pod.unseen === 'listed' ? { ...pod, unseen: 'yes' } : pod));
    if (world.deployments[name]?.follows !== true) continue;
    forgiveUnheard(world, name);
    forgiveDirty(world, name);
    forgiveUnwritten(world, name);
  }
}

/**
 * The ConfigMaps are listed for the first time: what started or began unseen and was superseded before never existed for
 * the reloader. What was superseded by the deletion of the ConfigMap counts as what the start believes, a copied stamp
 * that speaks included.
 */
export function supersedeUnseen(world: World): void {
  for (const name of NAMES) {
    if (world.deployments[name] === undefined) continue;
    const runningDigest = contentOfDigest(believedIfDead(world, name));
    changePods(world, name, (pod) => {
      if (pod.unseen === 'no') return pod;
      const counts = world.content ?? (pod.counts === undefined ? undefined : runningDigest);
      return { ...pod, counts, unseen: 'listed' };
    });
  }
}

/**
 * Everything is listed: the same for what started between the lists. Where the state has no entry this is the baseline:
 * all pods count as up to date with what is observed.
 */
export function supersedeMeanwhile(world: World): void {
  const store = world.process?.store;
  const hasEntry = store?.persisted.entryOf(CONFIG) !== undefined;
  const observed = contentOfDigest(store?.configs.get(CONFIG_KEY)?.lastDigest);
  for (const name of NAMES) {
    changePods(world, name, (pod) => {
      if (!hasEntry) return { ...pod, counts: observed ?? pod.counts, unseen: 'no' };
      const counts = pod.unseen === 'yes' ? (world.content ?? pod.counts) : pod.counts;
      return { ...pod, counts, unseen: 'no' };
    });
  }
}

/**
 * A workload that begins to follow while the object is not there has read nothing of it: the first content that the
 * process sees once it knows of the beginning is the baseline.
 */
export function takeFirst(world: World): void {
  const store = world.process?.store;
  const observed = contentOfDigest(store?.configs.get(CONFIG_KEY)?.digest);
  if (observed === undefined) return;
  for (const name of NAMES) {
    const isOnItsWay = world.workloads.queue.some((news) => news.name === name);
    if (isOnItsWay || store?.workloads.get(keyOfName(name))?.edges.has(CONFIG_KEY) !== true) continue;
    changePods(world, name, (pod) => (pod.counts === undefined ? { ...pod, counts: observed } : pod));
  }
}

/**
 * News not delivered when the process died count as its absence: what started since the first of them is unseen. So does
 * an answer: of a patch that was in force without the process knowing, what started since.
 */
function forgiveUnheard(world: World, name: Name): void {
  const record = world.process?.store.workloads.get(keyOfName(name));
  const config = world.configs.queue[0];
  const workload = world.workloads.queue.find(
    (news) => news.name === name && (news.isOwners || record?.inFlight !== undefined),
  );
  forgetSince(
    world,
    name,
    Math.min(config?.resourceVersion ?? Infinity, workload?.resourceVersion ?? Infinity),
  );
}

/** An edge that was unknown but neither patched nor recorded: its pods count as having read what the state says. */
function forgiveDirty(world: World, name: Name): void {
  const record = world.process?.store.workloads.get(keyOfName(name));
  const edge = record?.edges.get(CONFIG_KEY);
  if (edge?.runningDigest !== UNKNOWN) return;
  const isPatched = record?.inFlight !== undefined && carries(workloadView(world, name), record.inFlight);
  const believed = believedIfDead(world, name);
  if (isPatched || believed === UNKNOWN || believed === undefined) return;
  const counts = contentOfDigest(believed);
  changePods(world, name, (pod) => ({ ...pod, counts }));
}

/** What had to be written at once, and was not yet in force, was never known. */
function forgiveUnwritten(world: World, name: Name): void {
  const { process } = world;
  const edge = process?.store.workloads.get(keyOfName(name))?.edges.get(CONFIG_KEY);
  if (process === undefined || edge === undefined) return;
  const isUnwritten = process.isChanged || process.write !== undefined;
  const believed = believedIfDead(world, name);
  if (isUnwritten && believed !== UNKNOWN && believed !== edge.runningDigest)
    forgetSince(world, name, Number.NEGATIVE_INFINITY);
}

function believedIfDead(world: World, name: Name): RunningDigest | undefined {
  const store = world.process?.store;
  if (store === undefined) return undefined;
  const entry = world.stored.entries.get(store.persisted.entryKeyOf(CONFIG));
  const mark = entry && markOfFollower(entry, workloadView(world, name).ref);
  const stamp = parseStamp(deploymentOf(world, name).template.stamp);
  return recover(entry, mark, stamp);
}

function forgetSince(world: World, name: Name, since: number): void {
  changePods(world, name, (pod) => (pod.at >= since ? { ...pod, unseen: 'yes' } : pod));
}

function changePods(world: World, name: Name, change: (pod: Pod) => Pod): void {
  const deployment = world.deployments[name];
  if (deployment !== undefined) deployment.pods = deployment.pods.map(change);
}

/** For the judge: a pod may keep running if it read, or counts as having read, what is in force. */
export function isUpToDate(pod: Pod, content: Content | undefined): boolean {
  return content === undefined || pod.read === content || pod.counts === content;
}
