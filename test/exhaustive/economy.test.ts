/** What rolls nothing: from every world at rest that a search reaches, each of these leads to no patch. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atRest, untouched } from './beginnings.ts';
import { drain } from './judge.ts';
import { search } from './search.ts';
import { EVERYTHING, NOTHING_ELSE, stepsOf } from './steps.ts';
import { copyOf, type World } from './world.ts';

const other = (world: World): string => (world.content === 'a' ? 'b' : 'a');

/** Steps by name; `r becomes X` goes to another content, `r becomes Y` back; everything else on its way is left to arrive. */
const DISTURBANCES: Readonly<Record<string, readonly string[]>> = {
  'a restart': ['the reloader dies', 'a reloader starts and lists'],
  'two restarts, the Deployments listed late': [
    'the reloader dies',
    'a reloader starts, and lists the ConfigMaps only',
    'the reloader dies',
    'a reloader starts, and lists the Deployments only',
  ],
  'an edit of metadata': ['r has its metadata edited'],
  'a change that is taken back within the window': ['r becomes X', 'news of r arrive', 'r becomes Y'],
  'a change that is taken back before it is heard': ['r becomes X', 'r becomes Y'],
  'a change that is taken back unseen': ['the reloader dies', 'r becomes X', 'r becomes Y'],
  'deletion and recreation with the same content': ['r is deleted', 'news of r arrive', 'r becomes Y'],
  'deletion, a restart and recreation': [
    'r is deleted',
    'the reloader dies',
    'a reloader starts and lists',
    'r becomes Y',
  ],
  'opting out and in again': ['w2 opts out', 'news of w2 arrive', 'w2 opts in'],
  'opting out, a restart, and opting in': [
    'w2 opts out',
    'the reloader dies',
    'a reloader starts and lists',
    'w2 opts in',
  ],
  'a new template of its owner': ['w1 gets a new template of its owner'],
};

for (const [name, steps] of Object.entries(DISTURBANCES)) {
  test(`${name} rolls nothing`, async () => {
    let count = 0;
    for (const world of await worldsAtRest()) if (await disturb(copyOf(world), steps)) count += 1;
    assert.ok(count > 0);
  });
}

for (const comparable of [true, false]) {
  test(`a first start rolls nothing, versions ${comparable ? 'comparable' : 'of several counters'}`, () => {
    assert.equal(drain(untouched(comparable)), 0);
  });
}

let found: World[] | undefined;

/** Worlds at rest after changes, refusals and owners' writes, with comparable versions. */
async function worldsAtRest(): Promise<readonly World[]> {
  if (found !== undefined) return found;
  const worlds: World[] = [];
  const onRest = (world: World): void => {
    worlds.push(world);
  };
  await search(atRest(true), { ...NOTHING_ELSE, owners: true }, { depth: 30, states: 3000, onRest });
  found = worlds;
  return worlds;
}

/** Carries the steps out, and then all that follows; false where they cannot happen. Asserts that nothing is rolled. */
async function disturb(world: World, steps: readonly string[]): Promise<boolean> {
  const [back, away] = [world.lastContent, other(world)];
  for (const template of steps) {
    const name = template.replace('becomes X', `becomes ${away}`).replace('becomes Y', `becomes ${back}`);
    const step = stepsOf(world, EVERYTHING).find((one) => one.name === name);
    if (step === undefined) return false;
    await step.run(world);
  }
  assert.equal(drain(world), 0);
  return true;
}
