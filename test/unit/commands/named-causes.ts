/** "Why did nothing happen?": each cause is made, and the answer names it, what it is about, and what to do. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesOf } from '../../../lib/commands/explain/explanation.ts';
import { until } from '../../integration/reloader-process.ts';
import { pick } from '../../sandbox/json.ts';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { follows, podOf, type Words, World } from './world.ts';

/** One cause: how it is made, and how the answer names it. */
export interface Row {
  readonly make: (world: World) => unknown | Promise<unknown>;
  readonly rule: string;
  /** What the sentence or the remedy has to name. */
  readonly names: RegExp;
  /** @default deployment/web */
  readonly about?: string;
  /** Kinds beside those of Kubernetes. */
  readonly extensions?: NonNullable<SandboxOptions['extensions']>;
  /** Whether no other cause counts. */
  readonly isAlone?: true;
  /** Whether pods are never ready, so that none are waited for. */
  readonly isStuck?: true;
}

/** A world in which all is well: a reloader runs, and the pods of the workload run the current content. */
export function well(annotations: Words = follows('web')): (world: World) => World {
  return (world) => world.install().configMap().deployment({ annotations });
}

/** Two Deployments follow an object whose changes go to one of them first. */
export function staged(world: World): World {
  const annotations = follows('web');
  world
    .install()
    .configMap('web', { annotations: { 'reloader.k8s.collaborne.com/stages': '1' } })
    .deployment({ annotations });
  world.sandbox.create('deployments', {
    metadata: { namespace: 'default', name: 'first', annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'first' } },
      template: { metadata: { labels: { app: 'first' } }, spec: podOf(['web']) },
    },
  });
  return world;
}

/** Resolves when all pods are there, of Deployments that are not paused. */
export async function rolledOut(
  { sandbox }: World,
  isMeant = (_name: string): boolean => true,
): Promise<void> {
  await until('the pods are ready', () =>
    sandbox
      .list('deployments')
      .filter(({ metadata }) => isMeant(metadata.name))
      .every((deployment) => {
        const { replicas = 1, paused } = deployment['spec'] as { replicas?: number; paused?: boolean };
        return paused === true || Number(pick(deployment, 'status', 'readyReplicas') ?? 0) === replicas;
      }),
  );
}

/** One test for each cause. */
export function namesEach(causes: Readonly<Record<string, Row>>): void {
  for (const [name, row] of Object.entries(causes)) {
    const { make, about = 'deployment/web', rule, names, isAlone, isStuck } = row;
    test(name, async () => {
      const world = new World(row);
      await make(world);
      if (isStuck !== true) await rolledOut(world);
      const facts = await world.factsAbout(about);
      const found = causesOf(facts);
      await facts.observation.end();
      world.sandbox.close();
      const text = found
        .filter((cause) => cause.rule === rule)
        .map(({ says, todo = '' }) => `${says} -> ${todo}`)
        .join('\n');
      if (isAlone === true) assert.equal(found.length, 1, JSON.stringify(found, undefined, 1));
      assert.match(text, names, JSON.stringify(found, undefined, 1));
    });
  }
}
