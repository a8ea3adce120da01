/** The reloaders of this program that the cluster has already, and whether they watch what the other one does. */

import type { Send } from '../../kubernetes/transport.ts';
import { shownReloader } from '../explain/explanation.ts';
import { type Found, findReloaders, type Installation, watches } from '../installed-reloader.ts';
import type { Settings } from './their-settings.ts';

/** One of them. */
export interface Running extends Pick<Installation, 'namespace' | 'name' | 'release'> {
  /** Whether it has pods, and watches a namespace of the other one. */
  readonly isBeside: boolean;
  readonly says: string;
}

const MISSED =
  'you may not list the Deployments of all namespaces: another installation of this program may run';

/** Looks for them in all namespaces, or without that right in two; `settings`: those of the other one, if there is one. */
export async function findRunning(
  send: Send,
  namespace: string,
  settings: Settings | undefined,
): Promise<{ readonly running: readonly Running[]; readonly unknown: readonly string[] }> {
  const { found, isEverywhere } = await findReloaders(send, namespace, []);
  const running = found.map((each): Running => {
    const { namespace: home, name, replicas, release } = each.installation;
    const { says } = shownReloader({ ...each, unknown: [] });
    const own = { namespace: home, name, release };
    if (settings === undefined) return { ...own, isBeside: false, says };
    const isBeside = replicas > 0 && isCommon(each, settings);
    const rolls = `it rolls ${isBeside ? 'workloads' : 'nothing'} in namespaces of the other one`;
    return { ...own, isBeside, says: `${says}; ${rolls}` };
  });
  return {
    running,
    unknown: [...found.flatMap((each) => each.unknown), ...(isEverywhere ? [] : [MISSED])],
  };
}

/** Whether both watch a namespace. */
function isCommon(reloader: Found, { place: { namespaces }, options }: Settings): boolean {
  const places = namespaces ?? reloader.place.namespaces;
  const isTheirs = (each: string): boolean =>
    namespaces !== undefined || !options.ignoredNamespaces.includes(each);
  return places === undefined || places.some((each) => watches(reloader, each) && isTheirs(each));
}
