/** What the ConfigMaps of the state say, in terms of contents. Written from the model, not from the program. */

import { entryKeyOf, exceptionsKeyOf } from '../../lib/model/state-entry.ts';
import { STATE_SHARDS_ANNOTATION } from '../../lib/model/state-shards.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, STATE_NAMES, split } from './api.ts';
import { readOfDigest, SCOPES } from './contents.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { CONFIGS, WORKLOADS } from './manifests.ts';
import type { Read, StateFact } from './trace.ts';

type Ran = Read | '?' | 'other';
type Data = Readonly<Record<string, string>>;

/** What they say now. */
export function stateFactNow(sandbox: Sandbox): StateFact {
  return stateFactOf((name) => sandbox.get('configmaps', NAMESPACE, name) as LooseObject | undefined);
}

/** What a start makes of them: the entry with the highest number counts, and exceptions beside it. */
export function stateFactOf(at: (name: string) => LooseObject | undefined): StateFact {
  const entries: Record<ConfigName, Read | 'other'> = {};
  const parts: Record<ConfigName, (Read | 'other')[]> = {};
  const exceptions: Record<WorkloadName, Record<ConfigName, Ran>> = {};
  const untidy = untidyNames(at);
  for (const config of CONFIGS) {
    const shards = STATE_NAMES.map((name) => shardOf(config, at(name)?.data ?? {}, name));
    const home = homeOf(shards);
    const [entry, ...others] = (home?.entries ?? []).map((text) => readOfEntry(config, text));
    if (entry !== undefined) entries[config] = entry;
    if (entry !== undefined && others.length > 0) parts[config] = [entry, ...others];
    for (const [workload, ran] of home?.exceptions ?? []) {
      exceptions[workload] = { ...exceptions[workload], [config]: ran };
    }
    untidy.push(...shards.filter((shard) => shard !== home).flatMap(({ strays }) => strays));
  }
  return { entries, parts, exceptions, untidy };
}

/** What one ConfigMap says of one object. */
interface Shard {
  /** Of the object and its parts; the one with the highest number, which stands for all, is the first. */
  readonly entries: readonly string[];
  readonly exceptions: readonly (readonly [WorkloadName, Ran])[];
  /** The same in words, should it not count. */
  readonly strays: readonly string[];
}

function shardOf(config: ConfigName, data: Data, name: string): Shard {
  const entries = entriesIn(config, data);
  const exceptions = exceptionsFor(config, data);
  const strays = [
    ...(entries.length === 0 ? [] : [`${config} is also in ${name}`]),
    ...exceptions.map(([workload]) => `${name} has an exception of ${workload} for ${config} by itself`),
  ];
  return { entries, exceptions, strays };
}

function homeOf(shards: readonly Shard[]): Shard | undefined {
  const holders = shards.filter(({ entries }) => entries.length > 0);
  const highest = Math.max(...holders.map(({ entries }) => numberOf(entries[0])));
  return holders.find(({ entries }) => numberOf(entries[0]) === highest);
}

function entriesIn(config: ConfigName, data: Data): readonly string[] {
  const entries = keysOf(config).map((key) => data[key]);
  return entries.filter((entry) => entry !== undefined).sort((a, b) => numberOf(b) - numberOf(a));
}

function keysOf(config: ConfigName): readonly string[] {
  return ENTRY_KEYS.get(config) ?? [];
}

function numberOf(entry = ''): number {
  return Number(/\.(\d+)$/.exec(entry)?.[1] ?? 0);
}

function readOfEntry(config: ConfigName, entry: string): Read | 'other' {
  return readOfDigest(config, entry.replace(/\.\d+$/, ''));
}

/** By object: the keys of what is followed of it, the whole of it or what pods may read. */
const ENTRY_KEYS: ReadonlyMap<ConfigName, readonly string[]> = new Map(
  CONFIGS.map((config) => {
    const { kind, name } = split(config);
    const ref = { kind: kind === 'Secret' ? 'Secret' : 'ConfigMap', namespace: NAMESPACE, name } as const;
    const parts = [ref, ...SCOPES.map((keys) => ({ ...ref, keys }))];
    return [config, parts.map((part) => entryKeyOf(part, NAMESPACE))];
  }),
);

const EXCEPTIONS_KEYS: ReadonlyMap<WorkloadName, string> = new Map(
  WORKLOADS.map((workload) => [
    workload,
    exceptionsKeyOf({ ...split(workload), namespace: NAMESPACE }, NAMESPACE),
  ]),
);

function exceptionsFor(config: ConfigName, data: Data): [WorkloadName, Ran][] {
  return [...EXCEPTIONS_KEYS].flatMap(([workload, exceptions]): [WorkloadName, Ran][] => {
    const text = data[exceptions];
    const ran = text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
    const value = keysOf(config)
      .map((key) => ran[key])
      .find((one) => one !== undefined);
    if (value === undefined) return [];
    return [[workload, value === '?' ? '?' : readOfDigest(config, value)]];
  });
}

/** Where the first one does not tell of all that there are, or of one that is missing; no matter where nothing is in them. */
function untidyNames(at: (name: string) => LooseObject | undefined): string[] {
  if (STATE_NAMES.every((name) => Object.keys(at(name)?.data ?? {}).length === 0)) return [];
  const annotations = at(STATE_NAMES[0] ?? '')?.metadata.annotations ?? {};
  const told = Number(annotations[STATE_SHARDS_ANNOTATION] ?? 1);
  const isTold = (name: string): boolean => STATE_NAMES.indexOf(name) < told;
  return STATE_NAMES.filter((name) => (at(name) !== undefined) !== isTold(name)).map(
    (name) => `${name} is ${isTold(name) ? 'missing' : 'not told of'}`,
  );
}
