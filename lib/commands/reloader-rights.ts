/** Whether an installed reloader leads, and which kinds its account may list, watch and patch. */

import { leasePlaceOf } from '../app/terms.ts';
import { reviewAccount } from '../kubernetes/access-reviews.ts';
import { LEASES } from '../kubernetes/api-path.ts';
import type { Send } from '../kubernetes/transport.ts';
import { CONFIG_KINDS, isMountedKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { configKindsOf, type Options, workloadKindsOf } from '../options/options.ts';
import type { InstalledReloader, RawLease, Wanted } from './installed-reloader.ts';
import { readObject } from './reads.ts';

type Lack = Readonly<Record<'rule' | 'about' | 'says' | 'todo', string>>;

/** What it lacks. */
export interface Rights {
  /** By kind that it may not list or patch, so that its options leave it out: the cause. */
  readonly lacks?: ReadonlyMap<string, Lack>;
  /** By kind of which that is not known: that in words. */
  readonly mayLack?: ReadonlyMap<string, string>;
}

/** The reloader without the kinds that it may not list or patch in the namespaces of the question. */
export async function withRights(
  send: Send,
  reloader: InstalledReloader,
  { namespace: own, places = [own] }: Wanted,
): Promise<InstalledReloader> {
  const { installation, options, isGiven, unknown } = reloader;
  const { namespaces = [undefined] } = reloader.place;
  const watched = namespaces.filter((each) => !each || places === 'all' || places.includes(each));
  if (unknown.length > 0 || (installation ?? isGiven) === undefined || watched.length === 0) return reloader;
  const reviews = questionsFor(options).map(async (row) => {
    const { group, resource, verb } = row;
    const attributes = watched.map((namespace) => ({ verb, group, resource, namespace }));
    const asked = attributes.map((each) => installation && reviewAccount(send, installation, each));
    return { ...row, answers: new Set(await Promise.all(asked)) };
  });
  const [lacks, mayLack] = [new Map<string, Lack>(), new Map<string, string>()];
  for (const { kind, resource, verb, without, isOptional, answers } of await Promise.all(reviews)) {
    const says = `the reloader may not ${verb} ${resource}, and ${without}`;
    const todo = `grant the right to ServiceAccount/${installation?.account} in ${installation?.namespace}`;
    if (answers.has(false) && answers.size === 1)
      lacks.set(kind, { rule: 'kind-not-permitted', about: kind, says, todo });
    else if (answers.has(false) || (answers.has(undefined) && (installation !== undefined || isOptional)))
      mayLack.set(
        kind,
        `whether the reloader may ${verb} ${resource}: its rights cannot be reviewed, or differ by namespace`,
      );
  }
  const { ignoredConfigKinds, ignoredWorkloadKinds } = options;
  const without = {
    ignoredConfigKinds: CONFIG_KINDS.filter((kind) => lacks.has(kind) || ignoredConfigKinds.includes(kind)),
    ignoredWorkloadKinds: [...ignoredWorkloadKinds, ...lacks.keys()],
  };
  return { ...reloader, options: { ...options, ...without }, lacks, mayLack };
}

/** What is asked about each kind, the right to list it last: it says more than that to patch it. */
function questionsFor(options: Options) {
  const isPatching = !options.dryRun && options.webhookUrl === undefined;
  const sources = configKindsOf(options).map((kind) => {
    return { ...SOURCE_KINDS[kind], kind, isOptional: isMountedKind(kind) };
  });
  const workloads = workloadKindsOf(options);
  return [
    ...workloads
      .filter(({ rollout }) => isPatching && rollout === 'replace-pods')
      .map((row) => ({ ...row, verb: 'patch', without: 'rolls none but by eviction' })),
    ...['watch', 'list'].flatMap((verb) =>
      [...sources, ...workloads].map((row) => ({ ...row, verb, without: 'leaves them out' })),
    ),
  ];
}

/** A leader that has not renewed its Lease for so long is silent. */
const SILENT_MS = 60_000;

/** Whether no pod renews the Lease of a reloader that elects a leader: the leader may be cut off, hang, or have ended. */
export async function silenceOf(
  send: Send,
  { installation, options: { leaderElection }, place }: InstalledReloader,
): Promise<Pick<InstalledReloader, 'isSilent'>> {
  if (installation === undefined || leaderElection === undefined) return {};
  const { namespace, name } = leasePlaceOf(leaderElection, place);
  const lease = await readObject<RawLease>(send, LEASES, namespace, name);
  if (lease.kind === 'failed')
    return { isSilent: `whether the reloader runs: Lease/${name} in ${namespace}: ${lease.message}` };
  const { holderIdentity = '', renewTime = '' } = (lease.kind === 'found' && lease.object.spec) || {};
  const isHeld = holderIdentity !== '' && Date.now() - Date.parse(renewTime) <= SILENT_MS;
  return isHeld ? {} : { isSilent: true };
}
