/** Causes that lie in the installation. */

import { everyVocabulary } from '../../annotations/vocabularies.ts';
import { workloadKeysOf } from '../../annotations/vocabulary.ts';
import {
  CONFIG_KINDS,
  type ConfigKind,
  type ConfigRef,
  describe,
  isMountedKind,
  SOURCE_KINDS,
} from '../../model/object-ref.ts';
import type { RawConfigObject, RawObject } from '../../model/raw-objects.ts';
import { meets } from '../../options/labels.ts';
import { configKindsOf, workloadKindsOf } from '../../options/options.ts';
import { SERVED_BY } from '../../options/workload-kinds.ts';
import { RELOADER_SELECTOR } from '../deployed-program.ts';
import { type InstalledReloader, problemOf, watches } from '../installed-reloader.ts';
import { hidesNamespaces, type Observation } from '../observation.ts';
import { isNotServed, notServed, readObject } from '../reads.ts';
import { rightsKeyOf } from '../reloader-rights.ts';
import type { Scene } from '../scene.ts';
import type { Cause, CauseRule, Facts } from './cause.ts';

/** What keeps a reloader from rolling anything. */
export const RELOADER_RULES: readonly ((of: Pick<Facts, 'reloader'>) => Cause | undefined)[] = [
  notRunning,
  dryRun,
  toldInstead,
];

/** The same, and that there is none. */
export const INSTALLED_RULES: typeof RELOADER_RULES = [notInstalled, ...RELOADER_RULES];

/** The rules, in the order in which a person should look at them. */
export const SETTING_RULES: readonly CauseRule[] = [
  ...INSTALLED_RULES,
  ({ reloader, workload }) => notWatched(reloader, workload.ref.namespace),
  ({ reloader, observation, workload }) => notSelected(reloader, observation, workload.ref.namespace),
  kindNotServed,
  objectsIgnored,
  vocabularyOff,
];

function notInstalled({ reloader }: Pick<Facts, 'reloader'>): Cause | undefined {
  if (reloader.installation !== undefined || reloader.isGiven === true) return undefined;
  const says = `no Deployment has the label ${RELOADER_SELECTOR}, and none is seen to renew a Lease: the defaults count`;
  const todo = 'install the reloader, or name its Deployment by --reloader <namespace>/<name>';
  return { rule: 'no-reloader', about: 'Deployment', says, todo };
}

function notRunning({ reloader: { installation } }: Pick<Facts, 'reloader'>): Cause | undefined {
  if (installation?.readyReplicas !== 0) return undefined;
  const { namespace, name, replicas } = installation;
  const about = `Deployment/${name} in ${namespace}`;
  const on = `kubectl -n ${namespace}`;
  if (replicas === 0) {
    const says = `${about}, the reloader, has no replicas: it rolls nothing before it runs`;
    return { rule: 'reloader-scaled-down', about, says, todo: `${on} scale deployment/${name} --replicas=1` };
  }
  const todo = `${on} logs deployment/${name} says what it waits for`;
  return { rule: 'reloader-not-ready', about, says: `no pod of ${about}, the reloader, is ready`, todo };
}

function dryRun({ reloader: { options } }: Pick<Facts, 'reloader'>): Cause | undefined {
  if (!options.dryRun) return undefined;
  const says = 'the reloader runs with --dry-run: it reports what it would roll, and writes nothing';
  return { rule: 'dry-run', about: '--dry-run', says, todo: 'take --dry-run away from its arguments' };
}

function toldInstead({ reloader: { options } }: Pick<Facts, 'reloader'>): Cause | undefined {
  if (options.webhookUrl === undefined) return undefined;
  const says = 'the reloader runs with --webhook-url: it notifies that program, and rolls nothing itself';
  return { rule: 'webhook', about: '--webhook-url', says };
}

/** That the reloader does not watch the namespace, if its flags are known. */
export function notWatched(reloader: InstalledReloader, namespace: string): Cause | undefined {
  const { place, options } = reloader;
  if (reloader.unknown.length > 0 || watches(reloader, namespace)) return undefined;
  const isIgnored = options.namespacesToIgnore.includes(namespace);
  const by = options.scope.type === 'default' ? '' : ` (${options.scope.source})`;
  const [says, todo] = isIgnored
    ? [
        `the reloader leaves ${namespace} out (--namespaces-to-ignore)`,
        `take ${namespace} out of --namespaces-to-ignore`,
      ]
    : [
        `the reloader watches ${place.namespaces?.join(', ')}${by}, and not ${namespace}`,
        `add ${namespace} to --namespace, with the rights there, or use --all-namespaces`,
      ];
  return { rule: 'namespace-not-watched', about: `namespace ${namespace}`, says, todo };
}

/** That the labels of the namespace are not those that the reloader selects. */
export function notSelected(
  reloader: InstalledReloader,
  observation: Observation,
  namespace: string,
): Cause | undefined {
  const { namespaceSelector } = reloader.options;
  const isSelected = hidesNamespaces(observation) || observation.store.isSelected(namespace);
  if (namespaceSelector === undefined || isSelected) return undefined;
  const about = `namespace ${namespace}`;
  const says = `the ${about} does not have the labels of --namespace-selector (${namespaceSelector})`;
  const todo = `kubectl label ${about} ${namespaceSelector}`;
  return { rule: 'unselected-namespace', about, says, todo };
}

/** That the labels of an object are not those that the reloader watches. */
function notLabelled(
  { options }: InstalledReloader,
  ref: ConfigRef,
  { labels = {} }: RawObject['metadata'],
): Cause | undefined {
  const { resourceLabelSelector: selector } = options;
  if (selector === undefined || isMountedKind(ref.kind) || meets(labels, selector)) return undefined;
  const about = describe(ref);
  const says = `${about} does not have the labels of --resource-label-selector (${selector}), and rolls nothing`;
  return { rule: 'unselected-object', about, says };
}

/** Why the reloader sees nothing of an object; none: it does. */
export async function unseenBecause(
  { send, reloader }: Pick<Scene, 'send' | 'reloader'>,
  ref: ConfigRef,
): Promise<readonly Cause[]> {
  const { kind, namespace, name } = ref;
  const about = describe(ref);
  const row = { ...SOURCE_KINDS[kind], kind };
  const counts = reloader.unknown.length === 0 && watches(reloader, namespace);
  const ignored = counts ? [kindIgnored(reloader, kind, about) ?? []].flat() : [];
  const reading = await readObject<RawConfigObject>(send, row, namespace, name);
  if (reading.kind === 'found') return counts ? unwatchedBecause(reloader, ref, reading.object) : [];
  if (reading.kind === 'absent')
    return [...ignored, { rule: 'missing', about, says: `${about} does not exist` }];
  if (await isNotServed(send, row)) return [...ignored, { rule: 'missing', about, says: notServed(row) }];
  const says = `${about} ${problemOf(reading)}`;
  return ignored.length > 0 ? ignored : [{ rule: 'not-readable', about, says }];
}

/** Why an object is not watched that the cluster has. */
export function unwatchedBecause(
  reloader: InstalledReloader,
  ref: ConfigRef,
  { metadata, type }: RawConfigObject,
): readonly Cause[] {
  const ignored = kindIgnored(reloader, ref.kind, describe(ref));
  const all = [ignored, untyped(ref, type), notLabelled(reloader, ref, metadata)];
  return all.filter((cause) => cause !== undefined);
}

function untyped(ref: ConfigRef, type = ''): Cause | undefined {
  const says = `Secrets of the type ${type} are not watched`;
  const isIgnored = SOURCE_KINDS[ref.kind].ignoredTypes.includes(type);
  return isIgnored ? { rule: 'secret-not-watched', about: describe(ref), says } : undefined;
}

/** That no object of its kind is watched. */
function kindIgnored(
  { options, lacks }: InstalledReloader,
  kind: ConfigKind,
  names: string,
): Cause | undefined {
  if (configKindsOf(options).includes(kind)) return undefined;
  const lack = lacks?.get(kind);
  if (lack) return { ...lack, rule: 'kind-of-object-ignored', about: names };
  const flag = options.ignoredConfigResourceTypes.includes(kind) ? undefined : SERVED_BY[kind]?.flag;
  const ignored = `take ${SOURCE_KINDS[kind].resource} out of --ignored-config-resource-types`;
  const todo = flag === undefined ? ignored : `give the reloader ${flag}`;
  const says = `the reloader does not watch ${kind}${kind.endsWith('s') ? 'es' : 's'}, so ${names} rolls nothing`;
  return { rule: 'kind-of-object-ignored', about: names, says, todo };
}

function kindNotServed({ row, workload, observation, reloader }: Facts): Cause | undefined {
  const [{ kind, resource }, { options, lacks }] = [row, reloader];
  const lack = lacks?.get(rightsKeyOf(observation.store, workload.ref));
  if (lack) return lack;
  if (workloadKindsOf(options).some((each) => each.kind === kind)) return undefined;
  const [says, todo] = options.ignoredWorkloadTypes.includes(kind)
    ? [`leaves ${kind}s alone (--ignored-workload-types)`, `take ${resource} out of --ignored-workload-types`]
    : [
        `does not roll ${kind}s by its present flags`,
        `give the reloader ${SERVED_BY[kind]?.flag ?? '--workload-kinds'}`,
      ];
  return { rule: 'kind-not-served', about: kind, says: `the reloader ${says}`, todo };
}

/** What it reads or lists of kinds that the reloader does not watch. */
export function objectsIgnored({ reloader, workload }: Facts): readonly Cause[] {
  return CONFIG_KINDS.flatMap((kind) => {
    const read = workload.references
      .filter((each) => each.kind === kind)
      .map(({ name }) => `${kind}/${name}`);
    const lists = everyVocabulary(reloader.options).flatMap(({ named }) => named[kind]);
    const named = lists.filter((key) => key in workload.annotations);
    return [...read, ...named].flatMap((each) => kindIgnored(reloader, kind, each) ?? []);
  });
}

function vocabularyOff({ raw, reloader: { options } }: Facts): readonly Cause[] {
  return everyVocabulary(options).flatMap((words): readonly Cause[] => {
    const about = workloadKeysOf(words).find((key) => raw.metadata.annotations?.[key] !== undefined);
    if (about === undefined || options.dialects.includes(words.name)) return [];
    const todo = `give it --dialects=${[...options.dialects, words.name].join(',')}`;
    return [{ rule: 'vocabulary-off', about, says: `the reloader does not read ${about}`, todo }];
  });
}
