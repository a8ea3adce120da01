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

const NONE: readonly InheritedStamp[] = [];
const SHA1 = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const SAP_LISTS = byConfigKind((kind) => sapVocabulary().named[kind][0] ?? '');

/**
 * The inherited stamps of a workload about `followed`. This program writes a number behind the digest in Stakater Reloader's variables;
 * where it wrote the annotations of another reloader, its own stamps stand beside them.
 */
export function inheritedStampsOf(
  workload: Workload,
  followed: Iterable<ObjectKey>,
): readonly InheritedStamp[] {
  const { stamps, ref: own } = workload;
  if (stamps.length === 0) return NONE;
  const here = [...followed].map(configRefIn).filter(({ namespace }) => namespace === own.namespace);
  const isOurs = stamps.some(({ value }) => (parseStamp(value)?.sequence ?? 0) > 0);
  return stamps.flatMap((stamp) => [
    ...stakaterVariables(stamp, here),
    ...(isOurs ? [] : [...stakaterSource(stamp, here), ...hashes(stamp, workload)]),
  ]);
}

/** A variable that two objects share is of the one that changed last: each of them is compared with it. */
function stakaterVariables(
  { variable, value }: TemplateStamp,
  followed: readonly ConfigRef[],
): InheritedStamp[] {
  if (!isStakaterVariable(variable) || !SHA1.test(value)) return [];
  const named = followed.filter((ref) => stakaterVariableOf(ref) === variable);
  return named.map((ref) => ({ by: 'stakater', config: keyOf(ref), digest: value }));
}

/** The annotation names the last object alone. */
function stakaterSource(
  { variable, value }: TemplateStamp,
  followed: readonly ConfigRef[],
): InheritedStamp[] {
  const source = variable === STAKATER_SOURCE_ANNOTATION ? sourceIn(value) : undefined;
  if (source === undefined || !SHA1.test(source.hash)) return [];
  const named = followed.filter(
    ({ kind, name }) => kind.toUpperCase() === source.type && name === source.name,
  );
  return named.map((ref) => ({ by: 'stakater', config: keyOf(ref), digest: source.hash }));
}

function sourceIn(text: string): Record<'type' | 'name' | 'hash', string> | undefined {
  try {
    const { type, name, hash } = Object(JSON.parse(text));
    return { type: String(type), name: String(name), hash: String(hash) };
  } catch {
    return undefined; // no stamp of any version of it
  }
}

/** A workload that does not ask in the words of the other reloader any more was not rolled by it either. */
function hashes({ variable, value }: TemplateStamp, { annotations }: Workload): InheritedStamp[] {
  if (!SHA256.test(value)) return [];
  if (
    variable === SAP_HASH_ANNOTATION &&
    CONFIG_KINDS.some((kind) => annotations[SAP_LISTS[kind]] !== undefined)
  )
    return [{ by: 'sap', digest: value }];
  const asksWave = annotations[waveVocabulary().auto] === 'true';
  return variable === WAVE_HASH_ANNOTATION && asksWave ? [{ by: 'wave', digest: value }] : [];
}
