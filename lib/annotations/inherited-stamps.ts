/** Inherited stamps: those in a pod template that another reloader left, which tell what its pods read last. */

import {
  byConfigKind,
  CONFIG_KINDS,
  type ConfigRef,
  configRefIn,
  keyOf,
  type ObjectKey,
} from '../model/object-ref.ts';
import { parseStamp } from '../model/stamp.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { isStakaterVariable, stakaterVariableOf } from './stamp-variables.ts';
import {
  SAP_HASH_ANNOTATION,
  STAKATER_SOURCE_ANNOTATION,
  sapVocabulary,
  WAVE_HASH_ANNOTATION,
  waveVocabulary,
} from './vocabulary.ts';

/** One stamp of another reloader. */
export type InheritedStamp =
  /** Of the content of one object. */
  | { readonly by: 'stakater'; readonly config: ObjectKey; readonly digest: string }
  /** Of all that the workload asks for: of its versions, or of its contents. */
  | { readonly by: 'sap' | 'wave'; readonly digest: string };

/** The objects that enter SAP's hash, in its order; it does not trim their names. */
export function sapReferencesOf({ ref: { namespace }, annotations }: Workload): readonly ConfigRef[] {
  return CONFIG_KINDS.flatMap((kind) => {
    const list = annotations[SAP_LISTS[kind]] ?? '';
    return list === '' ? [] : list.split(',').map((name) => ({ kind, namespace, name }));
  });
}

const SHA1 = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const SAP_LISTS = byConfigKind((kind) => sapVocabulary().named[kind][0] ?? '');

/** What the stamps of one template say, whatever the workload follows. */
interface Index {
  /** By variable, Stakater Reloader's digests. */
  readonly variables: ReadonlyMap<string, ReadonlySet<string>>;
  /** The contents of its annotation, which names the last object alone. */
  readonly sources: readonly Source[];
  readonly hashes: readonly TemplateStamp[];
}

type Source = Record<'type' | 'name' | 'hash', string>;

/** Made once for each list of stamps: a template may carry thousands, and each edge asks for its own. */
const INDEXES = new WeakMap<readonly TemplateStamp[], Index>();

/** The inherited stamps of a workload about `followed`. A variable that two objects share is of the one that changed last: of each. */
export function inheritedStampsOf(
  workload: Workload,
  followed: Iterable<ObjectKey>,
): readonly InheritedStamp[] {
  const index = INDEXES.get(workload.stamps) ?? indexOf(workload.stamps);
  INDEXES.set(workload.stamps, index);
  const { variables, sources } = index;
  const isEmpty = variables.size + sources.length === 0;
  const here = isEmpty ? [] : [...followed].map(configRefIn);
  return [
    ...here
      .filter(({ namespace }) => namespace === workload.ref.namespace)
      .flatMap((ref) => {
        const named = sources.filter(
          ({ type, name }) => ref.kind.toUpperCase() === type && ref.name === name,
        );
        const digests = [...(variables.get(stakaterVariableOf(ref)) ?? []), ...named.map(({ hash }) => hash)];
        return digests.map((digest): InheritedStamp => ({ by: 'stakater', config: keyOf(ref), digest }));
      }),
    ...index.hashes.flatMap((stamp) => hashes(stamp, workload)),
  ];
}

/**
 * This program writes a number behind the digest in Stakater Reloader's variables; where it wrote the annotations of another
 * reloader, its own stamps stand beside them.
 */
function indexOf(stamps: readonly TemplateStamp[]): Index {
  const variables = new Map<string, Set<string>>();
  for (const { variable, value } of stamps)
    if (isStakaterVariable(variable) && SHA1.test(value))
      variables.set(variable, (variables.get(variable) ?? new Set()).add(value));
  const isOurs = stamps.some(({ value }) => (parseStamp(value)?.sequence ?? 0) > 0);
  if (isOurs) return { variables, sources: [], hashes: [] };
  const sources = stamps
    .filter(({ variable }) => variable === STAKATER_SOURCE_ANNOTATION)
    .map(({ value }) => sourceIn(value))
    .filter((source) => source !== undefined)
    .filter(({ hash }) => SHA1.test(hash));
  return { variables, sources, hashes: stamps.filter(({ value }) => SHA256.test(value)) };
}

function sourceIn(text: string): Source | undefined {
  try {
    const { type, name, hash } = Object(JSON.parse(text));
    return { type: String(type), name: String(name), hash: String(hash) };
  } catch {
    return undefined; // no stamp of any version of it
  }
}

/** A workload that does not ask in the words of the other reloader any more was not rolled by it either. */
function hashes({ variable, value }: TemplateStamp, { annotations }: Workload): InheritedStamp[] {
  if (
    variable === SAP_HASH_ANNOTATION &&
    CONFIG_KINDS.some((kind) => annotations[SAP_LISTS[kind]] !== undefined)
  )
    return [{ by: 'sap', digest: value }];
  const asksWave = annotations[waveVocabulary().auto] === 'true';
  return variable === WAVE_HASH_ANNOTATION && asksWave ? [{ by: 'wave', digest: value }] : [];
}
