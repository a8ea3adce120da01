/** The objects that a pod template refers to, and the keys of them that the pods read. */

import { CONFIG_KINDS, type ConfigKind, isMountedKind } from './object-ref.ts';
import type {
  RawContainer,
  RawEnvVar,
  RawKeyRef,
  RawNameRef,
  RawPodTemplate,
  RawVolume,
  RawVolumeMount,
  RawVolumeSource,
} from './raw-objects.ts';

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
  const take = (container: RawContainer, name: string | undefined): void => {
    for (const mention of [...mentionsOfVariables(container), ...mentionsOfMounts(container, volumes)]) {
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

/** Where a template refers to objects of one kind. */
interface Mentions {
  readonly variable: (from: NonNullable<RawEnvVar['valueFrom']>) => RawKeyRef | undefined;
  readonly group: (from: NonNullable<RawContainer['envFrom']>[number]) => RawNameRef | undefined;
  readonly volume: (volume: RawVolume) => RawVolumeSource | undefined;
  readonly projection: (source: Projection) => RawVolumeSource | undefined;
}

type Projection = NonNullable<NonNullable<RawVolume['projected']>['sources']>[number];

function nothing(): undefined {
  return undefined;
}

const MENTIONS: Readonly<Record<ConfigKind, Mentions>> = {
  ConfigMap: {
    variable: ({ configMapKeyRef }) => configMapKeyRef,
    group: ({ configMapRef }) => configMapRef,
    volume: ({ configMap }) => configMap,
    projection: ({ configMap }) => configMap,
  },
  Secret: {
    variable: ({ secretKeyRef }) => secretKeyRef,
    group: ({ secretRef }) => secretRef,
    volume: ({ secret }) => {
      const { secretName: name, ...own } = secret ?? {};
      return name === undefined ? undefined : { ...own, name };
    },
    projection: ({ secret }) => secret,
  },
  // The credentials for the provider, `nodePublishSecretRef`, are no content of the pods.
  SecretProviderClass: {
    variable: nothing,
    group: nothing,
    volume: ({ csi }) => {
      const name = csi?.volumeAttributes?.['secretProviderClass'];
      return name === undefined || csi?.driver !== 'secrets-store.csi.k8s.io' ? undefined : { name };
    },
    projection: nothing,
  },
};
const ROWS = CONFIG_KINDS.map((kind) => [kind, MENTIONS[kind]] as const);

function mentionsOfVariables({ env = [], envFrom = [] }: RawContainer): Mention[] {
  const keys = env.flatMap(({ valueFrom }) =>
    ROWS.map(([kind, { variable }]) => {
      const key = variable(valueFrom ?? {});
      return mention(kind, key, valid([key?.key]));
    }),
  );
  const groups = envFrom.flatMap((from) => ROWS.map(([kind, { group }]) => mention(kind, group(from))));
  return [...keys, ...groups];
}

function mentionsOfMounts(
  { volumeMounts = [] }: RawContainer,
  volumes: ReadonlyMap<string, RawVolume>,
): Mention[] {
  return volumeMounts.flatMap((mount) => {
    const volume = volumes.get(mount.name);
    return volume === undefined ? [] : mentionsOfVolume(volume, mount);
  });
}

function mentionsOfVolume(volume: RawVolume, mount: RawVolumeMount): Mention[] {
  const shown = (kind: ConfigKind, source: RawVolumeSource | undefined): Mention =>
    mention(kind, source, source && !isMountedKind(kind) ? keysOfMount(source, mount) : undefined);
  const parts = (volume.projected?.sources ?? []).flatMap((source) =>
    ROWS.map(([kind, { projection }]) => shown(kind, projection(source))),
  );
  return [...ROWS.map(([kind, row]) => shown(kind, row.volume(volume))), ...parts];
}

function mention(kind: ConfigKind, source: RawNameRef | undefined, keys?: Keys): Mention {
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
function keysOfMount(
  { items = [] }: RawVolumeSource,
  { subPath = '', subPathExpr = '' }: RawVolumeMount,
): Keys {
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
