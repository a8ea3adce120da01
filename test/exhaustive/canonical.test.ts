/** What has the same digest has the same future: so no situation is lost by looking at one world of each. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Digest, Situations } from './canonical.ts';
import { play } from './search.ts';
import { SEARCHES, type Search } from './searches.ts';
import { type Scope, stepsOf } from './steps.ts';
import { copyOf, type World } from './world.ts';

const DEPTH = 6;
const NAMES: readonly string[] = [
  'contents alone, three of them, versions comparable',
  'owners and deaths, versions comparable',
  'owners and deaths, versions of several counters',
  'watches that are cut, and absence, versions comparable',
  'watches that are cut, and absence, versions of several counters',
  'followers that come and go, versions comparable',
  'take-overs after a late patch, versions comparable',
  'take-overs by a standby that has not heard all, versions opaque',
  'take-overs from a leader that does not know, versions comparable',
  'two workloads: refusals, deaths and lost answers, versions comparable',
  'two workloads: refusals, deaths and lost answers, versions of several counters',
];

for (const chosen of SEARCHES.filter(({ name }) => NAMES.includes(name))) {
  test(`what has one digest has one future: ${chosen.name}`, async () => {
    assert.deepEqual(await differences(chosen), []);
  });
}

test('of two workloads it does not matter which is which, and neither which content is which', async () => {
  const chosen = SEARCHES.find(({ name }) => name.startsWith('two workloads: refusals'));
  assert.ok(chosen);
  const situations = new Situations(chosen.scope);
  const after = async (...names: string[]): Promise<string> =>
    textOf(situations.digestOf(await worldAfter(chosen, names)));
  const both = (name: string): string => `the window of ${name} ends`;
  const marked = [both('w1'), 'a write of the state is sent', 'the state is written'];
  const before = ['r becomes b', 'news of r arrive', ...marked];
  assert.equal(await after(...before, both('w1')), await after(...before, both('w2')));
  assert.notEqual(await after(...before, both('w1')), await after(...before, both('w1'), both('w2')));
  assert.notEqual(await after(), await after('r becomes b'));
});

interface Reached {
  readonly world: World;
  readonly history: readonly string[];
}

/** Of all worlds that DEPTH steps lead to, pairs with one digest from which one step leads to different digests. */
async function differences({ begin, scope }: Search): Promise<string[]> {
  const situations = new Situations(scope);
  const first = new Map<string, { readonly futures: string; readonly history: readonly string[] }>();
  const found: string[] = [];
  const compare = ({ world, history }: Reached, nexts: readonly Reached[]): void => {
    const digest = textOf(situations.digestOf(world));
    const digests = nexts.map((next) => textOf(situations.digestOf(next.world)));
    const futures = [...new Set(digests)].sort().join();
    const other = first.get(digest);
    if (other === undefined) first.set(digest, { futures, history });
    else if (other.futures !== futures)
      found.push(`${other.history.join('; ')} is not ${history.join('; ')}`);
  };
  const seen = new Set<string>();
  let frontier: Reached[] = [{ world: await begin(), history: [] }];
  for (let depth = 0; depth <= DEPTH; depth += 1) {
    const before = frontier.filter(({ world }) => {
      const text = exactTextOf(world);
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
    frontier = [];
    for (const reached of before) {
      const nexts = await successorsOf(reached, scope);
      compare(reached, nexts);
      for (const next of nexts) frontier.push(next);
    }
  }
  assert.ok(first.size < seen.size, 'some worlds are merged');
  return found;
}

function exactTextOf(world: World): string {
  return JSON.stringify(world, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
}

function successorsOf({ world, history }: Reached, scope: Scope): Promise<Reached[]> {
  return Promise.all(
    stepsOf(world, scope).map(async (step) => {
      const next = copyOf(world);
      await step.run(next);
      return { world: next, history: [...history, step.name] };
    }),
  );
}

async function worldAfter({ begin, scope }: Search, names: readonly string[]): Promise<World> {
  const world = copyOf(await begin());
  await play(world, scope, names);
  return world;
}

function textOf({ high, low }: Digest): string {
  return `${high}.${low}`;
}
