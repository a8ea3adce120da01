/** `reloader state forget`: drops the entry of an object, with all that the state says of its workloads beside it. */

import type { ConfigRef } from '../../model/object-ref.ts';
import { entryKeyBeside, formatOverrides, type StateKey } from '../../model/state-entry.ts';
import { CommandError } from '../connect.ts';
import { isEntryOf, refusedText, type StoredPart, type StoredState } from './stored-state.ts';

/** What was dropped: the keys of entries, and of workloads that had something beside them. */
export interface Forgotten {
  readonly entries: readonly StateKey[];
  readonly workloads: readonly StateKey[];
}

/** Whether the state has an entry of the object, or of some of its keys. */
export function hasEntryOf({ all, home }: StoredState, object: ConfigRef): boolean {
  return [...all.entries.keys()].some((key) => isEntryOf(key, object, home));
}

/** Drops it from each part, fenced by the version that was read. @throws CommandError if a write is refused */
export async function forgetEntry(stored: StoredState, object: ConfigRef): Promise<Forgotten> {
  const changes: StateKey[] = [];
  for (const [shard, part] of stored.parts.entries()) {
    const data = changeOf(part, object, stored.home);
    if (Object.keys(data).length > 0) await write(stored, shard, part, data);
    changes.push(...Object.keys(data));
  }
  const entries = changes.filter((key) => stored.all.entries.has(key));
  return { entries, workloads: changes.filter((key) => !entries.includes(key)) };
}

async function write(
  { client, home }: StoredState,
  shard: number,
  { name, version }: StoredPart,
  data: Record<StateKey, string | null>,
): Promise<void> {
  const resourceVersion = version?.resourceVersion ?? '';
  const result = await client.patch(shard, { resourceVersion, data, annotations: {} });
  if (result.kind === 'accepted') return;
  throw new CommandError(`ConfigMap/${name} in ${home} is not written: ${refusedText(result)}; try it again`);
}

function changeOf({ state }: StoredPart, object: ConfigRef, home: string): Record<StateKey, string | null> {
  const entries = [...state.entries.keys()].filter((key) => isEntryOf(key, object, home));
  const changes = [...state.overrides].flatMap(
    ([workload, overrides]): readonly [StateKey, string | null][] => {
      const kept = Object.entries(overrides).filter(
        ([local]) => !entries.includes(entryKeyBeside(workload, local, home)),
      );
      const isSame = kept.length === Object.keys(overrides).length;
      return isSame ? [] : [[workload, formatOverrides(Object.fromEntries(kept)) ?? null]];
    },
  );
  return Object.fromEntries([...entries.map((key) => [key, null] as const), ...changes]);
}
