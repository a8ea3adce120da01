/** What the ConfigMaps of the state say, in terms of contents. Written from the model, not from the program. */

import { algorithmOf } from '../../lib/model/digest.ts';
import { STATE_SHARDS_ANNOTATION } from '../../lib/model/shards.ts';
import { entryKeyOf, overridesKeyOf } from '../../lib/model/state-entry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, refOf, STATE_NAMES, split } from './api.ts';
import { readOfDigest, SCOPES } from './contents.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { BATCH, ROLLOUTS, TOLD, WORKLOADS } from './manifests.ts';
import type { Halt, Read, StateFact } from './trace.ts';

type RunningDigest = Read | '?' | 'other';
type Data = Readonly<Record<string, string>>;

/** What they say now. */
export function stateFactNow(sandbox: Sandbox): StateFact {
  return stateFactOf((name) => sandbox.get('configmaps', NAMESPACE, name) as LooseObject | undefined);
}

/** What a start makes of them: of each key the entry with the highest number counts, and exceptions beside it. */
export function stateFactOf(at: (name: string) => LooseObject | undefined): StateFact {
  const entries: Record<ConfigName, Read | 'other'> = {};
  const parts: Record<ConfigName, (Read | 'other')[]> = {};
  const overrides: Record<WorkloadName, Record<ConfigName, RunningDigest>> = {};
  const algorithms: Record<ConfigName, readonly string[]> = {};
  const halts: Record<ConfigName, readonly Halt[]> = {};
  const untidy = untidyNames(at);
  for (const [config, keys] of ENTRY_KEYS) {
    const found = keys.map((key) => partOf(config, key, at));
    const texts = found.map(({ entry }) => entry).filter((entry) => entry !== undefined);
    const names = texts.flatMap((text) => algorithmOf(digestIn(text)) ?? []);
    if (names.length > 0) algorithms[config] = names;
    const halted = texts.flatMap(haltsIn);
    if (halted.length > 0) halts[config] = halted;
    const [entry, ...others] = texts.sort(byNumber).map((text) => readOfEntry(config, text));
    if (entry !== undefined) entries[config] = entry;
    if (entry !== undefined && others.length > 0) parts[config] = [entry, ...others];
    for (const [workload, runningDigest] of found.flatMap((part) => part.overrides)) {
      overrides[workload] = { [config]: runningDigest, ...overrides[workload] };
    }
    untidy.push(...found.flatMap(({ strays }) => strays));
  }
  return { entries, parts, overrides, algorithms, halts, untidy };
}

/** What is said of an object, or of what pods may read of it: each has a ConfigMap of its own. */
interface Part {
  readonly entry: string | undefined;
  readonly overrides: readonly (readonly [WorkloadName, RunningDigest])[];
  /** What does not count, in words. */
  readonly strays: readonly string[];
}

function partOf(config: ConfigName, key: string, at: (name: string) => LooseObject | undefined): Part {
  const dataIn = (name: string): Data => at(name)?.data ?? {};
  const entryIn = (name: string): string | undefined => dataIn(name)[key];
  const holders = STATE_NAMES.filter((name) => entryIn(name) !== undefined);
  const [home, ...others] = holders.toSorted((a, b) => byNumber(entryIn(a), entryIn(b)));
  const beside = STATE_NAMES.flatMap((name) =>
    overridesFor(config, key, dataIn(name)).map(([workload, runningDigest]) => ({
      name,
      workload,
      runningDigest,
    })),
  );
  return {
    entry: home && entryIn(home),
    overrides: beside
      .filter(({ name }) => name === home)
      .map(({ workload, runningDigest }) => [workload, runningDigest]),
    strays: [
      ...others.map((name) => `${config} is also in ${name}`),
      ...beside
        .filter(({ name }) => name !== home)
        .map(({ name, workload }) => `${name} has an exception of ${workload} for ${config} by itself`),
    ],
  };
}

/** The highest first. */
function byNumber(a: string | undefined, b: string | undefined): number {
  return numberOf(b) - numberOf(a);
}

function numberOf(entry = ''): number {
  return Number(/\.(\d+)(?:!|$)/.exec(entry)?.[1] ?? 0);
}

function readOfEntry(config: ConfigName, entry: string): Read | 'other' {
  return readOfDigest(config, digestIn(entry));
}

function digestIn(entry: string): string {
  return entry.replace(/\.\d+(?:!.*)?$/, '');
}

/** What halted the content of an entry, the oldest first. */
function haltsIn(entry: string): Halt[] {
  return [...entry.matchAll(/!(?<token>[0-9a-f]+)=[^/]+\/(?<workload>[^!]+)/g)].map(({ groups }) => ({
    token: groups?.['token'] ?? '',
    workload: groups?.['workload'] ?? '',
  }));
}

/** By object: the keys of what is followed of it, the whole of it or what pods may read. */
const ENTRY_KEYS: ReadonlyMap<ConfigName, readonly string[]> = new Map(
  TOLD.map((config) => {
    const ref = refOf(config);
    const parts = [ref, ...SCOPES.map((keys) => ({ ...ref, keys }))];
    return [config, parts.map((part) => entryKeyOf(part, NAMESPACE))];
  }),
);

const EXCEPTIONS_KEYS: ReadonlyMap<WorkloadName, string> = new Map(
  [...WORKLOADS, ...BATCH, ...ROLLOUTS].map((workload) => [
    workload,
    overridesKeyOf({ ...split(workload), namespace: NAMESPACE }, NAMESPACE),
  ]),
);

function overridesFor(config: ConfigName, key: string, data: Data): [WorkloadName, RunningDigest][] {
  return [...EXCEPTIONS_KEYS].flatMap(([workload, overrides]): [WorkloadName, RunningDigest][] => {
    const text = data[overrides];
    const value = text === undefined ? undefined : (JSON.parse(text) as Record<string, string>)[key];
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
