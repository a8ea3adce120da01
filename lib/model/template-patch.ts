/** Patches of pod templates: what one sets or removes, the template with it, and the smallest one between two templates. */

import { isDeepStrictEqual } from 'node:util';
import type { RawContainer, RawEnvVar, RawPodTemplate } from './raw-objects.ts';

/** A variable to be set or removed. */
export interface EnvPatch {
  readonly name: string;
  readonly value?: string;
  readonly $patch?: 'delete';
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
  for (const { name, value = '', $patch } of sorted) {
    const present = env.findIndex((variable) => variable.name === name);
    if ($patch === 'delete') env = env.filter((variable) => variable.name !== name);
    else if (present >= 0) env = env.with(present, { name, value });
    else env = env.toSpliced(Math.max(placeOf(name), 0), 0, { name, value });
  }
  return { ...container, env };
}

/** One operation of a JSON patch (RFC 6902). */
export type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The operations that turn `before` into `after`, both at `path`. They differ only in annotations and in the variables of
 * containers, which are the same containers in the same order.
 */
export function patchBetween(before: RawPodTemplate, after: RawPodTemplate, path: string): Operation[] {
  const containers = (after.spec?.containers ?? []).flatMap(({ env }, index) => {
    const present = before.spec?.containers?.[index]?.env;
    return variableOperations(present, env, `${path}/spec/containers/${index}/env`);
  });
  return [...annotationOperations(before.metadata, after.metadata, `${path}/metadata`), ...containers];
}

type TemplateMetadata = RawPodTemplate['metadata'];

function annotationOperations(before: TemplateMetadata, after: TemplateMetadata, path: string): Operation[] {
  const [present, wanted] = [before?.annotations, after?.annotations ?? {}];
  const changed = Object.entries(wanted).filter(([key, value]) => present?.[key] !== value);
  const gone = Object.keys(present ?? {}).filter((key) => wanted[key] === undefined);
  if (changed.length === 0 && gone.length === 0) return [];
  if (before === undefined) return [{ op: 'add', path, value: { annotations: wanted } }];
  if (present === undefined) return [{ op: 'add', path: `${path}/annotations`, value: wanted }];
  const at = (key: string): string => `${path}/annotations/${escaped(key)}`;
  return [
    ...gone.map((key): Operation => ({ op: 'remove', path: at(key) })),
    ...changed.map(
      ([key, value]): Operation => ({
        op: present[key] === undefined ? 'add' : 'replace',
        path: at(key),
        value,
      }),
    ),
  ];
}

type Variables = readonly RawEnvVar[];

/** Turns the list `before` into `after` from the front; the paths are those at the time of each operation. */
function variableOperations(before: Variables | undefined, after: Variables = [], path: string): Operation[] {
  if (before === undefined) return after.length === 0 ? [] : [{ op: 'add', path, value: after }];
  const operations: Operation[] = [];
  let list = before;
  for (const [index, wanted] of after.entries()) {
    const at = `${path}/${index}`;
    for (const _ of unwantedBefore(list, index, wanted)) {
      operations.push({ op: 'remove', path: at });
      list = list.toSpliced(index, 1);
    }
    if (isDeepStrictEqual(list[index], wanted)) continue;
    const isChange = list[index]?.name === wanted.name;
    operations.push({ op: isChange ? 'replace' : 'add', path: at, value: wanted });
    list = list.toSpliced(index, isChange ? 1 : 0, wanted);
  }
  const rest = list.slice(after.length).map((_, index) => `${path}/${after.length + index}`);
  return [...operations, ...rest.reverse().map((at): Operation => ({ op: 'remove', path: at }))];
}

/** The variables from `index` up to the wanted one, which are to be removed; none if the wanted one is missing. */
function unwantedBefore(list: Variables, index: number, wanted: RawEnvVar): Variables {
  const at = list.findIndex((variable, place) => place >= index && isDeepStrictEqual(variable, wanted));
  return at < 0 ? [] : list.slice(index, at);
}

/** A key as a segment of a JSON pointer (RFC 6901). */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
