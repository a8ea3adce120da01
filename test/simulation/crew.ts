/** The processes of a history: started, stopped, killed, and what they knew when they died. */

import type { AuditRecord } from '../sandbox/api-server.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, STATE_NAMES, WATCHED, watchedWith } from './api.ts';
import { Gate } from './gate.ts';
import type { ProcessStep, Resource, Settings, Slot, StateStep, WorkloadName } from './history.ts';
import { CONFIGS, ELSEWHERE } from './manifests.ts';
import type { Observer } from './observer.ts';
import { randomOf } from './random.ts';
import { newReplica, type Replica } from './replica.ts';
import { stateFactNow, stateFactOf } from './state-fact.ts';
import type { Belief, StateFact } from './trace.ts';

/** What a crew needs of the world. */
export interface CrewOptions {
  readonly sandbox: Sandbox;
  readonly observer: Observer;
  readonly settings: Settings;
  readonly seed: number;
}

/** One process that lives. */
interface Member {
  readonly id: number;
  readonly slot: Slot;
  readonly replica: Replica;
  readonly gate: Gate;
  readonly stop: AbortController;
  /** Up to which write each stream has told. */
  readonly heard: Map<Resource, number>;
  /** The ConfigMaps of the state as they were read, until everything is listed. */
  readonly read: Map<string, LooseObject | undefined>;
  /** Workloads whose exceptions were missing then. */
  readonly missed: Set<WorkloadName>;
  hasListed: boolean;
  hasEnded: boolean;
  isStuck: boolean;
  /** Set by a planned crash. */
  downtimeMs: number;
}

/** All processes. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members = new Map<Slot, Member>();
  /** Workloads whose exceptions a person removed, until a reloader writes that ConfigMap of the state again. */
  readonly #robbed = new Map<WorkloadName, Set<string>>();
  #started = 0;
  #reviews = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** Starts a process unless there is one in the slot. */
  start(slot: Slot): void {
    if (this.#members.has(slot)) return;
    const { observer, settings, seed } = this.#options;
    const id = this.#started;
    this.#started += 1;
    const gate = this.#gateOf(id, slot);
    const onLine = (text: string): void => {
      if (!gate.isShut) observer.add({ type: 'output', where: `log of ${id}`, text });
    };
    const replica = newReplica({ send: gate.send, settings, random: randomOf(seed + id), onLine });
    const member: Member = {
      id,
      slot,
      replica,
      gate,
      stop: new AbortController(),
      heard: new Map(),
      read: new Map(),
      missed: new Set(),
      hasListed: false,
      hasEnded: false,
      isStuck: false,
      downtimeMs: 0,
    };
    this.#members.set(slot, member);
    observer.add({ type: 'started', replica: id });
    void replica.run(member.stop.signal).finally(() => {
      member.hasEnded = true;
    });
  }

  #gateOf(id: number, slot: Slot): Gate {
    const { observer, sandbox } = this.#options;
    return new Gate(id, sandbox.handle, {
      onBody: (text) => observer.add({ type: 'output', where: `request of ${id}`, text }),
      onTwoInFlight: (workload) => observer.add({ type: 'two-in-flight', replica: id, workload }),
      onRunaway: () => observer.add({ type: 'runaway', replica: id }),
      onHeard: (resource, version) => this.#hear(slot, resource, version),
      onCrash: () => this.#die(slot),
    });
  }

  #hear(slot: Slot, resource: string, version: string): void {
    const heard = this.#members.get(slot)?.heard;
    const known = WATCHED.find((one) => one === resource);
    if (heard === undefined || known === undefined) return;
    heard.set(known, Math.max(heard.get(known) ?? 0, this.#options.observer.positionOf(known, version)));
  }

  /** Ends a process in good order, then perhaps starts it again. */
  async stop(slot: Slot, downtimeMs: number, pass: () => Promise<void>): Promise<void> {
    const member = this.#members.get(slot);
    if (member === undefined) return;
    member.stop.abort();
    for (let tries = 0; tries < 100 && !member.hasEnded; tries += 1) await pass();
    if (this.#members.get(slot) !== member) return;
    member.downtimeMs = downtimeMs;
    this.#die(slot);
  }

  /** Kills a process, now or at a write to come. */
  crash({ slot, atWrite, effect, downtimeMs }: Extract<ProcessStep, { readonly do: 'crash' }>): void {
    const member = this.#members.get(slot);
    if (member === undefined) return;
    member.downtimeMs = downtimeMs;
    if (atWrite === 0) this.#die(slot);
    else member.gate.plan({ writesLeft: atWrite, effect });
  }

  #die(slot: Slot): void {
    const member = this.#members.get(slot);
    if (member === undefined) return;
    const { observer } = this.#options;
    observer.look();
    member.gate.shut();
    this.#members.delete(slot);
    const beliefs = member.replica.beliefs();
    observer.add({
      type: 'died',
      replica: member.id,
      knewUntil: this.#knewUntil(member),
      beliefs,
      state: this.#state(),
    });
    member.stop.abort();
    if (member.downtimeMs === 0) this.start(slot);
    else if (member.downtimeMs > 0) setTimeout(() => this.start(slot), member.downtimeMs);
  }

  #knewUntil({ heard }: Member): number {
    const { observer, sandbox, settings } = this.#options;
    const missed = watchedWith(settings).map((resource) =>
      observer.firstAfter(resource, heard.get(resource) ?? 0),
    );
    return Math.min(sandbox.writes, ...missed.map((at) => (at ?? Number.POSITIVE_INFINITY) - 1));
  }

  /** Ends all processes but one, or starts one. The one that is left comes back from a death still to come. */
  leaveOne(): void {
    const [first, second] = [this.#members.get(0), this.#members.get(1)];
    if (first !== undefined && second !== undefined) {
      second.downtimeMs = -1;
      this.#die(1);
    }
    const last = first ?? second;
    if (last === undefined) this.start(0);
    else last.downtimeMs = Math.max(0, last.downtimeMs);
  }

  /** What the process that is left believes. */
  beliefs(): readonly Belief[] {
    for (const { id, replica } of this.#members.values()) {
      for (const text of replica.pages())
        this.#options.observer.add({ type: 'output', where: `page of ${id}`, text });
    }
    return [...this.#members.values()][0]?.replica.beliefs() ?? [];
  }

  /** What the process that is left tells people does not exist. */
  missing(): readonly string[] {
    return [...this.#members.values()][0]?.replica.missing() ?? [];
  }

  /** Kills every process and starts one in its place. */
  restartAll(): void {
    this.killAll();
    this.start(0);
  }

  /** Kills every process. */
  killAll(): void {
    for (const [slot, member] of this.#members) {
      member.downtimeMs = -1;
      this.#die(slot);
    }
  }

  /** Remembers that a person took something from these ConfigMaps of the state. */
  onStateEdit(step: StateStep, names: readonly string[]): void {
    if (step.do === 'remove-exceptions' && names.length > 0) this.#robbed.set(step.workload, new Set(names));
    this.#options.observer.add({ type: 'state-edited', shards: names });
  }

  /** Notes what a process reads of the state, and that it was written. */
  audit({ userAgent, verb, resource, name = '', before, after, status }: AuditRecord): void {
    if (resource !== 'configmaps' || !STATE_NAMES.includes(name) || !userAgent.startsWith('replica-')) return;
    if (verb !== 'get' && before !== after) this.#wrote(name);
    const id = Number(userAgent.slice('replica-'.length));
    const member = [...this.#members.values()].find((one) => one.id === id);
    if (verb === 'get' && member !== undefined && !member.hasListed && (status === 200 || status === 404)) {
      const { sandbox } = this.#options;
      member.read.set(name, sandbox.get('configmaps', NAMESPACE, name) as LooseObject | undefined);
      for (const workload of this.#robbed.keys()) member.missed.add(workload);
    }
  }

  #wrote(name: string): void {
    for (const [workload, names] of this.#robbed) {
      names.delete(name);
      if (names.size === 0) this.#robbed.delete(workload);
    }
  }

  /** A process answers a review of the admission webhook, in turns where there are two; undefined: there is none. */
  review(text: string): string | undefined {
    const members = [...this.#members.values()].filter(({ hasEnded }) => !hasEnded);
    this.#reviews += 1;
    return members[this.#reviews % Math.max(members.length, 1)]?.replica.review(text);
  }

  /** Called whenever the world has come to rest for a moment. */
  look(): void {
    const { observer } = this.#options;
    for (const member of this.#members.values()) {
      this.#lookForStuck(member);
      if (member.hasListed || member.read.size === 0 || !member.replica.hasListed()) continue;
      member.hasListed = true;
      const read = stateFactOf((name) => member.read.get(name));
      const configs = [...CONFIGS, ELSEWHERE].filter((config) => read.entries[config] === undefined);
      observer.add({
        type: 'listed',
        replica: member.id,
        lost: { configs, workloads: [...member.missed] },
        state: read,
      });
    }
  }

  #lookForStuck(member: Member): void {
    const loops = member.isStuck ? [] : member.replica.stuck();
    if (loops.length === 0) return;
    member.isStuck = true;
    this.#options.observer.add({ type: 'stuck', replica: member.id, loops });
  }

  #state(): StateFact {
    return stateFactNow(this.#options.sandbox);
  }
}
