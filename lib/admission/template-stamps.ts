/** Puts missing stamps into a raw pod template without changing the order of its variables. */

import type { RawContainer, RawEnvVar, RawPodTemplate } from '../model/raw-objects.ts';
import type { EnvPatch, TemplatePatch } from '../model/rollout-plan.ts';

/** The variables of each container in the live template, which determine the place of a restored stamp. */
export type Order = (container: string) => readonly RawEnvVar[];

/** The order of variables in `template`. */
export function orderIn(template: RawPodTemplate): Order {
  return (name) => template.spec?.containers?.find((container) => container.name === name)?.env ?? [];
}

/**
 * `template` with `patch` applied. Existing variables change in place; new ones get the place that `order` has, else the first.
 * Equal templates then have equal texts, so the API server sees no change.
 */
export function withStamps(template: RawPodTemplate, patch: TemplatePatch, order: Order): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => {
    const changes = patch.spec?.containers.find(({ name }) => name === container.name)?.env ?? [];
    return changes.length === 0 ? container : withVariables(container, changes, order(container.name));
  });
  const isTemplateChanged = containers !== undefined && patch.spec !== undefined;
  return {
    ...template,
    ...withAnnotations(template.metadata, patch.metadata?.annotations),
    ...(isTemplateChanged ? { spec: { ...template.spec, containers } } : {}),
  };
}

function withAnnotations(
  metadata: RawPodTemplate['metadata'],
  changes: Readonly<Record<string, string | null>> | undefined,
): Pick<RawPodTemplate, 'metadata'> {
  if (changes === undefined) return {};
  const all = Object.entries({ ...metadata?.annotations, ...changes });
  const kept = all.filter((entry): entry is [string, string] => entry[1] !== null);
  return { metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
}

function withVariables(
  container: RawContainer,
  changes: readonly EnvPatch[],
  order: readonly RawEnvVar[],
): RawContainer {
  const places = changes.map((change) => ({
    ...change,
    at: order.findIndex(({ name }) => name === change.name),
  }));
  let env: readonly RawEnvVar[] = container.env ?? [];
  // In ascending order, so that each insertion finds the variables before it at their places.
  for (const { name, value = '', $patch, at } of places.toSorted((a, b) => a.at - b.at)) {
    const present = env.findIndex((variable) => variable.name === name);
    if ($patch === 'delete') env = env.filter((variable) => variable.name !== name);
    else if (present >= 0) env = env.with(present, { name, value });
    else env = env.toSpliced(Math.max(at, 0), 0, { name, value });
  }
  return { ...container, env };
}
