/** The keys of digests in a history, numbered as they are made, so that whoever knows a digest's key can tell what it stands for. */

import { createHash } from 'node:crypto';
import { type Algorithm, keyedAlgorithm, UNKEYED } from '../../lib/model/digest.ts';
import type { HeldKey } from '../../lib/state/digest-keys.ts';
import { type Api, NAMESPACE, pathOf, STATE_NAME } from './api.ts';
import type { KeyStep } from './history.ts';

/** The Secret that holds the keys. */
export const KEY_SECRET: string = `${STATE_NAME}-key`;
/** Its path. */
export const KEY_PATH: string = pathOf(`Secret/${KEY_SECRET}`);

/** The key of that number. */
export function keyNumbered(number: number): HeldKey {
  const id = `k${number.toString(16).padStart(8, '0')}`;
  return { id, value: materialOf(id).toString('base64') };
}

/** The texts of the first `count` keys, which only the Secret may hold. */
export function keyTexts(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => materialOf(keyNumbered(index + 1).id)).flatMap((key) =>
    (['base64', 'base64url', 'hex'] as const).map((encoding) => key.toString(encoding)),
  );
}

/** The algorithm of that name, of a lost key too; undefined: there is none. */
export function algorithmNamed(name: string): Algorithm | undefined {
  return /^k[0-9a-f]{8}$/.test(name) ? keyedAlgorithm(name, materialOf(name)) : UNKEYED.named(name);
}

/** The ids of the keys that data of the Secret hold. */
export function idsIn(data: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.keys(data).filter((id) => id !== 'current');
}

/** The id of the key in use; undefined if the Secret does not hold that key. */
export function currentIdIn(data: Readonly<Record<string, string>> = {}): string | undefined {
  const current = Buffer.from(data['current'] ?? '', 'base64').toString();
  return data[current] === undefined ? undefined : current;
}

function materialOf(id: string): Buffer {
  return createHash('sha256').update(`the key ${id}`).digest();
}

/** The people who edit the Secret. */
export class KeyPeople {
  readonly #api: Api;
  /** As it was first. */
  #copy: Readonly<Record<string, string>> | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Edits the Secret; one that is not there stays so, unless it is restored. */
  async edit(step: KeyStep): Promise<void> {
    const live = await this.#api.get(KEY_PATH);
    this.#copy ??= live?.data;
    switch (step.do) {
      case 'remove-key':
        await this.#api.delete(KEY_PATH);
        return;
      case 'restore-key':
        if (this.#copy !== undefined) await this.#restore(this.#copy);
        return;
    }
  }

  async #restore(data: Readonly<Record<string, string>>): Promise<void> {
    await this.#api.delete(KEY_PATH);
    const metadata = { name: KEY_SECRET, namespace: NAMESPACE };
    await this.#api.create(KEY_PATH.replace(`/${KEY_SECRET}`, ''), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      data,
    });
  }
}
