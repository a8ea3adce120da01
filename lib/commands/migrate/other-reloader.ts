/** The other reloaders, and how each is found in the cluster: its Deployment, and how it is started. */

import type { Send } from '../../kubernetes/transport.ts';
import {
  deploymentsIn,
  type Installation,
  installationOf,
  namedDeployment,
  type Program,
  programOf,
  type RawDeployment,
} from '../installed-reloader.ts';

/** One reloader that may be in the cluster. */
export interface Source {
  readonly name: 'stakater' | 'collaborne';
  readonly title: string;
  /** The section of the guides about it. */
  readonly guide: string;
  readonly image: RegExp;
  /** A variable that only its manifests set. */
  readonly variable?: string;
  /** Where it usually runs. */
  readonly namespaces: readonly string[];
  /** It watches all namespaces, starts CronJobs and creates Jobs anew, unless a flag says otherwise. */
  readonly isStakater: boolean;
}

/** Every reloader that can be migrated from. */
export const SOURCES: Readonly<Record<Source['name'], Source>> = {
  stakater: {
    name: 'stakater',
    title: 'Stakater Reloader',
    guide: 'docs/guides/migrate-from-stakater.md',
    image: /(^|\/)stakater\/reloader(-ubi)?([:@]|$)/,
    variable: 'RELOADER_DEPLOYMENT_NAME',
    namespaces: ['reloader'],
    isStakater: true,
  },
  collaborne: {
    name: 'collaborne',
    title: "Collaborne's kubernetes-reloader",
    guide: 'docs/guides/migration.md#from-collabornes-kubernetes-reloader',
    image: /(^|\/)collaborne\/kubernetes-reloader([:@]|$)/i,
    namespaces: [],
    isStakater: false,
  },
};

/** The other reloader as the cluster has it. */
export interface OtherReloader {
  readonly installation: Installation;
  readonly program: Program;
  /** The release of Helm that it belongs to. */
  readonly release?: string;
}

/** What was found, and what is not known, each a sentence. */
export interface Search {
  readonly found?: OtherReloader;
  /** Whether the Deployments of all namespaces could be listed. */
  readonly seesAll: boolean;
  readonly notes: readonly string[];
}

const OURS = 'kubernetes-reloader';

/** Looks for the Deployment. @throws CommandError if the named one cannot be read, or the API server does not answer */
export async function findOther(
  send: Send,
  source: Source,
  { asked, namespace }: { readonly asked: string | undefined; readonly namespace: string },
): Promise<Search> {
  const places = [...new Set([namespace, ...source.namespaces])];
  const { found, isEverywhere: seesAll } = await deploymentsIn(send, places);
  if (asked !== undefined) {
    const named = await namedDeployment(send, '--deployment', asked, namespace);
    return { found: otherOf(named), seesAll, notes: [] };
  }
  const [first, ...others] = found
    .filter((each) => isIt(source, each))
    .map(otherOf)
    .sort((one, other) => other.installation.replicas - one.installation.replicas);
  const hidden = `you may not list the Deployments of all namespaces: it was looked for in ${places.join(' and ')} alone; name it by --deployment <namespace>/<name>`;
  const several = `there are ${others.length} more of them (${others.map(titleOf).join(', ')}): --deployment <namespace>/<name> names another one`;
  const notes = [
    ...(seesAll || first !== undefined ? [] : [hidden]),
    ...(others.length === 0 ? [] : [several]),
  ];
  return { ...(first && { found: first }), seesAll, notes };
}

function titleOf({ installation: { namespace, name } }: OtherReloader): string {
  return `${namespace}/${name}`;
}

function isIt({ image, variable }: Source, { metadata, spec }: RawDeployment): boolean {
  if (metadata.labels?.['app.kubernetes.io/name'] === OURS) return false;
  return (spec?.template?.spec?.containers ?? []).some(
    (each) => image.test(each.image ?? '') || each.env?.some(({ name }) => name === variable) === true,
  );
}

function otherOf(deployment: RawDeployment): OtherReloader {
  const { annotations = {}, labels = {} } = deployment.metadata;
  const ofChart = labels['heritage'] === 'Helm' ? labels['release'] : undefined;
  const release = annotations['meta.helm.sh/release-name'] ?? ofChart;
  const common = { installation: installationOf(deployment), program: programOf(deployment) };
  return release === undefined ? common : { ...common, release };
}
