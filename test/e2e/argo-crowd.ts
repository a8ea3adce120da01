/** Many Rollouts of all sorts, and ConfigMaps that change while reloaders are killed. */

import type { ControlPlane } from '../control-plane/control-plane.ts';
import { isObserved, statusOf } from '../control-plane/rollout-scene.ts';
import { whileChanging } from '../faults/churn.ts';
import { Contents } from '../faults/contents.ts';
import { killAgainAndAgain } from '../faults/kills.ts';
import { Witness } from '../faults/witness.ts';
import { type JsonObject, objectOf } from '../sandbox/json.ts';
import { randomOf } from '../simulation/random.ts';
import { ArgoStage, CANARY, manifestOf, RESTART, type RolloutParts } from './argo-stage.ts';

const SIZE = 20;
const CHANGING = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5'];
/** Changes by no churn. */
const IDLE = 'idle';
const SHORT_STEPS: JsonObject = { canary: { steps: [{ setWeight: 50 }, { pause: { duration: 1 } }] } };
const IN_ANNOTATIONS = { 'reloader.k8s.collaborne.com/reload-strategy': 'annotations' };
/** How long the controller may take for what it has not seen. */
const OVERLOOKED_AFTER_MS = 2000;

type Sort = (name: string) => Pick<RolloutParts, 'strategy' | 'annotations'>;

const SORTS: readonly Sort[] = [
  () => ({ strategy: CANARY }),
  () => ({ strategy: SHORT_STEPS }),
  (name) => ({ strategy: { blueGreen: { activeService: name, scaleDownDelaySeconds: 2 } } }),
  () => ({ strategy: CANARY, annotations: RESTART }),
  () => ({ strategy: SHORT_STEPS, annotations: IN_ANNOTATIONS }),
];

const ROLLOUTS: readonly RolloutParts[] = Array.from({ length: SIZE }, (_, index) => {
  const name = `r${index}`;
  const follows = index < SORTS.length ? IDLE : CHANGING[index % CHANGING.length];
  const sort = SORTS[index % SORTS.length];
  return { name, follows: follows ?? IDLE, strategy: CANARY, ...sort?.(name) };
});

/** See the file's comment. */
export class Crowd implements AsyncDisposable {
  readonly #argo: ArgoStage;
  readonly #contents: Contents;
  readonly #witness: Witness;
  #changes = 0;

  private constructor(argo: ArgoStage, contents: Contents, witness: Witness) {
    this.#argo = argo;
    this.#contents = contents;
    this.#witness = witness;
  }

  /** All Rollouts are healthy, and a reloader knows them, when this resolves. */
  static async open(plane: ControlPlane, name: string): Promise<Crowd> {
    const contents = new Contents(name);
    const witness = new Witness(contents);
    const argo = await ArgoStage.open(plane, name, { periodMs: 200 }, witness.see);
    const crowd = new Crowd(argo, contents, witness);
    for (const each of [...CHANGING, IDLE]) await crowd.change(each);
    for (const each of ROLLOUTS) await argo.createService(each.name, each.name);
    await Promise.all(ROLLOUTS.map((each) => argo.create(manifestOf(each))));
    await crowd.#areCurrent();
    await argo.start();
    return crowd;
  }

  /** Gives a ConfigMap a content that it never had. */
  async change(name: string): Promise<void> {
    this.#changes += 1;
    const content = `content ${this.#changes}`;
    this.#contents.add(name, content);
    await this.#argo.change(content, name);
  }

  /** Kills reloaders at random moments while ConfigMaps change. */
  async churn({ kills }: { readonly kills: number }): Promise<void> {
    await this.#argo.reloader.kill();
    const start = async (): Promise<() => Promise<void>> => {
      const process = await this.#argo.launch();
      return () => process.kill();
    };
    const scene = { isOpen: () => Promise.resolve(true) };
    const options = { kills, latestMs: 4500, random: randomOf(1), start };
    await whileChanging(this, randomOf(2), () => killAgainAndAgain(scene, options), CHANGING);
  }

  /** Resolves when a reloader that is not killed has done everything, and all pods have read the contents in force. */
  async isRight(): Promise<void> {
    await this.#argo.start();
    await this.#areCurrent();
    await this.#argo.stage.mark(this.#argo.reloader);
    await this.#areCurrent();
  }

  /** The patches of Rollouts that brought no newer content, or an older one, or were not marked before. */
  async rolledForNothing(): Promise<readonly string[]> {
    const keys = await this.#argo.stage.expect('GET', 'secrets/reloader-state-key');
    this.#contents.takeKeys(objectOf(keys['data']) as Record<string, string>);
    return ROLLOUTS.flatMap(({ name, follows }) => [
      ...this.#witness.needless({ name, follows: { ConfigMap: [follows] } }),
      ...this.#witness.unmarked({ name }),
    ]);
  }

  /** How often Rollouts were patched. */
  get patches(): number {
    return this.#argo.patches;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#argo[Symbol.asyncDispose]();
  }

  async #areCurrent(): Promise<void> {
    let last = '';
    let wroteAt = Date.now();
    try {
      await this.#argo.stage.until('all pods have read the current content', async () => {
        const late = await this.#late();
        last = late.map(({ name }) => name).join();
        if (Date.now() > wroteAt + OVERLOOKED_AFTER_MS) {
          wroteAt = Date.now();
          await this.#remindOf(late);
        }
        return late.length === 0;
      });
    } catch (error) {
      throw new Error(`${String(error)}\nlate: ${last}`, { cause: error });
    }
  }

  async #late(): Promise<readonly RolloutParts[]> {
    const are = await Promise.all(ROLLOUTS.map(({ name, follows }) => this.#argo.isCurrent(name, follows)));
    return ROLLOUTS.filter((_, index) => !are[index]);
  }

  /** The controller may overlook a write, see RolloutScene; what it has seen is left alone. */
  async #remindOf(late: readonly RolloutParts[]): Promise<void> {
    for (const { name } of late) {
      const rollout = await this.#argo.scene.expect('GET', `rollouts/${name}`);
      if (isObserved(rollout) && statusOf(rollout)['phase'] !== undefined) continue;
      const metadata = { annotations: { again: String(Date.now()) } };
      await this.#argo.scene.expect('PATCH', `rollouts/${name}`, { metadata });
    }
  }
}
