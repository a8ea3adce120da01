/** The part of a strategic merge patch that stamps need, and what it makes of a pod template where nobody else merges it. */

import type { RawContainer, RawPodTemplate } from './raw-objects.ts';

/** A variable that is set, or removed. */
export interface EnvPatch {
  readonly name: string;
  readonly value?: string;
  readonly $patch?: 'delete';
}

/** What is set in a pod template or removed from it; null removes an annotation. */
export interface TemplatePatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly spec?: {
    readonly containers: readonly { readonly name: string; readonly env: readonly EnvPatch[] }[];
  };
}

/** `template` with `patch` merged in, as the API server would do it but for the order of variables; containers that it does not have are not added. */
export function merged(template: RawPodTemplate, { metadata, spec }: TemplatePatch): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => {
    const changes = spec?.containers.find(({ name }) => name === container.name)?.env ?? [];
    return changes.length === 0 ? container : withEnv(container, changes);
  });
  const annotations = Object.entries({ ...template.metadata?.annotations, ...metadata?.annotations });
  const kept = annotations.filter((entry): entry is [string, string] => entry[1] !== null);
  const { annotations: _, ...others } = template.metadata ?? {};
  return {
    ...template,
    metadata: { ...others, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    spec: { ...template.spec, ...(containers === undefined ? {} : { containers }) },
  };
}

function withEnv(container: RawContainer, changes: readonly EnvPatch[]): RawContainer {
  const changed = new Set(changes.map(({ name }) => name));
  const set = changes.flatMap(({ name, value, $patch }) =>
    $patch === 'delete' ? [] : [{ name, value: value ?? '' }],
  );
  return { ...container, env: [...set, ...(container.env ?? []).filter(({ name }) => !changed.has(name))] };
}
