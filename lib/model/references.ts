/** What a pod template refers to: the ConfigMaps and Secrets that its containers read when they start. */

import type { ConfigKind } from './object-ref.ts';
import type { RawContainer, RawPodTemplate, RawVolume } from './raw-objects.ts';

/** One object that a template refers to, however often. */
export interface Reference {
  readonly kind: ConfigKind;
  readonly name: string;
  /** The first container that reads it; undefined if only containers do that run before the others. */
  readonly container: string | undefined;
  /** The pods start without it. */
  readonly isOptional: boolean;
}

/** The reference to an object, among those of one template; undefined if there is none. */
export function referenceTo(
  references: readonly Reference[],
  { kind, name }: Pick<Reference, 'kind' | 'name'>,
): Reference | undefined {
  return references.find((reference) => reference.kind === kind && reference.name === name);
}

/** A name as it stands in a template. */
interface Mention {
  readonly kind: ConfigKind;
  readonly name: string | undefined;
  readonly optional: boolean | undefined;
}

const NONE: readonly Reference[] = [];

/**
 * The references of `template`, in its order: variables, groups of variables and mounted volumes of all containers. A
 * volume that nobody mounts does not count, nor do credentials for pulling images.
 */
export function referencesOf({ spec }: RawPodTemplate): readonly Reference[] {
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, mentionsOfVolume(volume)]));
  const found = new Map<string, Reference>();
  const take = (container: RawContainer, name: string | undefined): void => {
    for (const mention of [...mentionsOfVariables(container), ...mentionsOfMounts(container, volumes)]) {
      add(found, mention, name);
    }
  };
  for (const container of spec?.containers ?? []) take(container, container.name);
  for (const container of spec?.initContainers ?? []) take(container, undefined);
  return found.size === 0 ? NONE : [...found.values()];
}

function add(found: Map<string, Reference>, { kind, name, optional }: Mention, container?: string): void {
  if (name === undefined || name === '') return;
  const key = `${kind}/${name}`;
  const known = found.get(key);
  const isOptional = optional === true && known?.isOptional !== false;
  found.set(key, { kind, name, container: known?.container ?? container, isOptional });
}

function mentionsOfVariables({ env = [], envFrom = [] }: RawContainer): Mention[] {
  const keys = env.flatMap(({ valueFrom }) => [
    mention('ConfigMap', valueFrom?.configMapKeyRef),
    mention('Secret', valueFrom?.secretKeyRef),
  ]);
  const groups = envFrom.flatMap(({ configMapRef, secretRef }) => [
    mention('ConfigMap', configMapRef),
    mention('Secret', secretRef),
  ]);
  return [...keys, ...groups];
}

function mentionsOfMounts(
  { volumeMounts = [] }: RawContainer,
  volumes: ReadonlyMap<string, readonly Mention[]>,
): Mention[] {
  return volumeMounts.flatMap(({ name }) => volumes.get(name) ?? []);
}

function mentionsOfVolume({ configMap, secret, projected }: RawVolume): Mention[] {
  const parts = (projected?.sources ?? []).flatMap((source) => [
    mention('ConfigMap', source.configMap),
    mention('Secret', source.secret),
  ]);
  const own = secret && { name: secret.secretName, optional: secret.optional };
  return [mention('ConfigMap', configMap), mention('Secret', own), ...parts];
}

function mention(
  kind: ConfigKind,
  source: { readonly name?: string | undefined; readonly optional?: boolean | undefined } | undefined,
): Mention {
  return { kind, name: source?.name, optional: source?.optional };
}
