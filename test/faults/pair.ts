/** Two reloaders, of which one leads, while objects change: what comes of each end of the leader. */

import type { RealCluster } from '../control-plane/cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { Churn } from './churn.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { Scene, WORKLOADS } from './scene.ts';
import { Witness } from './witness.ts';

/** How a leader ends: without a word, or as it is asked to. */
export const ENDS = ['SIGKILL', 'SIGTERM'] as const;
type End = (typeof ENDS)[number];

/** From the end of a leader, in ms. */
export interface TakeOver {
  readonly end: End;
  /** Until the Lease names the other one. */
  readonly leaseMs: number;
  /** Until the state does: from then on the other one acts. */
  readonly stateMs: number;
}

/** One process, and its way to the API server. */
export interface Member {
  readonly pod: string;
  readonly process: ReloaderProcess;
  readonly proxy: FaultProxy;
}

/** See the file's comment. The processes have the rights of `k8s/base`, each a token of its own. */
export class Pair implements AsyncDisposable {
  readonly scene: Scene;
  readonly witness: Witness;
  readonly #flags: readonly string[];
  readonly #members: Member[] = [];

  private constructor(scene: Scene, witness: Witness, flags: readonly string[]) {
    this.scene = scene;
    this.witness = witness;
    this.#flags = flags;
  }

  /** None of them runs yet. @param flags of both */
  static async prepare(cluster: RealCluster, flags: readonly string[] = []): Promise<Pair> {
    const scene = await Scene.open(cluster);
    return new Pair(scene, await Witness.open(cluster.send, scene.stage.namespace), flags);
  }

  /** Resolves when one leads and the other stands by. @param flags of both */
  static async open(cluster: RealCluster, flags: readonly string[] = []): Promise<Pair> {
    const pair = await Pair.prepare(cluster, flags);
    await pair.startBoth();
    return pair;
  }

  /** The one that the Lease names. */
  get leader(): Member {
    return this.#running((each) => this.isHeldBy(each));
  }

  /** The other one. */
  get standby(): Member {
    return this.#running((each) => !this.isHeldBy(each));
  }

  /** Whether the Lease names that one. */
  isHeldBy(member: Member): boolean {
    return isOf(member, this.witness.holder);
  }

  /** Resolves when one leads, all that it follows is committed, and the other one stands by. */
  async startBoth(): Promise<void> {
    const first = await this.start();
    await this.scene.stage.settled(first.process);
    await this.start();
  }

  /** Whether the state names that one: it acts. */
  acts(member: Member): boolean {
    return isOf(member, this.witness.writers.at(-1)?.identity);
  }

  /** Starts one more; it is ready when this resolves. @param way to the API server. @default a new one */
  async start(way?: FaultProxy): Promise<Member> {
    const { cluster, namespace } = this.scene.stage;
    const pod = `reloader-${this.#members.length}`;
    const proxy = way ?? (await this.scene.addProxy());
    const process = await this.scene.start({
      flags: ['--rollout-limit', 'off', ...this.#flags],
      env: { RELOADER_OPT_LEADER_ELECT: 'true', POD_NAME: pod, POD_UID: `uid-of-${pod}` },
      proxy,
      token: await cluster.serviceAccountToken(namespace, 'reloader'),
    });
    const member = { pod, process, proxy };
    this.#members.push(member);
    await this.scene.stage.until(`${pod} is ready`, () => process.isReady());
    return member;
  }

  /** Objects change, the leader ends, the other one takes over, and one is started in the place of the first. */
  async takeOver(end: End, random: () => number): Promise<TakeOver> {
    const { leader, standby } = this;
    const { stage } = this.scene;
    const churn = new Churn(this.scene, random);
    try {
      const changes = this.scene.changedAt.length + 2 + Math.floor(random() * 3);
      await stage.until('objects have changed', () => this.scene.changedAt.length >= changes);
      const at = performance.now();
      if (end === 'SIGKILL') await leader.process.kill();
      else leader.process.terminate();
      await stage.until(`the Lease names ${standby.pod}`, () => this.isHeldBy(standby));
      await stage.until(`the state names ${standby.pod}`, () => this.acts(standby));
      const leaseMs = Number(this.witness.holders.at(-1)?.at) - at;
      const stateMs = Number(this.witness.writers.at(-1)?.at) - at;
      await leader.process.ended;
      await this.start();
      return { end, leaseMs, stateMs };
    } finally {
      await churn.end();
    }
  }

  /** The writes that a process has sent while the Lease named another one; its own Lease and Events are not meant. */
  intrusions(): readonly string[] {
    return this.#members.flatMap((member) =>
      member.proxy.writes
        .filter(({ tookEffect, resource }) => tookEffect && !['leases', 'events'].includes(resource))
        .filter(({ resourceVersion = 0 }) => !isOf(member, this.witness.holderAt(resourceVersion)))
        .map(({ verb, resource, name, resourceVersion = 0 }) => {
          const holder = this.witness.holderAt(resourceVersion);
          return `${member.pod}: ${verb} ${resource}/${name} while the Lease names "${holder}"`;
        }),
    );
  }

  /** What was rolled more than once, or back. */
  needless(): readonly string[] {
    return [...this.scene.rolledTooOften(0), ...WORKLOADS.flatMap((each) => this.witness.needless(each))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.witness[Symbol.asyncDispose]();
    await this.scene[Symbol.asyncDispose]();
  }

  #running(condition: (member: Member) => boolean): Member {
    const found = this.#members.filter(({ process }) => process.exit === undefined).find(condition);
    if (found === undefined) throw new Error(`there is none; the Lease names "${this.witness.holder}"`);
    return found;
  }
}

function isOf({ pod }: Member, identity = ''): boolean {
  return identity.startsWith(`${pod}_`);
}
