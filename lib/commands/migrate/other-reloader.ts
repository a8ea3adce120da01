/** The other reloaders, and how each is found in the cluster. */

import type { Send } from '../../kubernetes/transport.ts';
import { DEPLOYMENT } from '../../model/kinds/built-in.ts';
import { SOURCE_KINDS } from '../../model/object-ref.ts';
import { CommandError } from '../connect.ts';
import { isOurs, type Program, programOf, type RawDeployment } from '../deployed-program.ts';
import { shownReloader } from '../explain/explanation.ts';
import {
  type Found,
  findReloaders,
  type Installation,
  installationOf,
  listedIn,
  missedIn,
  namedDeployment,
  problemOf,
  unlisted,
  watches,
} from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';
import type { Settings } from './their-settings.ts';

/** One reloader that may be in the cluster. */
export interface Source {
  readonly name: 'stakater' | 'collaborne';
  readonly title: string;
  /** The section of the guides about it. */
  readonly guide: string;
  readonly image: RegExp;
  /** Arguments that no other program has. */
  readonly args: RegExp;
  /** A variable that only its manifests set. */
  readonly env: Readonly<Record<string, string>>;
  /** The kinds that it runs anew, with the argument that does so here. */
  readonly runs: Readonly<Record<string, string>>;
}

/** Every reloader that can be migrated from. */
export const SOURCES: Readonly<Record<Source['name'], Source>> = {
  stakater: {
    name: 'stakater',
    title: 'Stakater Reloader',
    guide: 'docs/guides/migrate-from-stakater.md',
    image: /(^|\/)stakater\/reloader(-ubi)?([:@]|$)/,
    args: /^--(?:auto-reload-all|is-argo-rollouts|(?:namespace|resource)s-to-ignore|reload-(?:on|strategy)|resource-label-selector)/i,
    env: { RELOADER_DEPLOYMENT_NAME: 'reloader' },
    runs: { CronJob: '--cronjob-reload=run-now', Job: '--job-reload=recreate' },
  },
  collaborne: {
    name: 'collaborne',
    title: "Collaborne's kubernetes-reloader",
    guide: 'docs/guides/migration.md#from-collabornes-kubernetes-reloader',
    image: /(^|\/)collaborne\/kubernetes-reloader([:@]|$)/i,
    args: /^--(?:alternative-(?:configmap|secret)-annotation|coalesce-period|configmap)(?:=|$)/,
    env: {},
    runs: {},
  },
};

/** Where the other reloader is. */
export interface OtherInstallation extends Installation {
  /** The name of its container. */
  readonly container: string;
}

/** The other reloader as the cluster has it. */
interface OtherReloader {
  readonly installation: OtherInstallation;
  readonly program: Program;
  readonly deployment: RawDeployment;
}

type Sought = Readonly<{ found: OtherReloader | undefined; unknown: readonly string[] }>;

/** Looks for the Deployment. @throws CommandError */
export async function findOther(
  send: Send,
  source: Source,
  { asked, namespace }: Readonly<{ asked: string | undefined; namespace: string }>,
): Promise<Sought> {
  if (asked !== undefined) {
    const named = await namedDeployment(send, '--deployment', asked, namespace);
    const other = otherOf(named);
    const isTheirs = isOf(source, named) || other.program.args.some((word) => source.args.test(word));
    if (isTheirs && !isOurs(named)) return await asInstalled(send, other);
    const says = `is not ${source.title}: its image, arguments and variables are others`;
    throw new CommandError(`--deployment: ${asked} ${says}`, 'not-a-reloader');
  }
  const { found, isEverywhere } = await listedIn<RawDeployment>(send, DEPLOYMENT, namespace);
  const [seen] = found
    .filter((each) => isOf(source, each))
    .map(otherOf)
    .sort((one, other) => other.installation.replicas - one.installation.replicas);
  if (seen !== undefined) return await asInstalled(send, seen);
  return { found: seen, unknown: isEverywhere ? [] : [missedIn(['Deployments'], namespace, '--deployment')] };
}

/** Helm keeps the releases that it has installed in Secrets. */
async function asInstalled(send: Send, other: OtherReloader): Promise<Sought> {
  const { namespace, release } = other.installation;
  if (release === undefined) return { found: other, unknown: [] };
  const selectors = { labelSelector: `owner=helm,status=deployed,name=${release}` };
  const kept = await listObjects(send, SOURCE_KINDS.Secret, namespace, selectors);
  if (kept.kind === 'found' && kept.object.length === 0)
    return { found: { ...other, installation: { ...other.installation, release: undefined } }, unknown: [] };
  const what = `whether Helm has the release ${release}: Secrets in ${namespace}`;
  return { found: other, unknown: kept.kind === 'found' ? [] : [`${what} ${problemOf(kept)}`] };
}

function isOf({ image, env }: Source, deployment: RawDeployment): boolean {
  const { containers = [] } = deployment.spec?.template?.spec ?? {};
  const isTheirs = containers.some(
    (each) => image.test(each.image ?? '') || each.env?.some(({ name }) => name in env) === true,
  );
  return isTheirs && !isOurs(deployment);
}

function otherOf(deployment: RawDeployment): OtherReloader {
  const program = programOf(deployment);
  const installation = { ...installationOf(deployment), container: program.container };
  return { installation, program, deployment };
}

/** One of them. */
export interface Running extends Pick<Installation, 'namespace' | 'name'> {
  /** Whether it has pods, and watches a namespace of the other one. */
  readonly isBeside: boolean;
  readonly says: string;
}

/** Looks for them; `settings`: those of the other one. `kept`: it takes over. */
export async function findRunning(
  send: Send,
  namespace: string,
  settings: Settings,
): Promise<Readonly<{ running: Running[]; kept: Found | undefined; unknown: string[] }>> {
  const { found, isEverywhere } = await findReloaders(send, namespace, []);
  const isBeside = (each: Found): boolean => each.installation.replicas > 0 && isCommon(each, settings);
  const running = found.map((each): Running => {
    const { namespace: home, name } = each.installation;
    const { says } = shownReloader({ ...each, unknown: [] });
    const rolls = `it ${isBeside(each) ? 'may roll workloads' : 'rolls nothing'} in namespaces of the other one`;
    return { namespace: home, name, isBeside: isBeside(each), says: `${says}; ${rolls}` };
  });
  const missed = `${unlisted('Deployments')}: another installation of this program may run`;
  const unknown = [...found.flatMap((each) => each.unknown), ...(isEverywhere ? [] : [missed])];
  return { running, kept: found.find(isBeside), unknown };
}

/** Whether both watch a namespace. */
function isCommon(reloader: Found, { place: { namespaces }, options }: Settings): boolean {
  const places = namespaces ?? reloader.place.namespaces;
  const isTheirs = (each: string): boolean =>
    namespaces !== undefined || !options.namespacesToIgnore.includes(each);
  return places === undefined || places.some((each) => watches(reloader, each) && isTheirs(each));
}
