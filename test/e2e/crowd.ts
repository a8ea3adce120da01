/** Many Deployments of one pod each that follow one ConfigMap, and what a watch shows of their rollouts, in its order. */

import { linesOf } from '../../lib/kubernetes/json-call.ts';
import { digestOf } from '../digests.ts';
import { type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';
import { isRolledOut, manifestOf, stampsOf, type WorkloadParts, web } from './workloads.ts';

/** The ConfigMap. */
export const BUNDLE = 'bundle';

const LONGEST_LINE = 1_000_000;
/** How many are created at once. */
const AT_ONCE = 25;

/** A rollout that began. */
interface Beginning {
  readonly name: string;
  /** Which others were not rolled out at that moment. */
  readonly beside: ReadonlySet<string>;
}

/** The digest that stamps have for a content of the ConfigMap, where digests have no key. */
export function digestOfBundle(key: string): string {
  return digestOf('ConfigMap', { metadata: { name: BUNDLE }, data: { key } });
}

/** See the file's comment. Each Deployment replaces its pod: it is down in between, and stays so where the new pod crashes. */
export class Crowd implements Disposable {
  readonly apps: readonly WorkloadParts[];
  readonly inProgress: Set<string> = new Set();
  /** Those without an available pod. */
  readonly down: Set<string> = new Set();
  mostInProgress = 0;
  mostDown = 0;
  begun: Beginning[] = [];
  readonly #stage: Stage;
  readonly #stamps = new Map<string, string>();
  readonly #end = new AbortController();

  private constructor(stage: Stage, apps: readonly WorkloadParts[]) {
    this.#stage = stage;
    this.apps = apps;
  }

  /** Creates the ConfigMap with the content `A`, and so many Deployments; resolves when their pods run. */
  static async create(stage: Stage, count: number): Promise<Crowd> {
    await stage.put(BUNDLE, 'A');
    const digits = String(count - 1).length;
    const apps = Array.from({ length: count }, (_, index) =>
      web(`app-${String(index).padStart(digits, '0')}`, { follows: { ConfigMap: [BUNDLE] }, replicas: 1 }),
    );
    for (let from = 0; from < count; from += AT_ONCE)
      await Promise.all(
        apps.slice(from, from + AT_ONCE).map((app) => stage.expect('POST', 'deployments', manifest(app))),
      );
    const crowd = new Crowd(stage, apps);
    const { metadata, items } = await stage.expect('GET', 'deployments');
    for (const item of Array.isArray(items) ? items : [])
      crowd.#see({ kind: 'Deployment', ...objectOf(item) });
    void crowd.#watch(stage.path(`deployments?watch=1&resourceVersion=${pick(metadata, 'resourceVersion')}`));
    await stage.until('all pods run', () => crowd.inProgress.size === 0);
    crowd.forget();
    return crowd;
  }

  /** Counts anew. */
  forget(): void {
    this.begun = [];
    this.mostInProgress = this.inProgress.size;
    this.mostDown = this.down.size;
  }

  /** Resolves when every one has begun since `forget`, and is rolled out. */
  async allRolled(): Promise<void> {
    await this.#stage.until('all are rolled', () => this.isRolled());
  }

  /** Whether every one has begun since `forget`, and is rolled out. */
  isRolled(): boolean {
    const names = new Set(this.begun.map(({ name }) => name));
    return names.size === this.apps.length && this.inProgress.size === 0;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #watch(path: string): Promise<void> {
    try {
      const { body } = await this.#stage.cluster.send({ method: 'GET', path, signal: this.#end.signal });
      for await (const line of linesOf(body, LONGEST_LINE))
        this.#see(objectOf((JSON.parse(line) as JsonObject)['object']));
    } catch {
      // its end
    }
  }

  #see(deployment: JsonObject): void {
    const name = String(pick(deployment, 'metadata', 'name'));
    if (!this.apps.some((app) => app.name === name)) return;
    const stamps = JSON.stringify(stampsOf(pick(deployment, 'spec', 'template')));
    if (this.#stamps.has(name) && this.#stamps.get(name) !== stamps)
      this.begun.push({ name, beside: new Set(this.inProgress) });
    this.#stamps.set(name, stamps);
    mark(this.inProgress, name, !isRolledOut(deployment));
    mark(this.down, name, pick(deployment, 'status', 'availableReplicas') !== 1);
    this.mostInProgress = Math.max(this.mostInProgress, this.inProgress.size);
    this.mostDown = Math.max(this.mostDown, this.down.size);
  }
}

function mark(set: Set<string>, name: string, isIn: boolean): void {
  if (isIn) set.add(name);
  else set.delete(name);
}

function manifest(app: WorkloadParts): JsonObject {
  const whole = manifestOf(app);
  return { ...whole, spec: { ...objectOf(whole['spec']), strategy: { type: 'Recreate' } } };
}
