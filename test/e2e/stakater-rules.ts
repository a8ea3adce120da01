/** What workloads ask for in the words of Stakater Reloader, as a table: which objects each of them is to be rolled for. */

import type { JsonObject } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';
import { KINDS, READINGS, type WorkloadParts } from './workloads.ts';

const PREFIX = 'reloader.stakater.com';
/** On a workload: all that it refers to. */
export const AUTO: Readonly<Record<string, string>> = { [`${PREFIX}/auto`]: 'true' };
/** On a workload: what it refers to and what is marked with MATCH. */
const SEARCH: Readonly<Record<string, string>> = { [`${PREFIX}/search`]: 'true' };
/** On an object. */
const MATCH: Readonly<Record<string, string>> = { [`${PREFIX}/match`]: 'true' };

/** On a workload: these objects, whether it refers to them or not. */
export function named(kind: 'configmap' | 'secret', names: string): Record<string, string> {
  return { [`${kind}.${PREFIX}/reload`]: names };
}

/** By name: their annotations. There is a ConfigMap and a Secret of each; workloads refer to all but the last. */
const OBJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {},
  marked: MATCH,
  ignored: { [`${PREFIX}/ignore`]: 'true' },
  other: {},
};
const REFERRED_TO = ['plain', 'marked', 'ignored'];

/** One way to ask, and the stamps that follow when everything changes: none where nothing is to be rolled. */
export interface Rule {
  readonly own?: Readonly<Record<string, string>>;
  readonly ofTemplate?: Readonly<Record<string, string>>;
  /** By variable: the container. */
  readonly variables: Readonly<Record<string, 'first' | 'app'>>;
  /** As the annotation names them, in its order. */
  readonly objects: readonly string[];
}

const SECRETS: Rule['variables'] = { STAKATER_MARKED_SECRET: 'app', STAKATER_PLAIN_SECRET: 'app' };
const ALL: Pick<Rule, 'variables' | 'objects'> = {
  variables: { STAKATER_MARKED_CONFIGMAP: 'app', STAKATER_PLAIN_CONFIGMAP: 'app', ...SECRETS },
  objects: ['ConfigMap/marked', 'ConfigMap/plain', 'Secret/marked', 'Secret/plain'],
};
/** No container reads it. */
const OTHER: Pick<Rule, 'variables' | 'objects'> = {
  variables: { STAKATER_OTHER_CONFIGMAP: 'first' },
  objects: ['ConfigMap/other'],
};

/** By the name of the workloads that ask so. */
const RULES: Readonly<Record<string, Rule>> = {
  nothing: { variables: {}, objects: [] },
  auto: { own: AUTO, ...ALL },
  list: {
    own: named('configmap', 'other, plain'),
    variables: { ...OTHER.variables, STAKATER_PLAIN_CONFIGMAP: 'app' },
    objects: ['ConfigMap/other', 'ConfigMap/plain'],
  },
  expression: {
    own: named('secret', 'oth[a-z]+'),
    variables: { STAKATER_OTHER_SECRET: 'first' },
    objects: ['Secret/other'],
  },
  search: {
    own: SEARCH,
    variables: { STAKATER_MARKED_CONFIGMAP: 'app', STAKATER_MARKED_SECRET: 'app' },
    objects: ['ConfigMap/marked', 'Secret/marked'],
  },
  exclude: {
    own: { ...AUTO, [`configmaps.exclude.${PREFIX}/reload`]: 'plain' },
    variables: { STAKATER_MARKED_CONFIGMAP: 'app', ...SECRETS },
    objects: ['ConfigMap/marked', 'Secret/marked', 'Secret/plain'],
  },
  ignore: { own: named('configmap', 'ignored, other'), ...OTHER },
  template: { ofTemplate: AUTO, ...ALL },
  // The workload's own words go before those of its template for the kind of object that they concern.
  'template-by-kind': {
    own: named('configmap', 'other'),
    ofTemplate: AUTO,
    variables: { ...OTHER.variables, ...SECRETS },
    objects: ['ConfigMap/other', 'Secret/marked', 'Secret/plain'],
  },
  'native-too': {
    own: { 'reloader.k8s.collaborne.com/configmap': 'plain', ...named('configmap', 'plain') },
    variables: { STAKATER_PLAIN_CONFIGMAP: 'app', _RELOADER_CONFIGMAP_PLAIN: 'first' },
    objects: ['ConfigMap/plain'],
  },
};

/** A workload of each kind for each rule, each kind with a way to read of its own. */
export function workloadsOfRules(): readonly (WorkloadParts & { readonly rule: Rule })[] {
  return Object.entries(RULES).flatMap(([name, rule]) =>
    KINDS.map((kind, index) => ({
      rule,
      kind,
      name: `${name}-${kind.toLowerCase()}`,
      reads: READINGS[index] ?? 'env',
      follows: { ConfigMap: REFERRED_TO, Secret: REFERRED_TO },
      replicas: 1,
      hasFirst: true,
      annotations: rule.own ?? {},
      ...(rule.ofTemplate === undefined ? {} : { templateAnnotations: rule.ofTemplate }),
    })),
  );
}

/** Makes every object. */
export async function createObjects(stage: Stage, key: string): Promise<void> {
  for (const [name, annotations] of Object.entries(OBJECTS))
    for (const { resource, content } of contents(key))
      await stage.expect('POST', resource, { metadata: { name, annotations }, ...content });
}

/** Gives every object another content, and leaves its annotations alone. */
export async function editObjects(stage: Stage, key: string): Promise<void> {
  for (const name of Object.keys(OBJECTS))
    for (const { resource, content } of contents(key))
      await stage.expect('PATCH', `${resource}/${name}`, content);
}

function contents(key: string): readonly { readonly resource: string; readonly content: JsonObject }[] {
  return [
    { resource: 'configmaps', content: { data: { key } } },
    { resource: 'secrets', content: { stringData: { key } } },
  ];
}
