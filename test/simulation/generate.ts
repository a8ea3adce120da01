/** Histories by chance: one arbitrary per flavour, so that simple laws are tried strictly and hard ones broadly. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect, CallMatch, FaultRule, WatchEffect } from '../sandbox/faults.ts';
import { RESOURCES } from './api.ts';
import type {
  ConfigName,
  ConfigStep,
  Content,
  FaultStep,
  History,
  InitialConfig,
  InitialWorkload,
  ProcessStep,
  Settings,
  StateStep,
  Step,
  WorkloadName,
  WorkloadStep,
} from './history.ts';
import { CONFIGS, WORKLOADS } from './manifests.ts';

/**
 * What may happen in a history: `calm` nobody but people editing content and workloads, `owners` also those who write pod
 * templates, `faults` a bad API server, `crashes` processes that die, `replicas` a second process, `everything`.
 */
export const FLAVOURS = ['calm', 'owners', 'faults', 'crashes', 'replicas', 'everything'] as const;

/** One of FLAVOURS. */
export type Flavour = (typeof FLAVOURS)[number];

const config = fc.constantFrom(...CONFIGS);
const workload = fc.constantFrom(...WORKLOADS);
const content: Arbitrary<Content> = fc.constantFrom('A', 'B', 'C');
const follows = fc.subarray([...CONFIGS], { minLength: 0, maxLength: 3 });
const replicas = fc.constantFrom(2, 1, 3, 0);
const slot = fc.constantFrom(0 as const, 1 as const);

/** The history number `index` of a run. */
export function historyArbitrary(flavour: Flavour): Arbitrary<History> {
  const world = {
    settings: settingsArbitrary(flavour),
    configs: fc.tuple(...CONFIGS.map(initialConfig)).map(present),
    workloads: fc.tuple(...WORKLOADS.map((name) => initialWorkload(name, flavour))).map(present),
    seed: fc.nat({ max: 1_000_000 }),
  };
  return settingsArbitrary(flavour).chain((settings) =>
    fc.record({ ...world, settings: fc.constant(settings), steps: stepsArbitrary(flavour, settings) }),
  );
}

function stepsArbitrary(flavour: Flavour, settings: Settings): Arbitrary<readonly Step[]> {
  const step = fc.oneof(
    { weight: 12, arbitrary: configStep },
    { weight: flavour === 'calm' ? 2 : 4, arbitrary: workloadStep },
    { weight: 10, arbitrary: waitStep(settings) },
    ...extraSteps(flavour),
  );
  return fc.array(step, { minLength: 1, maxLength: 30, size: 'max' });
}

function extraSteps(flavour: Flavour): { weight: number; arbitrary: Arbitrary<Step> }[] {
  const steps = {
    owners: [
      { weight: 6, arbitrary: ownerStep },
      { weight: 2, arbitrary: speedStep },
    ],
    faults: [
      { weight: 6, arbitrary: faultStep },
      { weight: 2, arbitrary: speedStep },
    ],
    crashes: [
      { weight: 5, arbitrary: crashStep },
      { weight: 1, arbitrary: refuseStep },
    ],
    replicas: [
      { weight: 4, arbitrary: replicaStep },
      { weight: 1, arbitrary: refuseStep },
    ],
    state: [{ weight: 2, arbitrary: stateStep }],
  };
  switch (flavour) {
    case 'calm':
      return [{ weight: 1, arbitrary: quietRestart }];
    case 'owners':
      return [...steps.owners];
    case 'faults':
      return [...steps.faults, { weight: 2, arbitrary: refuseStep }];
    case 'crashes':
      return [...steps.crashes, { weight: 1, arbitrary: speedStep }];
    case 'replicas':
      return [...steps.replicas, { weight: 1, arbitrary: crashStep }];
    case 'everything':
      return [...steps.owners, ...steps.faults, ...steps.crashes, ...steps.replicas, ...steps.state];
  }
}

function settingsArbitrary(flavour: Flavour): Arbitrary<Settings> {
  return fc
    .record({
      coalescePeriodMs: fc.constantFrom(5000, 1000, ...(flavour === 'calm' ? [] : [0])),
      factor: fc.constantFrom(6, 2),
      versions: fc.constantFrom('comparable', 'comparable', 'per-kind', 'opaque'),
      rolloutMs: fc.constantFrom(...(flavour === 'calm' ? [100] : [100, 0, 4000, 30_000])),
    })
    .map(({ factor, ...rest }) => ({ ...rest, maxWaitMs: rest.coalescePeriodMs * factor }));
}

function initialConfig(name: ConfigName): Arbitrary<InitialConfig | undefined> {
  return fc.constantFrom<InitialConfig | undefined>(
    { config: name, content: 'A' },
    { config: name, content: 'B' },
    undefined,
  );
}

function initialWorkload(name: WorkloadName, flavour: Flavour): Arbitrary<InitialWorkload | undefined> {
  const strategies =
    flavour === 'calm' ? (['rolling'] as const) : (['rolling', 'manual', 'partition'] as const);
  const there = fc.record({
    workload: fc.constant(name),
    follows,
    replicas,
    strategy: fc.oneof(
      { weight: 12, arbitrary: fc.constant('rolling' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...strategies) },
    ),
  });
  return fc.option(there, { nil: undefined, freq: 3 });
}

function present<T>(items: readonly (T | undefined)[]): readonly T[] {
  return items.filter((item) => item !== undefined);
}

function waitStep({ coalescePeriodMs, maxWaitMs }: Settings): Arbitrary<Step> {
  const around = [1, 100, 900, 3000, coalescePeriodMs + 50, maxWaitMs + 100, 61_000];
  return fc
    .oneof(
      { weight: 12, arbitrary: fc.constantFrom(...around, Math.floor(coalescePeriodMs / 2)) },
      { weight: 1, arbitrary: fc.constantFrom(200_000, 330_000) },
    )
    .map((ms) => ({ do: 'wait', ms }));
}

const configStep: Arbitrary<ConfigStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), config, content }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('revert' as const), config }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), config }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), config }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recreate' as const), config }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recreate' as const), config, content }) },
);

const workloadStep: Arbitrary<WorkloadStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('follow' as const), workload, follows }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant('create-workload' as const),
        workload,
        follows,
        replicas,
        copyOf: workload,
        lift: fc.constantFrom(0, 1, 5),
      },
      { requiredKeys: ['do', 'workload', 'follows', 'replicas'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-workload' as const), workload }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scale' as const), workload, replicas }) },
);

const ownerStep: Arbitrary<WorkloadStep> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('replace' as const), workload }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('apply' as const), workload }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), workload }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), workload }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('take-back' as const),
      workload,
      times: fc.constantFrom(1, 2, 5),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), workload, paused: fc.boolean() }) },
);

const speedStep: Arbitrary<WorkloadStep> = fc.record(
  { do: fc.constant('rollout-speed' as const), workload, ms: fc.constantFrom(0, 2000, 20_000, -1) },
  { requiredKeys: ['do', 'ms'] },
);

const refuseStep: Arbitrary<WorkloadStep> = fc.record({
  do: fc.constant('refuse' as const),
  workload,
  status: fc.constantFrom(422 as const, 403 as const, 0 as const),
});

const stateStep: Arbitrary<StateStep> = fc.oneof(
  fc.record({ do: fc.constant('remove-entry' as const), config }),
  fc.record({ do: fc.constant('remove-exceptions' as const), workload }),
  fc.constant({ do: 'remove-state' } as const),
  fc.constant({ do: 'empty-state' } as const),
);

const resource = fc.constantFrom(...RESOURCES);

/** Calls of which some go wrong. A person's answer to 422 on a list is none: only what can come is tried. */
const match: Arbitrary<CallMatch> = fc.constantFrom(
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

const callEffect: Arbitrary<CallEffect> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('status' as const), code: fc.constantFrom(403, 409, 422) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('status' as const), code: fc.constantFrom(500, 503, 504, 401) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      code: fc.constant(429 as const),
      retryAfterSeconds: fc.constantFrom(1, 20),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'lost' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'refused' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hang' as const), effect: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('latency' as const), ms: fc.constantFrom(20, 2000, 8000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('stale' as const), writes: fc.constantFrom(1, 3, 10) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cutBody' } as const) },
);

const rule: Arbitrary<FaultRule> = fc.record({
  match,
  nth: fc.constantFrom(1, 2, 3),
  times: fc.constantFrom(1, 2, 5),
  effect: callEffect,
});

const watchEffect: Arbitrary<WatchEffect> = fc.constantFrom(
  { kind: 'cut', how: 'end' },
  { kind: 'cut', how: 'throw' },
  { kind: 'silent' },
  { kind: 'garbage' },
  { kind: 'truncated' },
  { kind: 'error', code: 410 },
  { kind: 'error', code: 500 },
);

const faultStep: Arbitrary<FaultStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('fault' as const), rule }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('disturb' as const), resource, effect: watchEffect }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('delay' as const),
      resource,
      ms: fc.constantFrom(0, 50, 3000, 20_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'compact' } as const) },
);

const crashStep: Arbitrary<ProcessStep> = fc.record({
  do: fc.constant('crash' as const),
  slot: fc.constant(0 as const),
  atWrite: fc.constantFrom(0, 1, 2, 3),
  effect: fc.constantFrom('before' as const, 'after' as const),
  downtimeMs: fc.constantFrom(0, 1000, 20_000),
});

const quietRestart: Arbitrary<ProcessStep> = fc.record({
  do: fc.constant('stop' as const),
  slot: fc.constant(0 as const),
  downtimeMs: fc.constantFrom(0, 1000),
});

const replicaStep: Arbitrary<ProcessStep> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('start' as const), slot }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('stop' as const),
      slot,
      downtimeMs: fc.constantFrom(-1, 0, 1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      slot,
      atWrite: fc.constantFrom(0, 1, 2),
      effect: fc.constantFrom('before' as const, 'after' as const),
      downtimeMs: fc.constantFrom(0, 1000, 20_000),
    }),
  },
);
