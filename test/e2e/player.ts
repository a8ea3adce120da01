/**
 * Plays a history of the simulation on a real cluster, in whatever order its streams tell of it. A wait beyond the window
 * is one for the rollout, however long that takes; within a window of some seconds there is time for a busy machine.
 */

import type { Send } from '../../lib/kubernetes/transport.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { apiOf, collectionOf, NAMESPACE, split } from '../simulation/api.ts';
import { manifestOf } from '../simulation/contents.ts';
import type { History, Slot, Step } from '../simulation/history.ts';
import { People } from '../simulation/people.ts';
import type { Stage } from './stage.ts';
import { KINDS, type WorkloadName } from './workloads.ts';

/** Shorter windows are stretched, and every wait with them. */
const SHORTEST_WINDOW_MS = 3000;

/** The people and the processes of one history. */
export class Player {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #people: People;
  /** How much longer everything takes than in the history. */
  readonly #factor: number;
  readonly #processes = new Map<Slot, ReloaderProcess>();
  /** Processes that are to come back. */
  readonly #returning: Promise<void>[] = [];

  private constructor(stage: Stage, history: History) {
    this.#stage = stage;
    this.#history = history;
    this.#people = new People(apiOf(sendIn(stage)));
    const { coalescePeriodMs } = history.settings;
    this.#factor = coalescePeriodMs === 0 ? 1 : Math.max(1, SHORTEST_WINDOW_MS / coalescePeriodMs);
  }

  /** What there is before the first step; the first process is ready when this resolves. */
  static async begin(stage: Stage, history: History): Promise<Player> {
    const player = new Player(stage, history);
    await stage.createMarker();
    const api = apiOf(sendIn(stage));
    for (const { config, content } of history.configs)
      if (content !== undefined) await api.create(collectionOf(config), manifestOf(config, content));
    for (const each of history.workloads) {
      await player.#people.create(each);
      await player.#slow(workloadNamed(each.workload));
    }
    await player.#start(0);
    await stage.ready(player.#one(0));
    return player;
  }

  /** Takes all steps; resolves when every process that runs then owes nothing. */
  async play(): Promise<void> {
    for (const step of withWaitsJoined(this.#history.steps)) await this.#take(step);
    await Promise.all(this.#returning);
    for (const process of this.#processes.values()) await this.#stage.ready(process);
  }

  /** The processes that run. */
  get processes(): readonly ReloaderProcess[] {
    return [...this.#processes.values()];
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'wait':
        return await this.#wait(step.ms);
      case 'change':
      case 'revert':
      case 'delete':
      case 'recreate':
        return await this.#people.config(step);
      case 'create-workload':
      case 'follow':
      case 'scale':
        return await this.#people.workload(step);
      case 'start':
        return await this.#start(step.slot);
      case 'stop':
        return await this.#stop(step.slot, step.downtimeMs);
      default:
        throw new Error(`nobody can ask a real cluster to ${step.do}`);
    }
  }

  /** Within the window half of it will do; beyond it ends as soon as what is owed has been rolled. */
  async #wait(ms: number): Promise<void> {
    const { coalescePeriodMs } = this.#history.settings;
    const isWithin = ms <= coalescePeriodMs;
    await passed((isWithin ? ms / 2 : coalescePeriodMs) * this.#factor);
    if (isWithin) return;
    for (const process of this.#processes.values())
      await this.#stage.until('what is owed is rolled', async () => {
        const { workloads } = await process.status();
        return workloads.every(({ isOutdated }) => !isOutdated);
      });
  }

  /** Where a history has slow rollouts, each pod takes a second: that is long enough for a step in between. */
  async #slow(workload: WorkloadName): Promise<void> {
    const isSlow = this.#history.settings.rolloutMs >= 1000;
    if (isSlow) await this.#stage.patch(workload, { spec: { minReadySeconds: 1 } });
    await this.#stage.rolledOut(workload);
  }

  async #start(slot: Slot): Promise<void> {
    const { coalescePeriodMs, maxWaitMs } = this.#history.settings;
    const flags = ['--coalesce-max-wait', `${maxWaitMs * this.#factor}ms`];
    const periodMs = coalescePeriodMs * this.#factor;
    const process = await this.#stage.startReloader({ periodMs, flags });
    this.#processes.set(slot, process);
    await this.#stage.until('the process is ready', () => process.isReady());
  }

  async #stop(slot: Slot, downtimeMs: number): Promise<void> {
    await this.#one(slot).stop();
    this.#processes.delete(slot);
    if (downtimeMs < 0) return;
    this.#returning.push(passed(downtimeMs * this.#factor).then(() => this.#start(slot)));
  }

  #one(slot: Slot): ReloaderProcess {
    const process = this.#processes.get(slot);
    if (process === undefined) throw new Error(`no process is in slot ${slot}`);
    return process;
  }
}

/** `StatefulSet/db` as the stage has it. */
export function workloadNamed(text: string): WorkloadName {
  const { kind, name } = split(text);
  const known = KINDS.find((each) => each === kind);
  if (known === undefined) throw new Error(`no kind of workload: ${text}`);
  return { kind: known, name };
}

/** One wait in place of several in a row. */
function withWaitsJoined(steps: readonly Step[]): readonly Step[] {
  const joined: Step[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (step.do === 'wait' && last?.do === 'wait') joined.splice(-1, 1, { ...step, ms: last.ms + step.ms });
    else joined.push(step);
  }
  return joined;
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The administrator, who takes the namespace of the stage for that of all histories. */
function sendIn({ cluster, namespace }: Stage): Send {
  return (request) => {
    const path = request.path.replace(`/namespaces/${NAMESPACE}/`, `/namespaces/${namespace}/`);
    return cluster.send({ ...request, path });
  };
}
