/** How the program of a Deployment is started. */

import type { RawContainer, RawEnvVar, RawObject } from '../model/raw-objects.ts';
import { VARIABLE_PREFIX } from '../options/flags.ts';
import type { Options } from '../options/options.ts';

/** The label of each Deployment of this program, whatever it is installed by. */
export const RELOADER_LABEL = { key: 'app.kubernetes.io/part-of', value: 'kubernetes-reloader' } as const;
/** Selects them. */
export const RELOADER_SELECTOR: string = `${RELOADER_LABEL.key}=${RELOADER_LABEL.value}`;
/** The namespace of a reloader, unless a flag names one. */
const OWN_NAMESPACE = 'KUBERNETES_NAMESPACE';
const PROGRAM = /(?:^|\/)(?:reloader(?:\.mjs)?|manager)$/;
const SCOPE = /^(?:-[An]|--(?:all-)?namespaces?)$/;
/** Flags that decide nothing about workloads. */
const IDLE = /-(?:url|token)$|^--alert-/;
/** A variable in an argument, or a dollar that begins none. */
const VARIABLE = /\$(?:\$|\(([^)]*)\))/g;

interface RawProgram extends RawContainer {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly (RawEnvVar & {
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } };
  })[];
}

/** A pod of such a program. */
export interface RawPod extends RawObject {
  readonly spec?: { readonly serviceAccountName?: string; readonly containers?: readonly RawProgram[] };
}

/** A Deployment whose container is a program with arguments and variables. */
export interface RawDeployment extends RawObject {
  readonly spec?: { readonly replicas?: number; readonly template?: Pick<RawPod, 'spec'> };
  readonly status?: { replicas?: number; updatedReplicas?: number; readyReplicas?: number };
}

/** Whether the Deployment is one of this program. */
export function isOurs({ metadata: { labels = {} } }: RawDeployment): boolean {
  return labels[RELOADER_LABEL.key] === RELOADER_LABEL.value;
}

/** How the program of a Deployment is started. */
export interface Program {
  readonly container: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The variables whose value is not in the manifest, and the flags with such a value. */
  readonly hidden: readonly string[];
}

/** The arguments and variables of the reloader's container, or the first one. */
export function programOf(deployment: RawDeployment): Program {
  const { name: container = '', command = [], args = [], env = [] } = containerOf(deployment) ?? {};
  const all = new Map<string, string | undefined>();
  for (const { name, value = '', valueFrom } of env) {
    const isNamespace = valueFrom?.fieldRef?.fieldPath === 'metadata.namespace';
    const other = isNamespace ? deployment.metadata.namespace : undefined;
    all.set(name, valueFrom === undefined ? expanded(value, all) : other);
  }
  const seen = [...all].flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  const hidden = [...all.keys()].filter((name) => all.get(name) === undefined);
  const words = groupsOf([...(flagsIn(command) ?? []), ...args]).flatMap((group) => {
    const texts = group.map((word) => expanded(word, all));
    const shown = texts.filter((text) => text !== undefined);
    if (shown.length === texts.length) return shown;
    hidden.push(group[0].split('=', 1)[0] ?? '');
    return [];
  });
  return { container, args: words, env: Object.fromEntries(seen), hidden };
}

/** The flags of a program. A webhook may add other variables. */
export function flagsOf({ args, env, hidden }: Program): string {
  const variables = [...Object.entries(env).map((each) => each.join('=')), ...hidden];
  return [...args, ...variables.filter((each) => each.startsWith(VARIABLE_PREFIX))].join(' ');
}

function flagOf(variable: string): string {
  return `--${variable.slice(VARIABLE_PREFIX.length).toLowerCase().replaceAll('_', '-')}`;
}

/** Each flag with its value. */
export function groupsOf(args: readonly string[]): readonly (readonly [string, ...string[]])[] {
  const groups: [string, ...string[]][] = [];
  for (const word of args)
    if (word.startsWith('-') || groups.length === 0) groups.push([word]);
    else groups.at(-1)?.push(word);
  return groups;
}

/** The text as the kubelet writes it; undefined: it has a variable whose value is not known. */
function expanded(text: string, variables: ReadonlyMap<string, string | undefined>): string | undefined {
  const names = [...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []);
  if (names.some((name) => variables.get(name) === undefined)) return undefined;
  return text.replaceAll(VARIABLE, (_, name?: string) => (name && variables.get(name)) ?? '$');
}

/** Undefined: they are not known, as those of a shell. */
function flagsIn(command: readonly string[]): readonly string[] | undefined {
  const at = command.findIndex((word) => PROGRAM.test(word));
  return at < 0 && command.length > 0 ? undefined : command.slice(at + 1);
}

function containerOf({ spec }: RawDeployment): RawProgram | undefined {
  const containers = spec?.template?.spec?.containers ?? [];
  return containers.find((each) => each.name.includes('reloader')) ?? containers[0];
}

/** Its kind, namespace and name, in words. */
export function titleOf({ metadata: { name, namespace = '' } }: RawDeployment): string {
  return `Deployment ${namespace}/${name}`;
}

/** The settings that a Deployment does not show, each a sentence; `settings` win over them. */
export function unseenSettings(
  deployment: RawDeployment,
  { hidden }: Program,
  { scope }: Options,
  settings: readonly string[],
): readonly string[] {
  const { envFrom = [], command = [] } = containerOf(deployment) ?? {};
  const title = titleOf(deployment);
  // A default gives way to the variable.
  const isOpen = scope.type === 'default' || !/^(?:-|[A-Z])/.test(scope.source);
  const given = settings.map((word) => word.split('=', 1)[0] ?? '');
  const counts = (name: string): boolean => {
    if (name === OWN_NAMESPACE) return isOpen;
    const flag = name.startsWith(VARIABLE_PREFIX) ? flagOf(name) : name;
    const isGiven = given.some((each) => each === flag || (SCOPE.test(each) && SCOPE.test(flag)));
    return flag.startsWith('-') && !IDLE.test(flag) && !isGiven;
  };
  return [
    ...hidden.filter(counts).map((each) => `the value of ${each} of ${title} is not in its manifest`),
    ...(flagsIn(command) === undefined ? [`which flags count: ${title} has a command of its own`] : []),
    ...(envFrom.length > 0 && (isOpen || isOurs(deployment))
      ? [`the variables of ${title} are in objects that envFrom names`]
      : []),
  ];
}
