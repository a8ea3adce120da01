/** The ConfigMaps of the state as the watch shows them. */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf } from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Store } from '../store/store.ts';
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
 * Passes the version of a shard to the committer, which notices by it that another client wrote the state. Where the watch does not
 * show the shards, as with a label selector, a foreign write is noticed by a conflict alone.
 */
export function noticeShownState(
  { settings }: Store,
  committer: Pick<StateCommitter, 'notice'>,
  event: InformerEvent<ConfigObject>,
): void {
  if (event.type === 'synced' || !settings.ownState.has(event.key)) return;
  const version = event.type === 'present' ? event.object.resourceVersion : undefined;
  committer.notice([...settings.ownState].indexOf(event.key), version);
}
