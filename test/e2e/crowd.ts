/** Many Deployments of one pod each that follow ConfigMaps, and what a watch shows of their rollouts, in its order. */

import { digestOf } from '../digests.ts';
import { digestIn } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';
import { isRolledOut, manifestOf, stampsOf, type WorkloadParts, web } from './workloads.ts';

/** The ConfigMap that all follow unless a test says otherwise. */
export const BUNDLE = 'bundle';

/** How many are created at once. */
const AT_ONCE = 25;

/** A rollout that began. */
export interface Beginning {
  readonly name: string;
  /** Of the stamps that are new: none after an undo. */
  readonly digests: readonly string[];
  /** Which others were not rolled out at that moment. */
  readonly beside: ReadonlySet<string>;
}

/** The digest that stamps have for a content of a ConfigMap, where digests have no key. */
export function digestOfContent(key: string, name: string = BUNDLE): string {
  return digestOf('ConfigMap', { metadata: { name }, data: { key } });
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
  readonly #stamps = new Map<string, readonly string[]>();
  readonly #stage: Stage;
  readonly #end = new AbortController();

  private constructor(stage: Stage, apps: readonly WorkloadParts[]) {
    this.#stage = stage;
    this.apps = apps;
  }

  /** Creates so many Deployments, and what each follows, with the content `A`; resolves when their pods run. */
  static async create(
    stage: Stage,
    count: number,
    follows: (index: number) => readonly string[] = () => [BUNDLE],
  ): Promise<Crowd> {
    const digits = String(count - 1).length;
    const apps = Array.from({ length: count }, (_, index) =>
      web(`app-${String(index).padStart(digits, '0')}`, {
        follows: { ConfigMap: follows(index) },
        replicas: 1,
      }),
    );
    for (const name of new Set(apps.flatMap((app) => app.follows.ConfigMap ?? [])))
      await stage.put(name, 'A');
    const crowd = new Crowd(stage, apps);
    const { signal } = crowd.#end;
    void stage.cluster.watch(stage.path('deployments'), signal, (version, type) => crowd.#see(version, type));
    for (let from = 0; from < count; from += AT_ONCE)
      await Promise.all(
        apps.slice(from, from + AT_ONCE).map((app) => stage.expect('POST', 'deployments', manifest(app))),
      );
    await stage.until('all pods run', () => crowd.#stamps.size === count && crowd.inProgress.size === 0);
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

  /** Whether the template of a Deployment has a stamp with the digest now. */
  carries(name: string, digest: string): boolean {
    return (this.#stamps.get(name) ?? []).some((stamp) => digestIn(stamp) === digest);
  }

  /** The Deployments that began with the digest, in that order. */
  begunWith(digest: string): readonly string[] {
    return [...new Set(this.begun.flatMap(({ name, digests }) => (digests.includes(digest) ? [name] : [])))];
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  #see(deployment: JsonObject, type: Json | undefined): void {
    const name = String(pick(deployment, 'metadata', 'name'));
    if (!this.apps.some((app) => app.name === name)) return;
    const stamps = Object.values(stampsOf(pick(deployment, 'spec', 'template'))).toSorted();
    const before = this.#stamps.get(name) ?? stamps;
    const digests = stamps.filter((stamp) => !before.includes(stamp)).map(digestIn);
    if (before.join() !== stamps.join()) this.begun.push({ name, digests, beside: new Set(this.inProgress) });
    this.#stamps.set(name, stamps);
    const isGone = type === 'DELETED';
    mark(this.inProgress, name, !isGone && !isRolledOut(deployment));
    mark(this.down, name, !isGone && pick(deployment, 'status', 'availableReplicas') !== 1);
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
