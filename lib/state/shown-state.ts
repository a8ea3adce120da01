/** The ConfigMaps of the state as the watch shows them. */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Store } from '../store/store.ts';
import { covers, type Stream } from '../store/sync-gate.ts';
import type { StateCommitter } from './state-committer.ts';

/** Takes over a ConfigMap if it is a shard of the state: the admission webhook of a standby needs to know which entries there are. */
export function readShownState(store: Store, { metadata, data = {} }: RawConfigObject): void {
  const { name, namespace = '', annotations = {} } = metadata;
  const shard = [...store.settings.ownState].indexOf(keyOf({ kind: 'ConfigMap', namespace, name }));
  if (shard < 0) return;
  const { homeNamespace, knows } = store.settings;
  const parsed = parseState(data, annotations, homeNamespace, knows);
  if (parsed.type === 'state') store.persisted.takeShard(shard, parsed.entries);
}

/**
 * Passes the versions of the shards to the committer of a leader, which notices by them that another client wrote the state. A
 * complete list also reports the shards that it does not contain; the committer reads these before it believes that they were
 * deleted. Where ConfigMaps are watched by a label selector, the watch does not show the shards: a foreign write is then noticed
 * by a conflict alone, as where the home namespace is not watched.
 */
export class ShownState {
  readonly #store: Store;
  readonly #committer: Pick<StateCommitter, 'notice'>;
  readonly #versions = new Map<ObjectKey, string>();

  constructor(store: Store, committer: Pick<StateCommitter, 'notice'>) {
    this.#store = store;
    this.#committer = committer;
  }

  /** An event of a ConfigMap or Secret. */
  observe(stream: Stream, event: InformerEvent<ConfigObject>): void {
    const { homeNamespace, ownState } = this.#store.settings;
    if (stream.kind !== 'ConfigMap' || !covers(stream, homeNamespace)) return;
    if (event.type !== 'synced' && !ownState.has(event.key)) return;
    if (event.type === 'present') this.#versions.set(event.key, event.object.resourceVersion);
    if (event.type === 'absent') this.#versions.delete(event.key);
    for (const [shard, key] of [...ownState].entries())
      if (event.type === 'synced' || event.key === key)
        this.#committer.notice(shard, this.#versions.get(key));
  }
}
