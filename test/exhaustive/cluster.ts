/** The cluster: what people, owners and the Deployments' controller do, and the news of it. */

import type { ConfigObject } from '../../lib/model/config-object.ts';
import { type ConfigRef, keyOf, type WorkloadRef } from '../../lib/model/object-ref.ts';

import type { RolloutPlan } from '../../lib/model/rollout-plan.ts';
import { formatStamp } from '../../lib/model/stamp.ts';
import type { Workload } from '../../lib/model/workload.ts';
import {
  Broken,
  type Content,
  type Deployment,
  type Name,
  type News,
  type Pod,
  type Stream,
  type Template,
  type World,
} from './world.ts';

export const NAMESPACE = 'ns';
export const CONFIG: ConfigRef = { kind: 'ConfigMap', namespace: NAMESPACE, name: 'r' };
export const CONFIG_KEY: string = keyOf(CONFIG);
export const VARIABLE = '_RELOADER_CONFIGMAP_R';
export const FOLLOWS: Readonly<Record<string, string>> = { 'reloader.k8s.collaborne.com/configmap': 'r' };
const NOTHING: Readonly<Record<string, string>> = {};
const REFS: Readonly<Record<Name, WorkloadRef>> = {
  w1: { kind: 'Deployment', namespace: NAMESPACE, name: 'w1' },
  w2: { kind: 'Deployment', namespace: NAMESPACE, name: 'w2' },
};
const KEYS = { w1: keyOf(REFS.w1), w2: keyOf(REFS.w2) };
const REPLICAS = 2;

/** The key of a Deployment in the rules' maps. */
export function keyOfName(name: Name): string {
  return KEYS[name];
}

/** The Deployment that a key names. */
export function nameOfKey(key: string): Name {
  return key === KEYS.w1 ? 'w1' : 'w2';
}

/** The digest of a content. */
export function digestOfContent(content: Content): string {
  return content.repeat(40);
}

/** The content of a digest. */
export function contentOfDigest(digest: string | undefined): Content | undefined {
  return digest === undefined ? undefined : (digest.slice(0, 1) as Content);
}

/** The Deployment, which must exist. */
export function deploymentOf(world: World, name: Name): Deployment {
  const deployment = world.deployments[name];
  if (deployment === undefined) throw new Error(`no ${name}`);
  return deployment;
}

/** Whether two templates share a ReplicaSet. */
export function sameTemplate(a: Template, b: Template): boolean {
  return a.owner === b.owner && a.stamp === b.stamp;
}

/** Whether every pod is of the present template, and the controller has seen it. */
export function isRolledOut(deployment: Deployment): boolean {
  return (
    deployment.observedGeneration === deployment.generation &&
    deployment.pods.length === REPLICAS &&
    deployment.pods.every((pod) => sameTemplate(pod.template, deployment.template))
  );
}

/** The ConfigMap as it is read; undefined while it does not exist. */
export function configView(world: World): ConfigObject | undefined {
  if (world.content === undefined) return undefined;
  const resourceVersion = String(world.configVersion);
  const digest = digestOfContent(world.content);
  return { ref: CONFIG, uid: 'r', resourceVersion, digest, keyDigests: '', annotations: {} };
}

/** A Deployment as it is read. */
export function workloadView(world: World, name: Name): Workload {
  const deployment = deploymentOf(world, name);
  const { template, resourceVersion, generation, follows } = deployment;
  const stamps =
    template.stamp === undefined
      ? []
      : [{ container: 'main', variable: VARIABLE, value: template.stamp, index: 0 }];
  return {
    ref: REFS[name],
    uid: name,
    resourceVersion: String(resourceVersion),
    generation,
    replicas: 1,
    isRolledOut: isRolledOut(deployment),
    isComplete: isRolledOut(deployment),
    progress: 0,
    revision: undefined,
    progressDeadlineMs: 0,
    hold: undefined,
    declines: undefined,
    isCopy: false,
    isLeftAlone: false,
    isPaused: false,
    annotations: follows ? FOLLOWS : NOTHING,
    labels: NOTHING,
    templateAnnotations: {},
    unknownAnnotations: [],
    references: [],
    containers: ['main'],
    stamps,
    templateDigest: `t${template.owner}.`,
    lastManager: undefined,
  };
}

/** The content becomes `content`; undefined deletes the ConfigMap; the same again is an edit of its metadata. */
export function setContent(world: World, content: Content | undefined): void {
  world.clock += 1;
  world.configVersion = world.clock;
  world.content = content;
  if (content !== undefined) world.lastContent = content;
  const news = { name: 'r', object: configView(world), resourceVersion: world.clock, isOwners: true };
  tell([world.configs, world.former?.configs], news);
}

/** An owner writes another template. Pods that are left of it count as started now. */
export function setTemplate(world: World, name: Name, template: Template): void {
  const deployment = deploymentOf(world, name);
  changeTemplate(deployment, template);
  publish(world, name, 'its owner');
  const isSeen = isLooking(world);
  deployment.pods = deployment.pods.map((pod) =>
    sameTemplate(pod.template, template)
      ? { ...pod, at: world.clock, unseen: isSeen ? pod.unseen : 'yes' }
      : pod,
  );
}

/**
 * The workload begins or ceases to follow the ConfigMap: what its pods run when it begins is by definition up to date; of
 * an object that is not there they run nothing yet.
 */
export function setFollows(world: World, name: Name, follows: boolean): void {
  const deployment = deploymentOf(world, name);
  deployment.follows = follows;
  publish(world, name, 'its owner');
  if (!follows) return;
  deployment.pods = deployment.pods.map((pod) => ({
    ...pod,
    counts: world.content,
    at: world.clock,
    unseen: isLooking(world) ? 'no' : 'yes',
  }));
}

/** A Deployment comes into being. */
export function appear(world: World, name: Name, stamp: string | undefined): void {
  const template = { owner: 0, stamp };
  world.deployments[name] = {
    resourceVersion: 0,
    generation: 1,
    observedGeneration: 0,
    template,
    former: template,
    follows: true,
    pods: [],
  };
  publish(world, name, 'its owner');
}

/** The Deployment's controller sees the present template and replaces, or starts, one pod. */
export function rolloutStep(world: World, name: Name): void {
  const deployment = deploymentOf(world, name);
  deployment.observedGeneration = deployment.generation;
  const index =
    deployment.pods.length < REPLICAS
      ? deployment.pods.length
      : deployment.pods.findIndex((pod) => !sameTemplate(pod.template, deployment.template));
  publish(world, name, 'its controller', () => {
    if (index >= 0)
      deployment.pods = deployment.pods.toSpliced(index, 1, startPod(world, deployment.template));
  });
}

/** The API server carries out a patch that its fence lets through; answers what it made. */
export function carryOut(world: World, name: Name, plan: RolloutPlan): Workload {
  const deployment = deploymentOf(world, name);
  const stamp = plan.stamps[0];
  if (stamp === undefined) throw new Broken('a patch without a stamp');
  const template = { owner: deployment.template.owner, stamp: formatStamp(stamp.stamp) };
  changeTemplate(deployment, template);
  return publish(world, name, 'the reloader');
}

/** Whether a patch's fence lets it through. */
export function isFresh(world: World, name: Name, plan: RolloutPlan): boolean {
  const { generation } = deploymentOf(world, name);
  return plan.operations.some(
    (test) => test.path === '/metadata/generation' && test.op === 'test' && test.value === generation,
  );
}

/** Whether a process has listed everything. */
export function isLooking(world: World): boolean {
  return world.process !== undefined && world.configs.hasListed && world.workloads.hasListed;
}

function changeTemplate(deployment: Deployment, template: Template): void {
  deployment.former = deployment.template;
  deployment.template = template;
  deployment.generation += 1;
}

function startPod(world: World, template: Template): Pod {
  const { content, clock } = world;
  return { template, read: content, counts: content, at: clock, unseen: isLooking(world) ? 'no' : 'yes' };
}

/** A patch of the reloader that acts is to every other one a write of somebody else. */
function publish(
  world: World,
  name: Name,
  writer: 'its owner' | 'its controller' | 'the reloader',
  first?: () => void,
): Workload {
  world.clock += 1;
  deploymentOf(world, name).resourceVersion = world.clock;
  first?.();
  const object = workloadView(world, name);
  const news = { name, object, resourceVersion: world.clock };
  tell([world.workloads], { ...news, isOwners: writer === 'its owner' });
  const others = [world.former?.workloads];
  tell(others, { ...news, isOwners: writer !== 'its controller' });
  return object;
}

function tell<T>(streams: readonly (Stream<T> | undefined)[], news: News<T>): void {
  for (const stream of streams) if (stream?.hasListed === true) stream.queue = [...stream.queue, news];
}
