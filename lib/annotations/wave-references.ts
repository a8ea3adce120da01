/** What wave reads of a workload. Its rule is not that of references.ts: init containers do not count, unmounted volumes do. */

import { byConfigKind, CONFIG_KINDS, type ConfigKind, type ConfigRef } from '../model/object-ref.ts';
import type { RawContainer, RawPodTemplate, RawVolume, RawVolumeSource } from '../model/raw-objects.ts';
import type { WaveReference } from './inherited-digests.ts';
import { waveVocabulary } from './vocabulary.ts';

type Keys = readonly (string | undefined)[] | undefined;

/** One mention; without keys that of the whole object. */
interface Mention {
  readonly kind: ConfigKind;
  readonly name: string | undefined;
  readonly keys: Keys;
}

const EXTRAS = byConfigKind((kind) => waveVocabulary().named[kind][0] ?? '');

/**
 * The objects that enter wave's hash, ConfigMaps before Secrets and each by name. Undefined where two objects of one name, in different
 * namespaces, would be one to wave.
 */
export function waveReferencesOf(
  { spec }: RawPodTemplate,
  annotations: Readonly<Record<string, string>>,
  namespace: string,
): readonly WaveReference[] | undefined {
  const { volumes = [], containers = [] } = spec ?? {};
  const mentions = [...volumes.flatMap(mentionsOfVolume), ...containers.flatMap(mentionsOfContainer)];
  const here = mentions.map(({ kind, name = '', keys }) => ({ ref: { kind, namespace, name }, keys }));
  const all = [
    ...here,
    ...CONFIG_KINDS.flatMap((kind) => extras(kind, annotations[EXTRAS[kind]], namespace)),
  ];
  const references = CONFIG_KINDS.flatMap((kind) => {
    const byName = Map.groupBy(
      all.filter(({ ref }) => ref.kind === kind && ref.name !== ''),
      ({ ref }) => ref.name,
    );
    return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, same]) => same);
  });
  if (references.some((same) => new Set(same.map(({ ref }) => ref.namespace)).size > 1)) return undefined;
  return references.flatMap((same) => together(same));
}

/** All mentions of one object: the whole of it if one of them reads that. */
function together(same: readonly { readonly ref: ConfigRef; readonly keys: Keys }[]): WaveReference[] {
  const [first] = same;
  if (first === undefined) return [];
  const isWhole = same.some(({ keys }) => keys === undefined);
  const keys = same.flatMap(({ keys: own = [] }) => own).filter((key) => key !== undefined);
  return [{ ref: first.ref, keys: isWhole ? undefined : new Set(keys) }];
}

function mentionsOfVolume({ configMap, secret, projected }: RawVolume): Mention[] {
  const parts = (projected?.sources ?? []).flatMap((source): Mention[] => [
    { kind: 'ConfigMap', name: source.configMap?.name, keys: itemsOf(source.configMap) },
    { kind: 'Secret', name: source.secret?.name, keys: itemsOf(source.secret) },
  ]);
  return [
    { kind: 'ConfigMap', name: configMap?.name, keys: undefined },
    { kind: 'Secret', name: secret?.secretName, keys: undefined },
    ...parts,
  ];
}

function itemsOf(source: RawVolumeSource | undefined): Keys {
  return source?.items?.map(({ key }) => key);
}

function mentionsOfContainer({ env = [], envFrom = [] }: RawContainer): Mention[] {
  const groups = envFrom.flatMap(({ configMapRef, secretRef }): Mention[] => [
    { kind: 'ConfigMap', name: configMapRef?.name, keys: undefined },
    { kind: 'Secret', name: secretRef?.name, keys: undefined },
  ]);
  const variables = env.flatMap(({ valueFrom }): Mention[] => [
    { kind: 'ConfigMap', name: valueFrom?.configMapKeyRef?.name, keys: [valueFrom?.configMapKeyRef?.key] },
    { kind: 'Secret', name: valueFrom?.secretKeyRef?.name, keys: [valueFrom?.secretKeyRef?.key] },
  ]);
  return [...groups, ...variables];
}

/** wave neither trims the items nor accepts more than one slash. */
function extras(
  kind: ConfigKind,
  list: string | undefined,
  own: string,
): { readonly ref: ConfigRef; readonly keys: undefined }[] {
  return (list?.split(',') ?? []).flatMap((item) => {
    const [name = '', namespace = own, ...more] = item.split('/').reverse();
    return more.length > 0 ? [] : [{ ref: { kind, namespace, name }, keys: undefined }];
  });
}
