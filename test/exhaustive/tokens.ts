/**
 * A world as a list of numbers, from which the text of a situation is made: what is omitted, and what each number is about.
 * What is immutable in the rules is turned into numbers once.
 */

import { keyOf } from '../../lib/model/object-ref.ts';
import type { SignOfLife } from '../../lib/model/timeline.ts';
import type { Workload } from '../../lib/model/workload.ts';
import { keyOfName, nameOfKey } from './cluster.ts';
import { type Actor, NAMES, type Name, type World } from './world.ts';

/** What a token holds. */
export const KINDS = {
  /** The number of a text. */
  text: 0,
  /** A letter of a content. */
  content: 1,
  /** The number of a stamp or an entry. */
  number: 2,
  /** A resourceVersion of the ConfigMap or its stream; that of another owner is that much higher. */
  version: 3,
  /** A moment on the time line, where it is not made of versions; likewise. */
  time: 7,
} as const;

/** Whose versions and times are compared with the ConfigMap's, and never with each other. */
const OWNERS = { config: 0, first: 1, second: 2, stream: 3 } as const;
/** How many owners there are. */
export const OWNER_COUNT: number = Object.keys(OWNERS).length;

/** How many bits of a token hold its kind; the rest is its value. */
export const KIND_BITS = 4;

const OMITTED: readonly string[] = [
  ...['ref', 'containers', 'lastManager', 'settings', 'dependents', 'uid', 'variables'],
  ...['variable', 'data', 'touched', 'comparable', 'clock', 'arrivals', 'container', 'isLeftAlone', 'isCopy'],
  ...['pods', 'generation', 'observedGeneration', 'at'],
  // Of the resourceVersion, where anybody asks.
  'writtenAt',
  // Only the budget of rollouts asks for it.
  'rolling',
  // Nothing is evicted, aborted or mounted by a driver here.
  ...['isUndated', 'patchedAfter', 'begunWith'],
  // Ids are compared with each other only, and a webhook alone sends the version of an object.
  ...['lastId', 'objectVersion'],
  // There is one object, so one shard.
  ...['shard', 'places', 'isUrgent'],
];
const VERSIONS: readonly string[] = ['resourceVersion', 'configVersion'];
const TIMES: readonly string[] = [
  'changedAt',
  'foundChangedAt',
  'rolledUntil',
  'knownAt',
  'from',
  'to',
  'arrival',
  'absentAfter',
];
const NUMBERS: readonly string[] = ['id'];
/** Fields whose values never change once made: their tokens are worked out once. */
const LASTING: readonly string[] = [
  ...['object', 'plan', 'inFlight', 'answer', 'write', 'state', 'stored', 'template', 'former', 'queue'],
  'edge',
];

/** What is to be done with a field. */
interface Handling {
  readonly isOmitted: boolean;
  readonly isLasting: boolean;
  /** The kind of its numbers; undefined: as they are. */
  readonly kind: 'version' | 'time' | 'number' | 'term' | undefined;
}

const PLAIN: Handling = { isOmitted: false, isLasting: false, kind: undefined };
const HANDLINGS = new Map<string, Handling>([
  ...OMITTED.map((field) => [field, { ...PLAIN, isOmitted: true }] as const),
  ...VERSIONS.map((field) => [field, { ...PLAIN, kind: 'version' }] as const),
  ...TIMES.map((field) => [field, { ...PLAIN, kind: 'time' }] as const),
  ...NUMBERS.map((field) => [field, { ...PLAIN, kind: 'number' }] as const),
  ['term', { ...PLAIN, kind: 'term' }],
  ...LASTING.map((field) => [field, { ...PLAIN, isLasting: true }] as const),
]);

/** Numbers below stand for themselves. */
const FIRST_TEXT = 1000;
const texts = new Map<string, number>();

function numberOfText(text: string): number {
  const number = texts.get(text) ?? texts.size + FIRST_TEXT;
  texts.set(text, number);
  return number;
}

function markOf(text: string): number {
  return (numberOfText(text) << KIND_BITS) | KINDS.text;
}

const MARKS = {
  fields: markOf('('),
  items: markOf('['),
  map: markOf('{'),
  end: markOf('.'),
  nothing: markOf('undefined'),
  yes: markOf('true'),
  no: markOf('false'),
} as const;
const SWAPPED: Readonly<Record<Name, Name>> = { w1: 'w2', w2: 'w1' };

/** How worlds are read. */
export interface Reading {
  readonly isComparable: boolean;
  /** A watch may be cut and listed again. */
  readonly hasRelists: boolean;
  /** As if w1 were w2 and w2 were w1. */
  readonly isSwapped: boolean;
}

const READ_APART: ReadonlySet<string> = new Set([
  ...['process', 'deployments', 'configs', 'workloads', 'former'],
]);

/** Whether another field says it: a span of one step is told by its end, for nothing lies within it. */
function isTold(field: string, { from, to }: Readonly<Record<string, unknown>>): boolean {
  return field === 'from' && typeof to === 'number' && from === to - 1;
}

/** Turns worlds into tokens. */
export class Tokens {
  /** The tokens of the last world. */
  readonly list: number[] = [];
  readonly #isComparable: boolean;
  readonly #hasRelists: boolean;
  readonly #isSwapped: boolean;
  readonly #names: readonly Name[];
  readonly #texts = new Map<string, number>();
  readonly #lasting = new WeakMap<object, readonly number[]>();
  /** That of the world: the others count from it. */
  #term = 0;
  /** Whose versions and times come next. */
  #owner: number = OWNERS.config;

  constructor({ isComparable, hasRelists, isSwapped }: Reading) {
    this.#hasRelists = hasRelists;
    this.#isComparable = isComparable;
    this.#isSwapped = isSwapped;
    this.#names = isSwapped ? NAMES.toReversed() : NAMES;
  }

  /** Fills the list with the tokens of `world`; `isShared`: its process is that of other worlds too and never changes. */
  read(world: World, isShared: boolean): void {
    this.list.length = 0;
    this.#owner = OWNERS.config;
    this.#term = world.term ?? 0;
    const { process } = world;
    for (const field in world) {
      if (!READ_APART.has(field)) this.#value(field, world[field as keyof World]);
    }
    this.#streams(world);
    if (process === undefined) this.#text('dead');
    else if (isShared) this.#once(process, () => this.#fields(process));
    else this.#fields(process);
    for (const name of this.#names) this.#deployment(world, name);
    if (world.term !== undefined) this.#others(world);
  }

  /** The leader before. */
  #others({ former, deployments }: World): void {
    this.#text(former === undefined ? 'none' : 'former');
    if (former?.process !== undefined) {
      this.#streams(former);
      this.#fields(former.process);
      for (const { workload } of former.process.store.workloads.values()) this.#age(workload, deployments);
    }
  }

  /** How far a view lags behind. */
  #age({ ref, generation }: Workload, deployments: World['deployments']): void {
    this.#text(ref.name);
    this.#small((deployments[nameOfKey(keyOf(ref))]?.generation ?? 0) - generation);
  }

  /** Where versions say when something happened, a sign of life only counts for the next list; else its arrival counts. */
  #streams({ configs, workloads }: Actor): void {
    for (const { hasListed, queue } of [configs, workloads]) {
      this.#text(String(hasListed));
      this.#value('queue', queue);
    }
    if (this.#isComparable && !this.#hasRelists) return;
    this.#sign(configs.sign);
    this.#of(OWNERS.stream, () => this.#sign(workloads.sign));
  }

  #sign(sign: SignOfLife | undefined): void {
    this.#value('arrival', this.#isComparable ? sign?.at : sign?.arrival);
  }

  /** Of a pod's moment only what is still on its way counts; of generations, how far each view lags behind. */
  #deployment(world: World, name: Name): void {
    const deployment = world.deployments[name];
    if (deployment === undefined) {
      this.#text('none');
      return;
    }
    this.#of(this.#ownerOf(name), () => this.#fields(deployment));
    const { process, configs, workloads } = world;
    const known = process?.store.workloads.get(keyOfName(name))?.workload.generation;
    this.#small(deployment.generation - deployment.observedGeneration);
    this.#small(known === undefined ? FIRST_TEXT - 1 : deployment.generation - known);
    const answer = process?.patches[name]?.answer;
    for (const pod of deployment.pods) {
      const isOlder = (news: { readonly resourceVersion: number }): boolean => news.resourceVersion <= pod.at;
      this.#value('template', pod.template);
      for (const field of [pod.read, pod.counts, pod.unseen]) this.#value('', field);
      this.#small(configs.queue.filter(isOlder).length);
      this.#small(workloads.queue.filter((news) => news.name === name && isOlder(news)).length);
      this.#small(answer !== undefined && Number(answer.resourceVersion) <= pod.at ? 1 : 0);
    }
  }

  #value(field: string, value: unknown): void {
    this.#handled(field, value, HANDLINGS.get(field) ?? PLAIN);
  }

  #handled(field: string, value: unknown, handling: Handling): void {
    switch (typeof value) {
      case 'number':
        this.#number(handling.kind, value);
        break;
      case 'string':
        this.#string(handling.kind, value);
        break;
      case 'object':
        if (value === null) this.list.push(MARKS.nothing);
        else if (handling.isLasting) this.#once(value, () => this.#object(field, value));
        else this.#object(field, value);
        break;
      case 'boolean':
        this.list.push(value ? MARKS.yes : MARKS.no);
        break;
      default:
        this.list.push(MARKS.nothing);
    }
  }

  /** Whatever does not change is turned into tokens the first time. Its owner does not change either. */
  #once(value: object, write: () => void): void {
    const known = this.#lasting.get(value);
    if (known !== undefined) {
      for (const token of known) this.list.push(token);
      return;
    }
    const from = this.list.length;
    write();
    this.#lasting.set(value, this.list.slice(from));
  }

  #object(field: string, value: object): void {
    if (value instanceof Map) this.#map(field, value);
    else if (value instanceof Set) this.#text([...value].sort().join());
    else if (Array.isArray(value)) {
      this.list.push(MARKS.items);
      for (const item of value) this.#value('', item);
      this.list.push(MARKS.end);
    } else this.#fields(value);
  }

  #map(field: string, map: ReadonlyMap<string, unknown>): void {
    const keys = map.size > 1 ? [...map.keys()].sort((a, b) => this.#compare(a, b)) : map.keys();
    const itemField = field === 'edges' ? 'edge' : HANDLINGS.get(field)?.kind === 'number' ? field : '';
    this.list.push(MARKS.map);
    for (const key of keys) {
      this.#text(key);
      const before = this.#owner;
      if (field === 'workloads') this.#owner = this.#ownerOf(nameOfKey(key));
      this.#value(itemField, map.get(key));
      this.#owner = before;
    }
    this.list.push(MARKS.end);
  }

  #compare(a: string, b: string): number {
    return this.#nameIn(a) < this.#nameIn(b) ? -1 : 1;
  }

  #fields(value: object): void {
    const record = value as Readonly<Record<string, unknown>>;
    const before = this.#owner;
    this.list.push(MARKS.fields);
    if ('w1' in record || 'w2' in record) {
      for (const name of this.#names) {
        this.#owner = this.#ownerOf(name);
        this.#value('', record[name]);
      }
    } else {
      const { name } = record;
      if (name === 'w1' || name === 'w2') this.#owner = this.#ownerOf(name);
      for (const field in record) this.#field(field, record);
    }
    this.#owner = before;
    this.list.push(MARKS.end);
  }

  #field(field: string, record: Readonly<Record<string, unknown>>): void {
    const handling = HANDLINGS.get(field) ?? PLAIN;
    if (!handling.isOmitted && !isTold(field, record)) this.#handled(field, record[field], handling);
  }

  #ownerOf(name: Name): number {
    return name === this.#names[0] ? OWNERS.first : OWNERS.second;
  }

  /** Within `write`, versions and times are those of `owner`. */
  #of(owner: number, write: () => void): void {
    const before = this.#owner;
    this.#owner = owner;
    write();
    this.#owner = before;
  }

  #number(kind: Handling['kind'], value: number): void {
    if (kind === undefined || !Number.isFinite(value)) this.#text(String(value));
    else if (kind === 'number') this.#token(KINDS.number, value);
    else if (kind === 'term') this.#small(this.#term - value);
    else if (kind === 'time' && !this.#isComparable) this.#token(KINDS.time + this.#owner, value);
    else this.#token(KINDS.version + this.#owner, value);
  }

  #string(kind: Handling['kind'], value: string): void {
    if (kind === 'version') this.#number(kind, Number(value));
    else if (value.length === 1 || value.length === 40) this.#token(KINDS.content, value.charCodeAt(0));
    else if (value[40] === '.') {
      this.#token(KINDS.content, value.charCodeAt(0));
      this.#token(KINDS.number, Number(value.slice(41)));
    } else if (/^\?\d/.test(value)) {
      this.#text('?');
      this.#token(KINDS.number, Number(value.slice(1)));
    } else this.#text(value);
  }

  #small(value: number): void {
    this.#token(KINDS.text, value);
  }

  #text(text: string): void {
    let known = this.#texts.get(text);
    if (known === undefined) {
      known = numberOfText(this.#nameIn(text));
      this.#texts.set(text, known);
    }
    this.#token(KINDS.text, known);
  }

  /** The text with the workloads' names as they are meant. */
  #nameIn(text: string): string {
    return this.#isSwapped ? text.replaceAll(/w[12]/g, (name) => SWAPPED[name as Name]) : text;
  }

  #token(kind: number, value: number): void {
    this.list.push((value << KIND_BITS) | kind);
  }
}
