/** What is kept for workloads that may not be listed, so that none of them loses a change that it did not see. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordedDigest } from '../../../lib/model/edge.ts';
import { kindOverrideKeyOf, kindScopeOf } from '../../../lib/model/persisted-state.ts';
import type { WriteGate } from '../../../lib/state/state-overrides.ts';
import { applyStateWrite, believedAtStart, noteSent } from '../../../lib/state/state-write.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { fc } from '../../laws.ts';
import { OPEN_GATE, World } from '../tracking/world.ts';

const CFG = 'v1.ConfigMap_cfg';
const ALL = 'ran.Deployment_ALL';

/** Deployments may not be listed; what was known of them stays. */
function blind(world: World): WriteGate {
  const scope = { kind: 'Deployment', namespace: world.namespace };
  return {
    ...OPEN_GATE,
    isSynced: (_namespace, _kind, leftOut = 'none') => leftOut !== 'none',
    refused: () => [scope],
    lists: () => false,
  };
}

/** A world whose one known workload follows `cfg`, of which the state has an entry. */
function begun(namespace = 'home'): World {
  const prefix = namespace === 'home' ? '' : `${namespace}_`;
  const world = new World({ [`${prefix}${CFG}`]: 'a.1' }, namespace);
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  return world;
}

function writeBlind(world: World, gate = blind(world)): void {
  for (const write of world.plans(undefined, gate)) {
    noteSent(world.store, write);
    applyStateWrite(world.store, new Effects(), write);
  }
}

/** A process that may list again, in a world in which `api` was there all the time. */
function seeing(world: World): World {
  world.edit('api', { follows: ['cfg'] });
  return world.restart();
}

describe('what is kept for who may not be listed', () => {
  test('is the digest of before, by the write that changes the entry', () => {
    const world = begun();
    world.config('cfg', 'b');
    world.roll('web');
    writeBlind(world);
    assert.deepEqual(world.written, {
      [CFG]: 'b.2',
      [ALL]: { [CFG]: 'a' },
      'ran.Deployment_web': { [CFG]: 'b' },
    });
  });

  test('stays the oldest digest, whatever comes later', () => {
    const world = begun();
    for (const content of ['b', 'c']) {
      world.config('cfg', content);
      world.roll('web');
      writeBlind(world);
    }
    assert.deepEqual(world.written[ALL], { [CFG]: 'a' });
  });

  test('is nothing where the entry is a baseline', () => {
    const world = new World();
    world.config('cfg', 'a', { initial: true });
    world.workload('web', { follows: ['cfg'] }, { initial: true });
    writeBlind(world);
    assert.deepEqual(world.written, { [CFG]: 'a.1' });
  });

  test('makes each workload owe that has nothing recorded of its own, once', () => {
    const world = begun();
    world.config('cfg', 'b');
    world.roll('web');
    writeBlind(world);
    const next = seeing(world);
    assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [false, true]);
    next.roll('api');
    next.write();
    assert.deepEqual(next.written, { [CFG]: 'b.3' });
    assert.equal(next.restart().needsRollout('api'), false);
  });

  test('counts also where the content is again what it was: pods may have started in between', () => {
    const world = begun();
    world.config('cfg', 'b');
    world.roll('web');
    writeBlind(world);
    world.config('cfg', 'a');
    assert.equal(seeing(world).needsRollout('api'), true);
  });

  test('goes in the write that records of each what was kept', () => {
    const world = begun();
    world.config('cfg', 'b');
    world.roll('web');
    writeBlind(world);
    const next = seeing(world);
    const [write, ...others] = next.plans([]);
    assert.ok(write !== undefined && others.length === 0);
    applyStateWrite(next.store, new Effects(), write);
    assert.deepEqual(next.written, { [CFG]: 'b.2', 'ran.Deployment_api': { [CFG]: '?' } });
    assert.equal(next.restart().needsRollout('api'), true);
  });

  test('an entry whose last known follower goes is not removed', () => {
    const world = begun();
    world.noWorkload('web');
    assert.deepEqual(world.plans(undefined, blind(world)), []);
  });

  test('its key names no workload, and tells what it is about', () => {
    for (const scope of [
      { kind: 'DaemonSet', namespace: undefined },
      { kind: 'DaemonSet', namespace: 'home' },
      { kind: 'Job', namespace: 'far' },
    ])
      assert.deepEqual(kindScopeOf(kindOverrideKeyOf(scope, 'home'), 'home'), scope);
    assert.equal(kindScopeOf('ran.Deployment_all', 'home'), undefined);
  });
});

const CONTENTS = ['a', 'b', 'c'] as const;
type Step =
  | { readonly do: 'content'; readonly content: (typeof CONTENTS)[number] }
  | { readonly do: 'roll' | 'write' | 'start pods' | 'restart' | 'owner' };
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('content'), content: fc.constantFrom(...CONTENTS) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('roll', 'write', 'start pods', 'restart', 'owner') }),
  },
);

/** Plays the part of who cannot list: `read` is what the pods of `api`, which nobody sees, started with last. */
class Blindness {
  world: World;
  read = 'a';
  /** The entry when they started. */
  #entry = 'a.1';

  constructor(namespace: string) {
    this.world = begun(namespace);
  }

  take(step: Step): void {
    const { world } = this;
    if (step.do === 'content') world.config('cfg', step.content);
    else if (step.do === 'roll' && world.needsRollout('web')) world.roll('web');
    else if (step.do === 'owner') world.workload('web', { image: `v${world.now}` });
    else if (step.do === 'write') this.#write();
    else if (step.do === 'start pods') {
      this.read = world.contents.get('cfg')?.content ?? '';
      this.#entry = this.#entryNow;
    } else if (step.do === 'restart') this.world = world.restart();
  }

  /** Whether what they read came and went between two writes: then a process that dies takes it with it. */
  get isForgotten(): boolean {
    return this.#entry === this.#entryNow && !this.#entry.startsWith(this.read);
  }

  get #entryNow(): string {
    return String(Object.entries(this.world.written).find(([key]) => key.endsWith(CFG))?.[1]);
  }

  /** The law, of what is known. */
  #write(): void {
    const { world } = this;
    writeBlind(world);
    const { store } = world;
    const believed = believedAtStart(
      store,
      store.persisted.state,
      world.record('web'),
      world.configRef('cfg'),
    );
    assert.equal(believed, recordedDigest(world.edge('web'), false));
  }
}

for (const namespace of ['home', 'elsewhere']) {
  test(`law: who could not be listed owes what its pods did not read (namespace ${namespace})`, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 25, size: 'max' }), (history) => {
        const play = new Blindness(namespace);
        for (const step of history) play.take(step);
        const next = seeing(play.world);
        const isCurrent = play.read === next.contents.get('cfg')?.content;
        assert.ok(next.needsRollout('api') || isCurrent || play.isForgotten, `pods of api read ${play.read}`);
        for (const name of ['web', 'api']) if (next.needsRollout(name)) next.roll(name);
        next.write();
        assert.ok(!Object.keys(next.written).some((key) => key.includes('ran.')));
        const last = next.restart();
        assert.deepEqual([last.needsRollout('web'), last.needsRollout('api')], [false, false]);
      }),
      { numRuns: 500 },
    );
  });
}
