/** The version of this program, and the Node that runs it. */

import manifest from '../../package.json' with { type: 'json' };

/** The version in package.json, e.g. `0.1.0`. */
export const VERSION: string = manifest.version;

const OLDEST_NODE = Number.parseInt(manifest.engines.node.replace(/^\D*/, ''), 10);

/** What is wrong with the Node of this version, e.g. `24.1.0`, before it fails at what it does not have; undefined: nothing. */
export function wrongOfNode(version: string): string | undefined {
  return Number.parseInt(version, 10) < OLDEST_NODE
    ? `needs Node ${OLDEST_NODE} or later, this is ${version}`
    : undefined;
}
