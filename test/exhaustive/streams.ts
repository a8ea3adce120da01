/** The two streams of a process: what lists and news tell the rules, and when. */

import { keyOf } from '../../lib/model/object-ref.ts';
import { observeConfig } from '../../lib/tracking/observe-config.ts';
import { observeWorkload } from '../../lib/tracking/observe-workload.ts';
import { CONFIG_KEY, configView, keyOfName, workloadView } from './cluster.ts';
import { supersedeMeanwhile, supersedeUnseen } from './limits.ts';
import { apply, kick, processOf } from './process.ts';
import { timeOf } from './time.ts';
import { NAMES, type World } from './world.ts';

/** The ConfigMaps are listed: for the first time, or again after the watch was cut. */
export function listConfigs(world: World): void {
  const { configs } = world;
  const { store } = processOf(world);
  const object = configView(world);
  const isFirst = !configs.hasListed;
  configs.queue = [];
  if (object !== undefined && store.configs.get(CONFIG_KEY)?.resourceVersion !== object.resourceVersion) {
    const span = timeOf(world, (timeline) => timeline.ofListed(object.resourceVersion, configs.sign));
    const flags = { isInInitialList: isFirst, isRelisted: !isFirst };
    apply(world, observeConfig(store, { type: 'present', key: CONFIG_KEY, object, span, ...flags }));
  } else if (object === undefined && store.configs.get(CONFIG_KEY)?.digest !== undefined) {
    const span = timeOf(world, (timeline) => timeline.ofListed(String(world.clock), configs.sign));
    apply(world, observeConfig(store, { type: 'absent', key: CONFIG_KEY, span }));
  }
  configs.sign = timeOf(world, (timeline) => timeline.sign(String(world.clock)));
  configs.hasListed = true;
  apply(world, observeConfig(store, { type: 'synced' }));
  if (isFirst) supersedeUnseen(world);
  synced(world, isFirst);
}

/** The Deployments are listed: for the first time, or again after the watch was cut. */
export function listWorkloads(world: World): void {
  const { workloads } = world;
  const isFirst = !workloads.hasListed;
  workloads.queue = [];
  for (const name of NAMES) {
    if (world.deployments[name] === undefined) continue;
    const object = workloadView(world, name);
    const span = timeOf(world, (timeline) => timeline.ofListed(object.resourceVersion, workloads.sign));
    const flags = { isInInitialList: isFirst, isRelisted: !isFirst };
    const event = { type: 'present', key: keyOfName(name), object, span, ...flags } as const;
    apply(world, observeWorkload(processOf(world).store, event));
  }
  workloads.sign = timeOf(world, (timeline) => timeline.sign(String(world.clock)));
  workloads.hasListed = true;
  synced(world, isFirst);
}

/** The next news of the ConfigMap arrive. */
export function hearConfig(world: World): void {
  const { configs } = world;
  const [news, ...rest] = configs.queue;
  if (news === undefined) return;
  configs.queue = rest;
  const { object, resourceVersion } = news;
  const span = timeOf(world, (timeline) => timeline.ofWrite(String(resourceVersion), configs.sign));
  const { store } = processOf(world);
  if (object === undefined) {
    apply(world, observeConfig(store, { type: 'absent', key: CONFIG_KEY, span }));
  } else {
    const flags = { isInInitialList: false, isRelisted: false };
    apply(world, observeConfig(store, { type: 'present', key: CONFIG_KEY, object, span, ...flags }));
  }
  configs.sign = timeOf(world, (timeline) => timeline.sign(String(resourceVersion)));
}

/** The next news of a Deployment arrive. */
export function hearWorkload(world: World): void {
  const { workloads } = world;
  const [news, ...rest] = workloads.queue;
  if (news?.object === undefined) return;
  workloads.queue = rest;
  const { object, resourceVersion } = news;
  const span = timeOf(world, (timeline) => timeline.ofWrite(String(resourceVersion), workloads.sign));
  const flags = { isInInitialList: false, isRelisted: false };
  const event = { type: 'present', key: keyOf(object.ref), object, span, ...flags } as const;
  apply(world, observeWorkload(processOf(world).store, event));
  workloads.sign = timeOf(world, (timeline) => timeline.sign(String(resourceVersion)));
}

function synced(world: World, isFirst: boolean): void {
  const process = processOf(world);
  if (process.store.dependents.of(CONFIG_KEY).size > 0) process.isChanged = true;
  kick(world);
  if (isFirst && world.configs.hasListed && world.workloads.hasListed) supersedeMeanwhile(world);
}
