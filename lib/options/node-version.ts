/** Which Node runs the program: an older one would start, and then fail at whatever it does not have. */

import manifest from '../../package.json' with { type: 'json' };

const OLDEST = Number.parseInt(manifest.engines.node.replace(/^\D*/, ''), 10);

/** What is wrong with the Node of this version, e.g. `24.1.0`; undefined: nothing. */
export function wrongOfNode(version: string): string | undefined {
  return Number.parseInt(version, 10) < OLDEST
    ? `needs Node ${OLDEST} or later, this is ${version}`
    : undefined;
}
