/** The reloaders of this program that the cluster has already, and whether they watch what the other one does. */

import type { Send } from '../../kubernetes/transport.ts';
import { shownReloader } from '../explain/explanation.ts';
import { type Found, findReloaders, type Installation, watches } from '../installed-reloader.ts';
import type { Settings } from './their-settings.ts';

/** One of them. */
export interface Running extends Pick<Installation, 'namespace' | 'name'> {
  /** How many of the namespaces of the other one it watches. */
  readonly overlap: keyof typeof OVERLAPS;
  readonly says: string;
}

const OVERLAPS = {
  all: 'it watches every namespace of the other one',
  some: 'it watches some namespaces of the other one',
  none: 'it watches no namespace of the other one',
  idle: 'it has no pods',
} as const;
const MISSED =
  'you may not list the Deployments of all namespaces: another installation of this program may run';

/** Looks for them in all namespaces, or without that right in two. */
export async function findRunning(
  send: Send,
  namespace: string,
  settings: Settings,
): Promise<{ readonly running: readonly Running[]; readonly unknown: readonly string[] }> {
  const { found, isEverywhere } = await findReloaders(send, namespace, []);
  const running = found.map((each) => runningOf(each, settings));
  const isKnown = isEverywhere || running.some(({ overlap }) => overlap === 'all');
  const unknown = [...found.flatMap((each) => each.unknown), ...(isKnown ? [] : [MISSED])];
  return { running, unknown };
}

function runningOf(reloader: Found, settings: Settings): Running {
  const { namespace, name, replicas } = reloader.installation;
  const overlap = replicas === 0 ? 'idle' : overlapOf(reloader, settings);
  const { says } = shownReloader({ ...reloader, unknown: [] });
  return {
    namespace,
    name,
    overlap,
    says: `${says}; ${OVERLAPS[overlap]}`,
  };
}

function overlapOf(reloader: Found, { namespaces, options }: Settings): Running['overlap'] {
  const own = reloader.place.namespaces;
  const { ignoredNamespaces: left } = reloader.options;
  if (namespaces === undefined && own === undefined)
    return left.every((each) => options.ignoredNamespaces.includes(each)) ? 'all' : 'some';
  const watched = namespaces?.filter((each) => watches(reloader, each));
  if (watched !== undefined && watched.length === namespaces?.length) return 'all';
  const common = watched ?? own?.filter((each) => !options.ignoredNamespaces.includes(each)) ?? [];
  return common.length > 0 ? 'some' : 'none';
}
