/**
 * The fields of a pod template that are owned one by one: containers, their variables, and the template's annotations.
 * As paths they are `container/<name>`, `env/<container>/<name>` and `template-annotation/<key>`.
 */

import { type Json, type JsonDraft, type JsonObject, objectOf, objectsOf, pick } from './json.ts';

/** The sections of these paths. */
export type TemplateSection = 'container' | 'env' | 'template-annotation';

/** Where a pod template is. */
const TEMPLATE = ['spec', 'template'] as const;
const FIELDS_OF_TEMPLATE = ['f:spec', 'f:template'] as const;
const ITEM = /^k:\{"name":"(.*)"\}$/;

/** The fields of an object's pod template with their values. A container itself is owned whatever is in it. */
export function templateFieldsOf(object: JsonObject): readonly (readonly [string, Json])[] {
  const template = pick(object, ...TEMPLATE);
  if (template === undefined) return [];
  const annotations = Object.entries(objectOf(pick(template, 'metadata', 'annotations')));
  return [
    ...objectsOf(pick(template, 'spec', 'containers')).flatMap(containerFieldsOf),
    ...annotations.map(([key, value]) => [`template-annotation/${key}`, value ?? null] as const),
  ];
}

function containerFieldsOf({ name, env }: JsonObject): readonly (readonly [string, Json])[] {
  const variables = objectsOf(env).map(
    (each) => [`env/${String(name)}/${String(each['name'])}`, each] as const,
  );
  return [[`container/${String(name)}`, true], ...variables];
}

/** Which of these fields `fieldsV1` names. */
export function ownedInTemplate(fieldsV1: JsonObject): readonly string[] {
  const template = objectOf(pick(fieldsV1, ...FIELDS_OF_TEMPLATE));
  const annotations = Object.keys(objectOf(pick(template, 'f:metadata', 'f:annotations')));
  const owned = annotations.map((key) => `template-annotation/${key.slice(2)}`);
  for (const [key, fields] of Object.entries(objectOf(pick(template, 'f:spec', 'f:containers')))) {
    const container = ITEM.exec(key)?.[1];
    if (container === undefined) continue;
    if (pick(fields, '.') !== undefined) owned.push(`container/${container}`);
    for (const item of Object.keys(objectOf(pick(fields, 'f:env')))) {
      const variable = ITEM.exec(item)?.[1];
      if (variable !== undefined) owned.push(`env/${container}/${variable}`);
    }
  }
  return owned;
}

/** Where `fieldsV1` names one of these fields. */
export function placeInFieldsV1(section: TemplateSection, name: string): readonly string[] {
  if (section === 'template-annotation')
    return [...FIELDS_OF_TEMPLATE, 'f:metadata', 'f:annotations', `f:${name}`];
  const [container = '', variable] = split(name);
  const place = [...FIELDS_OF_TEMPLATE, 'f:spec', 'f:containers', itemOf(container)];
  return section === 'container' ? [...place, '.'] : [...place, 'f:env', itemOf(variable ?? ''), '.'];
}

/** `object` without one of these fields. */
export function withoutTemplateField(object: JsonObject, section: TemplateSection, name: string): JsonObject {
  const template = objectOf(pick(object, ...TEMPLATE));
  const spec = objectOf(object['spec']);
  return { ...object, spec: { ...spec, template: templateWithout(template, section, name) } };
}

function templateWithout(template: JsonObject, section: TemplateSection, name: string): JsonObject {
  if (section === 'template-annotation') {
    const metadata = objectOf(template['metadata']);
    const { [name]: _, ...annotations } = objectOf(metadata['annotations']);
    return { ...template, metadata: { ...metadata, annotations: orAbsent(annotations) } };
  }
  const spec = objectOf(template['spec']);
  const containers = objectsOf(spec['containers']);
  const [container, variable] = section === 'container' ? [name] : split(name);
  const kept =
    variable === undefined
      ? containers.filter((each) => each['name'] !== container)
      : containers.map((each) => (each['name'] === container ? withoutVariable(each, variable) : each));
  return { ...template, spec: { ...spec, containers: kept } };
}

function withoutVariable(container: JsonObject, name: string): JsonObject {
  const env = objectsOf(container['env']).filter((each) => each['name'] !== name);
  const { env: _, ...others } = container;
  return env.length === 0 ? others : { ...others, env };
}

function orAbsent(map: JsonDraft): JsonObject | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

/** A container's name has no slash; that of a variable may. */
function split(name: string): readonly [string, string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [name, ''] : [name.slice(0, slash), name.slice(slash + 1)];
}

function itemOf(name: string): string {
  return `k:{"name":"${name}"}`;
}
