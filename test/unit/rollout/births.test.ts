/** What was created, or rolled, in an absence and after the change: when it is taken to have read the change, and when not. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BirthsReading, PodsBirth } from '../../../lib/model/outcome.ts';
import { Births } from '../../../lib/rollout/births.ts';
import { World } from '../tracking/world.ts';

const MINUTE = 60;
/** The state was written, the object changed, and then there was a rollout: each a minute later. */
const STATE = 1_000_000_000;
const CHANGE = STATE + MINUTE;
const ROLLOUT = CHANGE + MINUTE;

interface Case {
  readonly state?: number | undefined;
  readonly change?: number | undefined;
  readonly births?: readonly PodsBirth[];
  readonly meanwhile?: (world: World) => void;
  readonly needsRollout: boolean;
}

const YOUNG: PodsBirth = { revision: '7', createdAt: ROLLOUT };

const CASES: Readonly<Record<string, Case>> = {
  'its ReplicaSet is younger than the last write': { births: [YOUNG], needsRollout: false },
  'it has none': { needsRollout: true },
  'it has one of another revision': { births: [{ ...YOUNG, revision: '6' }], needsRollout: true },
  'it has an older one': { births: [{ ...YOUNG, createdAt: CHANGE - MINUTE }], needsRollout: true },
  'it has one of the same second': { births: [{ ...YOUNG, createdAt: CHANGE }], needsRollout: true },
  'it has one of the second after': { births: [{ ...YOUNG, createdAt: CHANGE + 1 }], needsRollout: true },
  'it has one of two seconds after': {
    births: [{ ...YOUNG, createdAt: CHANGE + 2 }],
    needsRollout: false,
  },
  'nobody knows how old that is': { births: [{ ...YOUNG, createdAt: undefined }], needsRollout: true },
  'nobody knows when the object was written': { births: [YOUNG], change: undefined, needsRollout: true },
  'the object left no time since the state was written': {
    births: [YOUNG],
    change: STATE,
    needsRollout: true,
  },
  'nobody knows when the state was written': { births: [YOUNG], state: undefined, needsRollout: true },
  'the object has changed since it was listed': {
    births: [YOUNG],
    meanwhile: (world) => void world.config('cfg', 'c'),
    needsRollout: true,
  },
  'it is not rolled out': {
    births: [YOUNG],
    meanwhile: (world) => void world.workload('web', { isRolledOut: false }),
    needsRollout: true,
  },
  'somebody is only told': {
    births: [YOUNG],
    meanwhile: (world) => {
      world.settings.onlyTells = true;
    },
    needsRollout: true,
  },
};

function worldOf(given: Case): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  const asks = { 'deployment.kubernetes.io/revision': '7' };
  world.workload('web', { follows: ['cfg'], asks }, { initial: true });
  world.config('cfg', 'b', { initial: true });
  world.store.persisted.writtenAt = 'state' in given ? given.state : STATE;
  const config = world.store.configs.get(world.configKey('cfg'));
  assert.ok(config !== undefined);
  config.lastWrite = 'change' in given ? given.change : CHANGE;
  given.meanwhile?.(world);
  return world;
}

function birthsOf(world: World, births: readonly PodsBirth[] = []): { births: Births; lists: string[] } {
  const lists: string[] = [];
  const readBirths = (namespace: string): Promise<BirthsReading> => {
    lists.push(namespace);
    return Promise.resolve({ kind: 'listed', births: new Map(births.map((birth) => ['uid-1', birth])) });
  };
  return { births: new Births({ store: world.store, readBirths, apply: () => undefined }), lists };
}

describe('a Deployment that is owed at the start', () => {
  for (const [name, one] of Object.entries(CASES)) {
    test(`${one.needsRollout ? 'owes it' : 'owes nothing'} if ${name}`, async () => {
      const world = worldOf(one);
      assert.equal(world.needsRollout('web'), true);
      await birthsOf(world, one.births).births.weigh(world.workloadKey('web'));
      assert.equal(world.needsRollout('web'), one.needsRollout);
    });
  }
});

test('ReplicaSets are listed once for all of a namespace, and none for who owes nothing', async () => {
  const world = worldOf({ needsRollout: true });
  world.workload('api', { follows: ['cfg'], uid: 'uid-2' }, { initial: true });
  world.workload('idle', { follows: ['other'], uid: 'uid-3' }, { initial: true });
  const { births, lists } = birthsOf(world);
  await births.weigh(world.workloadKey('idle'));
  assert.deepEqual(lists, []);
  for (const name of ['web', 'api', 'web']) await births.weigh(world.workloadKey(name));
  assert.deepEqual(lists, ['home']);
});
