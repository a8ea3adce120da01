/**
 * The digest of a situation, equal for equal situations: versions and times are and ids of stamps replaced by their ranks,
 * contents named in the order in which they are met, and the two workloads taken in the order that gives the lower
 * digest. A history that breaks a rule is always a real one; that no situation is lost is for canonical.test.ts.
 */

import { UNKNOWN } from '../../lib/model/edge.ts';
import { CONFIG_KEY, keyOfName, sameTemplate } from './cluster.ts';
import type { Scope } from './steps.ts';
import { KIND_BITS, KINDS, OWNER_COUNT, Tokens } from './tokens.ts';
import type { Name, World } from './world.ts';

/** 64 bits. */
export interface Digest {
  readonly high: number;
  readonly low: number;
}

const MASK = 2 ** KIND_BITS - 1;
/** More than any version, time or number of a small world. */
const MOST = 4096;
const LETTER_A = 97;

/** Digests of the worlds of one scope. */
export class Situations {
  readonly #isSymmetric: boolean;
  readonly #comparable: readonly [Tokens, Tokens];
  readonly #several: readonly [Tokens, Tokens];

  constructor({ following, relists: hasRelists }: Scope) {
    this.#isSymmetric = !following;
    const readers = (isComparable: boolean): [Tokens, Tokens] => [
      new Tokens({ isComparable, hasRelists, isSwapped: false }),
      new Tokens({ isComparable, hasRelists, isSwapped: true }),
    ];
    this.#comparable = readers(true);
    this.#several = readers(false);
  }

  /** The digest of `world`. `isShared`: its process is that of other worlds too and never changes. */
  digestOf(world: World, isShared = false): Digest {
    const [asItIs, mirrored] = world.comparable ? this.#comparable : this.#several;
    const order = this.#isSymmetric ? orderOf(world) : -1;
    if (order < 0) return this.#digestBy(asItIs, world, isShared);
    const mirror = this.#digestBy(mirrored, world, isShared);
    if (order > 0) return mirror;
    const digest = this.#digestBy(asItIs, world, isShared);
    return isLower(mirror, digest) ? mirror : digest;
  }

  #digestBy(reader: Tokens, world: World, isShared: boolean): Digest {
    reader.read(world, isShared);
    return digestOfTokens(reader.list, world.comparable, this.#isSymmetric);
  }
}

/** Below 0: w1 goes before w2; above 0: after it; 0: what is quick to see does not tell. */
function orderOf(world: World): number {
  return world.deployments.w2 === undefined ? -1 : traitsOf(world, 'w1') - traitsOf(world, 'w2');
}

/** Some of what tells a workload from the other, as one number. */
function traitsOf({ process, deployments, workloads }: World, name: Name): number {
  const { generation = 0, observedGeneration = 0, pods = [], template } = deployments[name] ?? {};
  const turn = process?.turns[name];
  const patch = process?.patches[name];
  const edge = process?.store.workloads.get(keyOfName(name))?.edges.get(CONFIG_KEY);
  let traits = pods.filter((pod) => template !== undefined && sameTemplate(pod.template, template)).length;
  traits = traits * 16 + Math.min(generation - observedGeneration, 15);
  traits = traits * 16 + Math.min(workloads.queue.filter((news) => news.name === name).length, 15);
  const flags = [
    turn?.window,
    turn?.busy,
    turn?.backoff,
    patch,
    patch?.answer,
    edge?.runningDigest === UNKNOWN,
    edge?.rolloutInProgress,
    template?.stamp,
  ];
  for (const flag of flags) traits = traits * 2 + (flag === undefined || flag === false ? 0 : 1);
  return traits;
}

function isLower(a: Digest, b: Digest): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}

function digestOfTokens(tokens: readonly number[], isComparable: boolean, isSymmetric: boolean): Digest {
  clearScales();
  for (const token of tokens) note(token);
  rankScales(isComparable);
  const names = isSymmetric ? new ContentNames() : undefined;
  hash.begin();
  for (const token of tokens) hash.add(rendered(token, names));
  return hash.end();
}

/** Which values of an axis there are, and what each is replaced by, for each of the owners. */
interface Scale {
  /** By value: a bit for each owner that has it. */
  readonly owners: Uint8Array;
  readonly ranks: readonly Uint16Array[];
  most: number;
}

const versions = newScale(OWNER_COUNT);
const times = newScale(OWNER_COUNT);
const numbers = newScale(1);

function newScale(owners: number): Scale {
  const ranks = Array.from({ length: owners }, () => new Uint16Array(MOST));
  return { owners: new Uint8Array(MOST), ranks, most: -1 };
}

function clearScales(): void {
  for (const scale of [versions, times, numbers]) {
    scale.owners.fill(0, 0, scale.most + 1);
    scale.most = -1;
  }
}

function note(token: number): void {
  const kind = token & MASK;
  if (kind >= KINDS.time) mark(times, kind - KINDS.time, token >> KIND_BITS);
  else if (kind >= KINDS.version) mark(versions, kind - KINDS.version, token >> KIND_BITS);
  else if (kind === KINDS.number) mark(numbers, 0, token >> KIND_BITS);
}

function mark(scale: Scale, owner: number, value: number): void {
  if (value >= MOST) throw new Error(`${value} is more than expected`);
  scale.owners[value] = (scale.owners[value] ?? 0) | (1 << owner);
  if (value > scale.most) scale.most = value;
}

/**
 * Versions and times of two owners are never compared, only each with the ConfigMap's; where
 * versions are not comparable, those of different objects are never compared at all.
 */
function rankScales(isComparable: boolean): void {
  rank(versions, isComparable);
  rank(times, true);
  for (const ranks of numbers.ranks) rankOwner(numbers, 1, 0, ranks);
}

/** Gives each owner's value its rank among those of the owner and, if `isShared`, those of the ConfigMap. */
function rank(scale: Scale, isShared: boolean): void {
  for (const [owner, ranks] of scale.ranks.entries()) rankOwner(scale, 1 << owner, isShared ? 1 : 0, ranks);
}

function rankOwner({ owners, most }: Scale, own: number, shared: number, ranks: Uint16Array): void {
  let below = 0;
  for (let value = 0; value <= most; value += 1) {
    const present = owners[value] ?? 0;
    if ((present & (own | shared)) === 0) continue;
    // Of two ranks that follow each other, the upper one is for what is the ConfigMap's too.
    ranks[value] = below * 2 + (present & shared);
    below += 1;
  }
}

function rendered(token: number, names: ContentNames | undefined): number {
  const [kind, value] = [token & MASK, token >> KIND_BITS];
  if (kind === KINDS.text) return token;
  if (kind === KINDS.content) return ((names?.nameOf(value) ?? value) << KIND_BITS) | kind;
  return (rankOf(kind, value) << KIND_BITS) | kind;
}

function rankOf(kind: number, value: number): number {
  if (kind === KINDS.number) return numbers.ranks[0]?.[value] ?? 0;
  if (kind >= KINDS.time) return times.ranks[kind - KINDS.time]?.[value] ?? 0;
  return versions.ranks[kind - KINDS.version]?.[value] ?? 0;
}

/** Names contents in the order in which they are met; what is no content keeps its own name. */
class ContentNames {
  readonly #names = [0, 0, 0];
  #count = 0;

  /** The name of the content with that letter. */
  nameOf(letter: number): number {
    const known = this.#names[letter - LETTER_A];
    if (known === undefined) return letter;
    if (known > 0) return known;
    this.#count += 1;
    this.#names[letter - LETTER_A] = this.#count;
    return this.#count;
  }
}

/** Two hashes of 32 bits side by side. */
const hash = {
  high: 0,
  low: 0,
  begin(): void {
    this.high = 0x2f1b_7a31;
    this.low = 0x51ed_270b;
  },
  add(word: number): void {
    this.high = mixed(this.high, Math.imul(word, 0xcc9e_2d51), 0x1b87_3593);
    this.low = mixed(this.low, Math.imul(word, 0x239b_961b), 0x38b3_4ae5);
  },
  end(): Digest {
    const high = finished(this.high ^ Math.imul(this.low, 0x9e37_79b1));
    const low = finished(this.low + Math.imul(high, 0x85eb_ca77));
    return { high, low };
  },
};

function mixed(state: number, word: number, factor: number): number {
  const turned = state ^ Math.imul((word << 15) | (word >>> 17), factor);
  return (Math.imul((turned << 13) | (turned >>> 19), 5) + 0x6546_b64) | 0;
}

function finished(state: number): number {
  let bits = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
