/** Which kinds the account of a reloader may list, watch and roll. */

import { permissionsOf } from '../app/preflight.ts';
import { questionsOf, reviewAccount } from '../kubernetes/access-reviews.ts';
import type { Permission } from '../kubernetes/permissions.ts';
import type { Send } from '../kubernetes/transport.ts';
import { customKind } from '../model/kinds/custom-kind.ts';
import { CONFIG_KINDS, isMountedKind, keyOf, type WorkloadRef } from '../model/object-ref.ts';
import { addWorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { configKindsOf, workloadKindsOf } from '../options/options.ts';
import type { Store } from '../store/store.ts';
import type { Installation, InstalledReloader, Wanted } from './installed-reloader.ts';
import { listObjects } from './reads.ts';

type Lack = Readonly<Record<'rule' | 'about' | 'says' | 'todo', string>>;

/** What it lacks: by the kind of an object, or the key of a workload. */
export interface Rights {
  /** Why it cannot list, watch or roll it. */
  readonly lacks?: ReadonlyMap<string, Lack>;
  /** That this is not known, in words. */
  readonly mayLack?: ReadonlyMap<string, string>;
}

const EVICTED = '/eviction';

/** The rights that concern every workload, without those of evictions. */
export function commonLacks({ lacks = new Map() }: Rights): ReadonlySet<Lack> {
  return new Set([...lacks].flatMap(([key, lack]) => (key.endsWith(EVICTED) ? [] : [lack])));
}

/** The key of the rights that the workload needs: its kind, unless its pods are evicted. */
export function rightsKeyOf({ settings, workloads }: Store, ref: WorkloadRef): string {
  const { workload } = workloads.get(keyOf(ref)) ?? {};
  const evicts = workload && settings.vocabularies.strategyOf(workload) === 'evict';
  return evicts ? `${ref.kind}${EVICTED}` : ref.kind;
}

/** The reloader without the kinds that it may not list or watch. */
export async function withRights(
  send: Send,
  reloader: InstalledReloader,
  { namespace: own, places = [own] }: Wanted,
): Promise<InstalledReloader> {
  const { installation, options, isGiven, unknown } = reloader;
  const { namespaces = [undefined] } = reloader.place;
  const watched = namespaces.filter((each) => !each || places === 'all' || places.includes(each));
  if (unknown.length > 0 || (installation ?? isGiven) === undefined || watched.length === 0) return reloader;
  const reviews = needsOf(reloader).map(async (need) => {
    const asked = need.purpose === 'scope' ? [undefined] : watched;
    const answers = asked.map((place) => installation && mayIn(send, installation, need, place));
    return { ...need, answers: new Set(await Promise.all(answers)) };
  });
  const { unseen, ...rights } = judged(await Promise.all(reviews), installation);
  const ignoredConfigResourceTypes = options.ignoredConfigResourceTypes.concat(
    CONFIG_KINDS.filter((kind) => unseen.has(kind)),
  );
  const ignoredWorkloadTypes = [...options.ignoredWorkloadTypes, ...unseen];
  return {
    ...reloader,
    options: { ...options, ignoredConfigResourceTypes, ignoredWorkloadTypes },
    ...rights,
  };
}

/** `unseen`: the kinds that it may not list or watch. */
function judged(
  needs: readonly (Need & { readonly answers: ReadonlySet<boolean | undefined> })[],
  installation: Installation | undefined,
): Required<Rights> & { readonly unseen: ReadonlySet<string> } {
  const lacking = needs.filter(({ answers }) => answers.has(false) && answers.size === 1);
  const open = needs.filter(
    ({ answers, isOptional }) => answers.size > 1 || (answers.has(undefined) && (installation ?? isOptional)),
  );
  const rule = 'kind-not-permitted';
  const todo = `grant the right to ServiceAccount/${installation?.account} in ${installation?.namespace}`;
  const lacks = lacking.flatMap(({ kind: about, keys, what, without }) => {
    const lack = { rule, about, says: `the reloader may not ${what}, and ${without}`, todo };
    return keys.map((key) => [key, lack] as const);
  });
  const mayLack = open.flatMap(({ keys, what }) =>
    keys.map((key) => [key, `whether the reloader may ${what}: ${DOUBT}`] as const),
  );
  const unseen = lacking.filter(({ without }) => without === UNSEEN).map(({ kind }) => kind);
  return { lacks: new Map(lacks), mayLack: new Map(mayLack), unseen: new Set(unseen) };
}

const DOUBT = 'its rights cannot be reviewed, or differ by namespace or name';
const UNSEEN = 'leaves them out';
const PURPOSES = ['evict', 'run', 'workload', 'config', 'scope'];
/** What is so without the right, by its purpose, else its verb. */
const WITHOUT: Readonly<Record<string, string>> = {
  evict: 'evicts none',
  scope: 'rolls nothing',
  list: UNSEEN,
  watch: UNSEEN,
  patch: 'rolls none but by eviction',
};
/** The kinds whose pods are those of ReplicaSets. */
const OF_SETS = ['Deployment', 'Rollout'];
/** A Role may limit these to the names of objects. */
const NAMED = ['patch', 'delete'];
const MOST_NAMES = 50;

interface Need extends Permission {
  readonly verb: string;
  readonly keys: readonly string[];
  readonly what: string;
  readonly without: string;
  readonly isOptional: boolean;
}

function needsOf({ options, place }: InstalledReloader): readonly Need[] {
  options.workloadKinds.map(customKind).forEach(addWorkloadKind);
  const everywhere = { ...place, namespaces: undefined };
  const parts = { options: { ...options, reloadStrategy: 'evict' as const }, place: everywhere };
  const needs = (kind: string, isOptional: boolean, all: readonly Permission[]): readonly Need[] =>
    questionsOf(all).map(({ permission, verb }) => {
      const { purpose, rule } = permission;
      const without = WITHOUT[purpose] ?? WITHOUT[verb] ?? 'starts none';
      const keys = [...(purpose === 'evict' ? [] : [kind]), ...(verb === 'patch' ? [] : [kind + EVICTED])];
      return { ...permission, kind, keys, verb, what: `${verb} ${rule.resources[0]}`, without, isOptional };
    });
  const all = [
    ...configKindsOf(options).flatMap((kind) =>
      needs(kind, isMountedKind(kind), permissionsOf(parts, [], [kind])),
    ),
    ...workloadKindsOf(options).flatMap(({ kind, isOptional = false }) =>
      needs(kind, isOptional, permissionsOf(parts, [kind], [])),
    ),
  ].filter(
    (each) =>
      each.verb !== 'get' && (each.rule.resources[0] !== 'replicasets' || OF_SETS.includes(each.kind)),
  );
  return PURPOSES.flatMap((purpose) => all.filter((need) => need.purpose === purpose).reverse());
}

/** Whether the account has a right; undefined: unknown, or to some objects alone. */
async function mayIn(
  send: Send,
  account: Installation,
  { kind, purpose, rule, verb }: Need,
  place: string | undefined,
): Promise<boolean | undefined> {
  const [group] = rule.apiGroups;
  const [resource, subresource] = rule.resources[0]?.split('/') ?? [];
  const may = async (namespace: string | undefined, name?: string): Promise<boolean | undefined> =>
    await reviewAccount(send, account, { verb, group, resource, subresource, namespace, name });
  const mayAll = await may(place);
  if (mayAll !== false || purpose !== 'workload' || !NAMED.includes(verb)) return mayAll;
  const listed = await listObjects(send, workloadKindOf(kind), place);
  if (listed.kind === 'absent') return false;
  if (listed.kind === 'failed' || listed.object.length > MOST_NAMES) return undefined;
  const each = listed.object.map(({ metadata: { namespace, name } }) => may(namespace, name));
  return (await Promise.all(each)).every((answer) => answer === false) ? false : undefined;
}
