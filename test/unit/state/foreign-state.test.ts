/** What others wrote to the state: it may add a doubt, and it settles nothing and removes no doubt. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeInForeign } from '../../../lib/state/foreign-state.ts';
import { StatePlan, shardAfter } from '../../../lib/state/state-write.ts';
import { d } from '../tracking/sketch.ts';
import { OPEN_GATE, settled, World } from '../tracking/world.ts';

const CFG = 'v1.ConfigMap_cfg';

interface Case {
  readonly given: () => World;
  /** What the state says when it is read again. */
  readonly reads: Readonly<Record<string, string>>;
  readonly runningDigest: string;
  readonly needsRollout: boolean;
}

/** The state says that `web` ran a; `cfg` is b, and nothing else has happened. */
function owing(): World {
  const world = settled('web');
  world.config('cfg', 'b');
  return world;
}

/** The state does not say anything of `cfg`, which is a. */
function unwritten(): World {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  return world;
}

const CASES: Record<string, Case> = {
  'what agrees with memory changes nothing': {
    given: () => settled('web'),
    reads: { [CFG]: 'a.1' },
    runningDigest: 'a',
    needsRollout: false,
  },
  'another content makes unknown what the pods run': {
    given: () => settled('web'),
    reads: { [CFG]: 'c.1' },
    runningDigest: '?',
    needsRollout: true,
  },
  'a mark makes it unknown too': {
    given: () => settled('web'),
    reads: { [CFG]: 'a.1?Deployment/web' },
    runningDigest: '?',
    needsRollout: true,
  },
  'that the pods ran the current content settles nothing': {
    given: owing,
    reads: { [CFG]: 'b.1' },
    runningDigest: '?',
    needsRollout: true,
  },
  'a doubt that is taken out stays': {
    given: () => {
      const world = owing();
      world.workload('web', { image: 'v2' });
      world.write();
      return world;
    },
    reads: { [CFG]: 'b.1' },
    runningDigest: '?',
    needsRollout: true,
  },
  'an entry that is deleted leaves the edge as it is': {
    given: owing,
    reads: {},
    runningDigest: 'a',
    needsRollout: true,
  },
  'an edge that is not touched is as it was, also where memory is ahead of the state': {
    given: () => {
      const world = owing();
      world.roll('web');
      return world;
    },
    reads: { [CFG]: 'b.1?Deployment/web', 'v1.ConfigMap_other': 'c.1' },
    runningDigest: 'b',
    needsRollout: false,
  },
  'of an object that had no entry the one that appears may agree': {
    given: unwritten,
    reads: { [CFG]: 'a.1' },
    runningDigest: 'a',
    needsRollout: false,
  },
  'of an object that had no entry the one that appears may say something else': {
    given: unwritten,
    reads: { [CFG]: 'c.1' },
    runningDigest: '?',
    needsRollout: true,
  },
  'of what a workload does not ask for there is no doubt': {
    given: () => {
      const world = settled('web');
      world.config('cfg', 'b', { marks: { 'reloader.k8s.collaborne.com/ignore': 'true' } });
      return world;
    },
    reads: { [CFG]: 'c.1' },
    runningDigest: 'b',
    needsRollout: false,
  },
};

for (const [sentence, { given, reads, runningDigest, needsRollout }] of Object.entries(CASES)) {
  test(`a state that others wrote: ${sentence}`, () => {
    const world = given();
    const before = world.store.persisted.state.entries;
    world.state(reads);
    const effects = takeInForeign(world.store, before);
    assert.deepEqual(
      [world.edge('web').runningDigest, world.needsRollout('web')],
      [runningDigest === '?' ? runningDigest : d(runningDigest), needsRollout],
    );
    assert.deepEqual(
      effects.enqueuedFor('changed').map(([key]) => key),
      runningDigest === '?' ? [world.workloadKey('web')] : [],
    );
  });
}

test('a state that others wrote: the doubt is recorded', () => {
  const world = settled('web');
  const before = world.store.persisted.state.entries;
  world.state({ [CFG]: 'c.1' });
  takeInForeign(world.store, before);
  world.write();
  assert.deepEqual(world.written, { [CFG]: 'a.1?Deployment/web' });
  assert.equal(world.restart().needsRollout('web'), true);
});

test('what was sent and may be in force is not taken for what others wrote', () => {
  const world = owing();
  world.workload('web', { image: 'v2' });
  const [write] = new StatePlan(world.store, {
    configs: [world.configKey('cfg')],
    gate: OPEN_GATE,
    place: () => 0,
  }).writes;
  assert.ok(write !== undefined);
  const before = world.store.persisted.state.entries;
  const after = shardAfter(world.store, write);
  const sent = world.store.persisted.withShard(0, after).entries;
  world.roll('web');
  world.store.persisted.takeShard(0, after);
  const effects = takeInForeign(world.store, before, sent);
  assert.deepEqual([world.edge('web').runningDigest, effects.isEmpty], [d('b'), true]);
});

for (const isEmptied of [false, true]) {
  test(`an entry that is deleted is told of${isEmptied ? ', but not where all are' : ''}`, () => {
    const world = settled('web');
    const before = world.store.persisted.state.entries;
    world.state({});
    const notes = takeInForeign(world.store, before, undefined, isEmptied).reported('note');
    assert.deepEqual(
      notes.map(({ detail }) => detail),
      isEmptied ? [] : ['removed'],
    );
  });
}
