/** Manifests and their plans, for the tests of `reloader plan`. */

import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { Manifest } from '../../../lib/commands/manifests/documents.ts';
import { placesOf, plan } from '../../../lib/commands/manifests/plan.ts';
import type { Plan } from '../../../lib/commands/manifests/plan-answer.ts';
import { planText } from '../../../lib/commands/manifests/plan-text.ts';
import { describe as describeRef } from '../../../lib/model/object-ref.ts';
import type { RawObject } from '../../../lib/model/raw-objects.ts';
import { rolledOut } from './named-causes.ts';
import { follows, podOf, type Words, type World } from './world.ts';

/** A Deployment as a person writes it. */
export function deployment(
  image: string,
  annotations: Words = follows('web'),
  container: object = {},
): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: podOf(['web'], { image, ...container }) },
    },
  };
}

/** A ConfigMap as a person writes it. */
export function configMap(data: Words = { value: 'A' }, name = 'web'): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

/** The objects as they are read from a file. */
export function manifestsOf(objects: readonly object[]): readonly Manifest[] {
  return objects.map((object) => {
    const { apiVersion, kind } = object as { readonly apiVersion: string; readonly kind: string };
    return { file: '-', apiVersion, kind, object: object as RawObject, lineOf: () => 1 };
  });
}

/** By whom each workload is rolled, and for which objects. */
export type Rollouts = readonly (readonly [workload: string, by: string, objects: string])[];

/** The rollouts of a plan in short. */
export function shortened({ rollouts }: Plan): Rollouts {
  return rollouts.map(({ workload, by, objects }) => [
    describeRef(workload),
    by,
    objects.map(describeRef).join(),
  ]);
}

/** The plan of objects against a cluster; `isStarting`: not all pods are ready. */
export async function onCluster(world: World, objects: readonly object[], isStarting = false): Promise<Plan> {
  await rolledOut(world, (name) => !isStarting || name === 'reloader');
  const { send } = world;
  const manifests = manifestsOf(objects);
  const places = placesOf(manifests, 'default');
  const reloader = await findReloader(send, { namespace: 'default', places, settings: [] });
  const answer = await plan({ send, namespace: 'default', reloader }, manifests);
  world.sandbox.close();
  return answer;
}

/** The plan for a terminal without colours. */
export function textOf(answer: Plan): string {
  return planText(answer, (_, text) => text);
}
