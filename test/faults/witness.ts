/** What the answers to all writes tell: who holds the Lease, who marks the state, which content is rolled when. */

import { markIn } from '../../lib/model/shards.ts';
import { stampsOf, type WorkloadParts } from '../e2e/workloads.ts';
import { type Json, objectOf, pick, stringOf } from '../sandbox/json.ts';
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

/** See the file's comment. Answers may come in another order than their versions. */
export class Witness {
  /** Who held the Lease, one after the other. */
  readonly holders: Possession[] = [];
  /** Who had marked the state, one after the other. */
  readonly writers: Possession[] = [];
  readonly #contents: Pick<Contents, 'indexOf'>;
  readonly #templates = new Map<string, Template[]>();

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

  /** The rollouts of a workload that brought no newer content, or an older one. */
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
      return isNewer && !isOlder ? [] : [`${name}: contents ${age} after ${before} ${version}`];
    });
  }

  /** Takes in the answer to a write. */
  readonly see: OnWrite = ({ resource, tookEffect, resourceVersion }, object) => {
    if (!tookEffect || resourceVersion === undefined) return;
    const name = stringOf(pick(object, 'metadata', 'name')) ?? '';
    const holder = stringOf(pick(object, 'spec', 'holderIdentity')) ?? '';
    if (resource === 'leases') noted(this.holders, holder, resourceVersion);
    if (resource === 'configmaps' && name === STATE) noted(this.writers, writerOf(object), resourceVersion);
    if (WORKLOADS.includes(resource)) {
      const templates = this.#templates.get(name) ?? [];
      this.#templates.set(name, templates);
      // Those of restarts are in its own annotations.
      const stamps = { ...stampsOf(object), ...stampsOf(pick(object, 'spec', 'template')) };
      templates.push({ resourceVersion, stamps });
    }
  };

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

function writerOf(state: Json | undefined): string {
  return markIn(objectOf(pick(state, 'metadata', 'annotations')) as Readonly<Record<string, string>>).writer;
}

/** After what has an earlier version, unless that says the same. */
function noted(history: Possession[], identity: string, resourceVersion: number): void {
  const at = performance.now();
  const index = history.findLastIndex((each) => each.resourceVersion < resourceVersion);
  const last = history[index];
  if (last?.identity === identity) last.lastAt = at;
  else history.splice(index + 1, 0, { identity, resourceVersion, at, lastAt: at });
}
