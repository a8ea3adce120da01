/** Makes the keys of a history, and writes down which process has seen which of them. */

import type { HeldKey } from '../../lib/state/digest-keys.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, STATE_NAMES } from './api.ts';
import type { Settings } from './history.ts';
import { currentIdIn, idsIn, KEY_SECRET, keyNumbered } from './ring.ts';
import type { Fact } from './trace.ts';

/** What one process has seen. */
interface Seen {
  /** How it digests, as far as it is told so, and may read the Secret. */
  digests: Settings['digests'];
  readonly keys: Set<string>;
  /** The key that was in use as it read the Secret first; undefined: it digests without. */
  own: string | undefined;
}

/** See the file's comment. */
export class KeyLedger {
  readonly #sandbox: Sandbox;
  readonly #add: (fact: Fact) => void;
  readonly #seen = new Map<number, Seen>();
  #made = 0;

  constructor(sandbox: Sandbox, add: (fact: Fact) => void) {
    this.#sandbox = sandbox;
    this.#add = add;
  }

  /** How many keys were made. */
  get made(): number {
    return this.#made;
  }

  /** A key that there was not before. */
  newKey(): HeldKey {
    this.#made += 1;
    return keyNumbered(this.#made);
  }

  /** A process starts. */
  begin(replica: number, digests: Settings['digests']): void {
    this.#seen.set(replica, { digests, keys: new Set(), own: undefined });
  }

  /** Whether the process digests under a key. */
  isKeyed(replica: number): boolean {
    return this.#seen.get(replica)?.own !== undefined;
  }

  /** Takes down what a process has seen of the Secret. */
  audit({ userAgent, status, resource, name }: AuditRecord): void {
    const replica = Number(/^replica-(\d+)/.exec(userAgent)?.[1]);
    const seen = this.#seen.get(replica);
    if (seen === undefined || resource !== 'secrets' || name !== KEY_SECRET) return;
    // Who may not read the Secret, and needs no key, does without for good.
    if (status === 403 && seen.own === undefined && !this.#shards().some(isKeyed)) seen.digests = 'sha1';
    if (status >= 300) return;
    const data = this.#data();
    for (const id of idsIn(data)) if (seen.keys.size === 0 && id === currentIdIn(data)) seen.keys.add(id);
    if (seen.digests !== 'keyed' || seen.own !== undefined) return;
    seen.own = currentIdIn(data);
    if (seen.own !== undefined) this.#add({ type: 'keyed', replica });
  }

  /** Whether people removed the key under which the process digests. */
  isKeyLost(replica: number | undefined): boolean {
    const own = this.#seen.get(replica ?? -1)?.own;
    return own !== undefined && !idsIn(this.#data()).includes(own);
  }

  #data(): LooseObject['data'] {
    return this.#sandbox.get('secrets', NAMESPACE, KEY_SECRET)?.['data'] as LooseObject['data'];
  }

  #shards(): readonly LooseObject[] {
    return STATE_NAMES.flatMap(
      (name) => (this.#sandbox.get('configmaps', NAMESPACE, name) as LooseObject | undefined) ?? [],
    );
  }
}

function isKeyed({ data = {} }: LooseObject): boolean {
  return /\bk[0-9a-f]{8}:/.test(Object.values(data).join());
}
