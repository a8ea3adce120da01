/** Finds the other reloader in the cluster: its Deployment, how it is started, and its webhook. */

import { WEBHOOK_CONFIGURATIONS } from '../../kubernetes/api-path.ts';
import type { Send } from '../../kubernetes/transport.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import {
  deploymentsIn,
  type Installation,
  installationOf,
  namedDeployment,
  type Program,
  problemOf,
  programOf,
  type RawDeployment,
} from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';
import type { Source } from './others.ts';

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

interface RawWebhooks extends RawObject {
  readonly webhooks?: readonly {
    readonly name?: string;
    readonly clientConfig?: { readonly service?: { readonly name?: string } };
  }[];
}

/** The names of its MutatingWebhookConfigurations, and a note if they cannot be listed. */
export async function webhooksOf(
  send: Send,
  { webhooks, title }: Source,
): Promise<{ readonly names: readonly string[]; readonly notes: readonly string[] }> {
  if (webhooks === undefined) return { names: [], notes: [] };
  const reading = await listObjects<RawWebhooks>(send, WEBHOOK_CONFIGURATIONS, undefined);
  if (reading.kind === 'failed')
    return {
      names: [],
      notes: [
        `a MutatingWebhookConfiguration of ${title} ${problemOf(reading)}: delete it first if there is one`,
      ],
    };
  if (reading.kind === 'absent') return { names: [], notes: [] };
  const isIts = ({ metadata, webhooks: all = [] }: RawWebhooks): boolean => {
    const words = all.flatMap(({ name, clientConfig }) => [name, clientConfig?.service?.name]);
    return [metadata.name, ...words].some((text) => text !== undefined && webhooks.test(text));
  };
  return { names: reading.object.filter(isIts).map(({ metadata }) => metadata.name), notes: [] };
}
