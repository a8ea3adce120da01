/** Two reloaders, of which one leads, while objects change: what comes of each end of the leader. */

import type { RealCluster } from '../control-plane/cluster.ts';
import type { Settling } from '../e2e/stage.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { whileChanging } from './churn.ts';
import type { FaultProxy } from './fault-proxy.ts';
import type { RelayedWrite } from './relayed-write.ts';
import { Scene, type SceneReloaderOptions, WORKLOADS } from './scene.ts';
import type { Witness } from './witness.ts';

/** How a leader ends: without a word, or as it is asked to. */
export const ENDS = ['SIGKILL', 'SIGTERM'] as const;
type End = (typeof ENDS)[number];

/** Shorter than the defaults, with which `npm run fail-over` measures: a standby takes over after five seconds, not seventeen. */
export const LEASE_MS = 4000;
export const RENEW_MS = 3000;
export const RETRY_MS = 1000;
/** The flags with these times. */
export const SHORT_LEASE: readonly string[] = [
  `--leader-election-lease-duration=${LEASE_MS}ms`,
  `--leader-election-renew-deadline=${RENEW_MS}ms`,
  `--leader-election-retry-period=${RETRY_MS}ms`,
];

/** From the end of a leader, in ms. */
export interface TakeOver {
  readonly end: End;
  /** Until the Lease names the other one. */
  readonly leaseMs: number;
  /** Until the state does: from then on the other one acts. */
  readonly stateMs: number;
}

/** What stays when a container is started again: a name, and a way to the API server. */
interface Pod {
  readonly pod: string;
  readonly proxy: FaultProxy;
}

/** One process, in its pod. */
export interface Member extends Pod {
  readonly process: ReloaderProcess;
}

/** Of both; without a limit of rollouts, unless a flag says so. */
export type PairOptions = Pick<SceneReloaderOptions, 'flags' | 'periodMs'>;

/** Its own Lease and Events are anybody's to write. */
const ANYBODYS = ['leases', 'events'];

/** See the file's comment. The processes have the rights of `k8s/base`. */
export class Pair implements AsyncDisposable, Settling {
  readonly scene: Scene;
  readonly #options: PairOptions;
  /** All that there ever were. */
  readonly #pods: Pod[] = [];
  #members: readonly Member[] = [];

  private constructor(scene: Scene, options: PairOptions) {
    this.scene = scene;
    this.#options = options;
  }

  /** None of them runs yet. */
  static async prepare(cluster: RealCluster, options: PairOptions = {}): Promise<Pair> {
    return new Pair(await Scene.open(cluster), options);
  }

  /** Resolves when one leads and the other stands by. */
  static async open(cluster: RealCluster, options?: PairOptions): Promise<Pair> {
    const pair = await Pair.prepare(cluster, options);
    await pair.startBoth();
    return pair;
  }

  get witness(): Witness {
    return this.scene.witness;
  }

  /** Both. */
  get members(): readonly Member[] {
    return this.#members;
  }

  /** The one that the Lease names. */
  get leader(): Member {
    return this.#memberThat((each) => this.isHeldBy(each));
  }

  /** The other one. */
  get standby(): Member {
    return this.#memberThat((each) => !this.isHeldBy(each));
  }

  /** Whether the Lease names that one, or one before it in its pod. */
  isHeldBy(member: Member): boolean {
    return isOf(member, this.witness.holder);
  }

  /** Whether the state names that one: it acts. */
  acts(member: Member): boolean {
    return isOf(member, this.witness.writers.at(-1)?.identity);
  }

  /** Resolves when one leads, all that it follows is committed, and the other one stands by. */
  async startBoth(): Promise<void> {
    const first = await this.start();
    await this.scene.stage.settled(first.process);
    await this.start();
  }

  /** Starts one more, in a pod of its own; it is ready when this resolves. @param way to the API server. @default a new one */
  async start(way?: FaultProxy): Promise<Member> {
    const place = { pod: `reloader-${this.#pods.length}`, proxy: way ?? (await this.scene.addProxy()) };
    this.#pods.push(place);
    const member = await this.#begin(place);
    await this.scene.stage.until(`${member.pod} is ready`, () => member.process.isReady());
    return member;
  }

  /** Starts those that have ended again, each in its pod; they may not be ready yet. */
  async startAgain(): Promise<void> {
    for (const member of this.#members) if (member.process.exit !== undefined) await this.#begin(member);
  }

  /** Resolves when the Lease names that one, and the state does: from then on it acts. */
  async isLedBy(member: Member): Promise<void> {
    const { stage } = this.scene;
    await stage.until(`the Lease names ${member.pod}`, () => this.isHeldBy(member));
    await stage.until(`the state names ${member.pod}`, () => this.acts(member));
  }

  /** The leader and its pod end, the other one takes over, and one is started in the place of the first. */
  async replaceLeader(end: End): Promise<TakeOver> {
    const { leader, standby } = this;
    const at = performance.now();
    if (end === 'SIGKILL') await leader.process.kill();
    else leader.process.terminate();
    await this.isLedBy(standby);
    const leaseMs = Number(this.witness.holders.at(-1)?.at) - at;
    const stateMs = Number(this.witness.writers.at(-1)?.at) - at;
    await leader.process.ended;
    this.#members = [standby];
    await this.start();
    return { end, leaseMs, stateMs };
  }

  /** The same, while objects change. */
  async takeOver(end: End, random: () => number): Promise<TakeOver> {
    const { stage, changedAt } = this.scene;
    const changes = changedAt.length + 2 + Math.floor(random() * 3);
    return await whileChanging(this.scene, random, async () => {
      await stage.until('objects have changed', () => changedAt.length >= changes);
      return await this.replaceLeader(end);
    });
  }

  /** Whether the one that leads owes nothing and all it knows is committed. */
  async isSettled(): Promise<boolean> {
    const leader = this.#members.find((each) => this.isHeldBy(each));
    return leader !== undefined && (await leader.process.isSettled());
  }

  /** Resolves when both are. */
  async areReady(): Promise<void> {
    await this.scene.stage.until('both are ready', async () => {
      const are = await Promise.all(this.#members.map(({ process }) => process.isReady()));
      return !are.includes(false);
    });
  }

  /** Resolves when both are ready, nothing is lost, and there is nothing more to do; rejects when that takes too long. */
  async isRight(): Promise<void> {
    await this.areReady();
    await this.scene.isRight(this);
  }

  /** All writes, and from which pod each was sent. */
  get writes(): readonly (RelayedWrite & Pick<Pod, 'pod'>)[] {
    return this.#pods.flatMap(({ pod, proxy }) => proxy.writes.map((write) => ({ ...write, pod })));
  }

  /** The writes that were sent from one pod while the Lease named another one. */
  intrusions(): readonly string[] {
    return this.writes
      .filter(({ tookEffect, wasHeld, resource }) => tookEffect && !wasHeld && !ANYBODYS.includes(resource))
      .filter((write) => !isOf(write, this.witness.holderAt(write.resourceVersion ?? 0)))
      .map(({ pod, verb, resource, name, resourceVersion = 0 }) => {
        const holder = this.witness.holderAt(resourceVersion);
        return `${pod}: ${verb} ${resource}/${name} while the Lease names "${holder}"`;
      });
  }

  /** What was rolled more often than changes and `mishaps` explain, or back, or without a mark. */
  needless(mishaps = 0): readonly string[] {
    const { scene, witness } = this;
    const byVersion = WORKLOADS.flatMap((each) => [...witness.needless(each), ...witness.unmarked(each)]);
    return [...scene.rolledTooOften(mishaps), ...byVersion];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene[Symbol.asyncDispose]();
  }

  async #begin({ pod, proxy }: Pod): Promise<Member> {
    const process = await this.scene.start({
      ...this.#options,
      flags: ['--rollout-limit', 'off', ...(this.#options.flags ?? [])],
      env: { RELOADER_OPT_LEADER_ELECT: 'true', POD_NAME: pod, POD_UID: `uid-of-${pod}` },
      proxy,
    });
    const member = { pod, proxy, process };
    this.#members = [...this.#members.filter((each) => each.pod !== pod), member];
    return member;
  }

  /** One that runs, if there is such a one. */
  #memberThat(condition: (member: Member) => boolean): Member {
    const running = this.#members.filter(({ process }) => process.exit === undefined);
    const found = running.find(condition) ?? this.#members.find(condition);
    if (found === undefined) throw new Error(`there is none; the Lease names "${this.witness.holder}"`);
    return found;
  }
}

function isOf({ pod }: Pick<Pod, 'pod'>, identity = ''): boolean {
  return identity.startsWith(`${pod}_`);
}
