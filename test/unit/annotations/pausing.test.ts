/** Who is paused, for how long, and who has a longer window instead. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Vocabularies, VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { PausePatch } from '../../../lib/model/hold.ts';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from './defaults.ts';

const { pausePeriod: PERIOD, pausedAt: PAUSED_AT } = STAKATER_KEYS;
const NOW = '2026-01-01T12:00:00.000Z';
const BEFORE = '2026-01-01T11:58:00Z';

interface Sketch {
  readonly kind?: string;
  readonly paused?: boolean;
  readonly annotations?: Record<string, string>;
  /** Those of the pod template. */
  readonly ofTemplate?: Record<string, string>;
  readonly flags?: Partial<VocabularyOptions>;
}

function seen(sketch: Sketch): { readonly workload: Workload; readonly vocabularies: Vocabularies } {
  const { kind = 'Deployment', paused = false, annotations = {}, ofTemplate = {}, flags } = sketch;
  const vocabularies = vocabulary(flags);
  const raw = {
    metadata: { name: 'web', namespace: 'ns', annotations },
    spec: { paused, template: { metadata: { annotations: ofTemplate } } },
  };
  return { workload: workloadOf(workloadKindOf(kind), raw, vocabularies), vocabularies };
}

const BEGUN: PausePatch = { paused: true, annotations: { [PAUSED_AT]: NOW } };

describe('a rollout', () => {
  const cases: Record<string, Sketch & { readonly says: PausePatch | undefined }> = {
    'pauses the Deployment that asks for it': { annotations: { [PERIOD]: '5m' }, says: BEGUN },
    'says nothing of one that does not': { says: undefined },
    'lets a pause that there is go on': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: BEFORE },
      paused: true,
      says: undefined,
    },
    'adds nothing to a pause that a person began': {
      annotations: { [PERIOD]: '5m' },
      paused: true,
      says: undefined,
    },
    'begins another one after a person has ended one': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: BEFORE },
      says: BEGUN,
    },
    'leaves what a person has ended to those who end pauses': {
      annotations: { [PAUSED_AT]: BEFORE },
      says: undefined,
    },
    'begins none of no length': { annotations: { [PERIOD]: '0s' }, says: undefined },
    'begins none that cannot be read': { annotations: { [PERIOD]: '300' }, says: undefined },
    'begins none that only the pod template asks for': { ofTemplate: { [PERIOD]: '5m' }, says: undefined },
    'begins none of what cannot be paused': {
      kind: 'StatefulSet',
      annotations: { [PERIOD]: '5m' },
      says: undefined,
    },
    'begins none where that vocabulary is not in use': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: BEFORE },
      flags: { dialects: ['collaborne'] },
      says: undefined,
    },
    'reads and writes the annotations under the names that flags give them': {
      annotations: { 'example.com/for': '5m' },
      flags: {
        stakaterKeys: { ...STAKATER_KEYS, pausePeriod: 'example.com/for', pausedAt: 'example.com/at' },
      },
      says: { paused: true, annotations: { 'example.com/at': NOW } },
    },
  };
  for (const [sentence, { says, ...sketch }] of Object.entries(cases)) {
    test(sentence, () => {
      const { workload, vocabularies } = seen(sketch);
      assert.deepEqual(vocabularies.pausing.begin(workload, NOW), says);
    });
  }
});

describe('a Deployment is in a pause of a reloader', () => {
  const cases: Record<string, Sketch & { readonly until?: string | number | undefined }> = {
    'that ends after its period': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: BEFORE },
      paused: true,
      until: '2026-01-01T12:03:00.000Z',
    },
    'that is over where the period has gone': {
      annotations: { [PAUSED_AT]: BEFORE },
      paused: true,
      until: '2026-01-01T11:58:00.000Z',
    },
    'that is over where it does not say when it began': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: 'today' },
      paused: true,
      until: Number.NEGATIVE_INFINITY,
    },
    'not where a person paused it': { annotations: { [PERIOD]: '5m' }, paused: true, until: undefined },
    'not where a person has resumed it': {
      annotations: { [PERIOD]: '5m', [PAUSED_AT]: BEFORE },
      until: undefined,
    },
    'not where that vocabulary is not in use': {
      annotations: { [PAUSED_AT]: BEFORE },
      paused: true,
      flags: { dialects: ['collaborne'] },
      until: undefined,
    },
  };
  for (const [sentence, { until, ...sketch }] of Object.entries(cases)) {
    test(sentence, () => {
      const { workload, vocabularies } = seen(sketch);
      const endsAt = vocabularies.pausing.pauseOf(workload)?.endsAt;
      assert.equal(endsAt, typeof until === 'string' ? Date.parse(until) : until);
    });
  }
});

describe('the least window', () => {
  const FLAG = { pausePeriodMs: 600_000 };
  const cases: Record<string, Sketch & { readonly ms: number }> = {
    'is none without an annotation or a flag': { ms: 0 },
    'is none of a Deployment, which is paused': { annotations: { [PERIOD]: '5m' }, ms: 0 },
    'is the period of a StatefulSet': { kind: 'StatefulSet', annotations: { [PERIOD]: '5m' }, ms: 300_000 },
    'is the period of a DaemonSet': { kind: 'DaemonSet', annotations: { [PERIOD]: '5m' }, ms: 300_000 },
    'is that of the flag, of whatever kind': { flags: FLAG, ms: 600_000 },
    'is that of the workload rather than that of the flag': {
      kind: 'DaemonSet',
      annotations: { [PERIOD]: '10s' },
      flags: FLAG,
      ms: 10_000,
    },
    'is none of a Deployment that is paused, with the flag too': {
      annotations: { [PERIOD]: '5m' },
      flags: FLAG,
      ms: 0,
    },
    'is that of the flag where the period of the workload cannot be read': {
      annotations: { [PERIOD]: 'long' },
      flags: FLAG,
      ms: 600_000,
    },
    'is that of the flag where the vocabulary is not in use': {
      annotations: { [PERIOD]: '5m' },
      flags: { ...FLAG, dialects: ['collaborne'] },
      ms: 600_000,
    },
  };
  for (const [sentence, { ms, ...sketch }] of Object.entries(cases)) {
    test(sentence, () => {
      const { workload, vocabularies } = seen(sketch);
      assert.equal(vocabularies.pausing.windowMsOf(workload), ms);
    });
  }
});

test('a period on the pod template is misplaced', () => {
  const { workload, vocabularies } = seen({ ofTemplate: { [PERIOD]: '5m' } });
  assert.deepEqual(
    vocabularies.mistakesOf(workload).map(({ reason, about }) => [reason, about]),
    [['misplaced', PERIOD]],
  );
});
