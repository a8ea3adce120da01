/** How the histories of the end-to-end tests have to end. */

import assert from 'node:assert/strict';
import { digestIn, type ReloaderProcess } from '../integration/reloader-process.ts';
import type { Stage } from './stage.ts';
import type { WorkloadName } from './workloads.ts';

/**
 * Nothing is owed and nothing more is rolled: the workload has had so many templates, and all its pods are of the last
 * one. Answers the stamps.
 */
export async function restsAt(
  stage: Stage,
  reloader: ReloaderProcess,
  workload: WorkloadName,
  revision: number,
): Promise<Record<string, string>> {
  await stage.mark(reloader);
  return await isAt(stage, workload, revision);
}

/** The workload has had so many templates, and all its pods are of the last one. Answers the stamps. */
export async function isAt(
  stage: Stage,
  workload: WorkloadName,
  revision: number,
): Promise<Record<string, string>> {
  await stage.rolledOut(workload);
  assert.equal(await stage.revision(workload), revision, workload.name);
  const stamps = await stage.stamps(workload);
  for (const each of await stage.podStamps(workload)) assert.deepEqual(each, stamps);
  return stamps;
}

/** The same, and the last change of the one ConfigMap that it follows is stamped and committed. */
export async function endsAt(
  stage: Stage,
  reloader: ReloaderProcess,
  workload: WorkloadName,
  revision: number,
): Promise<void> {
  const stamps = await restsAt(stage, reloader, workload, revision);
  assert.equal(Object.keys(stamps).length, 1);
  const { name } = workload;
  const stamp = stamps[`_RELOADER_CONFIGMAP_${name.toUpperCase()}`] ?? stamps[`ConfigMap/${name}`];
  assert.equal(await stage.entryOf(name), digestIn(stamp));
}
