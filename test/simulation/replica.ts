/** One process of the reloader as the simulation runs it: the only file here that knows how the program is put together. */

import { type Assembly, assemble } from '../../lib/app/assembly.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import type { Log } from '../../lib/model/log.ts';
import type { LeaderElection, Options } from '../../lib/options/options.ts';
import { parseOptions } from '../../lib/options/parse-options.ts';
import type { HeldKey } from '../../lib/state/digest-keys.ts';
import { NAMESPACE, SELECTED_LABEL, STATE_NAME } from './api.ts';
import type { Settings } from './history.ts';

/** How long after its last renewal of the Lease a leader stops. */
export const RENEW_DEADLINE_MS: number = 10_000;
/** The longest time without a leader, while another process that can reach the API server is there. */
export const LONGEST_TAKE_OVER_MS: number = 15_000 + 2_400;
const ELECTION: LeaderElection = {
  id: STATE_NAME,
  namespace: undefined,
  leaseDurationMs: 15_000,
  renewDeadlineMs: RENEW_DEADLINE_MS,
  retryPeriodMs: 2_000,
};

/** What a replica is made of. */
export interface ReplicaParts {
  /** Another one for each process. */
  readonly id: number;
  readonly send: Send;
  readonly settings: Settings;
  /** The pod that it runs in, where a leader is elected. */
  readonly podUid: string | undefined;
  readonly random: () => number;
  /** @default a random key */
  readonly newKey?: () => HeldKey;
  /** Takes every line that is logged. */
  readonly onLine: (line: string) => void;
}

/** A process. */
export interface Replica {
  readonly run: Assembly['run'];
  /** Whether it acts on what it sees. */
  readonly leads: () => boolean;
  /** Whether it has read its state, unless it is a standby, and listed everything. */
  readonly hasListed: () => boolean;
  /** The loops that would make its health page fail. */
  readonly stuck: () => readonly string[];
  /** Answers a review of the admission webhook. */
  readonly review: (text: string) => string;
  /** All that it shows to people at this moment. */
  readonly pages: () => readonly string[];
}

/** Puts a process together; nothing happens before `run`. */
export function newReplica({ id, send, settings, podUid, random, newKey, onLine }: ReplicaParts): Replica {
  const assembly = assemble({
    send,
    options: { ...optionsOf(settings), leaderElection: podUid === undefined ? undefined : ELECTION },
    place: {
      namespaces: settings.selected === undefined ? [NAMESPACE] : undefined,
      stateNamespace: NAMESPACE,
    },
    log: logTo(onLine),
    random,
    newKey,
    podName: 'replica',
    podUid,
    token: String(id),
    stateShardBytes: settings.shardBytes,
  });
  return {
    run: (signal) => assembly.run(signal),
    leads: () => assembly.observed.reloader().leads,
    hasListed: () => assembly.waitingFor().length === 0,
    stuck: () => assembly.stuck(),
    review: (text) => assembly.review(text),
    pages: () => [JSON.stringify(assembly.status())],
  };
}

function logTo(onLine: (line: string) => void): Log {
  const write =
    (level: string) =>
    (message: string, fields = {}): void =>
      onLine(`${level} ${message} ${JSON.stringify(fields)}`);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function servedIf(setting: unknown): 'true' | 'false' {
  return setting === undefined ? 'false' : 'true';
}

const USUAL = parseOptions(
  [
    '--is-openshift=false',
    '--log-level=debug',
    '--stage-soak=0',
    '--rollout-limit=off',
    `--configmap=${STATE_NAME}`,
  ],
  {},
);

function optionsOf(settings: Settings): Options {
  if (USUAL.type !== 'run') throw new Error(JSON.stringify(USUAL));
  const { options } = USUAL;
  const { coalescePeriodMs, maxWaitMs, presence, selected, pausePeriodMs = 0 } = settings;
  return {
    ...options,
    ...(selected === undefined
      ? { scope: { type: 'namespaces', names: [NAMESPACE], source: 'test' } }
      : { scope: { type: 'all', source: 'test' }, namespaceSelector: SELECTED_LABEL }),
    namespaceAnnotations: selected !== undefined,
    coalescePeriodMs,
    coalesceMaxWaitMs: maxWaitMs,
    pausePeriodMs,
    pace: settings.pace ?? options.pace,
    budget: settings.budget,
    staging: settings.staging ?? options.staging,
    dialects: settings.dialects ?? options.dialects,
    reloadStrategy: settings.evictions === undefined ? 'env-vars' : 'evict',
    maxEvictions: settings.evictions?.max ?? 1,
    keyScoped: settings.keys?.scoped === true,
    reloadOnCreate: presence?.onCreate === true,
    reloadOnDelete: presence?.onDelete === true,
    cronjobReload: settings.batch === undefined ? 'none' : 'run-now',
    jobReload: settings.batch?.jobs ?? 'none',
    isArgoRollouts: servedIf(settings.argo),
    enableCsiIntegration: servedIf(settings.classes),
    digests: settings.digests ?? 'sha1',
  };
}
