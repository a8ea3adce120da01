/** Electors over one Lease in memory, in stepped time. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { TestContext } from 'node:test';
import {
  Elector,
  type ElectorOptions,
  type LeadEnd,
  type LeaderStatus,
  type Leadership,
} from '../../../lib/leader/elector.ts';
import type { LeaseRecord } from '../../../lib/leader/lease.ts';
import { type Log, NO_LOG } from '../../../lib/model/log.ts';

import { mockTime } from '../../mock-time.ts';
import { LeaseStore } from './lease-store.ts';

/** One process that stands for the lead. */
export interface Candidate {
  readonly elector: Elector;
  /** Its leads, the first one first. */
  readonly leads: Leadership[];
  /** Ends the lead that it has; unless it was asked to end and does so by itself. */
  finish: (end: LeadEnd) => void;
  readonly changes: LeaderStatus[];
  readonly warnings: string[];
  standbys: number;
  /** Whether `run` has ended. */
  isGone: boolean;
  /** Ends the process. */
  readonly end: () => void;
  readonly isValid: () => boolean;
}

/** What a test has. */
export interface Stage {
  readonly store: LeaseStore;
  /** Time passes in steps. */
  readonly pass: (ms: number) => Promise<void>;
  /** Time jumps, as for a process that was stopped. */
  readonly jump: (ms: number) => Promise<void>;
  readonly join: (identity: string, options?: JoinOptions) => Candidate;
}

/** What a process is like, besides what its elector is told. */
export interface JoinOptions extends Partial<ElectorOptions> {
  /** Whether it goes on with its work when the lead ends. @default false */
  readonly lingers?: boolean;
  /** How fast its clock of waits goes. @default 1 */
  readonly rate?: number;
}

/** A record of another process. */
export function record(holderIdentity: string, over: Partial<LeaseRecord> = {}): LeaseRecord {
  const time = '2025-01-01T00:00:00.000000Z';
  return {
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: 3,
    ...over,
  };
}

/** How fast the clock of the process goes that runs now. */
const RATE = new AsyncLocalStorage<number>();

/** Gives each process a clock of waits of its own, until the time is given back. */
function setRates(): void {
  const { now } = performance;
  const { setTimeout: wait } = globalThis;
  const rate = (): number => RATE.getStore() ?? 1;
  Object.defineProperty(performance, 'now', { value: () => now() * rate(), configurable: true });
  const waitAtRate = (act: () => void, ms = 1): NodeJS.Timeout => wait(act, ms / rate());
  globalThis.setTimeout = waitAtRate as typeof setTimeout;
}

/** An empty stage. */
export function stage(t: Pick<TestContext, 'mock' | 'after'>, stepMs = 100): Stage {
  const { jolt } = mockTime(t);
  setRates();
  const store = new LeaseStore();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const jump = async (ms: number): Promise<void> => {
    jolt();
    t.mock.timers.tick(ms);
    await settle();
  };
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += stepMs) await jump(stepMs);
  };
  return { store, pass, jump, join: (identity, options) => join(store, identity, options) };
}

function join(
  store: LeaseStore,
  identity: string,
  { lingers = false, rate = 1, ...options }: JoinOptions = {},
): Candidate {
  const process = new AbortController();
  const leads: Leadership[] = [];
  const changes: LeaderStatus[] = [];
  const warnings: string[] = [];
  const log: Log = { ...NO_LOG, warn: (message) => void warnings.push(message) };
  const elector = new Elector({
    lease: store.client(identity),
    identity,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
    random: () => 0.5,
    log,
    onChange: (status) => void changes.push(status),
    ...options,
  });
  const candidate: Candidate = {
    elector,
    leads,
    changes,
    warnings,
    standbys: 0,
    isGone: false,
    finish: () => undefined,
    end: () => process.abort(),
    isValid: () => RATE.run(rate, () => leads.some((leadership) => leadership.isValid())),
  };
  const lead = (leadership: Leadership): Promise<LeadEnd> => {
    leads.push(leadership);
    return new Promise((resolve) => {
      candidate.finish = resolve;
      if (!lingers) leadership.signal.addEventListener('abort', () => resolve('ended'));
    });
  };
  const standby = (): void => {
    candidate.standbys += 1;
  };
  const run = (): Promise<void> => elector.run(process.signal, lead, standby);
  void RATE.run(rate, run).then(() => {
    candidate.isGone = true;
  });
  return candidate;
}
