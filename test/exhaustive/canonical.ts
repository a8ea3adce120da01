/**
 * A text that is equal for equal situations: versions and times are replaced by their ranks, stamp numbers moved down. It
 * may only merge too little or, where gaps between numbers are shortened, a little too much: a history that breaks a rule
 * is always a real one.
 */

import { keyOfName } from './cluster.ts';
import { NAMES, type Name, type World } from './world.ts';

type Axis = 'version' | 'time' | 'number';

/** A piece of the text: as it is, or a number whose rank stands for it. */
type Token = string | { readonly axis: Axis; readonly value: number };

const OMITTED = new Set([
  ...['ref', 'containers', 'lastManager', 'dialect', 'dependents', 'uid', 'homeNamespace', 'variables'],
  ...[
    'variable',
    'data',
    'touched',
    'comparable',
    'clock',
    'arrivals',
    'container',
    'isBeingDeleted',
    'pods',
  ],
  ...['generation', 'observedGeneration', 'at'],
  // There is one object, so one shard.
  ...['shard', 'homes', 'places', 'strays', 'isUrgent'],
]);
const VERSIONS = new Set(['resourceVersion', 'configVersion']);
const TIMES = new Set(['changedAt', 'rolledUntil', 'knownAt', 'from', 'to', 'arrival']);
const NUMBERS = new Set(['number', 'highestNumber', 'floors', 'numbers']);
/** Fields whose values never change once made: their tokens are worked out once. */
const LASTING = new Set([
  'object',
  'plan',
  'inFlight',
  'answer',
  'write',
  'state',
  'persisted',
  'template',
  'former',
  'queue',
  'edge',
  'sign',
]);
const GAP = 3;
const caches: Readonly<Record<'version' | 'time', WeakMap<object, readonly Token[]>>> = {
  version: new WeakMap(),
  time: new WeakMap(),
};

/** The text of `world`. */
export function canonical(world: World): string {
  const timeAxis = world.comparable ? 'version' : 'time';
  const tokens: Token[] = [];
  walkFields(tokens, timeAxis, world);
  for (const name of NAMES) walkPods(tokens, timeAxis, world, name);
  return render(tokens);
}

/** Of a pod's moment only what is still on its way counts; of generations, how far each view lags behind. */
function walkPods(tokens: Token[], timeAxis: 'version' | 'time', world: World, name: Name): void {
  const deployment = world.deployments[name];
  if (deployment === undefined) return;
  const record = world.process?.edges.workloads.get(keyOfName(name));
  const { generation, observedGeneration } = deployment;
  tokens.push(`g${generation - observedGeneration},${generation - (record?.workload.generation ?? 0)}`);
  const answer = world.process?.patches[name]?.answer;
  for (const pod of deployment.pods) {
    walk(tokens, timeAxis, 'template', pod.template);
    const isOlder = (news: { readonly resourceVersion: number }): boolean => news.resourceVersion <= pod.at;
    const configs = world.configs.queue.filter(isOlder).length;
    const workloads = world.workloads.queue.filter((news) => news.name === name && isOlder(news)).length;
    const isAfter = answer !== undefined && Number(answer.resourceVersion) <= pod.at;
    tokens.push(`${pod.read}${pod.counts}${pod.unseen}${configs}${workloads}${isAfter}`);
  }
}

function walk(tokens: Token[], timeAxis: 'version' | 'time', field: string, value: unknown): void {
  if (typeof value === 'number') tokens.push(tokenOf(timeAxis, field, value));
  else if (typeof value === 'string') walkText(tokens, field, value);
  else if (typeof value !== 'object' || value === null) tokens.push(String(value));
  else if (!LASTING.has(field)) walkObject(tokens, timeAxis, field, value);
  else {
    const cached = caches[timeAxis].get(value) ?? tokensOf(timeAxis, field, value);
    caches[timeAxis].set(value, cached);
    for (const token of cached) tokens.push(token);
  }
}

function tokensOf(timeAxis: 'version' | 'time', field: string, value: object): readonly Token[] {
  const tokens: Token[] = [];
  walkObject(tokens, timeAxis, field, value);
  return tokens;
}

function walkObject(tokens: Token[], timeAxis: 'version' | 'time', field: string, value: object): void {
  if (value instanceof Map) {
    tokens.push('{');
    const items = value.size < 2 ? [...value] : [...value].sort((a, b) => (a[0] < b[0] ? -1 : 1));
    for (const [key, item] of items) {
      tokens.push(String(key));
      walk(tokens, timeAxis, itemFieldOf(field), item);
    }
    tokens.push('}');
  } else if (value instanceof Set) tokens.push([...value].sort().join());
  else if (Array.isArray(value)) {
    tokens.push('[');
    for (const item of value) walk(tokens, timeAxis, '', item);
    tokens.push(']');
  } else walkFields(tokens, timeAxis, value);
}

function itemFieldOf(field: string): string {
  if (field === 'edges') return 'edge';
  return field === 'floors' || field === 'numbers' ? field : '';
}

function walkFields(tokens: Token[], timeAxis: 'version' | 'time', value: object): void {
  tokens.push('(');
  const record = value as Record<string, unknown>;
  for (const field in record) {
    if (OMITTED.has(field) || (field === 'arrival' && timeAxis === 'version')) continue;
    walk(tokens, timeAxis, field, record[field]);
  }
  tokens.push(')');
}

function tokenOf(timeAxis: Axis, field: string, value: number): Token {
  if (!Number.isFinite(value)) return value > 0 ? '+' : '-';
  if (VERSIONS.has(field)) return { axis: 'version', value };
  if (TIMES.has(field)) return { axis: timeAxis, value };
  if (NUMBERS.has(field)) return { axis: 'number', value };
  return String(value);
}

function walkText(tokens: Token[], field: string, value: string): void {
  if (VERSIONS.has(field)) tokens.push({ axis: 'version', value: Number(value) });
  else if (value.length > 40 && value[40] === '.') {
    tokens.push(value.slice(0, 1), { axis: 'number', value: Number(value.slice(41)) });
  } else tokens.push(value.length === 40 ? value.slice(0, 1) : value);
}

function render(tokens: readonly Token[]): string {
  const values: Record<Axis, Set<number>> = { version: new Set(), time: new Set(), number: new Set() };
  for (const token of tokens) if (typeof token !== 'string') values[token.axis].add(token.value);
  const ranks = {
    version: ranksOf(values.version),
    time: ranksOf(values.time),
    number: shiftsOf(values.number),
  };
  let text = '';
  for (const token of tokens) {
    text += typeof token === 'string' ? `${token},` : `${ranks[token.axis].get(token.value)};`;
  }
  return text;
}

function ranksOf(values: ReadonlySet<number>): Map<number, number> {
  return new Map([...values].sort((a, b) => a - b).map((value, rank) => [value, rank]));
}

function shiftsOf(values: ReadonlySet<number>): Map<number, number> {
  const shifts = new Map<number, number>([[0, 0]]);
  let [before, shifted] = [0, 0];
  for (const value of [...values].sort((a, b) => a - b)) {
    if (value === 0) continue;
    shifted += before === 0 ? 1 : Math.min(value - before, GAP);
    before = value;
    shifts.set(value, shifted);
  }
  return shifts;
}

/** 53 bits of a hash of `text`. */
export function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
