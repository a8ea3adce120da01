import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carries, type PlannedStamp, planOf } from '../../../lib/model/rollout-plan.ts';
import type { TemplateStamp, Workload } from '../../../lib/model/workload.ts';
import { fc } from '../../laws.ts';

const B = 'b'.repeat(40);
const CFG: PlannedStamp = {
  config: 'ns/ConfigMap/cfg',
  stamp: { digest: B, id: 3 },
  places: [{ variable: 'CFG' }],
  variables: ['CFG', 'CFG_OTHER'],
};
const TLS: PlannedStamp = {
  config: 'ns/Secret/tls',
  stamp: { digest: B, id: 8 },
  places: [{ variable: 'TLS' }],
  variables: ['TLS'],
};

function workload(containers: readonly string[], ...marks: readonly (readonly [string, string])[]): Workload {
  return {
    ref: { kind: 'Deployment', namespace: 'ns', name: 'web' },
    uid: 'u',
    resourceVersion: '7',
    generation: 1,
    replicas: 1,
    isRolledOut: true,
    isComplete: true,
    progress: 0,
    revision: undefined,
    progressDeadlineMs: 0,
    hold: undefined,
    declines: undefined,
    isCopy: false,
    isLeftAlone: false,
    isPaused: false,
    annotations: {},
    labels: {},
    templateAnnotations: {},
    unknownAnnotations: [],
    references: [],
    containers,
    stamps: marks.map(([container, variable]): TemplateStamp => ({ container, variable, value: `${B}.1` })),
    templateDigest: '',
    lastManager: undefined,
  };
}

const set = (container: string, variable: string, id: number): object => ({
  ...drop(container, variable),
  value: `${B}.${id}`,
});
const drop = (container: string, variable: string): object => ({ container, variable, value: undefined });

interface Case {
  readonly of: Workload;
  readonly stamps: readonly PlannedStamp[];
  readonly variables: readonly object[];
}

const CASES: Record<string, Case> = {
  'a stamp goes into the first container': {
    of: workload(['main', 'side']),
    stamps: [CFG],
    variables: [set('main', 'CFG', 3)],
  },
  'a stamp goes into the container that carries it already': {
    of: workload(['main', 'side'], ['side', 'CFG']),
    stamps: [CFG],
    variables: [set('side', 'CFG', 3)],
  },
  'another form of the stamp is replaced where it stands': {
    of: workload(['main', 'side'], ['side', 'CFG_OTHER']),
    stamps: [CFG],
    variables: [set('side', 'CFG', 3), drop('side', 'CFG_OTHER')],
  },
  'other forms and doubles in other containers are removed': {
    of: workload(['main', 'side', 'third'], ['main', 'CFG_OTHER'], ['side', 'CFG'], ['third', 'CFG']),
    stamps: [CFG],
    variables: [set('side', 'CFG', 3), drop('main', 'CFG_OTHER'), drop('third', 'CFG')],
  },
  'several sources in several containers are one patch': {
    of: workload(['main', 'side'], ['side', 'TLS']),
    stamps: [CFG, TLS],
    variables: [set('main', 'CFG', 3), set('side', 'TLS', 8)],
  },
  'several sources in one container are one list': {
    of: workload(['main']),
    stamps: [CFG, TLS],
    variables: [set('main', 'CFG', 3), set('main', 'TLS', 8)],
  },
  'a stamp of an edge that is up to date stays as it is': {
    of: workload(['main'], ['main', 'TLS']),
    stamps: [CFG],
    variables: [set('main', 'CFG', 3)],
  },
};

for (const [sentence, { of, stamps, variables }] of Object.entries(CASES)) {
  test(sentence, () => {
    const plan = planOf(of, { stamps, versions: new Map() });
    assert.deepEqual(plan.template, { annotations: {}, variables });
    assert.deepEqual([plan.workload, plan.stamps], [of.ref, stamps]);
  });
}

const names = ['main', 'side', 'third'];

test('law: no patch names a container that the template does not have, and each variable is there once', () => {
  const marks = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom('CFG', 'CFG_OTHER', 'TLS')));
  fc.assert(
    fc.property(fc.subarray(names, { minLength: 1 }), marks, (containers, all) => {
      const present = all.filter(([container]) => containers.includes(container));
      const { template } = planOf(workload(containers, ...present), {
        stamps: [CFG, TLS],
        versions: new Map(),
      });
      const { variables } = template;
      assert.ok(variables.length > 0);
      assert.ok(variables.every(({ container }) => containers.includes(container)));
      const places = variables.map(({ container, variable }) => `${container}/${variable}`);
      assert.equal(new Set(places).size, places.length);
    }),
  );
});

const PLAN = planOf(workload(['main']), { stamps: [CFG, TLS], versions: new Map() });
const live = (...marks: readonly (readonly [string, string])[]): Workload => ({
  ...workload(['main']),
  stamps: marks.map(([variable, value]) => ({ container: 'main', variable, value })),
});

const CARRIED: Record<string, readonly [Workload, boolean]> = {
  'with all its stamps it is in force, even if another process sent it': [
    live(['TLS', `${B}.8`], ['CFG', `${B}.3`], ['X', '1']),
    true,
  ],
  'with some of its stamps it is not': [live(['CFG', `${B}.3`]), false],
  'with another id it is not': [live(['CFG', `${B}.3`], ['TLS', `${B}.9`]), false],
  'with a stamp in another variable it is not': [live(['CFG_OTHER', `${B}.3`], ['TLS', `${B}.8`]), false],
  'without stamps it is not': [live(), false],
};

for (const [sentence, [of, is]] of Object.entries(CARRIED)) {
  test(`a plan: ${sentence}`, () => assert.equal(carries(of, PLAN), is));
}
