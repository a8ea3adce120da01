/** Patches of pod templates: what one sets or removes, the template with it, and the operations of JSON patches (RFC 6902). */

import type { RawContainer, RawEnvVar, RawPodTemplate } from './raw-objects.ts';

/** A variable to be set, or removed without a value. */
export interface EnvPatch {
  readonly name: string;
  readonly value?: string;
}

/** The fields to be set in a pod template or removed from it; null removes an annotation. */
export interface TemplatePatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly spec?: {
    readonly containers: readonly { readonly name: string; readonly env: readonly EnvPatch[] }[];
  };
}

/**
 * `template` merged with `patch`, which adds no containers. Existing variables change in place; new ones get the place that `live`
 * has, else the first. Equal templates then have equal texts, so the API server sees no change.
 */
export function merged(
  template: RawPodTemplate,
  { metadata, spec }: TemplatePatch,
  live: RawPodTemplate = {},
): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => {
    const isSame = ({ name }: { readonly name: string }): boolean => name === container.name;
    const changes = spec?.containers.find(isSame)?.env ?? [];
    const order = live.spec?.containers?.find(isSame)?.env ?? [];
    return changes.length === 0 ? container : withVariables(container, changes, order);
  });
  const { annotations, ...others } = template.metadata ?? {};
  const all = Object.entries({ ...annotations, ...metadata?.annotations });
  const kept = all.filter((entry): entry is [string, string] => entry[1] !== null);
  const own = kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
  return {
    ...template,
    ...(metadata && { metadata: { ...others, ...own } }),
    ...(spec && containers && { spec: { ...template.spec, containers } }),
  };
}

function withVariables(
  container: RawContainer,
  changes: readonly EnvPatch[],
  order: readonly RawEnvVar[],
): RawContainer {
  const placeOf = (name: string): number => order.findIndex((variable) => variable.name === name);
  let env: readonly RawEnvVar[] = container.env ?? [];
  // In ascending order, so that each insertion finds the variables before it at their places.
  const sorted = changes.toSorted((a, b) => placeOf(a.name) - placeOf(b.name));
  for (const { name, value } of sorted) {
    const present = env.findIndex((variable) => variable.name === name);
    if (value === undefined) env = env.filter((variable) => variable.name !== name);
    else if (present >= 0) env = env.with(present, { name, value });
    else env = env.toSpliced(Math.max(placeOf(name), 0), 0, { name, value });
  }
  return { ...container, env };
}

/** One operation. */
export type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A key as a segment of a JSON pointer (RFC 6901). */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
