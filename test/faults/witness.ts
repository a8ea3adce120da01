/** What the answers to all writes tell: who holds the Lease, who marks the state, which content is rolled when. */

import { markIn, type TermMark } from '../../lib/model/shards.ts';
import { stampsOf, type WorkloadParts } from '../e2e/workloads.ts';
import { type Json, type JsonObject, objectOf, pick, stringOf } from '../sandbox/json.ts';
import type { Contents } from './contents.ts';
import type { OnWrite } from './fault-proxy.ts';

const STATE = 'reloader-state';
const WORKLOADS = ['deployments', 'statefulsets', 'rollouts'];

/** Who has something since when. */
export interface Possession {
  /** Empty: it is free. */
  readonly identity: string;
  readonly resourceVersion: number;
  /** When the answer came, on the clock of `performance.now()`. */
  readonly at: number;
  /** When the last answer came that says the same. */
  lastAt: number;
}

/** The stamps of a template, by variable. */
interface Template {
  readonly resourceVersion: number;
  readonly stamps: Readonly<Record<string, string>>;
}

/** What one version of the state says of workloads. */
interface State {
  readonly resourceVersion: number;
  /** That of the leader that wrote it. */
  readonly term: number;
  /** The names of the workloads whose pods may run anything. */
  readonly doubts: readonly string[];
}

/** See the file's comment. Answers may come in another order than their versions. */
export class Witness {
  /** Who held the Lease, one after the other. */
  readonly holders: Possession[] = [];
  /** Who had marked the state, one after the other. */
  readonly writers: Possession[] = [];
  readonly #contents: Pick<Contents, 'indexOf'>;
  readonly #templates = new Map<string, Template[]>();
  readonly #states: State[] = [];

  constructor(contents: Pick<Contents, 'indexOf'>) {
    this.#contents = contents;
  }

  /** Who holds the Lease; empty: it is free. */
  get holder(): string {
    return this.holders.at(-1)?.identity ?? '';
  }

  /** Who held the Lease when an object got that version. */
  holderAt(resourceVersion: number): string {
    return this.holders.findLast((each) => each.resourceVersion <= resourceVersion)?.identity ?? '';
  }

  /** For each time that the Lease went to another process: how long before it was last renewed or released, in ms. */
  get takeOvers(): readonly number[] {
    return this.holders.flatMap(({ identity, at }, index) => {
      const before = this.holders.slice(0, index);
      const former = before.findLast((each) => each.identity !== '');
      if (identity === '' || former === undefined || former.identity === identity) return [];
      return [at - Number(before.at(-1)?.lastAt)];
    });
  }

  /**
   * The rollouts of a workload that brought no newer content, or an older one. A leader may repeat the last one of a former leader
   * once, as long as no write of the state has told that it was made.
   */
  needless({ name, follows }: Pick<WorkloadParts, 'name' | 'follows'>): readonly string[] {
    const templates = this.#templatesOf(name);
    const ages = templates.map(({ stamps }) =>
      (follows.ConfigMap ?? []).map((each) => this.#age(each, stamps)),
    );
    return templates.flatMap(({ resourceVersion }, index) => {
      const [age = [], before] = [ages[index], ages[index - 1]];
      const isNewer = before === undefined || age.some((each, which) => each > Number(before[which]));
      const isOlder = before !== undefined && age.some((each, which) => each < Number(before[which]));
      const version = `in version ${resourceVersion}`;
      if (!isOlder && (isNewer || this.#mayRepeat(name, templates[index - 1], resourceVersion))) return [];
      return [`${name}: contents ${age} after ${before} ${version}`];
    });
  }

  /** The rollouts of a workload before which no write of the state had marked it. */
  unmarked({ name }: Pick<WorkloadParts, 'name'>): readonly string[] {
    const [, ...stamped] = this.#templatesOf(name);
    const isUnmarked = ({ resourceVersion }: Template): boolean =>
      !hasDoubtOf(name, this.#stateBefore(resourceVersion));
    return stamped
      .filter(isUnmarked)
      .map(({ resourceVersion }) => `${name}: no mark before version ${resourceVersion}`);
  }

  /** Takes in the answer to a write. */
  readonly see: OnWrite = ({ resource, tookEffect, resourceVersion }, object) => {
    if (!tookEffect || resourceVersion === undefined) return;
    const name = stringOf(pick(object, 'metadata', 'name')) ?? '';
    const holder = stringOf(pick(object, 'spec', 'holderIdentity')) ?? '';
    if (resource === 'leases') noted(this.holders, holder, resourceVersion);
    if (resource === 'configmaps' && name === STATE) {
      const { writer, term } = markOf(object);
      noted(this.writers, writer, resourceVersion);
      this.#states.push({ resourceVersion, term, doubts: doubtsIn(objectOf(pick(object, 'data'))) });
    }
    if (WORKLOADS.includes(resource)) {
      const templates = this.#templates.get(name) ?? [];
      this.#templates.set(name, templates);
      // Those of restarts are in its own annotations.
      const stamps = { ...stampsOf(object), ...stampsOf(pick(object, 'spec', 'template')) };
      templates.push({ resourceVersion, stamps });
    }
  };

  /** Whether the state marked the rollout all the time until that version, which another leader wrote. */
  #mayRepeat(name: string, { resourceVersion: from = 0 }: Partial<Template> = {}, to: number): boolean {
    const [first, last] = [this.#stateBefore(from), this.#stateBefore(to)];
    if (first === undefined || last === undefined || first.term >= last.term) return false;
    const between = this.#states.filter(
      ({ resourceVersion }) => resourceVersion > from && resourceVersion < to,
    );
    return between.every((state) => hasDoubtOf(name, state));
  }

  #stateBefore(version: number): State | undefined {
    const before = this.#states.filter(({ resourceVersion }) => resourceVersion < version);
    return before.toSorted((one, other) => one.resourceVersion - other.resourceVersion).at(-1);
  }

  /** Those that a workload has had, that without stamps first, in their order. */
  #templatesOf(name: string): readonly Template[] {
    const templates = (this.#templates.get(name) ?? []).toSorted(
      (one, other) => one.resourceVersion - other.resourceVersion,
    );
    const all = [{ resourceVersion: 0, stamps: {} }, ...templates];
    return all.filter(({ stamps }, index) => {
      const before = all[index - 1]?.stamps;
      return JSON.stringify(stamps) !== JSON.stringify(before);
    });
  }

  /** Which of the contents of a ConfigMap a stamp tells of; the first where there is no stamp. */
  #age(name: string, stamps: Template['stamps']): number {
    const stamp = stamps[`_RELOADER_CONFIGMAP_${name.toUpperCase()}`] ?? stamps[`ConfigMap/${name}`];
    return stamp === undefined ? 0 : this.#contents.indexOf(name, stamp);
  }
}

function markOf(state: Json | undefined): TermMark {
  return markIn(objectOf(pick(state, 'metadata', 'annotations')) as Readonly<Record<string, string>>);
}

function doubtsIn(data: JsonObject): readonly string[] {
  const marks = Object.values(data).flatMap((entry) => String(entry).split('?').slice(1));
  return marks.filter((mark) => !mark.includes('=')).map((mark) => mark.split('/').at(-1) ?? '');
}

function hasDoubtOf(name: string, state: State | undefined): boolean {
  return state?.doubts.includes(name) === true;
}

/** After what has an earlier version, unless that says the same. */
function noted(history: Possession[], identity: string, resourceVersion: number): void {
  const at = performance.now();
  const index = history.findLastIndex((each) => each.resourceVersion < resourceVersion);
  const last = history[index];
  if (last?.identity === identity) last.lastAt = at;
  else history.splice(index + 1, 0, { identity, resourceVersion, at, lastAt: at });
}
