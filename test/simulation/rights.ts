/** The right to list and watch a kind, which is taken from the reloaders for a while. */

import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Resource } from './history.ts';

/** See the file's comment. */
export class Rights {
  readonly #sandbox: Sandbox;
  readonly #lifts = new Map<Resource, readonly (() => void)[]>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** The kind may not be read any more, and open watches end; answers whether that is news. */
  forbid(resource: Resource): boolean {
    if (this.#lifts.has(resource)) return false;
    const lifts = (['list', 'watch'] as const).map((verb) =>
      this.#sandbox.addFault({
        match: { verb, resource, userAgent: 'replica-' },
        times: 'always',
        effect: { kind: 'status', code: 403 },
      }),
    );
    this.#lifts.set(resource, lifts);
    this.#sandbox.denied.push({ resource });
    this.#sandbox.disturbWatches({ resource, userAgent: 'replica-' }, { kind: 'cut', how: 'end' });
    return true;
  }

  /** It may be read again; answers whether that is news. */
  allow(resource: Resource): boolean {
    const lifts = this.#lifts.get(resource);
    if (lifts === undefined) return false;
    this.#lifts.delete(resource);
    for (const lift of lifts) lift();
    const { denied } = this.#sandbox;
    denied.splice(0, denied.length, ...denied.filter((rule) => rule.resource !== resource));
    return true;
  }

  /** The kinds that may not be read. */
  forbidden(): readonly Resource[] {
    return [...this.#lifts.keys()];
  }
}
