/** Hashes in the words of SAP's pod-reloader and of wave, beside the stamps of the webhook. */

import { describe } from 'node:test';
import type { CacheReader } from '../../../lib/admission/mutate.ts';
import { configHashOf } from '../../../lib/annotations/stamp-variables.ts';
import type { Digest } from '../../../lib/model/digest.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { type Case, testCases } from './cases.ts';
import { A, B, C, deployment, knowing, type Parts, STAMPS } from './papers.ts';

const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
const WAVE_HASH = 'wave.pusher.com/config-hash';
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'web' };
const WAVE = {
  'wave.pusher.com/update-on-config-change': 'true',
  'wave.pusher.com/extra-configmaps': 'web',
};
const CURRENT: Readonly<Record<string, Digest>> = { web: B };
const HASH = hashOf(B);

/** The hash of a ConfigMap `web` with this digest; undefined: it is not there. */
function hashOf(digest: string | undefined): string {
  return configHashOf([
    { ref: { kind: 'ConfigMap', namespace: 'ns', name: 'web' }, annotations: {}, digest },
  ]);
}

function knows(facts: Partial<CacheReader> = {}, current = CURRENT): CacheReader {
  return knowing(current, { flags: { dialects: VOCABULARY_NAMES }, ...facts });
}

/** A workload that follows by the words of `asks` alone. */
function asking(
  asks: Parts['annotations'],
  template?: Parts['templateAnnotations'],
  image?: string,
): RawWorkload {
  return deployment({
    follows: '',
    ...(asks === undefined ? {} : { annotations: asks }),
    templateAnnotations: template,
    ...(image === undefined ? {} : { image }),
  });
}

/** A stamp and a hash as rollouts have them. */
const marks = (digest: string, number: number, key = SAP_HASH) => ({
  [STAMPS]: `{"ConfigMap/web":"${digest}.${number}"}`,
  [key]: hashOf(digest),
});

const BESIDE: Record<string, Case> = {
  'a new workload in the words of SAP': {
    update: asking(SAP),
    result: 'stamped',
    becomes: asking(SAP, marks(B, 1)),
  },
  'a new workload in the words of wave': {
    update: asking(WAVE),
    result: 'stamped',
    becomes: asking(WAVE, marks(B, 1, WAVE_HASH)),
  },
  'a new workload in both, which has both': {
    update: asking({ ...SAP, ...WAVE }),
    result: 'stamped',
    becomes: asking({ ...SAP, ...WAVE }, { ...marks(B, 1), [WAVE_HASH]: HASH }),
  },
  'a copy with an older stamp, whose hash is older too': {
    update: asking(SAP, marks(A, 1)),
    result: 'stamped',
    becomes: asking(SAP, marks(B, 1)),
  },
  'another template that lacks its stamp': {
    known: knows({}, { web: C }),
    live: asking(SAP, marks(B, 2)),
    update: asking(SAP, undefined, 'app:2'),
    result: 'renewed',
    becomes: asking(SAP, marks(C, 2), 'app:2'),
  },
  'the same template without stamp and hash, which is the live one again': {
    known: knows({}, { web: C }),
    live: asking(SAP, marks(B, 3)),
    update: asking(SAP),
    result: 'kept',
    becomes: asking(SAP, marks(B, 3)),
  },
  'the same template with an older stamp and its hash, which is the live one again': {
    live: asking(SAP, marks(B, 2)),
    update: asking(SAP, marks(A, 1)),
    result: 'kept',
    becomes: asking(SAP, marks(B, 2)),
  },
};

const WITHOUT: Record<string, Case> = {
  'a hash on the workload itself stays, whatever it is of': {
    update: asking({ ...SAP, [SAP_HASH]: hashOf(A) }, marks(B, 2)),
    result: 'complete',
  },
  'a hash that an external writer sets in place of a stamp stays': {
    live: asking(SAP, marks(B, 2)),
    update: asking(SAP, { [SAP_HASH]: 'mine' }),
    result: 'renewed',
    becomes: asking(SAP, marks(B, 2)),
  },
  'where the object is not there nothing is written': {
    known: knows({}, {}),
    update: asking(SAP),
    result: 'complete',
  },
  'where something of it is not known a stamp stands alone': {
    known: knows({
      contentOf: (ref) => (ref.name === 'web' ? { ref, annotations: {}, digest: B } : undefined),
    }),
    update: asking({ 'pod-reloader.cs.sap.com/configmaps': 'web,other' }),
    result: 'stamped',
    becomes: asking(
      { 'pod-reloader.cs.sap.com/configmaps': 'web,other' },
      { [STAMPS]: `{"ConfigMap/web":"${B}.1"}` },
    ),
  },
};

describe('the webhook writes the hash beside the stamp of', () => testCases(BESIDE, knows()));
describe('of hashes,', () => testCases(WITHOUT, knows()));
