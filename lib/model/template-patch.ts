/** Patches of pod templates: what one sets or removes, the template with it, and the operations of JSON patches (RFC 6902). */

import type { RawContainer, RawEnvVar, RawPodTemplate } from './raw-objects.ts';

/** A variable of a container to be set, or removed where the value is undefined. */
export interface VariableChange {
  readonly container: string;
  readonly variable: string;
  readonly value: string | undefined;
}

/** What is set in a pod template, or removed from it. */
export interface TemplatePatch {
  /** Null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly variables: readonly VariableChange[];
}

/**
 * `template` merged with the patch, which adds no containers. Existing variables change in place; new ones get the place that `live`
 * has, else the first. Equal templates then have equal texts, so the API server sees no change.
 */
export function merged(
  template: RawPodTemplate,
  { annotations, variables }: TemplatePatch,
  live: RawPodTemplate = {},
): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => {
    const changes = variables.filter((change) => change.container === container.name);
    const order = live.spec?.containers?.find(({ name }) => name === container.name)?.env ?? [];
    return changes.length === 0 ? container : withVariables(container, changes, order);
  });
  const { annotations: former, ...others } = template.metadata ?? {};
  const all = Object.entries({ ...former, ...annotations });
  const kept = all.filter((entry): entry is [string, string] => entry[1] !== null);
  const own = kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
  return {
    ...template,
    ...(Object.keys(annotations).length > 0 && { metadata: { ...others, ...own } }),
    ...(containers && { spec: { ...template.spec, containers } }),
  };
}

function withVariables(
  container: RawContainer,
  changes: readonly VariableChange[],
  order: readonly RawEnvVar[],
): RawContainer {
  const placeOf = (name: string): number => order.findIndex((variable) => variable.name === name);
  let env: readonly RawEnvVar[] = container.env ?? [];
  // In ascending order, so that each insertion finds the variables before it at their places.
  const sorted = changes.toSorted((a, b) => placeOf(a.variable) - placeOf(b.variable));
  for (const { variable: name, value } of sorted) {
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
