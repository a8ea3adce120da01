/**
 * The ConfigMaps of the state as the watch shows them. A standby keeps its view of the state up to date by them; a leader,
 * which reads and writes the state itself, notices by them that another client wrote it.
 */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf } from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Store } from '../store/store.ts';
import { covers, type Stream } from '../store/sync-gate.ts';
import type { StateCommitter } from './state-committer.ts';

/**
 * Takes in one ConfigMap if it is a shard of the state. A standby parses it, for its admission webhook needs to know which
 * entries there are. A leader only checks the mark: its own reads and writes are newer than the watch.
 */
export function seeShownState(
  store: Store,
  leader: Pick<StateCommitter, 'weigh'> | undefined,
  { metadata, data = {} }: RawConfigObject,
): void {
  const { name, namespace = '', annotations = {} } = metadata;
  const shard = [...store.settings.ownState].indexOf(keyOf({ kind: 'ConfigMap', namespace, name }));
  if (shard < 0) return;
  if (leader !== undefined) {
    leader.weigh(shard, annotations);
    return;
  }
  const { homeNamespace, knows } = store.settings;
  const parsed = parseState(data, annotations, homeNamespace, knows);
  if (parsed.type === 'state') store.persisted.takeShard(shard, parsed.entries);
}

/**
 * Passes the versions of the shards to the committer. A complete list also reports the shards that it does not contain; the
 * committer reads these before it believes that they were deleted. Where ConfigMaps are watched by a label selector, the watch
 * does not show the shards: a foreign write is then noticed by the next list or by a conflict, and where the home namespace is
 * not watched by a conflict alone.
 */
export function noticeState(
  store: Store,
  committer: Pick<StateCommitter, 'notice'>,
  stream: Stream,
  event: InformerEvent<ConfigObject>,
): void {
  if (stream.kind !== 'ConfigMap' || !covers(stream, store.settings.homeNamespace)) return;
  if (event.type !== 'synced' && !store.settings.ownState.has(event.key)) return;
  for (const [shard, key] of [...store.settings.ownState].entries()) {
    if (event.type === 'synced' || event.key === key)
      committer.notice(shard, store.configs.get(key)?.resourceVersion);
  }
}
