/** The right to list and watch a kind, which is taken from the reloaders for a while. */

import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Resource } from './history.ts';
import { KEY_SECRET } from './ring.ts';

/** See the file's comment. */
export class Rights {
  readonly #sandbox: Sandbox;
  #liftKeys: (() => void) | undefined;
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

  /** The Secret with the keys of digests may be read and written, or not any more. */
  setKeyRights(allowed: boolean): void {
    this.#liftKeys?.();
    this.#liftKeys = undefined;
    if (allowed) return;
    this.#liftKeys = this.#sandbox.addFault({
      match: { resource: 'secrets', name: KEY_SECRET, userAgent: 'replica-' },
      times: 'always',
      effect: { kind: 'status', code: 403 },
    });
  }

  /** The kinds that may not be read. */
  forbidden(): readonly Resource[] {
    return [...this.#lifts.keys()];
  }
}
