/** Single steps by chance, among a few objects and workloads. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect, CallMatch, FaultRule, WatchEffect } from '../sandbox/faults.ts';
import { RESOURCES } from './api.ts';
import {
  type ConfigName,
  type ConfigStep,
  type FaultStep,
  JUMPS_MS,
  type ProcessStep,
  type SelectStep,
  type Settings,
  type StageStep,
  type StateStep,
  type Step,
  type WorkloadName,
  type WorkloadStep,
} from './history.ts';

/** Who plays in a history. */
export interface Cast {
  readonly configs: readonly ConfigName[];
  readonly workloads: readonly WorkloadName[];
  readonly settings: Settings;
}

/** Arbitraries of single steps, by what they are about. */
export interface Steps {
  readonly config: Arbitrary<ConfigStep>;
  readonly workload: Arbitrary<WorkloadStep>;
  readonly owner: Arbitrary<WorkloadStep>;
  readonly speed: Arbitrary<WorkloadStep>;
  readonly refuse: Arbitrary<WorkloadStep>;
  readonly state: Arbitrary<StateStep>;
  readonly fault: Arbitrary<FaultStep>;
  readonly crash: Arbitrary<ProcessStep>;
  readonly quietRestart: Arbitrary<ProcessStep>;
  readonly wait: Arbitrary<Step>;
  /** The time of day jumps, which must change nothing. */
  readonly jump: Arbitrary<Step>;
  /** An object is marked, perhaps with new content. */
  readonly mark: Arbitrary<ConfigStep>;
  /** An object comes to be, or is deleted. */
  readonly coming: Arbitrary<ConfigStep>;
  /** The namespace is selected, or not any more. */
  readonly select: Arbitrary<SelectStep>;
  /** An edit of an object that is nothing to any pod. */
  readonly touch: Arbitrary<ConfigStep>;
  /** A template reads one key more, or one less. */
  readonly read: Arbitrary<WorkloadStep>;
  /** A workload is rolled for keys, or for whole objects. */
  readonly keyScope: Arbitrary<WorkloadStep>;
  /** A workload is stamped in annotations or in variables, or its pods are evicted. */
  readonly strategy: Arbitrary<WorkloadStep>;
  /** An object is held, or its changes are urgent, or not any more. */
  readonly say: Arbitrary<StageStep>;
  /** A workload asks for more than names, or excludes. */
  readonly ask: Arbitrary<WorkloadStep>;
}

/** The steps of a cast. */
export function stepsOf({ configs, workloads, settings }: Cast): Steps {
  const config = fc.constantFrom(...configs);
  const workload = fc.constantFrom(...workloads);
  return {
    config: configStep(config),
    workload: workloadStep(workload, fc.subarray([...configs])),
    owner: ownerStep(workload),
    speed: fc.record(
      { do: just('rollout-speed'), workload, ms: fc.constantFrom(0, 2000, 20_000, -1) },
      { requiredKeys: ['do', 'ms'] },
    ),
    refuse: fc.record({ do: just('refuse'), workload, status: fc.constantFrom(422, 403, 0) }),
    state: stateStep(config, workload),
    fault: FAULT,
    crash: CRASH,
    quietRestart: fc.record({ do: just('stop'), slot: just(0), downtimeMs: fc.constantFrom(0, 1000) }),
    wait: waitStep(settings),
    jump: fc.constantFrom(...JUMPS_MS).map((ms) => ({ do: 'jump', ms })),
    mark: fc.record({
      do: just('mark'),
      config,
      mark: fc.constantFrom('match', 'ignore', undefined),
      content: fc.constantFrom('A', 'B', 'C', undefined, undefined),
    }),
    coming: fc.oneof(
      fc.record({ do: just('delete'), config }),
      fc.record({ do: just('recreate'), config }),
      fc.record({ do: just('recreate'), config, content: fc.constantFrom('A', 'B') }),
    ),
    touch: fc.record({ do: just('touch'), config }),
    read: fc.record({ do: just('read'), workload, more: fc.boolean() }),
    keyScope: annotateStep(workload, 'key-scoped', ['true', 'false', null]),
    strategy: annotateStep(workload, 'reload-strategy', [
      'annotations',
      'annotations',
      'env-vars',
      'evict',
      null,
    ]),
    say: fc.record({ do: just('say'), config, word: fc.constantFrom('hold', 'urgent'), on: fc.boolean() }),
    select: fc.record({ do: just('select'), selected: fc.boolean() }),
    ask: fc.record({
      do: just('ask'),
      workload,
      by: fc.constantFrom('names', 'auto', 'search', 'search', 'pattern'),
      excludes: fc.oneof(fc.constant([]), fc.subarray([...configs])),
    }),
  };
}

function just<const T>(value: T): Arbitrary<T> {
  return fc.constant(value);
}

function annotateStep(
  workload: Arbitrary<WorkloadName>,
  key: string,
  values: readonly (string | null)[],
): Arbitrary<WorkloadStep> {
  const annotations = fc
    .constantFrom(...values)
    .map((value) => ({ [`reloader.k8s.collaborne.com/${key}`]: value }));
  return fc.record({ do: just('annotate'), workload, annotations });
}

function waitStep({ coalescePeriodMs, maxWaitMs }: Settings): Arbitrary<Step> {
  const short = [1, 20, 100, 900, 3000];
  const around = [
    Math.floor(coalescePeriodMs / 2),
    coalescePeriodMs + 50,
    coalescePeriodMs * 2,
    maxWaitMs + 100,
  ];
  return fc
    .oneof(
      { weight: 16, arbitrary: fc.constantFrom(...short, ...around) },
      { weight: 2, arbitrary: just(61_000) },
      { weight: 1, arbitrary: fc.constantFrom(200_000, 330_000) },
    )
    .map((ms) => ({ do: 'wait', ms }));
}

function configStep(config: Arbitrary<ConfigName>): Arbitrary<ConfigStep> {
  const content = fc.constantFrom('A', 'B', 'C');
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: just('change'), config, content }) },
    { weight: 5, arbitrary: fc.record({ do: just('revert'), config }) },
    { weight: 1, arbitrary: fc.record({ do: just('touch'), config }) },
    { weight: 1, arbitrary: fc.record({ do: just('delete'), config }) },
    { weight: 1, arbitrary: fc.record({ do: just('recreate'), config }) },
    { weight: 1, arbitrary: fc.record({ do: just('recreate'), config, content }) },
  );
}

function workloadStep(
  workload: Arbitrary<WorkloadName>,
  follows: Arbitrary<ConfigName[]>,
): Arbitrary<WorkloadStep> {
  const replicas = fc.constantFrom(2, 1, 3, 0);
  const lift = fc.constantFrom(0, 1, 5);
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: just('follow'), workload, follows }) },
    {
      weight: 3,
      arbitrary: fc.record(
        { do: just('create-workload'), workload, follows, replicas, copyOf: workload, lift },
        { requiredKeys: ['do', 'workload', 'follows', 'replicas'] },
      ),
    },
    { weight: 2, arbitrary: fc.record({ do: just('delete-workload'), workload }) },
    { weight: 1, arbitrary: fc.record({ do: just('scale'), workload, replicas }) },
  );
}

function ownerStep(workload: Arbitrary<WorkloadName>): Arbitrary<WorkloadStep> {
  const when = fc.constantFrom('before', 'after');
  return fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: just('replace'), workload }) },
    { weight: 2, arbitrary: fc.record({ do: just('apply'), workload }) },
    { weight: 2, arbitrary: fc.record({ do: just('undo'), workload }) },
    { weight: 2, arbitrary: fc.record({ do: just('restart'), workload }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: just('take-back'), workload, times: fc.constantFrom(1, 2, 5), when }),
    },
    { weight: 1, arbitrary: fc.record({ do: just('pause'), workload, paused: fc.boolean() }) },
  );
}

function stateStep(config: Arbitrary<ConfigName>, workload: Arbitrary<WorkloadName>): Arbitrary<StateStep> {
  const shard = fc.constantFrom(0, 1, 2);
  return fc.oneof(
    fc.record({ do: just('remove-entry'), config }),
    fc.record({ do: just('remove-exceptions'), workload }),
    fc.record({ do: just('remove-state'), shard }, { requiredKeys: ['do'] }),
    fc.record({ do: just('empty-state'), shard }, { requiredKeys: ['do'] }),
    fc.record({ do: just('forget-shards') }),
  );
}

const MATCH: Arbitrary<CallMatch> = fc.constantFrom<CallMatch>(
  { verb: 'patch', resource: 'deployments' },
  { verb: 'write', resource: 'statefulsets' },
  { verb: 'write', resource: 'configmaps' },
  { verb: 'write' },
  { verb: 'list' },
  { verb: 'list', resource: 'configmaps' },
  { verb: 'list', resource: 'deployments' },
  { verb: 'watch' },
  { verb: 'get' },
  {},
);

const CALL_EFFECT: Arbitrary<CallEffect> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: just('status'), code: fc.constantFrom(403, 409, 422) }) },
  { weight: 2, arbitrary: fc.record({ kind: just('status'), code: fc.constantFrom(500, 503, 504, 401) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: just('status'),
      code: just(429),
      retryAfterSeconds: fc.constantFrom(1, 20),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: just('lost') }) },
  { weight: 1, arbitrary: fc.record({ kind: just('refused') }) },
  { weight: 1, arbitrary: fc.record({ kind: just('hang'), effect: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: just('latency'), ms: fc.constantFrom(20, 2000, 8000) }) },
  { weight: 1, arbitrary: fc.record({ kind: just('stale'), writes: fc.constantFrom(1, 3, 10) }) },
  { weight: 1, arbitrary: fc.record({ kind: just('cutBody') }) },
);

const RULE: Arbitrary<FaultRule> = fc.record({
  match: MATCH,
  nth: fc.constantFrom(1, 2, 3),
  every: fc.constantFrom(1, 1, 3),
  times: fc.constantFrom(1, 2, 5),
  effect: CALL_EFFECT,
});

/** What befalls open watches. */
export const WATCH_EFFECT: Arbitrary<WatchEffect> = fc.constantFrom<WatchEffect>(
  { kind: 'cut', how: 'end' },
  { kind: 'cut', how: 'throw' },
  { kind: 'silent' },
  { kind: 'garbage' },
  { kind: 'truncated' },
  { kind: 'error', code: 410 },
  { kind: 'error', code: 500 },
);

const RESOURCE = fc.constantFrom(...RESOURCES);

const FAULT: Arbitrary<FaultStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: just('fault'), rule: RULE }) },
  { weight: 3, arbitrary: fc.record({ do: just('disturb'), resource: RESOURCE, effect: WATCH_EFFECT }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: just('delay'), resource: RESOURCE, ms: fc.constantFrom(0, 50, 3000, 20_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: just('compact') }) },
);

const CRASH: Arbitrary<ProcessStep> = fc.record({
  do: just('crash'),
  slot: just(0),
  atWrite: fc.constantFrom(0, 1, 2, 3, 5),
  effect: fc.constantFrom('before', 'after'),
  downtimeMs: fc.constantFrom(0, 1000, 20_000),
});
