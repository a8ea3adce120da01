/** The objects that a pod template refers to, and the keys of them that the pods read. */

import type { ConfigKind } from './object-ref.ts';
import type { RawContainer, RawPodTemplate, RawSource, RawVolume } from './raw-objects.ts';

type RawMount = NonNullable<RawContainer['volumeMounts']>[number];

/** One object that a template refers to, once or several times. */
export interface Reference {
  readonly kind: ConfigKind;
  readonly name: string;
  /** The first container that reads it; undefined if only init containers do. */
  readonly container: string | undefined;
  /** The pods start without it. */
  readonly isOptional: boolean;
  /** The keys that it reads, sorted; absent if it reads the whole object, or keys were not requested. */
  readonly keys?: readonly string[];
}

/** One mention of an object in a template. */
interface Mention {
  readonly kind: ConfigKind;
  readonly name: string | undefined;
  readonly optional: boolean | undefined;
  readonly keys: Keys;
}

const NONE: readonly Reference[] = [];

/**
 * The references of `template`, in its order: variables, groups of variables and mounted volumes of all containers. A
 * volume that no container mounts does not count, nor do credentials for pulling images. `byKeys`: keys are requested.
 */
export function referencesOf({ spec }: RawPodTemplate, byKeys = false): readonly Reference[] {
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  const found = new Map<string, Reference>();
  const mentionsOfMounts = ({ volumeMounts = [] }: RawContainer): Mention[] =>
    volumeMounts.flatMap((mount) => mentionsOfVolume(volumes.get(mount.name), mount));
  const take = (container: RawContainer, name: string | undefined): void => {
    for (const mention of [...mentionsOfVariables(container), ...mentionsOfMounts(container)]) {
      add(found, mention, name, byKeys);
    }
  };
  for (const container of spec?.containers ?? []) take(container, container.name);
  for (const container of spec?.initContainers ?? []) take(container, undefined);
  return found.size === 0 ? NONE : [...found.values()];
}

function add(
  found: Map<string, Reference>,
  { kind, name, optional, keys: own }: Mention,
  container: string | undefined,
  byKeys: boolean,
): void {
  if (name === undefined || name === '') return;
  const key = `${kind}/${name}`;
  const known = found.get(key);
  const isOptional = optional === true && known?.isOptional !== false;
  const reference = { kind, name, container: known?.container ?? container, isOptional };
  const keys = known === undefined ? own : together(known.keys, own);
  found.set(key, byKeys && keys !== undefined ? { ...reference, keys } : reference);
}

function mentionsOfVariables({ env = [], envFrom = [] }: RawContainer): Mention[] {
  const ofKey = (kind: ConfigKind, ref: RawSource | undefined): Mention =>
    mention(kind, ref, valid([ref?.key]));
  return [
    ...env.flatMap(({ valueFrom }) => [
      ofKey('ConfigMap', valueFrom?.configMapKeyRef),
      ofKey('Secret', valueFrom?.secretKeyRef),
    ]),
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      mention('ConfigMap', configMapRef),
      mention('Secret', secretRef),
    ]),
  ];
}

function mentionsOfVolume(volume: RawVolume | undefined, mount: RawMount): Mention[] {
  const { configMap, secret, csi, projected } = volume ?? {};
  const shown = (kind: ConfigKind, source: RawSource | undefined): Mention =>
    mention(kind, source, source && keysOf(source, mount));
  const ofSecret = secret?.secretName === undefined ? undefined : { ...secret, name: secret.secretName };
  // The credentials for the provider, `nodePublishSecretRef`, are no content of the pods.
  const isOfStore = csi?.driver === 'secrets-store.csi.k8s.io';
  const name = isOfStore ? csi.volumeAttributes?.['secretProviderClass'] : undefined;
  return [
    shown('ConfigMap', configMap),
    shown('Secret', ofSecret),
    mention('SecretProviderClass', name === undefined ? undefined : { name }),
    ...(projected?.sources ?? []).flatMap((source) => [
      shown('ConfigMap', source.configMap),
      shown('Secret', source.secret),
    ]),
  ];
}

function mention(kind: ConfigKind, source: RawSource | undefined, keys?: Keys): Mention {
  return { kind, name: source?.name, optional: source?.optional, keys };
}

/** The keys that one mention reads, sorted and without repetition; undefined for the whole object. */
type Keys = readonly string[] | undefined;

/**
 * The grammar of keys of a ConfigMap or Secret; a template may name others, which cannot exist. No key begins with two dots: the
 * directories of a volume do, through which every key can be read.
 */
const KEY = /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/;

/**
 * The keys that a mount of a volume reads. With items, a `subPath` reads the keys of the items with this path, or below it.
 * Without items it reads the key in its first segment.
 */
function keysOf({ items = [] }: RawSource, { subPath = '', subPathExpr = '' }: RawMount): Keys {
  const path = segmentsOf(subPath);
  const isPart = subPathExpr === '' && path.length > 0;
  if (items.length === 0) return isPart ? valid([path[0]]) : undefined;
  const meant = isPart ? items.filter((item) => leadTogether(segmentsOf(item.path ?? ''), path)) : [];
  return valid((meant.length > 0 ? meant : items).map(({ key }) => key));
}

/** The keys that two mentions read together. */
function together(one: Keys, other: Keys): Keys {
  return one && other && valid([...one, ...other]);
}

/** The whole object if one of them cannot be a key. */
function valid(keys: readonly (string | undefined)[]): Keys {
  const named = keys.filter((key): key is string => key !== undefined && KEY.test(key));
  return named.length < keys.length ? undefined : [...new Set(named)].sort();
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** Whether one path equals the other, or lies below it. */
function leadTogether(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length).join('/') === other.slice(0, length).join('/');
}
