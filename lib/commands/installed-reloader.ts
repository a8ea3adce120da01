/** Finds the reloader that is installed in the cluster, and the settings by which it decides. */

import { type Place, placeOf } from '../app/assembly.ts';
import type { ApiResource } from '../kubernetes/api-path.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { FailedRead, Reading } from '../model/outcome.ts';
import type { RawContainer, RawEnvVar, RawObject } from '../model/raw-objects.ts';
import type { Options, ParsedCommand } from '../options/options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { CommandError } from './connect.ts';
import { listObjects, readObject } from './reads.ts';

const DEPLOYMENTS: ApiResource = { group: 'apps', version: 'v1', resource: 'deployments' };
/** The label of each Deployment of this program. */
export const RELOADER_LABEL = { key: 'app.kubernetes.io/name', value: 'kubernetes-reloader' } as const;
/** Where a reloader usually is, if not beside the workloads. */
export const USUAL_NAMESPACE = 'reloader';

/** The Deployment of a reloader. */
export interface Installation {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly readyReplicas: number;
}

/** A reloader and its settings: those of its Deployment, or the defaults. */
export interface InstalledReloader {
  /** Undefined: there is none, or it was not found. */
  readonly installation?: Installation;
  readonly options: Options;
  /** The namespaces that it watches, and that of its state. */
  readonly place: Place;
  /** What is not known of it, each a sentence. */
  readonly notes: readonly string[];
}

type RawVariable = RawEnvVar & {
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } };
};

interface RawProgram extends RawContainer {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly RawVariable[];
}

/** A Deployment whose container is a program with arguments and variables. */
export interface RawDeployment extends RawObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly RawProgram[] } };
  };
  readonly status?: { readonly readyReplicas?: number };
}

/** What is asked for: `asked` is the flag --reloader, `namespace` that of the subject, `settings` the flags after `--`. */
export interface Wanted {
  readonly asked?: string | undefined;
  readonly namespace: string;
  readonly settings: readonly string[];
}

/** The reloader that serves the namespace, else another one, else the defaults. @throws CommandError if the named one cannot be read */
export async function findReloader(send: Send, wanted: Wanted): Promise<InstalledReloader> {
  if (wanted.asked === 'none') return settingsAlone(wanted, []);
  const { found, notes } = await findDeployments(send, {
    ...wanted,
    flag: '--reloader',
    selectors: { labelSelector: `${RELOADER_LABEL.key}=${RELOADER_LABEL.value}` },
    isIt: () => true,
  });
  const all = found.map((each) => installed(each, wanted.settings, notes));
  return all.find((each) => watches(each, wanted.namespace)) ?? all[0] ?? settingsAlone(wanted, notes);
}

/** Whether the reloader watches the namespace. */
export function watches({ place, options }: InstalledReloader, namespace: string): boolean {
  return place.namespaces?.includes(namespace) ?? !options.ignoredNamespaces.includes(namespace);
}

/** The settings of the words alone. @throws CommandError */
export function settingsAlone(
  { settings, namespace }: Pick<Wanted, 'settings' | 'namespace'>,
  notes: readonly string[],
): InstalledReloader {
  const { options } = optionsOf(settings, {});
  return { options, place: placeOf(options, namespace), notes };
}

/** Which Deployments are looked for. */
interface Search extends Pick<Wanted, 'asked' | 'namespace'> {
  /** The flag that names one, as `<namespace>/<name>` or a name in `namespace`. */
  readonly flag: string;
  /** Those of the API server to look at. @default all */
  readonly selectors?: Parameters<typeof listObjects>[3];
  readonly isIt: (deployment: RawDeployment) => boolean;
}

/** The named Deployment, else those of all namespaces, or without that right of two. @throws CommandError if the named one cannot be read, or the API server does not answer */
export async function findDeployments(
  send: Send,
  { asked, namespace, flag, selectors, isIt }: Search,
): Promise<{ readonly found: readonly RawDeployment[]; readonly notes: readonly string[] }> {
  if (asked !== undefined) return { found: [await namedDeployment(send, flag, asked, namespace)], notes: [] };
  const listed = (place?: string): Promise<Reading<readonly RawDeployment[]>> =>
    listObjects<RawDeployment>(send, DEPLOYMENTS, place, selectors);
  const everywhere = await listed();
  if (everywhere.kind === 'found') return { found: everywhere.object.filter(isIt), notes: [] };
  if (everywhere.kind === 'failed' && everywhere.isForbidden !== true) throw unreachable(everywhere);
  const places = [...new Set([namespace, USUAL_NAMESPACE])];
  const readings = await Promise.all(places.map(listed));
  const found = readings.flatMap((reading) => (reading.kind === 'found' ? reading.object : [])).filter(isIt);
  const missed = `you may not list the Deployments of all namespaces: the reloader was looked for in ${places.join(' and ')} alone; name it by ${flag} <namespace>/<name>`;
  return { found, notes: found.length === 0 ? [missed] : [] };
}

async function namedDeployment(send: Send, flag: string, asked: string, own: string): Promise<RawDeployment> {
  const [first = '', second] = asked.split('/');
  const [namespace, name] = second === undefined ? [own, first] : [first, second];
  const reading = await readObject<RawDeployment>(send, DEPLOYMENTS, namespace, name);
  if (reading.kind === 'found') return reading.object;
  throw new CommandError(`${flag}: Deployment ${namespace}/${name} ${problemOf(reading)}`);
}

/** Why a read has no result. */
export function problemOf(reading: Exclude<Reading<unknown>, { kind: 'found' }>): string {
  if (reading.kind === 'absent') return 'does not exist';
  return reading.isForbidden === true
    ? 'may not be read with your rights'
    : `cannot be read: ${reading.message}`;
}

/** The error of a read without which nothing can be said. */
export function unreachable({ message, code }: Pick<FailedRead, 'message' | 'code'>): CommandError {
  if (code === undefined || code === 'unanswered' || code === 'silent')
    return new CommandError(`the API server does not answer: ${message}`, code);
  const todo = code === 'unauthorized' ? ', or log in again' : '';
  return new CommandError(`the API server answers with an error: ${message}${todo}`, code);
}

function installed(
  deployment: RawDeployment,
  settings: readonly string[],
  notes: readonly string[],
): InstalledReloader {
  const { name, namespace = '' } = deployment.metadata;
  const { args, env, hidden } = programOf(deployment);
  const unread = hidden
    .filter((variable) => variable.name.startsWith('RELOADER_OPT_'))
    .map(
      (variable) => `the value of ${variable.name} of Deployment ${namespace}/${name} is not in its manifest`,
    );
  const { options } = optionsOf([...args, ...settings], env, `Deployment ${namespace}/${name}`);
  return {
    installation: installationOf(deployment),
    options,
    place: placeOf(options, namespace),
    notes: [...notes, ...unread],
  };
}

/** Where a Deployment is, and whether it runs. */
export function installationOf({ metadata, spec, status }: RawDeployment): Installation {
  const { name, namespace = '' } = metadata;
  return { namespace, name, replicas: spec?.replicas ?? 1, readyReplicas: status?.readyReplicas ?? 0 };
}

/** How the program of a Deployment is started. */
export interface Program {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The variables whose value is not in the manifest. */
  readonly hidden: readonly RawVariable[];
}

/** The arguments and variables of the reloader's container, or the first one. */
export function programOf({ metadata, spec }: RawDeployment): Program {
  const containers = spec?.template?.spec?.containers ?? [];
  const { args = [], env: variables = [] } =
    containers.find((each) => each.name.includes('reloader')) ?? containers[0] ?? {};
  const env = environmentOf(variables, metadata.namespace ?? '');
  const expanded = args.map((word) =>
    word.replaceAll(/\$\(([A-Za-z0-9_.-]+)\)/g, (_, variable: string) => env[variable] ?? ''),
  );
  return { args: expanded, env, hidden: variables.filter(({ name }) => env[name] === undefined) };
}

function environmentOf(variables: readonly RawVariable[], namespace: string): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap(({ name, value, valueFrom }): readonly [string, string][] => {
      const isNamespace = valueFrom?.fieldRef?.fieldPath === 'metadata.namespace';
      const text = isNamespace ? namespace : value;
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** The options of a command line, and the warnings about them. @throws CommandError if it is not understood; it names the source */
export function optionsOf(
  argv: readonly string[],
  env: Program['env'],
  source = 'the flags after --',
): Pick<Extract<ParsedCommand, { type: 'run' }>, 'options' | 'notices'> {
  const parsed = parseOptions(argv, env, () => '');
  if (parsed.type === 'run') return parsed;
  throw new CommandError(`${source}: ${parsed.type === 'usage-error' ? parsed.message : 'no settings'}`);
}
