/** The processes of a history: started, stopped and killed. */

import type { Send } from '../../lib/kubernetes/transport.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { STATE_NAMES, WATCHED, watchedWith } from './api.ts';
import { Gate } from './gate.ts';
import type { ProcessStep, Resource, Settings, Slot } from './history.ts';
import { KeyLedger } from './key-ledger.ts';
import { Line } from './line.ts';
import { CLASS } from './manifests.ts';
import type { Observer } from './observer.ts';
import { randomOf } from './random.ts';
import { newReplica, type Replica } from './replica.ts';
import { KEY_PATH } from './ring.ts';
import { recordedNow } from './state-fact.ts';
import { outside, Stoppable } from './stoppable.ts';

/** What a crew needs of the world. */
export interface CrewOptions {
  readonly sandbox: Sandbox;
  readonly observer: Observer;
  readonly settings: Settings;
  readonly seed: number;
  /** Whether the processes elect a leader. */
  readonly elects: boolean;
}

/** One process that lives. */
interface Member {
  readonly id: number;
  readonly slot: Slot;
  readonly replica: Replica;
  readonly gate: Gate;
  readonly line: Line;
  readonly process: Stoppable;
  readonly stop: AbortController;
  /** Up to which write each stream has told. */
  readonly heard: Map<Resource, number>;
  /** Whether it has read the state in its term, and what that said of the class. */
  hasRead: boolean;
  recorded: string | undefined;
  hasStopped: boolean;
  /** It was last seen to lead, and no other one has begun a term since. */
  isLeading: boolean;
  /** Another one has begun a term, which it does not know. */
  isDeposed: boolean;
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
  /** The starts to come of those that died. */
  readonly #returns = new Set<NodeJS.Timeout>();
  readonly keys: KeyLedger;
  /** Of those that are started from now on. */
  digests: Settings['digests'];
  #started = 0;
  #reviews = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.digests = options.settings.digests;
    this.keys = new KeyLedger(options.sandbox, (fact) => options.observer.add(fact));
  }

  /** Starts a process unless there is one in the slot. */
  start(slot: Slot): void {
    if (this.#members.has(slot)) return;
    const { observer, sandbox, settings, seed, elects } = this.#options;
    const id = this.#started;
    this.#started += 1;
    const process = new Stoppable();
    const line = new Line(sandbox.handle, process);
    const gate = this.#gateOf(id, slot, elects ? line.send : sandbox.handle);
    const onLine = (text: string): void => {
      if (!gate.isShut) observer.add({ type: 'output', where: `log of ${id}`, text });
    };
    const podUid = elects ? `slot-${slot}` : undefined;
    const replica = newReplica({
      id,
      send: gate.send,
      settings: { ...settings, ...(this.digests && { digests: this.digests }) },
      podUid,
      random: randomOf(seed + id),
      newKey: () => this.keys.newKey(),
      onLine,
    });
    const member: Member = {
      id,
      slot,
      replica,
      gate,
      line,
      process,
      stop: new AbortController(),
      heard: new Map(),
      hasRead: false,
      recorded: undefined,
      hasStopped: false,
      isLeading: false,
      isDeposed: false,
      hasListed: false,
      hasEnded: false,
      isStuck: false,
      downtimeMs: 0,
    };
    this.#members.set(slot, member);
    this.keys.begin(id, this.digests);
    observer.add({ type: 'started', replica: id });
    const run = async (): Promise<void> => {
      const { signal } = member.stop;
      await replica.run(signal);
      member.hasStopped = !signal.aborted;
    };
    void (elects ? process.run(run) : run()).finally(() => {
      member.hasEnded = true;
    });
  }

  #gateOf(id: number, slot: Slot, send: Send): Gate {
    const { observer, elects } = this.#options;
    return new Gate(id, send, elects, {
      onBody: (text, path) => {
        const where = `${path.startsWith(KEY_PATH) ? 'keys' : 'request'} of ${id}`;
        observer.add({ type: 'output', where, text });
      },
      onTwoInFlight: (workload) => observer.add({ type: 'two-in-flight', replica: id, workload }),
      onRunaway: () => observer.add({ type: 'runaway', replica: id }),
      onHeard: (resource, version) => this.#hear(slot, resource, version),
      onUnled: (path, sinceMs) => {
        // Who has no key yet makes one, if there is none.
        const isFirst = path.startsWith(KEY_PATH) && !this.keys.isKeyed(id);
        if (!isFirst) observer.add({ type: 'unled', replica: id, path, sinceMs });
      },
      onCrash: () => outside(() => this.#die(slot)),
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
    this.#die(slot, 'ended');
  }

  /** Something comes between a process and its time, or the API server. */
  disturb(step: Extract<ProcessStep, { readonly do: 'freeze' | 'part' | 'stall' }>): void {
    const members = [...this.#members.values()].filter(({ slot, replica }) =>
      step.slot === undefined ? !replica.leads() : slot === step.slot,
    );
    const [first] = members;
    if (first === undefined || !this.#options.elects) return;
    this.#options.observer.add({ type: 'hindered', replica: first.id, forMs: step.ms });
    for (const { line, process } of members) {
      if (step.do === 'stall') line.stall(step.resource, step.ms);
      else if (step.do === 'part') line[step.how === 'cut' ? 'cut' : 'silence'](step.ms);
      else {
        process.stop();
        setTimeout(() => process.goOn(), step.ms);
      }
    }
  }

  /** The time of day of a process is set forward, or back. */
  jump(slot: Slot, ms: number): void {
    const member = this.#members.get(slot);
    if (member !== undefined) member.process.aheadMs += ms;
  }

  /** All that came between processes and their time or the API server is over. */
  calm(): void {
    for (const { line, process } of this.#members.values()) {
      line.open();
      process.goOn();
    }
  }

  /** Kills a process, now or at a write to come. */
  crash({ slot, atWrite, effect, downtimeMs, of }: Extract<ProcessStep, { readonly do: 'crash' }>): void {
    const member = this.#members.get(slot);
    if (member === undefined) return;
    member.downtimeMs = downtimeMs;
    if (atWrite === 0) this.#die(slot);
    else member.gate.plan({ writesLeft: atWrite, effect, ...(of && { of }) });
  }

  #die(slot: Slot, how?: 'ended'): void {
    const member = this.#members.get(slot);
    if (member === undefined) return;
    const { observer, elects } = this.#options;
    observer.look();
    member.gate.shut();
    member.line.shut();
    this.#members.delete(slot);
    if (!elects || (member.replica.leads() && !member.isDeposed)) this.#noteDeath(member, how);
    member.process.goOn();
    member.stop.abort();
    if (member.downtimeMs === 0) this.start(slot);
    else if (member.downtimeMs > 0) this.#returns.add(setTimeout(() => this.start(slot), member.downtimeMs));
  }

  #noteDeath(member: Member, how?: 'ended' | 'lost'): void {
    const { elects, observer } = this.#options;
    const [replica, knewUntil] = [member.id, this.#knewUntil(member)];
    observer.add({ type: 'died', replica, knewUntil, ...(elects && how && { how }) });
  }

  /** It leads no more, or another one does, which it does not know yet. */
  #depose(member: Member): void {
    if (!member.isLeading) return;
    this.#noteDeath(member, member.stop.signal.aborted || member.hasStopped ? 'ended' : 'lost');
    member.isLeading = false;
    member.hasListed = false;
    member.hasRead = false;
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
    const [last, ...others] = [...this.#members.values()].toSorted((a, b) => a.slot - b.slot);
    for (const other of others) {
      other.downtimeMs = -1;
      this.#die(other.slot);
    }
    for (const timer of this.#returns) clearTimeout(timer);
    if (last === undefined) this.start(0);
    else last.downtimeMs = Math.max(0, last.downtimeMs);
  }

  get leading(): number | undefined {
    return [...this.#members.values()].find(({ replica }) => replica.leads())?.id;
  }

  /** Notes what the processes show to people. */
  lookAtPages(): void {
    for (const { id, replica } of this.#members.values()) {
      for (const text of replica.pages())
        this.#options.observer.add({ type: 'output', where: `page of ${id}`, text });
    }
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

  /** Notes that a process reads the state. */
  audit(record: AuditRecord): void {
    this.keys.audit(record);
    const { userAgent, verb, resource, name = '', status } = record;
    const member = [...this.#members.values()].find(({ id }) => userAgent === `replica-${id}`);
    const isRead = resource === 'configmaps' && STATE_NAMES.includes(name) && verb === 'get';
    if (!isRead || member === undefined || member.hasRead || (status !== 200 && status !== 404)) return;
    member.hasRead = true;
    member.recorded = recordedNow(this.#options.sandbox, CLASS);
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
    for (const member of [...this.#members.values()]) {
      if (member.hasStopped) {
        member.downtimeMs = 1000; // as the kubelet does
        this.#die(member.slot, 'ended');
        continue;
      }
      this.#lookForStuck(member);
      if (this.#options.elects) this.#lookAtLead(member);
      if (member.hasListed || member.isDeposed || !member.hasRead || !member.replica.hasListed()) continue;
      if (!member.replica.leads()) continue;
      member.hasListed = true;
      observer.add({ type: 'listed', replica: member.id, recorded: member.recorded });
    }
  }

  #lookAtLead(member: Member): void {
    const { replica } = member;
    if (!replica.leads()) {
      this.#depose(member);
      member.isDeposed = false;
      return;
    }
    if (member.isDeposed) return;
    if (!member.isLeading) {
      for (const other of this.#members.values()) {
        if (other === member || !other.isLeading) continue;
        this.#depose(other);
        other.isDeposed = true;
      }
    }
    member.isLeading = true;
  }

  #lookForStuck(member: Member): void {
    const loops = member.isStuck ? [] : member.replica.stuck();
    if (loops.length === 0) return;
    member.isStuck = true;
    this.#options.observer.add({ type: 'stuck', replica: member.id, loops });
  }
}
