/** A workload and an object, and what is decided about them. */

import assert from 'node:assert/strict';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import {
  nativeVocabulary,
  stakaterVocabulary,
  type Vocabulary,
} from '../../../lib/annotations/vocabulary.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import type { PolicyReason } from '../../../lib/model/reasons.ts';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { deployment, PLAIN, vocabulary } from './defaults.ts';

export type Annotations = Readonly<Record<string, string>>;

/** A workload and an object, and what is decided; the object is cfg unless said otherwise. */
export interface Case {
  readonly own?: Annotations;
  readonly template?: Annotations;
  readonly object?: Annotations;
  readonly of?: ConfigRef;
  readonly flags?: Partial<VocabularyOptions>;
  readonly says: PolicyReason;
}

export const NATIVE: Vocabulary = nativeVocabulary(PLAIN.alternativeAnnotations);
export const STAKATER: Vocabulary = stakaterVocabulary(STAKATER_KEYS);
export const BOTH: readonly Vocabulary[] = [NATIVE, STAKATER];

export const CFG: ConfigRef = { kind: 'ConfigMap', namespace: 'ns', name: 'cfg' };
export const TLS: ConfigRef = { kind: 'Secret', namespace: 'ns', name: 'tls' };
export const OTHER: ConfigRef = { kind: 'ConfigMap', namespace: 'ns', name: 'other' };
/** Its pods read cfg and tls, and not other. */
export const SPEC: NonNullable<RawPodTemplate['spec']> = {
  containers: [
    { name: 'main', envFrom: [{ configMapRef: { name: 'cfg' } }, { secretRef: { name: 'tls' } }] },
  ],
};

/** The flag that asks for whatever a workload refers to. */
export const ALL = { autoReloadAll: true } as const;

const YES: ReadonlySet<PolicyReason> = new Set(['named', 'matched', 'auto', 'typed-auto', 'auto-all']);

/** The list of ConfigMaps that are asked for. */
export function named(words: Vocabulary, ...names: readonly string[]): Annotations {
  return { [words.named.ConfigMap[0] ?? '']: names.join(', ') };
}

/** The list of ConfigMaps that are excluded. */
export function excluded(words: Vocabulary, names = 'cfg'): Annotations {
  return { [words.exclude.ConfigMap]: names };
}

/** Holds the decision to what the case says. */
export function hold({ own = {}, template = {}, object = {}, of = CFG, flags = {}, says }: Case): void {
  const vocabularies = vocabulary(flags);
  const workload = deployment(vocabularies, own, { metadata: { annotations: template }, spec: SPEC });
  assert.deepEqual(vocabularies.judge(workload, of, object), { asks: YES.has(says), because: says });
}
