/** What a new leader fetches before it acts, since the state may have seen more than its caches. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABSENT } from '../../../lib/model/digest.ts';
import { nameIn } from '../../../lib/model/object-ref.ts';
import { staleCaches } from '../../../lib/tracking/stale-caches.ts';
import { d } from './sketch.ts';
import { World } from './world.ts';

interface Row {
  readonly state: Readonly<Record<string, string>>;
  /** The stamps of `cfg` on `web`, by variable. */
  readonly stamps?: Readonly<Record<string, string>>;
  /** What the caches hold of `cfg`; undefined: they do not know it. */
  readonly content?: string | undefined;
  readonly configs: readonly string[];
  readonly workloads: readonly string[];
}

const CFG = 'v1.ConfigMap_cfg';
const NONE = { configs: [], workloads: [] };
const FOLLOWERS = { configs: ['cfg'], workloads: ['api', 'web'] };

const ROWS: Record<string, Row> = {
  'nothing where all is as the state says': { state: { [CFG]: 'a.1' }, ...NONE },
  'nothing of what the state says nothing of': { state: {}, ...NONE },
  'an object that is not as its entry says, and all who follow it': { state: { [CFG]: 'b.1' }, ...FOLLOWERS },
  'an object that is not there, and has an entry': {
    state: { [CFG]: 'a.1' },
    content: undefined,
    ...FOLLOWERS,
  },
  'no object that is not there, as its entry says': {
    state: { [CFG]: `${ABSENT}.1` },
    content: undefined,
    ...NONE,
  },
  'nothing for a stamp': { state: { [CFG]: 'a.1' }, stamps: { cfg: 'b.2' }, ...NONE },
  'an object whose entry is of the formula of former times': {
    state: { [CFG]: `collaborne:${d('a')}.1` },
    ...FOLLOWERS,
  },
  'a workload with a mark': {
    state: { [CFG]: 'a.1?Deployment/api' },
    configs: [],
    workloads: ['api'],
  },
  'a workload with a mark that the caches do not know': {
    state: { [CFG]: 'a.1?Deployment/new' },
    configs: [],
    workloads: ['new'],
  },
};

const names = (keys: ReadonlySet<string>): string[] => [...keys].map(nameIn).sort();

for (const [sentence, { state, stamps = {}, configs, workloads, ...rest }] of Object.entries(ROWS)) {
  test(`a new leader fetches ${sentence}`, () => {
    const content = 'content' in rest ? rest.content : 'a';
    const world = new World(state);
    if (content !== undefined) world.config('cfg', content, { initial: true });
    world.config('free', 'c', { initial: true });
    world.workload('web', { follows: ['cfg'], stamps }, { initial: true });
    world.workload('api', { follows: ['cfg'] }, { initial: true });
    const stale = staleCaches(world.store);
    assert.deepEqual([names(stale.configs), names(stale.workloads)], [configs, workloads]);
  });
}
