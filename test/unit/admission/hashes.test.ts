/** Hashes in the words of SAP's pod-reloader and of wave: beside the stamps of the webhook, and as a check by who writes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CacheReader } from '../../../lib/admission/mutate.ts';
import { configHashOf } from '../../../lib/annotations/config-hash.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import type { Stamp } from '../../../lib/model/stamp.ts';
import { fc } from '../../laws.ts';
import { type Case, testCases } from './cases.ts';
import { A, B, C, deployment, knowing, type Parts, request, STAMPS, stored } from './papers.ts';

const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
const WAVE_HASH = 'wave.pusher.com/config-hash';
const SAP = { 'pod-reloader.cs.sap.com/configmaps': 'web' };
const WAVE = {
  'wave.pusher.com/update-on-config-change': 'true',
  'wave.pusher.com/extra-configmaps': 'web',
};
const CURRENT: Readonly<Record<string, Stamp>> = { web: { digest: B, sequence: 2 } };
const HASH = hashOf(B);
const OTHER = hashOf(A);

/** The hash of a ConfigMap `web` with this digest; undefined: it is not there. */
function hashOf(digest: string | undefined): string {
  return configHashOf('ns', [
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
    becomes: asking(SAP, marks(B, 2)),
  },
  'a new workload in the words of wave': {
    update: asking(WAVE),
    result: 'stamped',
    becomes: asking(WAVE, marks(B, 2, WAVE_HASH)),
  },
  'a new workload in both, which has both': {
    update: asking({ ...SAP, ...WAVE }),
    result: 'stamped',
    becomes: asking({ ...SAP, ...WAVE }, { ...marks(B, 2), [WAVE_HASH]: HASH }),
  },
  'a copy with an older stamp, whose hash is older too': {
    update: asking(SAP, marks(A, 1)),
    result: 'stamped',
    becomes: asking(SAP, marks(B, 2)),
  },
  'another template that lacks its stamp': {
    known: knows({}, { web: { digest: C, sequence: 2 } }),
    live: asking(SAP, marks(B, 2)),
    update: asking(SAP, undefined, 'app:2'),
    result: 'renewed',
    becomes: asking(SAP, marks(C, 2), 'app:2'),
  },
  'the same template without stamp and hash, which is the live one again': {
    known: knows({}, { web: { digest: C, sequence: 2 } }),
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
    known: knows({ contentOf: () => undefined }),
    update: asking(SAP),
    result: 'stamped',
    becomes: asking(SAP, { [STAMPS]: `{"ConfigMap/web":"${B}.2"}` }),
  },
};

const CHECKING = knows({ checksHashes: true });
const saying = (hash: string) => ({ ...SAP, [SAP_HASH]: hash });
const STAMPED = marks(B, 2);

const CHECKED: Record<string, Case> = {
  'a new workload with the hash in force is stored without it': {
    update: asking(saying(HASH)),
    result: 'stamped',
    becomes: asking(SAP, STAMPED),
  },
  'a new workload with another one is refused': { update: asking(saying(OTHER)), result: 'refused' },
  'so is one whose hash is empty': { update: asking(saying('')), result: 'refused' },
  'an update with the hash in force is stored without it': {
    live: asking(SAP, STAMPED),
    update: asking(saying(HASH), STAMPED, 'app:2'),
    result: 'complete',
    becomes: asking(SAP, STAMPED, 'app:2'),
  },
  'an update that says nothing but the hash is checked too': {
    live: asking(SAP, STAMPED),
    update: asking(saying(OTHER), STAMPED),
    result: 'refused',
  },
  'one that drops its stamp gets it back, and loses the hash': {
    live: asking(SAP, STAMPED),
    update: asking(saying(HASH)),
    result: 'kept',
    becomes: asking(SAP, STAMPED),
  },
  'one that drops its stamp and has another hash is refused': {
    live: asking(SAP, STAMPED),
    update: asking(saying(OTHER)),
    result: 'refused',
  },
  'another hash in place of one that was left over is refused': {
    live: asking(saying(OTHER), STAMPED),
    update: asking(saying(hashOf(C)), STAMPED),
    result: 'refused',
  },
  'a leftover hash blocks no other client': {
    live: asking(saying(OTHER), STAMPED),
    update: asking(saying(OTHER), STAMPED, 'app:2'),
    result: 'complete',
  },
  'one that was left over and fits goes': {
    live: asking(saying(HASH), STAMPED),
    update: asking(saying(HASH), STAMPED),
    result: 'complete',
    becomes: asking(SAP, STAMPED),
  },
  'an object that is not there has its hash as well': {
    known: knows({ checksHashes: true }, {}),
    update: asking(saying(hashOf(undefined))),
    result: 'complete',
    becomes: asking(SAP),
  },
  'a dry run is told the same': {
    update: asking(saying(OTHER)),
    facts: { isDryRun: true },
    result: 'refused',
  },
};

const UNCHECKED: Record<string, Case> = {
  'without the flag no hash is checked': {
    known: knows(),
    update: asking(saying(OTHER), STAMPED),
    result: 'complete',
  },
  'a workload that does not ask in the words of SAP': {
    update: asking({ ...WAVE, [SAP_HASH]: OTHER }, marks(B, 2, WAVE_HASH)),
    result: 'complete',
  },
  'a workload that follows nothing': { update: asking({ [SAP_HASH]: OTHER }), result: 'unclaimed' },
  'a workload whose label keeps reloaders away': {
    known: knows({ checksHashes: true, currentStamp: () => undefined }),
    update: labelled(asking(saying(OTHER))),
    result: 'complete',
  },
  'a write before the objects are listed': {
    known: knows({ checksHashes: true, isListed: (_, kind) => kind !== 'ConfigMap' }),
    update: asking(saying(OTHER)),
    result: 'unknown',
  },
  'a write of which something is not known': {
    known: knows({ checksHashes: true, contentOf: () => undefined }),
    update: asking(saying(OTHER), STAMPED),
    result: 'complete',
  },
  'our own write': {
    update: asking(saying(OTHER)),
    facts: { fieldManager: 'kubernetes-reloader' },
    result: 'own',
  },
  'an undo, which may bring an old one back': {
    live: asking(SAP, STAMPED),
    update: asking(saying(OTHER), marks(A, 1)),
    facts: { fieldManager: 'kubectl-rollout' },
    result: 'undo',
  },
};

function labelled(raw: RawWorkload): RawWorkload {
  return { ...raw, metadata: { ...raw.metadata, labels: { 'pod-reloader.cs.sap.com/disabled': 'true' } } };
}

describe('the webhook writes the hash beside the stamp of', () => testCases(BESIDE, knows()));
describe('of hashes,', () => testCases(WITHOUT, knows()));
describe('a hash on the workload itself is checked:', () => testCases(CHECKED, CHECKING));
describe('it is not checked on', () => testCases(UNCHECKED, CHECKING));

test('a refusal says which hash is in force', () => {
  const { refusal = '' } = stored(CHECKING, request(asking(saying(OTHER))));
  assert.match(refusal, /^pod-reloader\.cs\.sap\.com\/config-hash is not the hash /);
  assert.ok(refusal.endsWith(HASH));
});

test('whatever is in force and whatever is sent, only the hash of what is in force is let through', () => {
  const digest = fc.constantFrom(A, B, C, undefined);
  fc.assert(
    fc.property(digest, digest, fc.boolean(), (inForce, sent, isNew) => {
      const known = knows(
        { checksHashes: true },
        inForce === undefined ? {} : { web: { digest: inForce, sequence: 1 } },
      );
      const live = isNew ? undefined : asking(SAP, STAMPED);
      const { result, object } = stored(known, request(asking(saying(hashOf(sent))), live));
      assert.equal(result === 'refused', inForce !== sent);
      assert.equal(SAP_HASH in (object.metadata.annotations ?? {}), inForce !== sent);
    }),
  );
});
