/** What the stream of ConfigMaps shows of the state. */

import type { ConfigObject } from '../model/config-object.ts';
import { keyOf } from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Store } from '../store/store.ts';
import { covers, type Stream } from '../store/sync-gate.ts';
import type { StateCommitter } from './state-committer.ts';

/**
 * What the stream shows of the state. A standby knows it by that: reviews ask for the sequences of the leader.
 * A leader only sees whose it is.
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
  const parsed = parseState(data, annotations, store.settings.homeNamespace, shard === 0);
  if (parsed.type === 'state') store.persisted.takeShard(shard, parsed.state);
}

/**
 * Tells of the state's own ConfigMaps; of a list also those that are not in it: these are read before that is believed.
 * Where ConfigMaps are watched by their labels nothing else may be heard of them: what somebody else writes is then
 * noticed with the next list or the next write, and with the next write alone where the home namespace is left out.
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
