/** Stakater Reloader as workloads see it, for a test in which its program is not there. */

import { createHash } from 'node:crypto';
import { workloadKindOf } from '../../lib/model/workload-kind.ts';
import { pick, stringOf } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';
import type { WorkloadName } from './workloads.ts';

/** How often it looks: a watch would tell it sooner. */
const LOOK_MS = 20;

/** A workload that it stamps, in the container `app`, for one ConfigMap. */
export interface Stamped extends WorkloadName {
  readonly object: string;
}

/** What it computes of a content of one key. */
export function theirDigest(content: string): string {
  return createHash('sha1').update(`key=${content}`).digest('hex');
}

/** The variable in which it stamps a ConfigMap. */
export function theirVariable(name: string): string {
  return `STAKATER_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_CONFIGMAP`;
}

/** It knows the contents at its start, and stamps every workload of an object that changes while it runs. */
export class StandIn implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #workloads: readonly Stamped[];
  readonly #running: Promise<void>;
  #isStopped = false;

  private constructor(stage: Stage, workloads: readonly Stamped[], known: ReadonlyMap<string, string>) {
    this.#stage = stage;
    this.#workloads = workloads;
    this.#running = this.#run(known);
  }

  /** It has seen everything when this resolves. */
  static async start(stage: Stage, workloads: readonly Stamped[]): Promise<StandIn> {
    return new StandIn(stage, workloads, await contentsIn(stage));
  }

  /** Resolves after its last look and the patches that follow from it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #run(known: ReadonlyMap<string, string>): Promise<void> {
    for (let before = known; !this.#isStopped; ) {
      const now = await contentsIn(this.#stage);
      const changed = this.#workloads.filter(({ object }) => now.get(object) !== before.get(object));
      await Promise.all(changed.map((each) => this.#stamp(each, now.get(each.object) ?? '')));
      before = now;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async #stamp({ kind, name, object }: Stamped, content: string): Promise<void> {
    const env = [{ name: theirVariable(object), value: theirDigest(content) }];
    const { cluster } = this.#stage;
    const { status, body } = await cluster.send({
      method: 'PATCH',
      path: this.#stage.path(`${workloadKindOf(kind).resource}/${name}?fieldManager=Reloader`),
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: JSON.stringify({ spec: { template: { spec: { containers: [{ name: 'app', env }] } } } }),
    });
    for await (const _ of body);
    if (status !== 200) throw new Error(`the stand-in cannot stamp ${name}: ${status}`);
  }
}

/** By name of a ConfigMap: its one key. */
async function contentsIn(stage: Stage): Promise<ReadonlyMap<string, string>> {
  const objects = await stage.list('configmaps');
  return new Map(
    objects.map((object) => [
      stringOf(pick(object, 'metadata', 'name')) ?? '',
      stringOf(pick(object, 'data', 'key')) ?? '',
    ]),
  );
}
