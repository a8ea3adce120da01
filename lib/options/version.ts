/** The version of this program, and the Node that runs it. */

import manifest from '../../package.json' with { type: 'json' };

/** The version in package.json, e.g. `0.1.0`. */
export const VERSION: string = manifest.version;

/** Of every answer, and every error, in a format for programs. */
export const API_VERSION = 'kubernetes-reloader/v1';

const OLDEST_NODE = Number.parseInt(manifest.engines.node.replace(/^\D*/, ''), 10);

/**
 * An error about a Node that is too old, e.g. `22.1.0`: it would start and fail later. Undefined if the version is sufficient.
 */
export function wrongOfNode(version: string): string | undefined {
  return Number.parseInt(version, 10) < OLDEST_NODE
    ? `needs Node ${OLDEST_NODE} or later, this is ${version}`
    : undefined;
}
